/** The dashboard on a port of its own, and a visitor with cookies who fills in its forms. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach } from 'vitest';
import { createApp } from '../../../../server/app.ts';
import type { OperatorRole } from '../../../../server/base/dashboard/pages.ts';
import { createLog } from '../../../../server/base/http/log.ts';
import { createLocalLimits } from '../../../../server/base/limits/index.ts';
import type { Store } from '../../../../server/base/store/index.ts';
import type { CallRecord } from '../../../../server/base/store/repositories/call-records.ts';
import { insertClient, type NewOAuthClient } from '../../../../server/base/store/repositories/oauth-clients.ts';
import { insertGrant } from '../../../../server/base/store/repositories/oauth-grants.ts';
import { insertPartner, insertTestPartner } from '../../../../server/base/store/repositories/partners.ts';
import { changeMembers, findTeam, insertShare, putTeam } from '../../../../server/base/store/repositories/teams.ts';
import { ensureUser } from '../../../../server/base/store/repositories/users.ts';
import { createCallRules } from '../../../../server/call/tools/call-limits.ts';
import { createCatalogue } from '../../../../server/call/tools/catalogue/catalogue.ts';
import type { ToolProvider } from '../../../../server/call/tools/provider.ts';
import { createFindWhy } from '../../../../server/call/tools/why.ts';
import type { CircuitFigures } from '../../../../server/call/upstream/circuits.ts';
import { MCP_PATH } from '../../../../server/gateway-paths.ts';
import { createRefresh } from '../../../../server/identity/grants/refresh/index.ts';
import type { AdminContext } from '../../../../server/modules/admin/context.ts';
import { createAdminRouter } from '../../../../server/modules/admin/index.ts';
import type { CallStreamLimits } from '../../../../server/modules/admin/live/call-streams.ts';
import type { OperatorProvider } from '../../../../server/modules/admin/operator-rules.ts';
import { addOperator } from '../../../../server/modules/admin/operators.ts';
import { auditParts } from '../../../../server/modules/audit/dashboard.ts';
import { issuerParts } from '../../../../server/modules/identity-assertions/dashboard.ts';
import { webhookParts } from '../../../../server/modules/notify/webhooks/dashboard.ts';
import { tallyParts } from '../../../../server/modules/tallies/dashboard.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { openListeningStore } from '../../../support/listening.ts';
import { openOAuthRouter } from '../../../support/oauth-router.ts';
import { openOutgoing } from '../../../support/outgoing.ts';
import { connect } from '../../base/store/fixtures.ts';
import { createSqliteDatabase } from '../../base/store/sqlite-database.ts';

export const SECRET = 'the-secret-of-the-operator';
export const IDLE_SECONDS = 3600;
export const SESSION_SECONDS = 12 * 3600;

const KEYS = [{ id: 'test', key: Buffer.alloc(32, 7) }];

/** What every dry run shows. */
const SHOWN = {
  method: 'POST',
  url: 'https://library.example/find?words=%3Cb%3E',
  headers: { authorization: '(credential)', 'content-type': 'application/json' },
  body: { mediaType: 'application/json', bytes: 12, text: '{"a":"<i>1"}' },
};

const CONNECTORS = [
  fakeConnector({
    tools: [
      fakeTool({
        name: 'library_find',
        input: {
          properties: {
            words: { type: 'string' },
            limit: { type: 'integer' },
            exact: { type: 'boolean' },
            order: { type: 'string', enum: ['new', 'old'] },
            filter: { type: 'object' },
          },
          required: ['words'],
        },
      }),
      fakeTool({
        name: 'library_burn',
        method: 'DELETE',
        more: {
          aliases: [
            { name: 'library_delete', until: '2030-02-01' },
            { name: 'library_destroy', until: '2030-01-14' },
          ],
        },
      }),
    ],
  }),
];

