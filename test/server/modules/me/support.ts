/**
 * A whole gateway on either dialect, with a user of a partner, clients that the user allowed, and browsers with
 * cookies.
 */

import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach } from 'vitest';
import { createLog } from '../../../../server/base/http/log.ts';
import { createSecret, hashSecret } from '../../../../server/base/principal/secrets.ts';
import type { Store } from '../../../../server/base/store/index.ts';
import { insertAccessToken } from '../../../../server/base/store/repositories/access-tokens.ts';
import { insertClient } from '../../../../server/base/store/repositories/oauth-clients.ts';
import { insertGrant } from '../../../../server/base/store/repositories/oauth-grants.ts';
import { ensureUser } from '../../../../server/base/store/repositories/users.ts';
import type { ProgressTiming } from '../../../../server/call/mcp/open-calls.ts';
import type { Connector } from '../../../../server/contract/index.ts';
import { createGateway, type Gateway } from '../../../../server/gateway.ts';
import { MCP_PATH } from '../../../../server/gateway-paths.ts';
import { addPartner } from '../../../../server/identity/partners/manage.ts';
import { loadConfig } from '../../../../server/index.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { keyBytes } from '../../../support/keys.ts';
import { RECORDING } from '../../../support/listening.ts';
import { describeDatabase } from '../../base/store/dialects.ts';
import { connect } from '../../base/store/fixtures.ts';

const DESTROYS = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true };

export const CONNECTORS = [
  fakeConnector({
    tools: [
      fakeTool({ name: 'library_find', more: { title: 'Find <books>' } }),
      fakeTool({ name: 'library_lend', method: 'POST' }),
      fakeTool({
        name: 'library_burn',
        method: 'DELETE',
        input: {
          properties: {
            id: { type: 'string' },
            also: { type: 'array', items: { type: 'string' } },
            count: { type: 'integer' },
          },
        },
        request: { query: { id: 'id' } },
        more: {
          ...{ title: 'Burn a book', annotations: DESTROYS },
          ...{ gatewayArguments: ['also', 'count'], batch: ['id'] },
        },
      }),
    ],
  }),
  fakeConnector({ name: 'archive', title: 'City Archive', tools: [fakeTool({ name: 'archive_read' })] }),
  fakeConnector({ name: 'museum', title: 'Museum', tools: [fakeTool({ name: 'museum_visit' })] }),
];

export const OPERATOR_SECRET = 'the-secret-of-the-operator';
const DAY_MS = 86_400_000;

/** An answer, read; `body` is parsed where it is JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the tests inspect raw answers
  readonly body: any;
  readonly text: string;
}

/** A grant, and an access token that came from it. */
export interface AllowedClient {
  readonly grantId: string;
  readonly token: string;
}

/** The fixtures of a test; fresh for each test. `alice` of `acme` has connected `library` and `archive`. */
export interface UserPageUnderTest {
  store: Store;
  origin: string;
  /** Milliseconds since 1970, as the gateway sees it. */
  now: number;
  readonly lines: string[];
  /** Requests that changed something at the upstream. */
  writes: number;
  secret: string;
  userId: string;
  /** Another partner with a user of its own, also called `alice`. */
  other: { secret: string; userId: string };
  send(path: string, init?: RequestInit): Promise<Answer>;
  /** Asks the partner API, as `acme` by default. */
  api(method: string, path: string, body?: unknown, as?: { id: string; secret: string }): Promise<Answer>;
  allow(name: string | null, changes?: Partial<Parameters<typeof insertGrant>[1]>): Promise<AllowedClient>;
  /** Path and query of a link for `alice`. */
  link(): Promise<string>;
  browser(): Browser;
  /** A browser that is signed in. */
  entered(): Promise<Browser>;
  tools(token: string): Promise<string[] | number>;
  call(token: string, tool: string, args?: object): Promise<Answer>;
  /** Sends one message to the MCP endpoint. @param revision default: null, of a client that names none. */
  ask(token: string, method: string, params: Record<string, unknown>, revision?: string | null): Promise<Answer>;
  auditOf(
    type: string,
  ): Promise<{ user_id: string | null; details: Record<string, unknown>; address: string | null }[]>;
}

