/** A connector with tools that read, write, destroy, and begin work. */

import type { Connector } from '../../../../server/contract/index.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';

const TITLE = { properties: { title: { type: 'string' } } };
const DESTROYS = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };

export function slowLibrary(): Connector {
  const wait = {
    ...{ tool: 'library_get_scan', arguments: { id: '/id' }, state: '/status' },
    ...{ until: ['ready'], failed: ['broken'] },
  };
  const output = { properties: { id: { type: 'string' }, status: { type: 'string' } } };
  return fakeConnector({
    tools: [
      fakeTool({ name: 'library_search', path: '/books' }),
      fakeTool({ name: 'library_add_book', method: 'POST', path: '/books', input: TITLE }),
      fakeTool({
        ...{ name: 'library_burn', method: 'DELETE', path: '/books', input: TITLE },
        more: { annotations: DESTROYS },
      }),
      fakeTool({ name: 'library_scan', method: 'POST', path: '/scans', output, more: { wait } }),
      fakeTool({ name: 'library_get_scan', path: '/scans/{id}', output }),
    ],
  });
}