/** The fixtures of a test; fresh for each test. */
export interface AdminUnderTest {
  store: Store;
  /** Where the app listens. */
  origin: string;
  /** Milliseconds since 1970, as the app sees it. */
  now: number;
  partnerId: string;
  /** Patterns of every route of the dashboard, by method. */
  routes: Readonly<Record<'GET' | 'POST', readonly string[]>>;
  /** Row id of `alice`, connected to `library`. */
  userId: string;
  /** Calls that reached the tools. */
  readonly calls: Parameters<ToolProvider['call']>[];
  /** Dry runs that reached the tools. */
  readonly dryRuns: Parameters<ToolProvider['dryRun']>[];
  /** The state of the upstreams in the gateway. */
  circuits: CircuitFigures[];
  /** Aborted: the app has begun to stop. */
  stopping: AbortController;
  /** Starts the app. Default: with `SECRET` (empty: without), under its own address, without an OpenID provider. */
  start(options?: {
    secret?: string;
    publicUrl?: string;
    openId?: OperatorProvider;
    streamLimits?: Partial<CallStreamLimits>;
  }): Promise<void>;
  /** A new browser. */
  visitor(): Visitor;
  /** A browser that is signed in: with `SECRET`, or as a new operator of this name and role. */
  operator(named?: { name: string; role: OperatorRole }): Promise<Visitor>;
}

export function givenDashboard(): AdminUnderTest {
  const given = { circuits: [] as CircuitFigures[] } as AdminUnderTest;
  Object.assign(given, { calls: [], dryRuns: [] });
  const servers: Server[] = [];
  let remove: () => Promise<void>;

  given.start = async ({ secret = SECRET, publicUrl, openId, streamLimits } = {}) => {
    given.stopping = new AbortController();
    const server = createServer();
    servers.push(server);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    given.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const issuer = publicUrl ?? given.origin;
    const resource = issuer + MCP_PATH;
    const now = () => given.now;
    const tools: ToolProvider = {
      list: () => ({ json: Buffer.from('[]') }),
      async dryRun(...call) {
        given.dryRuns.push(call);
        return { request: SHOWN, result: null };
      },
      async call(...call) {
        given.calls.push(call);
        return { content: [{ type: 'text', text: '{"found":["<b>1984</b>"]}' }] };
      },
    };
    const db = given.store.db;
    const catalogue = createCatalogue(CONNECTORS);
    const callRules = createCallRules({ rules: [], effectsByTool: new Map(), db, now });
    const dependencies: AdminContext = {
      db,
      publicUrl: issuer,
      resource,
      secret: secret === '' ? null : secret,
      openId: openId ?? null,
      idleSeconds: IDLE_SECONDS,
      keys: KEYS,
      catalogue,
      revocations: { after: (_, remove) => remove() },
      tools,
      outgoing: openOutgoing(),
      findWhy: createFindWhy({
        ...{ store: given.store, catalogue, unreviewed: [], openCredential: () => ({}), seenFacts: () => ({}), now },
        identity: { issuer, path: MCP_PATH },
        running: null,
        traits: new Map(),
        rule: [],
        callRules,
      }),
      circuits: { list: () => given.circuits },
      callRules,
      baseUrls: new Map([['library', new Map([['', 'https://library.example/api/v2?key=hidden']])]]),
      testSandboxUrl: 'http://127.0.0.1:3001',
      limits: createLocalLimits(),
      parts: [webhookParts(db), issuerParts(db), auditParts(db), tallyParts({ db })],
      trail: auditParts(db).trail!,
      callRecordDays: 90,
      stopping: given.stopping.signal,
      now,
    };
    const admin = createAdminRouter(dependencies, { checkMs: 20, ...streamLimits });
    const routesOf = (method: string) =>
      admin.stack
        .filter(({ methods, path }) => methods.includes(method) && !`${path}`.includes('*'))
        .map(({ path }) => `${path}`);
    given.routes = { GET: routesOf('GET'), POST: routesOf('POST') };
    const app = createApp({
      config: { publicUrl: issuer, allowedOrigins: [], trustedProxies: [] },
      log: createLog({ level: 'silent' }),
      store: given.store,
      mcp: async () => {},
      routes: () => [
        openOAuthRouter({
          issuer,
          resource,
          keys: KEYS,
          store: given.store,
          refresh: createRefresh({ db, keys: KEYS, holdMs: 0, retryMs: 0, now }),
          catalogue: createCatalogue([]),
          now,
        }),
        admin,
      ],
      stopping: given.stopping.signal,
      now,
    });
    server.on('request', app);
  };
  given.visitor = () =>
    new Visitor(
      () => given.origin,
      () => {
        given.now += 1;
      },
    );
  given.operator = async (named) => {
    const visitor = given.visitor();
    const { db } = given.store;
    const add = (operator: NonNullable<typeof named>) =>
      db.transaction().execute((transaction) => addOperator(transaction, operator, { now: given.now }));
    await visitor.signIn(named === undefined ? SECRET : await add(named));
    return visitor;
  };

  beforeEach(async () => {
    const database = await createSqliteDatabase();
    remove = database.remove;
    given.store = await openListeningStore({ url: database.url });
    given.now = Date.UTC(2030, 0, 15, 12);
    given.calls.length = 0;
    given.dryRuns.length = 0;
    const partner = await insertPartner(given.store.db, { clientId: 'acme', name: 'Acme', now: given.now });
    given.partnerId = partner.id;
    const key = { partnerId: partner.id, externalUserId: 'alice', now: given.now };
    given.userId = (await ensureUser(given.store.db, key)).id;
    await connect(given.store, { userId: given.userId, service: 'library', now: given.now });
    await given.start();
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    }
    await given.store.close();
    await remove();
  });
  return given;
}