/** Services, and what answers for them. */
export interface World {
  readonly connectors: readonly Connector[];
  readonly upstream: RequestListener;
  /** When slow calls report their progress. Default: as in production. */
  readonly progress?: ProgressTiming;
}

const LIBRARIES: World = {
  connectors: CONNECTORS,
  upstream(_, response) {
    response.setHeader('Content-Type', 'application/json');
    response.end('{"done":true}');
  },
};

/** Defines the suite once per dialect. @param world with the services that `alice` has connected. */
export function describeUserPage(
  title: string,
  define: (given: UserPageUnderTest) => void,
  env: Record<string, string> = {},
  { connectors, upstream: answer, progress }: World = LIBRARIES,
): void {
  describeDatabase(title, (stored) => {
    const given = { lines: [] as string[] } as UserPageUnderTest;
    let servers: Server[] = [];
    let gateway: Gateway;
    beforeEach(async () => {
      given.now = Date.UTC(2030, 0, 15, 12);
      given.lines.length = 0;
      given.writes = 0;
      const upstream = createServer((request, response) => {
        if (request.method !== 'GET') given.writes += 1;
        answer(request, response);
      });
      const server = createServer();
      servers = [upstream, server];
      const upstreamOrigin = await listen(upstream);
      given.origin = await listen(server);
      const config = loadConfig({
        modules: RECORDING,
        connectors,
        env: {
          PUBLIC_URL: given.origin,
          DATABASE_URL: stored.url,
          ENCRYPTION_KEYS: `k1:${keyBytes(1).toString('base64')}`,
          LIBRARY_BASE_URL: upstreamOrigin,
          ADMIN_SECRET: OPERATOR_SECRET,
          ...env,
        },
      });
      const log = createLog({ level: 'trace', destination: { write: (line) => given.lines.push(line) } });
      gateway = await createGateway({
        config,
        connectors,
        log,
        now: () => given.now,
        recordsEveryMs: 20,
        ...(progress && { progress }),
      });
      server.on('request', gateway.handle);
      given.store = gateway.store;
      const acme = await addUser(given, 'acme', 'Acme & Sons');
      Object.assign(given, { secret: acme.secret, userId: acme.userId });
      given.other = await addUser(given, 'other', 'Other');
      for (const { name: service } of connectors.slice(0, 2))
        await connect(given.store, { userId: given.userId, service });
    });
    afterEach(async () => {
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
      await gateway.close();
    });
    addSteps(given);
    define(given);
  });
}

async function addUser({ store, now }: UserPageUnderTest, clientId: string, name: string) {
  const { partner, secret } = await store.db
    .transaction()
    .execute((transaction) => addPartner(transaction, { clientId, name, logoText: 'A' }, { now }));
  const user = await ensureUser(store.db, { partnerId: partner.id, externalUserId: 'alice', now });
  return { secret, userId: user.id };
}

