/** Two gateways over one store, users with grants of one client, and a client of 2025 that is asked in the middle of its calls. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import pino from 'pino';
import type { Store } from '../../../../../server/base/store/index.ts';
import { type ListedApproval, listApprovals } from '../../../../../server/base/store/repositories/calls/approvals.ts';
import { insertClient } from '../../../../../server/base/store/repositories/oauth-clients.ts';
import { insertGrant } from '../../../../../server/base/store/repositories/oauth-grants.ts';
import { findPartnerByClientId, insertPartner } from '../../../../../server/base/store/repositories/partners.ts';
import { ensureUser } from '../../../../../server/base/store/repositories/users.ts';
import type { StreamLimits } from '../../../../../server/call/mcp/list-streams.ts';
import { decide } from '../../../../../server/call/tools/approvals/decide.ts';
import { acceptTool } from '../../../../../server/call/tools/tool-consent.ts';
import { createGateway, type Gateway } from '../../../../../server/gateway.ts';
import { MCP_PATH } from '../../../../../server/gateway-paths.ts';
import { issueAccessToken } from '../../../../../server/identity/grants/access-token.ts';
import { loadConfig } from '../../../../../server/index.ts';
import { fakeConnector, fakeTool } from '../../../../support/fake-connector.ts';
import { SHARED_PUBLIC_URL } from '../../../../support/gateway-processes.ts';
import { keyBytes } from '../../../../support/keys.ts';
import { vaultBeside } from '../../../../support/vault-beside.ts';
import { connect } from '../../../base/store/fixtures.ts';
import { startHost } from '../../upstream/support.ts';

export const FIND = 'library_find';
export const ADD = 'library_add';
export const BURN = 'library_burn';
export const CONNECT_PAGE = 'https://acme.example/connect';

const DESTROYS = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true };
/** How often a waiting call looks again. */
const POLL_MS = 25;
const INPUT = { properties: { id: { type: 'string' } } };
const CONNECTORS = [
  fakeConnector({
    tools: [
      fakeTool({ name: FIND, path: '/books', input: INPUT }),
      fakeTool({ name: ADD, method: 'POST', path: '/books', input: INPUT }),
      fakeTool({ name: BURN, method: 'DELETE', path: '/books', input: INPUT, more: { annotations: DESTROYS } }),
    ],
  }),
];

interface User {
  readonly id: string;
  readonly grantId: string;
  readonly token: string;
}

export interface NodesUnderTest {
  /** URLs of the MCP endpoints. */
  readonly urls: readonly string[];
  /** Milliseconds that the clock of all nodes is ahead. */
  skipMs: number;
  /** Requests that changed something at the upstream. */
  writes(): number;
  /** A user, with a grant of one client. @param permission JSON of the grant. */
  user(name: string, options?: { isConnected?: boolean; permission?: string }): Promise<User>;
  connect(user: User): Promise<void>;
  allow(user: User, tool: string): Promise<void>;
  waiting(): Promise<ListedApproval[]>;
  decide(approve: boolean): Promise<void>;
  /** Tells a node that it is to stop. */
  beginStop(node: number): void;
  close(): Promise<void>;
}

