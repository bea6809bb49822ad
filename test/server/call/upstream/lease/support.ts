/** Whole gateways on one store, in front of an upstream that speaks OAuth and one that takes keys. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach } from 'vitest';
import { saveConnection } from '../../../../../server/base/credentials/save-connection.ts';
import { createUpstreamClients } from '../../../../../server/base/credentials/upstream-clients.ts';
import { createLog } from '../../../../../server/base/http/log.ts';
import { ensureUser } from '../../../../../server/base/store/repositories/users.ts';
import type { Connector, OAuth2Rules, Tool } from '../../../../../server/contract/index.ts';
import { createGateway, type Gateway } from '../../../../../server/gateway.ts';
import { MCP_PATH } from '../../../../../server/gateway-paths.ts';
import { issueAccessToken } from '../../../../../server/identity/grants/access-token.ts';
import { addPartner } from '../../../../../server/identity/partners/manage.ts';
import { loadConfig } from '../../../../../server/index.ts';
import { fakeConnector, fakeTool } from '../../../../support/fake-connector.ts';
import { keyBytes } from '../../../../support/keys.ts';
import { RECORDING } from '../../../../support/listening.ts';
import { oauth2Part } from '../../../../support/oauth-rules.ts';
import { type OAuthUpstream, startOAuthUpstream } from '../../../../support/oauth-upstream.ts';
import { vaultBeside } from '../../../../support/vault-beside.ts';
import { describeStore, type StoreUnderTest } from '../../../base/store/dialects.ts';
import { findConnection } from '../../../base/store/fixtures.ts';

export const KEYS = [{ id: 'k1', key: keyBytes(1) }];

/** What a call of a tool came to: its structured content, or its error with the text for the model. */
export interface Called {
  readonly data?: Record<string, unknown>;
  // biome-ignore lint/suspicious/noExplicitAny: what the wire holds is what the tests look at
  readonly error?: any;
  readonly text: string;
}

/** An answer of the partner API. */
interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what the wire holds is what the tests look at
  readonly body: any;
}

export interface LeaseUnderTest extends Pick<StoreUnderTest, 'dialect'> {
  databaseUrl: string;
  store: StoreUnderTest['store'];
  upstream: OAuthUpstream;
  /** Milliseconds since 1970, as every gateway sees it. */
  now: number;
  partnerId: string;
  userId: string;
  readonly lines: string[];
  /** Starts gateways, or more of them. `library` speaks OAuth or takes a key; `shelf` takes a key alone. */
  start(count?: number, changes?: { rules?: Partial<OAuth2Rules>; library?: Partial<Connector> }): Promise<void>;
  /** Where a gateway listens. @param gateway by number. */
  originOf(gateway?: number): string;
  /** Ends the gateways that run. */
  stop(): Promise<void>;
  /** Connects the user, by default with the first tokens of the upstream, which expire in an hour. */
  connect(fields?: Readonly<Record<string, string | undefined>>, service?: string): Promise<string>;
  /** Calls a tool; by default one that reads. @param gateway by number. */
  call(name?: string, gateway?: number): Promise<Called>;
  /** Status and opened fields of the user's connection; null: there is none. */
  connection(service?: string): Promise<{ status: string; fields: Record<string, string> } | null>;
  /** Sends a request as the partner. */
  send(method: string, path: string, body?: unknown): Promise<Answer>;
}

const reads = fakeTool({ name: 'library_list', path: '/things' });
const writes = fakeTool({ name: 'library_add', method: 'POST', path: '/things' });
const scoped: Tool = { ...fakeTool({ name: 'library_admin', path: '/admin' }), scopes: [['admin', 'read'], ['root']] };
const ofShelf = fakeTool({ name: 'shelf_list', path: '/things' });
const probe = fakeTool({ name: 'shelf_whoami', path: '/me' });

export const HOUR_MS = 3_600_000;

/** With which an operator signs in to the dashboard of every gateway. */
export const OPERATOR_SECRET = 'the-secret-of-the-operator';

