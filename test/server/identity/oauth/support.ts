/** The authorization server on a port of its own, and the steps that its tests share. */

import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach } from 'vitest';
import { createApp } from '../../../../server/app.ts';
import { createCallerLimits } from '../../../../server/base/http/caller-limits.ts';
import { JSON_UTF8 } from '../../../../server/base/http/exchange.ts';
import { createLog } from '../../../../server/base/http/log.ts';
import type { Scope } from '../../../../server/base/principal/permission.ts';
import { FULL_PERMISSION } from '../../../../server/base/principal/permission.ts';
import type { Store } from '../../../../server/base/store/index.ts';
import { insertPartner } from '../../../../server/base/store/repositories/partners.ts';
import { ensureUser } from '../../../../server/base/store/repositories/users.ts';
import { createCatalogue } from '../../../../server/call/tools/catalogue/catalogue.ts';
import type { Tool } from '../../../../server/contract/index.ts';
import { MCP_PATH } from '../../../../server/gateway-paths.ts';
import { createRefresh, type RefreshDependencies } from '../../../../server/identity/grants/refresh/index.ts';
import { issueAuthorizationCode } from '../../../../server/identity/oauth/authorization-codes.ts';
import { type ConnectionCodeLimits, mintConnectionCode } from '../../../../server/identity/oauth/connection-codes.ts';
import type { OAuthDependencies } from '../../../../server/identity/oauth/context.ts';
import { addPartnerSecret } from '../../../../server/identity/partners/secrets.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { limitsWithout, openOAuthRouter } from '../../../support/oauth-router.ts';
import { WHOLE_LIMITS } from '../../../support/whole-limits.ts';
import { describeStore, type StoreUnderTest } from '../../base/store/dialects.ts';
import { connect } from '../../base/store/fixtures.ts';

export const PUBLIC_URL = 'http://127.0.0.1:3000';
export const RESOURCE = PUBLIC_URL + MCP_PATH;
export const KEYS = [{ id: 'test', key: Buffer.alloc(32, 1) }];
export const REDIRECT_URI = 'http://127.0.0.1:7000/callback';

const DESTROYS = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true };

const service = (name: string, ...tools: readonly Tool[]) => fakeConnector({ name, title: name, tools });
const reading = (name: string) => fakeTool({ name });
const writing = (name: string) => fakeTool({ name, method: 'POST' });

/** The served tools: two of retrieval, three of mailer, and one of each other service. */
export const CATALOGUE = createCatalogue([
  service('retrieval', reading('retrieval_search'), writing('retrieval_add')),
  service('crm', reading('crm_list')),
  service(
    'mailer',
    reading('mailer_list'),
    writing('mailer_send'),
    fakeTool({ name: 'mailer_remove', method: 'DELETE', more: { annotations: DESTROYS } }),
  ),
  service('billing', reading('billing_list')),
  service(
    'shop',
    fakeTool({ name: 'shop_list_brands' }),
    fakeTool({ name: 'shop_list_goods', path: '/brands/{brandId}/goods' }),
    fakeTool({ name: 'shop_find', input: { properties: { limit: { type: 'integer' } } } }),
  ),
]);

const REGISTER = '/api/mcp/oauth/register';
const TOKEN = '/api/mcp/oauth/token';
const REVOKE = '/api/mcp/oauth/revoke';
const SESSIONS = '/api/mcp/oauth/sessions';

