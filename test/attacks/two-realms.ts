/** A gateway with a live upstream and a sandbox that both write down what reaches them, and a partner with both kinds of secret. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect } from 'vitest';
import { createLog } from '../../server/base/http/log.ts';
import type { Store } from '../../server/base/store/index.ts';
import type { Connector } from '../../server/contract/index.ts';
import { createGateway, type Gateway } from '../../server/gateway.ts';
import { MCP_PATH } from '../../server/gateway-paths.ts';
import { addPartner } from '../../server/identity/partners/manage.ts';
import { issueTestSecret } from '../../server/identity/partners/test-partner.ts';
import { loadConfig } from '../../server/index.ts';
import { describeDatabase, type StoreUnderTest } from '../server/base/store/dialects.ts';
import { CookieBrowser, type Seen } from '../support/browser-with-cookies.ts';
import { fakeConnector, fakeTool } from '../support/fake-connector.ts';
import { keyBytes } from '../support/keys.ts';
import { RECORDING } from '../support/listening.ts';
import { oauth2Part } from '../support/oauth-rules.ts';

export const REDIRECT_URI = 'https://acme.example/back';
export const KEYS = [{ id: 'k1', key: keyBytes(1) }];
export const AWAY = /^https:\/\/acme\.example\/|\/authorize\?/;

/** Everything that reached one of the two, as `METHOD path authorization body`. */
export interface Recorder {
  readonly origin: string;
  readonly requests: string[];
  /** Replaces the answer; null: it works. */
  answer: ((path: string) => { status: number; headers?: Record<string, string>; body?: object } | null) | null;
}

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the tests inspect raw answers
  readonly body: any;
}

export interface TwoRealms {
  readonly dialect: StoreUnderTest['dialect'];
  store: Store;
  databaseUrl: string;
  origin: string;
  now: number;
  live: Recorder;
  sandbox: Recorder;
  partnerId: string;
  /** Secrets of `acme`. */
  liveSecret: string;
  testSecret: string;
  /** Starts the gateway again, with other settings. */
  restart(env: Readonly<Record<string, string>>): Promise<void>;
  /** @param as `client_id:client_secret`. */
  api(as: string, path: string, body?: object | URLSearchParams, method?: string): Promise<Answer>;
  /** Opens a connect session of `alice`. */
  open(secret: string, services: readonly string[], browser: CookieBrowser): Promise<Seen>;
  /** Connects `alice` to a service by the page, up to the code. */
  connect(secret: string, service: string, fields?: Readonly<Record<string, string>>): Promise<string>;
  redeem(secret: string, code: string): Promise<Answer>;
  /** @returns the text of the result. */
  call(accessToken: string, tool: string): Promise<string>;
}

export function describeRealms(title: string, define: (given: TwoRealms) => void): void {
  describeDatabase(title, (stored) => {
    const given = { dialect: stored.dialect } as TwoRealms;
    let servers: Server[] = [];
    let gateway: Gateway;
    beforeEach(async () => {
      given.now = 1_700_000_000_000;
      given.databaseUrl = stored.url;
      const [live, sandbox] = [record('LIVE'), record('SANDBOX')];
      const server = createServer((request, response) => gateway.handle(request, response));
      servers = [live.server, sandbox.server, server];
      const [liveOrigin, sandboxOrigin, origin] = await Promise.all(servers.map(listen));
      Object.assign(given, {
        live: Object.assign(live.recorder, { origin: liveOrigin }),
        sandbox: Object.assign(sandbox.recorder, { origin: sandboxOrigin }),
        origin,
      });
      const connectors = connectorsAt(given.live.origin);
      given.restart = async (env) => {
        await gateway?.close();
        const config = loadConfig({
          modules: RECORDING,
          connectors,
          env: {
            PUBLIC_URL: given.origin,
            REFRESH_HOLD_MS: '0',
            DATABASE_URL: stored.url,
            ENCRYPTION_KEYS: `k1:${keyBytes(1).toString('base64')}`,
            LIBRARY_BASE_URL: given.live.origin,
            ...env,
          },
        });
        const log = createLog({ level: 'silent' });
        gateway = await createGateway({
          config,
          connectors,
          log,
          now: () => given.now,
          alone: false,
          recordsEveryMs: 20,
        });
        given.store = gateway.store;
      };
      await given.restart({ TEST_SANDBOX_URL: given.sandbox.origin });
      const event = { now: given.now };
      const settings = { clientId: 'acme', name: 'Acme', redirectUris: [REDIRECT_URI] };
      await given.store.db.transaction().execute(async (transaction) => {
        const { partner, secret } = await addPartner(transaction, settings, event);
        const testSecret = await issueTestSecret(transaction, partner, false, event);
        Object.assign(given, { partnerId: partner.id, liveSecret: secret, testSecret });
      });
    });
    afterEach(async () => {
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
      await gateway?.close();
    });
    addSteps(given);
    define(given);
  });
}

