/** A user of the library whose token every gateway of a test knows, and calls by HTTP alone. */

import { seedUser } from '../../../../scripts/demo/seed.ts';
import type { Store } from '../../../../server/base/store/index.ts';
import { MCP_PATH } from '../../../../server/gateway-paths.ts';
import { SHARED_PUBLIC_URL } from '../../../support/gateway-processes.ts';
import { vaultBeside } from '../../../support/vault-beside.ts';
import { ADD_BOOK, libraryConnector } from './connector.ts';

export async function seedReader(store: Store, user = 'ada'): Promise<string> {
  const { token } = await seedUser({
    store,
    vault: await vaultBeside(store),
    partner: 'acme',
    user,
    connectors: [libraryConnector()],
    secretOf: () => '',
    resource: SHARED_PUBLIC_URL + MCP_PATH,
    now: Date.now(),
  });
  return token;
}

export interface Called {
  readonly status: number;
  readonly text: string;
  /** Of the error; `ok` where there is none. */
  readonly code: string;
}

export async function addBook(origin: string, token: string, key: string, title = 'A'): Promise<Called> {
  const response = await fetch(origin + MCP_PATH, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: ADD_BOOK, arguments: { title }, _meta: { idempotencyKey: key } },
    }),
  });
  const { result } = (await response.json()) as { result?: { isError?: boolean; content: { text: string }[] } };
  const texts = result?.content.map(({ text }) => text) ?? [];
  const code = result?.isError === true ? (JSON.parse(texts[1] ?? '{}') as { code: string }).code : 'ok';
  return { status: response.status, text: texts[0] ?? '', code };
}