/** A parsed JSON answer. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the tests inspect raw answers
  readonly body: any;
}

export type Parameters = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The fixtures of a test; fresh for each test. */
export interface OAuthUnderTest {
  readonly dialect: StoreUnderTest['dialect'];
  store: Store;
  url: string;
  /** Where the app listens. */
  origin: string;
  /** Milliseconds since 1970, as the app sees it. */
  now: number;
  partnerId: string;
  /** Secret of the partner `acme`. */
  partnerSecret: string;
  /** Row id of `alice`, who is connected to retrieval and crm. */
  userId: string;
  readonly lines: string[];
  send(path: string, init?: RequestInit): Promise<Answer>;
  register(metadata?: unknown): Promise<Answer>;
  token(parameters: Parameters, headers?: Record<string, string>): Promise<Answer>;
  revoke(parameters: Parameters, headers?: Record<string, string>): Promise<Answer>;
  /** As `acme`, as JSON. */
  session(body?: Record<string, unknown>): Promise<Answer>;
  /** The status of the resource server's answer to the token. */
  use(accessToken: string): Promise<number>;
  /** Types of all audit events, sorted. */
  events(): Promise<string[]>;
  /** Counts of events of callers without credentials, by type. */
  anonymousEvents(): Promise<Record<string, number>>;
}

