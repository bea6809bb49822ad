/** Two gateways over one store and one upstream, a third one that does not reach the upstream, a user whose calls need approval, and a person who decides. */

import type { Principal } from '../../../../../../server/base/principal/principal.ts';
import { keySecrets } from '../../../../../../server/base/principal/secrets.ts';
import type { Store } from '../../../../../../server/base/store/index.ts';
import { insertAccessToken } from '../../../../../../server/base/store/repositories/access-tokens.ts';
import {
  type ListedApproval,
  listApprovals,
} from '../../../../../../server/base/store/repositories/calls/approvals.ts';
import { insertGrant } from '../../../../../../server/base/store/repositories/oauth-grants.ts';
import { ensureUser } from '../../../../../../server/base/store/repositories/users.ts';
import { openDescription } from '../../../../../../server/call/tools/approvals/call-description.ts';
import { createApprovalSealer, type Decision, decide } from '../../../../../../server/call/tools/approvals/decide.ts';
import {
  type AcceptedChannel,
  type ApprovalKind,
  traitsByTool,
} from '../../../../../../server/call/tools/approvals/policy.ts';
import { createCallApprovals } from '../../../../../../server/call/tools/call/approve.ts';
import type { CompleteToolResult } from '../../../../../../server/call/tools/provider.ts';
import type { UserToolsDependencies } from '../../../../../../server/call/tools/user-tools.ts';
import type { Caps, Tool } from '../../../../../../server/contract/index.ts';
import { fakeConnector, fakeTool } from '../../../../../support/fake-connector.ts';
import { keyBytes } from '../../../../../support/keys.ts';
import { connect, insertPartnerAndUser } from '../../../../base/store/fixtures.ts';
import { startHost } from '../../../upstream/support.ts';
import { type CallOptions, createFixture, errorOf, type Fixture } from '../../support.ts';

const DESTROYS = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true };
const TEXT = { type: 'string' };
const ALSO = { also: { type: 'array', items: TEXT }, count: { type: 'integer' } };
const INPUT = { properties: { id: { type: 'string' }, note: { type: 'string' } } };

export const BURN = 'library_burn';
export const ADD = 'library_add';
export const FIND = 'library_find';
export const PURGE = 'library_purge';
export const IMPORT = 'library_import';

/** The node that does not reach the upstream. */
export const CUT_OFF = 2;

const TOOLS: readonly Tool[] = [
  fakeTool({ name: FIND, path: '/books', input: INPUT }),
  fakeTool({ name: ADD, method: 'POST', path: '/books', input: INPUT }),
  fakeTool({
    name: BURN,
    method: 'DELETE',
    path: '/books',
    input: INPUT,
    more: { title: 'Burn a book', annotations: DESTROYS, preview: { tool: FIND, arguments: { id: 'id' } } },
  }),
  fakeTool({
    name: PURGE,
    method: 'DELETE',
    path: '/shelves/{shelf}/books/{id}',
    input: { properties: { shelf: TEXT, id: TEXT, ...ALSO }, required: ['shelf', 'id'] },
    request: { path: { shelf: 'shelf', id: 'id' } },
    more: {
      ...{ title: 'Purge a book', annotations: DESTROYS, gatewayArguments: ['also', 'count'] },
      batch: ['id'],
    },
  }),
  fakeTool({
    name: IMPORT,
    method: 'POST',
    path: '/import',
    input: {
      properties: {
        title: TEXT,
        pages: { type: 'integer' },
        ...ALSO,
        also: { type: 'array', items: { type: 'object' } },
      },
      required: ['title'],
    },
    request: { query: { title: 'title', pages: 'pages' } },
    more: { gatewayArguments: ['also', 'count'], batch: ['title', 'pages'] },
  }),
];

interface Asked {
  readonly node?: number;
  readonly tool?: string;
  readonly principal?: Partial<Principal>;
  readonly key?: string;
  readonly context?: Pick<CallOptions, 'callerNow' | 'signal' | 'inputResponses' | 'requestState'>;
}

export interface ApprovalsUnderTest {
  readonly nodes: readonly Fixture[];
  readonly principal: Principal;
  readonly partnerId: string;
  /** Milliseconds that the clock of all nodes is ahead. */
  skipMs: number;
  /** Runs after a call was approved, before it is sent. */
  beforeSending: (() => Promise<unknown>) | null;
  /** Runs when the upstream has got a request, before it answers. */
  answering: ((url: string) => unknown) | null;
  now(): number;
  /** Requests that changed something at the upstream. */
  writes(): number;
  call(args?: Record<string, unknown>, asked?: Asked): Promise<CompleteToolResult>;
  /** The outcome of a call. */
  outcome(args?: Record<string, unknown>, asked?: Asked): Promise<string>;
  waiting(): Promise<ListedApproval[]>;
  decide(
    row: Pick<ListedApproval, 'id' | 'digest'>,
    how?: Partial<Decision> & { userId?: string; standing?: string | null },
  ): Promise<boolean>;
  approveAll(): Promise<void>;
  /** Approves what waits, and all calls of the same tools until the next day, where that is offered. */
  approveForADay(): Promise<void>;
  grant(userId?: string): Promise<string>;
  user(name: string): Promise<string>;
  close(): Promise<void>;
}

