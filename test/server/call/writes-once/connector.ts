/** A connector with one tool that writes, for gateways that are processes of their own. */

import type { Connector } from '../../../../server/contract/index.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';

export const ADD_BOOK = 'library_add_book';

export function libraryConnector(): Connector {
  const also = { type: 'array', items: { type: 'string' } };
  const input = { properties: { title: { type: 'string' }, also, count: { type: 'integer' } } };
  const request = { query: { title: 'title' } };
  const more = { gatewayArguments: ['also', 'count'] as const, batch: ['title'] };
  return fakeConnector({ tools: [fakeTool({ name: ADD_BOOK, method: 'POST', path: '/books', input, request, more })] });
}
