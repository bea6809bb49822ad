import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import SwaggerParser from '@apidevtools/swagger-parser';
import Router from '@koa/router';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { Agent } from 'undici';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createCredentialVault } from '../../server/base/credentials/index.ts';
import { createValueSealer } from '../../server/base/credentials/sealed-value.ts';
import { createUpstreamClients } from '../../server/base/credentials/upstream-clients.ts';
import { createCallerLimits } from '../../server/base/http/caller-limits.ts';
import { addMetadataRoutes } from '../../server/base/http/challenge.ts';
import { createHealthRouter } from '../../server/base/http/health.ts';
import { createLocalLimits } from '../../server/base/limits/index.ts';
import { PerRealm } from '../../server/base/per-realm.ts';
import type { Store } from '../../server/base/store/index.ts';
import type { CallRecord } from '../../server/base/store/repositories/call-records.ts';
import { insertClient } from '../../server/base/store/repositories/oauth-clients.ts';
import { insertGrant } from '../../server/base/store/repositories/oauth-grants.ts';
import { findUsersByExternalId } from '../../server/base/store/repositories/users.ts';
import { createApprovalSealer } from '../../server/call/tools/approvals/decide.ts';
import { createCallRules } from '../../server/call/tools/call-limits.ts';
import { createCatalogue } from '../../server/call/tools/catalogue/catalogue.ts';
import { createUpstreamOAuth } from '../../server/call/upstream/oauth/index.ts';
import { createConnectRouter } from '../../server/connect/index.ts';
import { MCP_PATH } from '../../server/gateway-paths.ts';
import { createRefresh } from '../../server/identity/grants/refresh/index.ts';
import { BRANDING_OPERATIONS } from '../../server/modules/branding/operations.ts';
import { USER_CLIENT_OPERATIONS } from '../../server/modules/client-credentials/operations.ts';
import { FEEDBACK_OPERATIONS } from '../../server/modules/feedback/operations.ts';
import { ISSUER_OPERATIONS } from '../../server/modules/identity-assertions/operations.ts';
import { createApiDescriptionRouter, createLlmsTxtRouter } from '../../server/modules/landing/documents.ts';
import { addIncomingRoute } from '../../server/modules/notify/subscriptions/incoming-webhooks.ts';
import { EVENT_OPERATIONS } from '../../server/modules/notify/subscriptions/operations.ts';
import { WEBHOOK_OPERATIONS } from '../../server/modules/notify/webhooks/operations.ts';
import { createPartnerApiRouter } from '../../server/partners/index.ts';
import { toRouter } from '../../server/partners/operation.ts';
import { mintSession } from '../server/connect/session-steps.ts';
import { type Answer, describeConnect, REDIRECT_URI } from '../server/connect/support.ts';
import { openOAuthRouter } from '../support/oauth-router.ts';

interface Operation {
  readonly responses: Record<string, { content?: Record<string, { schema: object }>; $ref?: string }>;
}
interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { responses: Record<string, Operation['responses'][string]>; schemas: Record<string, object> };
}

const NOT_FOUND = /\/\.well-known(\/\{\*rest\})?$/;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const text = await readFile(resolve(import.meta.dirname, '../../docs/reference/gateway-openapi.yaml'), 'utf8');
const document = parse(text) as Document;