/** Records calls of `alice`, each a millisecond earlier than the last. @returns their row ids, in the same order. */
export async function insertCalls(given: AdminUnderTest, calls: readonly Partial<CallRecord>[]): Promise<string[]> {
  const records = calls.map((call, index) => ({
    createdAt: given.now - index,
    partnerId: given.partnerId,
    userId: given.userId,
    tokenId: 'token',
    service: 'library',
    tool: 'library_find',
    outcome: 'ok',
    upstreamStatus: 200,
    upstreamCode: null,
    durationMs: 45,
    requestBytes: 10,
    responseBytes: 20,
    requestId: `request-${index}`,
    ...call,
  }));
  await given.store.insertCallRecords(records);
  const rows = await given.store.db.selectFrom('call_records').select(['id', 'request_id']).execute();
  return records.map(({ requestId }) => rows.find((row) => row.request_id === requestId)?.id ?? '');
}

/** Adds the partner of test mode, with a user who connected `library`. */
export async function insertTestRealm(given: AdminUnderTest): Promise<{ partnerId: string; userId: string }> {
  const { store, now } = given;
  const partnerId = await insertTestPartner(store.db, given.partnerId, now);
  const { id: userId } = await ensureUser(store.db, { partnerId, externalUserId: 'tester', now });
  await connect(store, { userId, service: 'library', now });
  return { partnerId, userId };
}

/** Adds a team with which the first connection is shared. @param members row ids of users. @returns row ids. */
export async function insertTeam(
  given: AdminUnderTest,
  members: readonly string[] = [],
): Promise<{ readonly team: string; readonly share: string }> {
  const { partnerId, now } = given;
  const { db } = given.store;
  const key = { partnerId, externalTeamId: 'sales' };
  await db.transaction().execute((transaction) => putTeam(transaction, { ...key, name: 'Sales', now }));
  const { id: teamId } = (await findTeam(db, key))!;
  const { id: connectionId, service } = await db
    .selectFrom('connections')
    .select(['id', 'service'])
    .executeTakeFirstOrThrow();
  await insertShare(db, { teamId, connectionId, service, readOnly: true, now });
  await db
    .transaction()
    .execute((transaction) => changeMembers(transaction, { id: teamId, add: members, remove: [], now }));
  const { id: share } = await db.selectFrom('team_shares').select('id').executeTakeFirstOrThrow();
  return { team: teamId, share };
}