export const sealer = createApprovalSealer([{ id: 'test', key: keyBytes(1) }]);

export async function startApprovals(
  store: Store,
  options: {
    rule?: readonly ('destroy' | 'write')[];
    channels?: readonly AcceptedChannel[];
    remember?: readonly ApprovalKind[];
    /** A node whose operator accepts no approval for a day. */
    forgetfulNode?: number;
    /** Digest of the tools' definitions on each node. Default: the same on all. */
    definitions?: readonly string[];
    caps?: Caps;
    changes?: Partial<UserToolsDependencies>;
  } = {},
): Promise<ApprovalsUnderTest> {
  keySecrets(store.db, keyBytes(7));
  let writes = 0;
  const host = await startHost(async (request, response) => {
    if (request.method !== 'GET') writes += 1;
    const status = await given.answering?.(request.url ?? '');
    if (typeof status === 'number') response.statusCode = status;
    response.setHeader('content-type', 'application/json');
    response.end('{"title":"Ada\u202e","pages":300,"readers":[1,2,3]}');
  });
  const { user, partner } = await insertPartnerAndUser(store);
  const connectionId = await connect(store, { userId: user.id, service: 'library' });
  const resource = 'http://127.0.0.1/api/mcp/unified';
  const scopes = ['tools:read', 'tools:write'] as const;
  const token = { scopes, services: null, resource, now: Date.now(), expiresAt: 1e15 };
  const tokenId = await insertAccessToken(store.db, { ...token, userId: user.id, tokenHash: 'token' });
  const grant = (userId = user.id) => insertGrant(store.db, { ...token, userId, clientId: null });
  const now = () => Date.now() + given.skipMs;
  const { rule = ['destroy'], channels = ['page', 'partner'], remember = [], changes = {} } = options;
  const toolsOf = (node: number) => {
    const provenance = { descriptor: 'test', definition: options.definitions?.[node] ?? 'a' };
    return TOOLS.map((tool) => ({ ...tool, provenance }));
  };
  const nodes = [host.origin, host.origin, 'http://127.0.0.1:9'].map((origin, node) =>
    createFixture({
      origin,
      connectors: [{ ...fakeConnector({ tools: toolsOf(node) }), ...(options.caps && { caps: options.caps }) }],
      changes: {
        aroundStages: () => async (name, run) => {
          if (name === 'sendRequest') await given.beforeSending?.();
          return run();
        },
        ...changes,
        now,
        approvals: createCallApprovals({
          db: store.db,
          sealer,
          traits: traitsByTool([fakeConnector({ tools: TOOLS })]),
          rule,
          channels,
          approvalUrlOf: (id) => `https://gateway.example/me/approvals/${id}`,
          remember: node === options.forgetfulNode ? [] : remember,
          now,
        }),
      },
    }),
  );
  const given: ApprovalsUnderTest = {
    nodes,
    partnerId: partner.id,
    principal: {
      userId: user.id,
      partnerId: partner.id,
      tokenId,
      grantId: await grant(),
      services: ['library'],
      connections: new Map([['library', { id: connectionId, status: 'active', sealedCredential: null, updatedAt: 1 }]]),
    } as unknown as Principal,
    skipMs: 0,
    beforeSending: null,
    answering: null,
    now,
    writes: () => writes,
    call: (args = { id: '1' }, { node = 0, tool = BURN, principal, key, context } = {}) =>
      nodes[node]!.call(tool, args, {
        principal: { ...given.principal, ...principal },
        meta: key === undefined ? {} : { idempotencyKey: key },
        ...context,
      }),
    async outcome(args, asked) {
      const result = await given.call(args, asked);
      return result.isError === true ? errorOf(result).code : 'ok';
    },
    waiting: () => listApprovals(store.db, { partnerId: partner.id, pendingAt: now(), limit: 100 }),
    decide: ({ id, digest }, { userId = user.id, standing = null, ...how } = {}) =>
      store.db
        .transaction()
        .execute((transaction) =>
          decide(
            transaction,
            { id, digest: digest ?? '', userId, partnerId: partner.id, clientId: null, standing },
            { approve: true, channel: 'page', now: now(), ...how },
          ),
        ),
    async approveForADay() {
      for (const row of await given.waiting()) {
        const standing = openDescription(sealer, row, now())?.standing ?? null;
        if (!(await given.decide(row, { standing }))) throw new Error('not decided');
      }
    },
    async approveAll() {
      for (const row of await given.waiting()) if (!(await given.decide(row))) throw new Error('not decided');
    },
    grant,
    user: async (name) => (await ensureUser(store.db, { partnerId: partner.id, externalUserId: name, now: 1 })).id,
    async close() {
      for (const node of nodes) await node.close();
      await host.close();
    },
  };
  return given;
}
