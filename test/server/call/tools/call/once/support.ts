/** Two gateways over one store and one upstream, and a user whose calls name idempotency keys. */

import type { RequestListener } from 'node:http';
import { createValueSealer } from '../../../../../../server/base/credentials/sealed-value.ts';
import type { Principal } from '../../../../../../server/base/principal/principal.ts';
import type { Store } from '../../../../../../server/base/store/index.ts';
import { insertAccessToken } from '../../../../../../server/base/store/repositories/access-tokens.ts';
import { insertGrant } from '../../../../../../server/base/store/repositories/oauth-grants.ts';
import { createCallsMadeOnce } from '../../../../../../server/call/tools/call/idempotency-keys.ts';
import type { CompleteToolResult } from '../../../../../../server/call/tools/provider.ts';
import type { UserToolsDependencies } from '../../../../../../server/call/tools/user-tools.ts';
import type { Tool } from '../../../../../../server/contract/index.ts';
import { fakeTool } from '../../../../../support/fake-connector.ts';
import { keyBytes } from '../../../../../support/keys.ts';
import { connect, insertPartnerAndUser } from '../../../../base/store/fixtures.ts';
import { startHost } from '../../../upstream/support.ts';
import { createFixture, type Fixture } from '../../support.ts';

const BOOK = { properties: { title: { type: 'string' }, note: { type: 'string' }, pages: { type: 'integer' } } };

export const ADD = 'library_add_book';
export const PUT = 'library_put_book';
export const PAY = 'library_pay_fine';
export const LIST = 'library_list_books';

/** A tool whose upstream recognises repeated requests by a header of so many digits; null: by a UUID. */
export function toPayingTool(name: string, digits: number | null): Tool {
  const idempotency = { header: 'Idempotency-Key', digits };
  return fakeTool({ name, method: 'POST', path: '/fines', input: BOOK, more: { idempotency } });
}

export const TOOLS: readonly Tool[] = [
  fakeTool({ name: LIST, path: '/books' }),
  fakeTool({ name: ADD, method: 'POST', path: '/books', input: BOOK }),
  toPayingTool(PAY, null),
  fakeTool({
    name: PUT,
    method: 'POST',
    path: '/book',
    input: BOOK,
    more: {
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
    },
  }),
];

export interface OnceUnderTest {
  readonly nodes: readonly Fixture[];
  readonly principal: Principal;
  /** Requests that reached the upstream. */
  hits(): number;
  /** Milliseconds that the clock of all nodes is ahead. */
  skipMs: number;
  /** Errors of the store while answers were kept. */
  readonly errors: unknown[];
  grant(): Promise<string>;
  add(key: string | null, args?: Record<string, unknown>, options?: Options): Promise<CompleteToolResult>;
  close(): Promise<void>;
}

interface Options {
  readonly node?: number;
  readonly tool?: string;
  readonly principal?: Partial<Principal>;
  readonly signal?: AbortSignal;
}

export async function startOnce(
  store: Store,
  listener: RequestListener,
  changes: Partial<UserToolsDependencies> = {},
  ofSecondNode: Partial<UserToolsDependencies> = {},
  tools = TOOLS,
): Promise<OnceUnderTest> {
  const host = await startHost(listener);
  const { user, partner } = await insertPartnerAndUser(store);
  const connectionId = await connect(store, { userId: user.id, service: 'library' });
  const resource = 'http://127.0.0.1/api/mcp/unified';
  const scopes = ['tools:read', 'tools:write'] as const;
  const token = { userId: user.id, scopes, services: null, resource, now: Date.now(), expiresAt: 1e15 };
  const tokenId = await insertAccessToken(store.db, { ...token, tokenHash: 'token' });
  const grant = () => insertGrant(store.db, { ...token, clientId: null });
  const errors: unknown[] = [];
  const now = () => Date.now() + given.skipMs;
  const once = () =>
    createCallsMadeOnce({
      db: store.db,
      sealer: createValueSealer({ keys: [{ id: 'test', key: keyBytes(1) }], purpose: 'test' }),
      now,
      onError: (error) => errors.push(error),
    });
  const nodes = [{}, ofSecondNode].map((own) =>
    createFixture({ origin: host.origin, tools, changes: { once: once(), now, ...changes, ...own } }),
  );
  const given: OnceUnderTest = {
    nodes,
    principal: {
      userId: user.id,
      partnerId: partner.id,
      tokenId,
      grantId: null,
      services: ['library'],
      connections: new Map([['library', { id: connectionId, status: 'active', sealedCredential: null, updatedAt: 1 }]]),
    } as unknown as Principal,
    hits: host.hits,
    skipMs: 0,
    errors,
    grant,
    add: (key, args = {}, { node = 0, tool = ADD, principal, signal } = {}) =>
      nodes[node]!.call(tool, args, {
        principal: { ...given.principal, ...principal },
        ...(signal && { signal }),
        meta: key === null ? {} : { idempotencyKey: key },
      }),
    async close() {
      for (const node of nodes) await node.close();
      await host.close();
    },
  };
  return given;
}