function addSteps(given: TwoRealms): void {
  given.api = async (as, path, body, method = body === undefined ? 'GET' : 'POST') => {
    const isForm = body instanceof URLSearchParams;
    const response = await fetch(given.origin + path, {
      method,
      headers: {
        Authorization: `Basic ${Buffer.from(as.replace('~', '%7E')).toString('base64')}`,
        ...(isForm || body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    const answer = await response.text();
    return { status: response.status, body: answer === '' ? null : JSON.parse(answer) };
  };
  given.open = async (secret, services, browser) => {
    const body = { user_id: 'alice', services, redirect_uri: REDIRECT_URI, state: 'state-1' };
    const session = await given.api(`acme:${secret}`, '/api/partner/connect-sessions', body);
    return browser.open(session.body.connect_url);
  };
  given.connect = async (secret, service, fields = { 'credential-0': 'typed-key' }) => {
    const browser = new CookieBrowser();
    const page = await given.open(secret, [service], browser);
    let seen = await browser.submit(page, { decision: 'connect', ...fields }, { stopAt: AWAY });
    if (seen.url.pathname.endsWith('/authorize')) {
      const state = seen.url.searchParams.get('state') ?? '';
      const iss = seen.url.href.replace(/\/authorize\?.*/, '');
      const back = new URLSearchParams({ state, code: `code of ${iss}`, iss });
      seen = await browser.open(`${given.origin}/connect/${service}/callback?${back}`, { stopAt: AWAY });
    }
    const code = seen.url.searchParams.get('code');
    if (code === null || !seen.url.href.startsWith(REDIRECT_URI))
      throw new Error(`no code: ${seen.status} ${seen.url} ${seen.text}`);
    return code;
  };
  given.redeem = (secret, code) => {
    const form = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, user_id: 'alice' };
    return given.api(`acme:${secret}`, '/api/oauth/token', new URLSearchParams(form));
  };
  given.call = async (accessToken, name) => {
    const response = await fetch(given.origin + MCP_PATH, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${accessToken}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } }),
    });
    return response.text();
  };
}

/** A key service with an account, an OAuth service whose tokens expire and are revoked, and one with a host for each connection. */
function connectorsAt(live: string): Connector[] {
  const key = { id: 'key', type: 'header', label: 'API key', name: 'x-key' } as const;
  const list = (name: string) => fakeTool({ name: `${name}_list` });
  const me = fakeTool({ name: 'library_me', path: '/me' });
  const library = {
    ...fakeConnector({ tools: [list('library'), me], parts: [key] }),
    verify: { tool: 'library_list', arguments: {} },
    account: { tool: 'library_me', arguments: {}, name: ['/email'] },
  };
  const oauth = oauth2Part(live, { issuer: live, refreshTokenIdleSeconds: 20 });
  const hub = fakeConnector({ name: 'hub', title: 'Hub', tools: [list('hub')], parts: [oauth] });
  const pattern = '[a-z.]{1,20}';
  const tenant = { id: 'tenant', type: 'server', label: 'Host', name: 'host', isPublic: true, pattern } as const;
  const url = `https://{host}:${new URL(live).port}/v2`;
  const variable = { name: 'host', env: 'OFFICE_HOST', default: 'office.example', derive: null, asked: true as const };
  const officeList = list('office');
  const office = {
    ...fakeConnector({ name: 'office', title: 'Office', tools: [], parts: [key, tenant] }),
    servers: [{ url, variables: [variable] }],
    tools: [{ ...officeList, operation: { ...officeList.operation, server: url } }],
    verify: { tool: 'office_list', arguments: {} },
  };
  return [library, hub, office];
}

function record(name: string): { server: Server; recorder: Recorder } {
  const recorder: Recorder = { origin: '', requests: [], answer: null };
  let issued = 0;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { method, url = '', headers } = request;
    recorder.requests.push(`${method} ${url} ${headers.authorization ?? headers['x-key'] ?? ''} ${body}`.trim());
    const wanted = recorder.answer?.(url) ?? null;
    response.writeHead(wanted?.status ?? 200, { 'Content-Type': 'application/json', ...wanted?.headers });
    if (wanted !== null) response.end(JSON.stringify(wanted.body ?? {}));
    else if (url.endsWith('/token')) {
      issued += 1;
      const tokens = { access_token: `${name}-at-${issued}`, refresh_token: `${name}-rt-${issued}`, expires_in: 60 };
      response.end(JSON.stringify(tokens));
    } else response.end(JSON.stringify({ things: [`things of ${name}`], email: `${name}@example.com` }));
  });
  return { server, recorder };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Connects `alice` to a service in the realm of the secret. @returns her tokens. */
export async function connected(given: TwoRealms, secret: string, service: string, fields?: Record<string, string>) {
  const { status, body } = await given.redeem(secret, await given.connect(secret, service, fields));
  expect([status, body.services]).toEqual([200, [service]]);
  return body as { access_token: string; refresh_token: string };
}