/** Defines the suite once per dialect. */
export function describeOAuth(
  title: string,
  define: (given: OAuthUnderTest) => void,
  options: Partial<OAuthDependencies> = {},
): void {
  describeStore(title, (stored) => {
    const given = { lines: [] as string[], dialect: stored.dialect } as unknown as OAuthUnderTest;
    let server: Server;
    beforeEach(async () => {
      given.store = stored.store;
      given.url = stored.url;
      given.now = 1_700_000_000_000;
      given.lines.length = 0;
      Object.assign(given, await seed(stored.store));
      const listening = await listen(given, options);
      server = listening.server;
      given.origin = listening.origin;
    });
    afterEach(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    addSteps(given);
    define(given);
  });
}

/** The partner `acme` and its user `alice`. */
export async function seed(store: Store): Promise<{ partnerId: string; partnerSecret: string; userId: string }> {
  const partner = await insertPartner(store.db, { clientId: 'acme', name: 'Acme', now: 1 });
  const partnerSecret = await store.db
    .transaction()
    .execute((transaction) => addPartnerSecret(transaction, { partnerId: partner.id, now: 1 }));
  const user = await ensureUser(store.db, { partnerId: partner.id, externalUserId: 'alice', now: 1 });
  for (const [service, status] of [
    ['retrieval', 'active'],
    ['crm', 'attention'],
  ] as const) {
    await connect(store, { userId: user.id, service, status });
  }
  return { partnerId: partner.id, partnerSecret, userId: user.id };
}

type RefreshOptions = Partial<RefreshDependencies>;

/** Starts one node over the test's store. */
export async function listen(
  given: OAuthUnderTest,
  options: Partial<OAuthDependencies> & { readonly refreshing?: RefreshOptions } = {},
): Promise<{ origin: string; server: Server }> {
  const app = createApp({
    config: { publicUrl: PUBLIC_URL, allowedOrigins: [], trustedProxies: [] },
    log: createLog({ level: 'debug', destination: { write: (line) => given.lines.push(line) } }),
    store: given.store,
    mcp: async (exchange, principal) => exchange.send(200, JSON_UTF8, JSON.stringify(principal)),
    routes: () => [
      openOAuthRouter({
        issuer: PUBLIC_URL,
        resource: RESOURCE,
        store: given.store,
        keys: KEYS,
        refresh: createRefresh({
          db: given.store.db,
          keys: KEYS,
          holdMs: 0,
          retryMs: 0,
          now: () => given.now,
          ...options.refreshing,
        }),
        catalogue: CATALOGUE,
        privateUseSchemes: ['com.example.app'],
        now: () => given.now,
        limits: limitsWithout('registrations'),
        callerLimits: createCallerLimits(
          { db: given.store.db, now: () => given.now },
          { refusedPerMinute: 1_000_000, partnerPerMinute: 1_000_000 },
        ),
        ...options,
      }),
    ],
    stopping: new AbortController().signal,
    now: () => given.now,
  });
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

function addSteps(given: OAuthUnderTest): void {
  given.send = async (path, init) => {
    const response = await fetch(given.origin + path, init);
    const text = await response.text();
    const isJson = response.headers.get('Content-Type')?.startsWith('application/json') === true;
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  };
  const sendForm = (path: string, parameters: Parameters, headers: Record<string, string> = {}) =>
    given.send(path, { method: 'POST', headers, body: toForm(parameters) });
  const sendJson = (path: string, body: unknown) =>
    given.send(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  given.register = (metadata = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' }) =>
    sendJson(REGISTER, metadata);
  given.token = (parameters, headers) => sendForm(TOKEN, parameters, headers);
  given.revoke = (parameters, headers) => sendForm(REVOKE, parameters, headers);
  given.session = (body = { user_id: 'alice' }) =>
    sendJson(SESSIONS, { client_id: 'acme', client_secret: given.partnerSecret, ...body });
  given.use = async (accessToken) =>
    (await given.send(MCP_PATH, { headers: { Authorization: `Bearer ${accessToken}` } })).status;
  given.events = async () => {
    const rows = await given.store.db.selectFrom('audit_events').select('type').execute();
    return rows.map(({ type }) => type).sort();
  };
  given.anonymousEvents = async () => {
    const rows = await given.store.db.selectFrom('anonymous_events').select(['type', 'count']).execute();
    return Object.fromEntries(rows.map(({ type, count }) => [type, count]));
  };
}

/** A form; undefined members are omitted, lists are repeated. */
export function toForm(parameters: Parameters): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const each of typeof value === 'string' ? [value] : (value ?? [])) form.append(name, each);
  }
  return form;
}

/** An authorization request of a test, and what the token endpoint needs to finish it. */
export interface Authorized {
  readonly clientId: string;
  readonly code: string;
  readonly codeVerifier: string;
  /** The whole token request. */
  readonly parameters: Record<string, string>;
}

/** What the user allowed; default: everything. */
export interface Allowed {
  readonly clientId?: string;
  readonly scopes?: readonly Scope[];
  readonly limits?: Partial<ConnectionCodeLimits>;
  readonly codeVerifier?: string;
}

/** Does what the consent page does at Allow. Registers a public client if none is given. */
export async function authorize(given: OAuthUnderTest, options: Allowed = {}): Promise<Authorized> {
  const clientId = options.clientId ?? (await given.register()).body.client_id;
  const codeVerifier = options.codeVerifier ?? randomBytes(32).toString('base64url');
  const connectionCodeText = await mintConnectionCode(given.store.db, {
    userId: given.userId,
    limits: { ...WHOLE_LIMITS, ...options.limits },
    now: given.now,
  });
  const code = await given.store.db.transaction().execute((transaction) =>
    issueAuthorizationCode(transaction, {
      request: {
        clientId,
        resource: RESOURCE,
        redirectUri: REDIRECT_URI,
        codeChallenge: createHash('sha256').update(codeVerifier).digest('base64url'),
      },
      userId: given.userId,
      access: {
        scopes: options.scopes ?? ['tools:read', 'tools:write'],
        services: options.limits?.services ?? null,
        permission: FULL_PERMISSION,
      },
      connectionCodeText,
      now: given.now,
      origin: { address: '127.0.0.1', requestId: 'consent' },
    }),
  );
  const parameters = {
    grant_type: 'authorization_code',
    code: code!,
    redirect_uri: REDIRECT_URI,
    client_id: clientId,
    code_verifier: codeVerifier,
  };
  return { clientId, code: code!, codeVerifier, parameters };
}

/** Goes on to the tokens. */
export async function signIn(
  given: OAuthUnderTest,
  options: Allowed = {},
): Promise<{ clientId: string; accessToken: string; refreshToken: string }> {
  const { clientId, parameters } = await authorize(given, options);
  const { body } = await given.token(parameters);
  return { clientId, accessToken: body.access_token, refreshToken: body.refresh_token };
}