const dispatcher = () => new Agent();
const keys = [{ id: 'test', key: Buffer.alloc(32, 1) }];
const publicUrl = 'http://127.0.0.1:3000';
const store = { db: {} } as Store;
const vault = createCredentialVault({ keys });
const revocations = { after: <Removed>(_: unknown, remove: () => Promise<Removed>) => remove() };
const upstreamClients = createUpstreamClients({ db: store.db, vault });
const now = () => 0;
const catalogue = createCatalogue([]);
const refresh = createRefresh({ db: store.db, keys, holdMs: 0, retryMs: 0, now });
const callerLimits = createCallerLimits({ db: store.db, now });
const base = { publicUrl, resource: publicUrl + MCP_PATH, store, keys, refresh, callerLimits, now };
const routers: Router<never>[] = [
  createHealthRouter({ store: { ping: async () => {} }, stopping: new AbortController().signal }),
  addMetadataRoutes(new Router(), { issuer: publicUrl, path: MCP_PATH }),
  createApiDescriptionRouter(publicUrl),
  createLlmsTxtRouter({ publicUrl, endpoint: publicUrl + MCP_PATH, catalogue, hasToolPages: true }),
  openOAuthRouter({ ...base, issuer: publicUrl, catalogue }),
  createConnectRouter({
    ...base,
    vault,
    catalogue,
    limits: createLocalLimits(),
    realms: new PerRealm(
      {
        findConnector: catalogue.findConnector,
        verifyCredential: async () => ({ kind: 'accepted' }),
        oauth: createUpstreamOAuth({ dispatcher, userAgent: 'test' }),
        clients: { find: async () => null, isRegistered: async () => false },
        accounts: { note: () => {}, read: async () => null },
      },
      null,
    ),
  }),
  createPartnerApiRouter({
    db: store.db,
    publicUrl,
    catalogue,
    services: new Map(),
    upstreamClients,
    revocations,
    approvals: {
      ...{ sealer: createApprovalSealer(keys), channels: ['partner'] },
      ...{ traits: new Map(), rule: [], remember: [] },
    },
    callRules: createCallRules({ rules: [], effectsByTool: new Map(), db: store.db, now }),
    cursors: createValueSealer({ keys, purpose: 'cursors' }),
    tools: { dryRun: async () => Promise.reject(new Error('no one calls it')) },
    callerOf: async () => null,
    resource: publicUrl + MCP_PATH,
    callerLimits,
    now,
  }),
  toRouter(WEBHOOK_OPERATIONS, {
    db: store.db,
    callerLimits,
    vault: createCredentialVault({ keys }),
    types: [],
    networks: [],
    now,
  }),
  toRouter(USER_CLIENT_OPERATIONS, { privateUseSchemes: [], db: store.db, callerLimits, now }),
  toRouter(EVENT_OPERATIONS, {
    db: store.db,
    callerLimits,
    vault,
    publicUrl,
    findConnector: catalogue.findConnector,
    now,
  }),
  addIncomingRoute(new Router(), { callerLimits } as never),
  toRouter(ISSUER_OPERATIONS, { publicUrl: '', db: store.db, callerLimits, now }),
  toRouter(FEEDBACK_OPERATIONS, { db: store.db, callerLimits, now }),
  toRouter(BRANDING_OPERATIONS, { db: store.db, callerLimits, publicUrl, now }),
] as unknown as Router<never>[];

function routesOf(router: Router<never>): string[] {
  return router.stack.flatMap(({ methods, path }) =>
    methods
      .filter((method) => METHODS.includes(method.toLowerCase()))
      .map((method) => `${method} ${String(path).replaceAll(/:(\w+)/g, '{$1}')}`),
  );
}

describe('docs/reference/gateway-openapi.yaml', () => {
  test('is a valid descriptor', async () => {
    await expect(SwaggerParser.validate(structuredClone(document) as never)).resolves.toBeDefined();
  });

  test('describes every route of the gateway for machines, and no other', () => {
    const described = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations)
        .filter((method) => METHODS.includes(method))
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    const served = routers.flatMap(routesOf).filter((route) => !NOT_FOUND.test(route));
    expect(described.toSorted()).toEqual([...new Set([...served, `POST ${MCP_PATH}`])].toSorted());
  });
});

function callBy(partnerId: string): CallRecord {
  const of = { partnerId, userId: 'gone', tokenId: 't', service: 'library', tool: 'library_list' };
  const ending = {
    outcome: 'ok',
    upstreamCode: null,
    upstreamStatus: 200,
    durationMs: 5,
    requestBytes: 2,
    responseBytes: 2,
  };
  return { ...of, ...ending, createdAt: 1_700_000_000_000, requestId: 'r' };
}

