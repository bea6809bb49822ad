/** A connector with one tool that writes, for gateways that are processes of their own. */

import type { Connector } from '../../../../server/contract/index.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';

export const ADD_BOOK = 'library_add_book';

export function libraryConnector(): Connector {
  const input = { properties: { title: { type: 'string' } } };
  return fakeConnector({ tools: [fakeTool({ name: ADD_BOOK, method: 'POST', path: '/books', input })] });
}