export async function startNodes(
  given: { readonly store: Store; readonly url: string },
  env: Readonly<Record<string, string>> = {},
  streamLimits: Partial<StreamLimits> = {},
): Promise<NodesUnderTest> {
  const { store } = given;
  let writes = 0;
  const host = await startHost(async (request, response) => {
    if (request.method !== 'GET') writes += 1;
    response.setHeader('content-type', 'application/json');
    response.end('{"title":"Ada"}');
  });
  const resource = SHARED_PUBLIC_URL + MCP_PATH;
  const known = await findPartnerByClientId(store.db, 'acme');
  const partner =
    known ?? (await insertPartner(store.db, { clientId: 'acme', name: 'Acme', connectUri: CONNECT_PAGE, now: 1 }));
  if (known === undefined) {
    await insertClient(store.db, {
      ...{ clientId: 'client', clientName: 'Client', redirectUris: ['http://127.0.0.1:7000/callback'] },
      ...{ applicationType: 'native', secretHash: null, authenticationMethod: 'none', now: 1 },
    });
  }
  const now = () => Date.now() + nodes.skipMs;
  const started: { gateway: Gateway; server: Server; url: string }[] = [];
  const nodes: NodesUnderTest = {
    ...{ urls: [], skipMs: 0, writes: () => writes },
    async user(name, { isConnected = true, permission = null } = {}) {
      const { id } = await ensureUser(store.db, { partnerId: partner.id, externalUserId: name, now: 1 });
      if (isConnected) await connect(store, { userId: id, service: 'library' });
      const of = { userId: id, scopes: ['tools:read', 'tools:write'] as const, services: null, resource, now: now() };
      const grantId = await insertGrant(store.db, {
        ...{ ...of, clientId: 'client', expiresAt: now() + 1e9 },
        ...(permission === null ? {} : { permission }),
      });
      const { token } = await issueAccessToken(store.db, { ...of, grantId });
      return { id, grantId, token };
    },
    connect: async ({ id }) => void (await connect(store, { userId: id, service: 'library', now: 2 })),
    allow: async ({ grantId }, tool) =>
      void (await acceptTool(store.db, grantId, { tool, facts: 'writes library.example' })),
    waiting: () => listApprovals(store.db, { partnerId: partner.id, pendingAt: now(), limit: 100 }),
    async decide(approve) {
      for (const { id, digest, userId } of await nodes.waiting()) {
        const row = { id, digest: digest ?? '', userId, partnerId: partner.id, clientId: 'client' };
        const decision = { approve, channel: 'page', now: now() } as const;
        await store.db.transaction().execute((transaction) => decide(transaction, row, decision));
      }
    },
    beginStop: (node) => started[node]?.gateway.beginStop(),
    async close() {
      for (const { gateway, server } of started) {
        gateway.beginStop();
        await gateway.cutOff();
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
        await gateway.close();
      }
      await host.close();
    },
  };
  for (const _ of [0, 1]) {
    const config = loadConfig({
      connectors: CONNECTORS,
      env: {
        ...{
          PUBLIC_URL: SHARED_PUBLIC_URL,
          DATABASE_URL: given.url,
          LOG_LEVEL: 'silent',
          LIBRARY_BASE_URL: host.origin,
        },
        ...{ ENCRYPTION_KEYS: `test:${keyBytes(1).toString('base64')}`, TOOL_CALLS_PER_MINUTE: '100000', ...env },
      },
    });
    const log = pino({ level: 'silent' });
    const gateway = await createGateway({
      config,
      connectors: CONNECTORS,
      log,
      alone: false,
      now,
      waiting: { pollMs: POLL_MS },
      streamLimits: { checkMs: POLL_MS, ...streamLimits },
      progress: { afterMs: 100, everyMs: 100 },
    });
    const server = createServer(gateway.handle);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${MCP_PATH}`;
    started.push({ gateway, server, url });
  }
  await vaultBeside(store);
  return Object.assign(nodes, { urls: started.map(({ url }) => url) });
}

export interface Received {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Record<string, string>;
  readonly result?: { readonly isError?: boolean; readonly content: readonly { readonly text: string }[] };
  readonly error?: { readonly code: number };
}

/** A call whose messages arrive one by one. */
export interface OpenCall {
  readonly status: number;
  readonly type: string | null;
  /** The next message that is no report of progress. */
  next(): Promise<Received>;
  /** The messages of progress so far. */
  readonly progress: readonly string[];
  leave(): void;
}

const REVISION = '2025-11-25';

/** A client of 2025 that sends its messages by itself, to whichever node. */
export class RawClient {
  readonly nodes: NodesUnderTest;
  readonly token: string;
  session: string | null = null;

  constructor(nodes: NodesUnderTest, token: string) {
    this.nodes = nodes;
    this.token = token;
  }

  post(node: number, message: object, signal?: AbortSignal): Promise<Response> {
    return fetch(this.nodes.urls[node]!, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${this.token}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': REVISION,
        ...(this.session === null ? {} : { 'Mcp-Session-Id': this.session }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  async initialize(elicitation: unknown, protocolVersion = REVISION, node = 0): Promise<string> {
    const capabilities = elicitation === undefined ? {} : { elicitation };
    const params = { protocolVersion, capabilities, clientInfo: { name: 'raw', version: '1' } };
    const response = await this.post(node, { id: 0, method: 'initialize', params });
    this.session = response.headers.get('mcp-session-id');
    return response.text();
  }

  async call(tool: string, { node = 0, id = 1, args = { id: '1' }, _meta = {} }: CallOptions = {}): Promise<OpenCall> {
    const leaving = new AbortController();
    const params = { name: tool, arguments: args, _meta };
    const response = await this.post(node, { id, method: 'tools/call', params }, leaving.signal);
    const type = response.headers.get('content-type');
    const progress: string[] = [];
    const messages = type?.startsWith('text/event-stream') ? readEvents(response) : readJson(response);
    return {
      ...{ status: response.status, type, progress, leave: () => leaving.abort() },
      async next() {
        for (;;) {
          const { value, done } = await messages.next();
          if (done === true) throw new Error('the stream has ended');
          if (value.method !== 'notifications/progress') return value;
          progress.push(value.params?.message ?? '');
        }
      },
    };
  }

  /** Answers a question. @returns the status. */
  async answer(asked: Received, action: string, node = 0): Promise<number> {
    const response = await this.post(node, { id: asked.id, result: { action, content: {} } });
    await response.text();
    return response.status;
  }

  async cancel(id: number, node = 0): Promise<void> {
    await (await this.post(node, { method: 'notifications/cancelled', params: { requestId: id } })).text();
  }
}

interface CallOptions {
  readonly node?: number;
  readonly id?: number;
  readonly args?: object;
  readonly _meta?: object;
}

async function* readJson(response: Response): AsyncGenerator<Received> {
  yield (await response.json()) as Received;
}

async function* readEvents(response: Response): AsyncGenerator<Received> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body!) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const [, data] = /^data: (.*)$/m.exec(event) ?? [];
      if (data !== undefined) yield JSON.parse(data) as Received;
    }
  }
}

/** What came of a call: `ok`, or the code of its error. */
export function outcomeOf({ result, ...other }: Received): string {
  if (result === undefined) throw new Error(`no result: ${JSON.stringify(other)}`);
  if (result.isError !== true) return 'ok';
  return (JSON.parse(result.content[1]?.text ?? '{}') as { code: string }).code;
}

/** Longer than a waiting call takes to look again. */
export const settle = (): Promise<void> => delay(POLL_MS + 50);