async function allow({ db }: Store, externalUserId: string): Promise<void> {
  const [user] = await findUsersByExternalId(db, externalUserId);
  const method = { secretHash: null, authenticationMethod: 'none', applicationType: 'web' } as const;
  await insertClient(db, {
    clientId: 'client',
    clientName: null,
    redirectUris: ['https://a.example'],
    ...method,
    now: 1,
  });
  const expiresAt = 1_800_000_000_000;
  const of = { userId: user!.id, scopes: [], services: null, resource: 'r', now: 1, expiresAt };
  await insertGrant(db, { clientId: 'client', ...of });
}

describeConnect('GET /api/openapi.yaml', (given) => {
  const path = '/api/openapi.yaml';

  test('is this document, with the address of the gateway', async () => {
    const { status, headers, text: served } = await given.send(path);
    expect([status, headers.get('Content-Type')]).toEqual([200, 'application/yaml; charset=utf-8']);
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
    const { servers, ...rest } = parse(served);
    expect(servers).toMatchObject([{ url: given.origin }]);
    expect({ ...rest, servers: parse(text).servers }).toEqual(document);
  });

  test('is not sent again to those who have it', async () => {
    const first = await given.send(path);
    const etag = first.headers.get('ETag') ?? '';
    expect(first.headers.get('Cache-Control')).toBe('public, max-age=300');
    const again = await given.send(path, { headers: { 'If-None-Match': etag } });
    expect([again.status, again.text]).toEqual([304, '']);
    expect((await given.send(path, { headers: { 'If-None-Match': '"other"' } })).status).toBe(200);
  });
});