/** Registers an OAuth client, by default `helper`, which users allow. @returns the row ids of their grants, in the order of the users. */
export async function insertHelper(
  given: AdminUnderTest,
  {
    clientId = 'helper',
    users = [] as readonly string[],
    ...client
  }: Partial<NewOAuthClient & { users: readonly string[] }> = {},
): Promise<string[]> {
  const { store, now } = given;
  await insertClient(store.db, {
    clientId,
    clientName: 'Helper',
    redirectUris: ['https://helper.example/back'],
    applicationType: 'web',
    secretHash: null,
    authenticationMethod: 'none',
    now,
    ...client,
  });
  const grants: string[] = [];
  for (const userId of users) {
    const grant = { clientId, userId, scopes: ['tools:read'], services: null, resource: 'r' };
    grants.push(await insertGrant(store.db, { ...grant, now, expiresAt: now + 3_600_000 }));
  }
  return grants;
}

/** A response with its text. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A browser without script: it keeps cookies, and follows nothing by itself. */
export class Visitor {
  readonly cookies = new Map<string, string>();
  readonly #origin: () => string;
  readonly #beforeForm: () => void;

  /** @param beforeForm is called before each form, so that no two share a millisecond. */
  constructor(origin: () => string, beforeForm: () => void) {
    this.#origin = origin;
    this.#beforeForm = beforeForm;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#send(path, { headers });
  }

  post(path: string, fields: Readonly<Record<string, string>>, headers: Record<string, string> = {}): Promise<Answer> {
    this.#beforeForm();
    return this.#send(path, { method: 'POST', body: new URLSearchParams(fields), headers });
  }

  /** Opens a page, and sends a form of this session to `path`. */
  async submit(page: string, path: string, fields: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const { text } = await this.get(page);
    return this.post(path, { csrf: fieldOf(text, 'csrf'), ...fields });
  }

  /** Sends a form, and then the confirmation form of its answer. */
  async confirm(page: string, path: string, fields: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const { text } = await this.submit(page, path, fields);
    const [, action = '', inside = ''] =
      /<main[\s\S]*<form method="post" action="([^"]*)">([\s\S]*?)<\/form>/.exec(text) ?? [];
    const hidden = [...inside.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)];
    return this.post(action, Object.fromEntries(hidden.map(([, name, value]) => [name, value])));
  }

  async signIn(secret: string, page = '/admin/sign-in'): Promise<Answer> {
    const { text } = await this.get(page);
    return this.post('/admin/sign-in', { page_state: fieldOf(text, 'page_state'), secret });
  }

  async #send(path: string, init: RequestInit & { headers?: Record<string, string> }) {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(cookie === '' ? {} : { Cookie: cookie }), ...init.headers };
    const response = await fetch(this.#origin() + path, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
}

/** The texts of the cells of every row of a page's tables. */
export function rowsOf(page: string): string[][] {
  return [...page.matchAll(/<tr>(<td[\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<td[^>]*>([\s\S]*?)<\/td>/g)].map(([, cell = '']) => cell.replace(/<[^>]+>/g, '').trim()),
  );
}

/** The targets of the links of a page's content. */
export function linksOf(page: string): string[] {
  const main = /<main[\s\S]*<\/main>/.exec(page)?.[0] ?? '';
  return [...main.matchAll(/<a href="([^"]*)"/g)].map(([, to = '']) => to.replaceAll('&amp;', '&'));
}

/** The value of a hidden field. */
export function fieldOf(page: string, name: string): string {
  const found = new RegExp(`<input type="hidden" name="${name}" value="([^"]*)">`).exec(page);
  if (found === null) throw new Error(`the page has no field ${name}: ${page}`);
  return found[1]!;
}