/** Defines the suite once per dialect. */
export function describeLease(title: string, define: (given: LeaseUnderTest) => void): void {
  describeStore(title, (stored) => {
    const given = { lines: [], dialect: stored.dialect } as unknown as LeaseUnderTest;
    let running: { gateway: Gateway; server: Server; origin: string }[] = [];
    const tokens = new Map<number, Promise<string>>();
    let secret: string;

    beforeEach(async () => {
      given.lines.length = 0;
      tokens.clear();
      given.now = Date.now();
      given.store = stored.store;
      given.databaseUrl = stored.url;
      given.upstream = await startOAuthUpstream();
      const { db } = stored.store;
      const event = { now: given.now };
      const partner = { clientId: 'acme', name: 'Acme', connectUri: 'https://acme.example/connections' };
      const added = await db.transaction().execute((transaction) => addPartner(transaction, partner, event));
      given.partnerId = added.partner.id;
      secret = added.secret;
      const user = await ensureUser(db, { partnerId: given.partnerId, externalUserId: 'ada', now: given.now });
      given.userId = user.id;
      const clients = createUpstreamClients({ db, vault: await vaultBeside(stored.store, KEYS) });
      const client = { partnerId: null, service: 'library', clientId: 'gateway', clientSecret: 'client-secret' };
      await clients.put(client, event);
    });
    afterEach(async () => {
      await given.stop();
      await given.upstream.close();
    });

    given.start = async (count = 1, { rules = {}, library = {} } = {}) => {
      const connectors = connectorsFor(given.upstream.origin, rules, library);
      for (let n = 0; n < count; n += 1)
        running.push(await startOne(given, stored.url, connectors, running[0]?.origin));
    };
    given.originOf = (gateway = 0) => running[gateway]!.origin;
    given.stop = async () => {
      for (const { gateway, server } of running) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
        await gateway.close();
      }
      running = [];
    };
    given.connect = async (changes = {}, service = 'library') => {
      const { db } = stored.store;
      const first = {
        'oauth.access_token': 'at-0',
        'oauth.refresh_token': 'rt-0',
        'oauth.expires_at': String(given.now + HOUR_MS),
        'oauth.scope': 'read',
      };
      const given_ = service === 'library' ? { ...first, ...changes } : changes;
      const fields = Object.fromEntries(Object.entries(given_).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])));
      const vault = await vaultBeside(stored.store, KEYS);
      const id = await saveConnection(db, vault, { userId: given.userId, service, fields, now: given.now });
      return id;
    };
    const issueToken = async (now: number): Promise<string> => {
      await vaultBeside(stored.store, KEYS);
      const of = { userId: given.userId, services: null, resource: running[0]!.origin + MCP_PATH, now };
      return (await issueAccessToken(stored.store.db, { ...of, scopes: ['tools:read', 'tools:write'] })).token;
    };
    const tokenNow = (): Promise<string> => {
      const token = tokens.get(given.now) ?? issueToken(given.now);
      tokens.set(given.now, token);
      return token;
    };
    given.call = async (name = 'library_list', gateway = 0) => {
      const response = await fetch(running[gateway]!.origin + MCP_PATH, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${await tokenNow()}`,
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } }),
      });
      const { result } = JSON.parse(await response.text());
      const [first, second] = result.content;
      if (!result.isError) return { data: result.structuredContent, text: first.text };
      return { error: JSON.parse(second.text), text: first.text };
    };
    given.connection = async (service = 'library') => {
      const found = await findConnection(stored.store.db, given.userId, service);
      if (found === undefined) return null;
      const { userId, partnerId } = given;
      const binding = { connectionId: found.id, partnerId, userId, externalUserId: 'ada', service };
      return {
        status: found.status,
        fields: (await vaultBeside(stored.store, KEYS)).open(found.sealedCredential ?? '', binding),
      };
    };
    given.send = async (method, path, body) => {
      const response = await fetch(running[0]!.origin + path, {
        method,
        headers: {
          Authorization: `Basic ${Buffer.from(`acme:${secret}`).toString('base64')}`,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const answer = await response.text();
      return { status: response.status, body: answer === '' ? null : JSON.parse(answer) };
    };
    define(given);
  });
}

export function connectorsFor(origin: string, rules: Partial<OAuth2Rules>, changes: Partial<Connector>): Connector[] {
  const key = { id: 'key', type: 'header', label: 'Key', name: 'x-key' } as const;
  const byKey = { label: 'Key', parts: [key], help: '', url: null };
  const library = fakeConnector({
    title: 'The library',
    tools: [writes, scoped, reads],
    parts: [oauth2Part(origin, rules)],
  });
  const shelf = fakeConnector({ name: 'shelf', title: 'The shelf', tools: [ofShelf, probe], parts: [key] });
  return [
    { ...library, credential: { ...library.credential, alternatives: [byKey] }, ...changes },
    { ...shelf, verify: { tool: probe.name, arguments: {} } },
  ];
}

async function startOne(
  given: LeaseUnderTest,
  databaseUrl: string,
  connectors: readonly Connector[],
  publicUrl: string | undefined,
) {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = loadConfig({
    modules: RECORDING,
    connectors,
    env: {
      PUBLIC_URL: publicUrl ?? origin,
      DATABASE_URL: databaseUrl,
      ENCRYPTION_KEYS: `k1:${keyBytes(1).toString('base64')}`,
      LIBRARY_BASE_URL: given.upstream.origin,
      TOOL_CALLS_PER_MINUTE: '100000',
      ADMIN_SECRET: OPERATOR_SECRET,
    },
  });
  const log = createLog({ level: 'trace', destination: { write: (line) => given.lines.push(line) } });
  const gateway = await createGateway({
    config,
    connectors,
    log,
    now: () => given.now,
    alone: false,
    recordsEveryMs: 20,
  });
  server.on('request', gateway.handle);
  return { gateway, server, origin };
}