function addSteps(given: UserPageUnderTest): void {
  given.send = async (path, init) => readAnswer(await fetch(given.origin + path, { redirect: 'manual', ...init }));
  given.api = (method, path, body, as = { id: 'acme', secret: given.secret }) =>
    given.send(`/api/partner/users/${path}`, {
      method,
      headers: {
        Authorization: `Basic ${Buffer.from(`${as.id}:${as.secret}`).toString('base64')}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  given.allow = async (name, changes = {}) => {
    const { db } = given.store;
    given.now += 1;
    const { now, userId } = given;
    const clientId = `client-${now}`;
    await insertClient(db, {
      clientId,
      clientName: name,
      redirectUris: ['http://127.0.0.1:7000/callback', 'https://client.example/callback'],
      applicationType: 'native',
      secretHash: null,
      authenticationMethod: 'none',
      now,
    });
    const whole = {
      clientId,
      userId,
      scopes: ['tools:read', 'tools:write'],
      services: null,
      resource: given.origin + MCP_PATH,
      now,
      expiresAt: now + 30 * DAY_MS,
      ...changes,
    };
    const grantId = await insertGrant(db, whole);
    const token = createSecret('accessToken');
    await insertAccessToken(db, { ...whole, tokenHash: hashSecret(db, token), grantId });
    return { grantId, token };
  };
  given.link = async () => {
    const { body } = await given.api('POST', 'alice/links');
    return body.url.slice(given.origin.length);
  };
  given.browser = () => new Browser(given);
  given.entered = async () => {
    const browser = given.browser();
    await browser.enter(await given.link());
    return browser;
  };
  given.call = (token, name, args = {}) => mcp(given, token, 'tools/call', { name, arguments: args });
  given.tools = async (token) => {
    const { status, body } = await mcp(given, token, 'tools/list', {});
    if (status !== 200) return status;
    const tools = body.result.tools as { name: string; description: string }[];
    return tools.filter(({ description }) => !description.startsWith('Needs write access: ')).map(({ name }) => name);
  };
  given.ask = (...message) => mcp(given, ...message);
  given.auditOf = async (type) => {
    const rows = await given.store.db.selectFrom('audit_events').selectAll().where('type', '=', type).execute();
    return rows.map((row) => ({ user_id: row.user_id, details: JSON.parse(row.details), address: row.address }));
  };
}

function mcp(
  given: UserPageUnderTest,
  token: string,
  method: string,
  params: Record<string, unknown>,
  revision: string | null = null,
): Promise<Answer> {
  const isModern = revision === '2026-07-28';
  const name = params.name ?? params.uri;
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return given.send(MCP_PATH, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...(revision === null ? {} : { 'MCP-Protocol-Version': revision }),
      ...(isModern && { 'Mcp-Method': method, ...(name === undefined ? {} : { 'Mcp-Name': String(name) }) }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: isModern ? { ...params, _meta } : params }),
  });
}

/** A browser without script: it keeps cookies with their paths, and follows no redirects by itself. */
export class Browser {
  readonly cookies = new Map<string, { value: string; path: string }>();
  readonly #given: Pick<UserPageUnderTest, 'send'>;

  constructor(given: Pick<UserPageUnderTest, 'send'>) {
    this.#given = given;
  }

  get(path: string, headers = {}): Promise<Answer> {
    return this.send(path, { headers });
  }

  post(path: string, fields: readonly (readonly [string, string])[], headers = {}): Promise<Answer> {
    return this.send(path, { method: 'POST', body: new URLSearchParams(fields.map(([...pair]) => pair)), headers });
  }

  /** Opens a link and presses its button. */
  async enter(link: string): Promise<Answer> {
    const { text } = await this.get(link);
    return this.post('/me', [['page_state', fieldOf(text, 'page_state')]]);
  }

  /** Opens a page, and sends a form of this session to `path`. */
  async submit(page: string, path: string, fields: readonly (readonly [string, string])[] = []): Promise<Answer> {
    const { text } = await this.get(page);
    return this.post(path, [['csrf', fieldOf(text, 'csrf')], ...fields]);
  }

  async send(
    path: string,
    init: { method?: string; body?: URLSearchParams | FormData | string; headers?: object },
  ): Promise<Answer> {
    const sent = [...this.cookies].filter(([, cookie]) => path.startsWith(cookie.path));
    const cookie = sent.map(([name, { value }]) => `${name}=${value}`).join('; ');
    const headers = { ...(cookie === '' ? {} : { Cookie: cookie }), ...init.headers } as Record<string, string>;
    const answer = await this.#given.send(path, { ...init, headers });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = '', where = '/'] = /^([^=]+)=([^;]*); Path=([^;]+)/.exec(line) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, { value, path: where });
    }
    return answer;
  }
}

/** The value of a hidden field. */
export function fieldOf(page: string, name: string): string {
  const found = new RegExp(`<input type="hidden" name="${name}" value="([^"]*)">`).exec(page);
  if (found === null) throw new Error(`the page has no field ${name}: ${page}`);
  return found[1]!;
}

async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json') === true;
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text, text };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