describeConnect('answers of the gateway', (given) => {
  const ajv = new Ajv2020({ strict: false });
  beforeAll(() => {
    addFormats.default(ajv);
    if (ajv.getSchema('gateway') === undefined) ajv.addSchema({ ...document, $id: 'gateway' });
  });

  function check(answer: Answer, method: string, path: string): void {
    const response = document.paths[path]?.[method]?.responses[String(answer.status)];
    expect(response, `${method} ${path} ${answer.status}`).toBeDefined();
    const named = response?.$ref?.split('/').at(-1);
    const { content } = named === undefined ? response! : document.components.responses[named]!;
    const schema = content?.['application/json']?.schema;
    if (schema === undefined) return;
    const local = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"gateway#/'));
    expect(ajv.validate(local, answer.body), ajv.errorsText()).toBe(true);
  }

  test('are what it describes', async () => {
    const fields = { 'credential-0': 'good-key-1' };
    const code = await given.connect('library', 'alice', fields);
    const redeem = () =>
      given.token({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, user_id: 'alice' });
    for (const answer of [await redeem(), await redeem(), await given.token({ grant_type: 'x' })]) {
      check(answer, 'post', '/api/oauth/token');
    }
    const headers = { Authorization: `Basic ${Buffer.from(`acme:${given.secret}`).toString('base64')}` };
    const users = '/api/partner/users';
    const connections = `${users}/{user_id}/connections`;
    for (const body of [{}, { services: [] }]) {
      check(await mintSession(given, body), 'post', '/api/partner/connect-sessions');
    }
    check(await given.send(`${users}/alice/connections`, { headers }), 'get', connections);
    check(await given.send(`${users}/alice/connections`), 'get', connections);
    const grants = `${users}/{user_id}/grants`;
    await given.connected('open', 'alice', {});
    const listed = await given.send(`${users}/alice/grants`, { headers });
    check(listed, 'get', grants);
    check(await given.send(`${users}/nobody/grants`, { headers }), 'get', grants);
    check(await given.send(`${users}/alice/links`, { method: 'POST', headers }), 'post', `${users}/{user_id}/links`);
    const grant = `${users}/alice/grants/${listed.body.grants[0].id}`;
    for (const body of ['{"read_only":true}', '{"read_only":false}']) {
      const narrowing = { method: 'PATCH', headers: { ...headers, 'Content-Type': 'application/json' }, body };
      check(await given.send(grant, narrowing), 'patch', `${grants}/{grant}`);
    }
    for (let time = 0; time < 2; time += 1) {
      check(await given.send(grant, { method: 'DELETE', headers }), 'delete', `${grants}/{grant}`);
    }
    const own = '/api/partner/grants';
    check(await given.send(own, { headers }), 'get', own);
    check(await given.send(`${own}?user_id=nobody`, { headers }), 'get', own);
    check(await given.send(own, { method: 'DELETE', headers }), 'delete', own);
    check(await given.send(`${own}?user_id=alice`, { method: 'DELETE', headers }), 'delete', own);
    const [alice] = await findUsersByExternalId(given.store.db, 'alice');
    await given.store.insertCallRecords([callBy(given.partnerId), { ...callBy(given.partnerId), userId: alice!.id }]);
    const activity = `${users}/{user_id}/activity`;
    const done = await given.send(`${users}/alice/activity`, { headers });
    expect(done.body.activity).not.toHaveLength(0);
    check(done, 'get', activity);
    check(await given.send(`${users}/alice/activity?cursor=x`, { headers }), 'get', activity);
    check(await given.send(`${users}/nobody/activity`, { headers }), 'get', activity);
    await allow(given.store, listed.body.user_id);
    for (const list of ['services', 'users', 'clients', 'calls', 'usage?by=day,service,tool,outcome']) {
      const [path = ''] = `/api/partner/${list}`.split('?');
      const answer = await given.send(`/api/partner/${list}`, { headers });
      expect(answer.body[path.split('/').at(-1)!], list).not.toHaveLength(0);
      check(answer, 'get', path);
      check(await given.send(`${path}?limit=0`, { headers }), 'get', path);
      check(await given.send(path), 'get', path);
    }
    const sessions = { method: 'POST', headers, body: new URLSearchParams({ user_id: 'alice' }) };
    check(await given.send('/api/mcp/oauth/sessions', sessions), 'post', '/api/mcp/oauth/sessions');
    for (const path of ['/healthz', '/readyz', '/.well-known/oauth-authorization-server']) {
      check(await given.send(path), 'get', path);
    }
    const metadata = '/.well-known/oauth-protected-resource';
    check(await given.send(metadata), 'get', metadata);
    check(await given.send('/api/mcp/unified', { method: 'POST' }), 'post', '/api/mcp/unified');
    const remove = { method: 'DELETE', headers };
    const issuers = '/api/partner/issuers';
    const body = JSON.stringify({ issuer: 'https://idp.example', jwks_uri: 'https://idp.example/keys' });
    const json = { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body };
    const registered = await given.send(issuers, json);
    check(registered, 'post', issuers);
    check(await given.send(issuers, json), 'post', issuers);
    check(await given.send(issuers, { headers }), 'get', issuers);
    check(await given.send(`${issuers}/${registered.body.id}`, remove), 'delete', `${issuers}/{id}`);
    check(await given.send(`${issuers}/${registered.body.id}`, remove), 'delete', `${issuers}/{id}`);
    const service = `${connections}/{service}`;
    check(await given.send(`${users}/alice/connections/library`, remove), 'delete', service);
    check(await given.send(`${users}/alice/connections/library`, remove), 'delete', service);
    check(await given.send(`${users}/alice`, remove), 'delete', `${users}/{user_id}`);
    check(await given.send(`${users}/alice`, remove), 'delete', `${users}/{user_id}`);
    await given.store.db.updateTable('partners').set({ suspended_at: 1 }).execute();
    check(await given.send('/api/mcp/oauth/sessions', sessions), 'post', '/api/mcp/oauth/sessions');
    check(await redeem(), 'post', '/api/oauth/token');
    check(await given.send(own, { headers }), 'get', own);
    check(await given.send(issuers, { headers }), 'get', issuers);
  });
});
