import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createLog } from '../../../../server/base/http/log.ts';
import { SCOPES } from '../../../../server/base/principal/permission.ts';
import { createGateway, type Gateway } from '../../../../server/gateway.ts';
import { issueAccessToken } from '../../../../server/identity/grants/access-token.ts';
import { loadConfig } from '../../../../server/index.ts';
import { findRedis, type RedisServer, startRedis } from '../../../support/redis-server.ts';
import { openRelay, type Relay } from '../../../support/relay.ts';
import { vaultBeside } from '../../../support/vault-beside.ts';
import { KEYS } from '../../connect/support.ts';
import { describePostgres } from '../store/dialects.ts';
import { insertPartnerAndUser, tokenFor } from '../store/fixtures.ts';

const GATEWAYS = 3;
const PUBLIC_URL = 'http://127.0.0.1:3000';
const RESOURCE = `${PUBLIC_URL}/api/mcp/unified`;
const ALONE = 'limits are counted by this gateway alone until their store answers';
const TOGETHER = 'limits are counted over all gateways again';

interface Node {
  readonly origin: string;
  readonly gateway: Gateway;
  readonly server: Server;
  readonly lines: string[];
}

async function startNode(env: Readonly<Record<string, string>>): Promise<Node> {
  const lines: string[] = [];
  const settings = { PUBLIC_URL, ENCRYPTION_KEYS: `k1:${KEYS.k1}`, TRUST_PROXY: '127.0.0.1', ...env };
  const config = loadConfig({ connectors: [], env: settings });
  const log = createLog({ level: 'info', destination: { write: (line) => lines.push(line) } });
  const gateway = await createGateway({ config, connectors: [], log });
  const server = createServer(gateway.handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, gateway, server, lines };
}

async function stopNode({ gateway, server }: Node): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await gateway.close();
}

describePostgres('three gateways', (given) => {
  let nodes: Node[] = [];
  afterEach(async () => {
    await Promise.all(nodes.map(stopNode));
    nodes = [];
  });
  const start = async (env: Readonly<Record<string, string>>) => {
    nodes = await Promise.all(Array.from({ length: GATEWAYS }, () => startNode({ DATABASE_URL: given.url, ...env })));
  };
  const logged = (message: string) => nodes.map(({ lines }) => lines.filter((line) => line.includes(message)).length);

  /** Sends that many requests concurrently, to the gateways in turn. @returns how often each status came back. */
  async function send(count: number, path: string, init: RequestInit, from = '192.0.2.1') {
    const answers = await Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const headers = { ...init.headers, 'X-Forwarded-For': from };
        const answer = await fetch(nodes[index % GATEWAYS]!.origin + path, { ...init, method: 'POST', headers });
        await answer.arrayBuffer();
        return answer.status;
      }),
    );
    return Object.fromEntries(
      [...Map.groupBy(answers, (status) => status)].map(([status, all]) => [status, all.length]),
    );
  }
  const register = (count: number, from?: string) =>
    send(
      count,
      '/api/mcp/oauth/register',
      {
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ redirect_uris: ['http://127.0.0.1/cb'], token_endpoint_auth_method: 'none' }),
      },
      from,
    );

  test('together accept exactly as many registrations from one address as one gateway', async () => {
    await start({ REGISTRATIONS_PER_MINUTE: '7' });
    expect(await register(30)).toEqual({ 201: 7, 429: 23 });
    expect(await register(30, '192.0.2.2')).toEqual({ 201: 7, 429: 23 });
    expect(await register(60, '2001:db8:1:2::3')).toEqual({ 201: 7, 429: 53 });
  });

  test('together let one address guess tokens and secrets exactly as often as one gateway', async () => {
    await start({ REFUSED_REQUESTS_PER_MINUTE: '10' });
    const form = { grant_type: 'refresh_token', refresh_token: 'x', client_id: 'acme', client_secret: 'wrong' };
    const guess = { body: new URLSearchParams(form) };
    expect(await send(90, '/api/mcp/oauth/token', guess)).toEqual({ 401: 10, 429: 80 });
    expect(await send(3, '/api/mcp/oauth/token', guess, '192.0.2.2')).toEqual({ 401: 3 });
  });

  test('count the calls of a user together', async () => {
    await start({ TOOL_CALLS_PER_MINUTE: '50' });
    const { user } = await insertPartnerAndUser(given.store);
    await vaultBeside(given.store, [{ id: 'k1', key: Buffer.from(KEYS.k1, 'base64') }]);
    const issued = { ...tokenFor(user.id), scopes: SCOPES, resource: RESOURCE, now: Date.now() };
    const { token } = await issueAccessToken(given.store.db, issued);
    const ping = (index: number) =>
      fetch(`${nodes[index]!.origin}/api/mcp/unified`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', Accept: 'application/json' },
        body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      }).then(({ status }) => status);
    const first = await Promise.all(Array.from({ length: 50 }, () => ping(0)));
    expect(first.filter((status) => status === 429)).toEqual([]);
    const counted = async (uses: number) =>
      expect(await given.store.db.selectFrom('rate_limits').select('uses').execute()).toEqual([{ uses }]);
    await vi.waitFor(() => counted(50), { timeout: 10_000 });
    expect(await ping(1)).not.toBe(429);
    await vi.waitFor(() => counted(51), { timeout: 10_000 });
    // Fewer than it would allow alone.
    await vi.waitFor(async () => expect(await ping(1)).toBe(429), { timeout: 8_000, interval: 200 });
  });

  describe('whose database is down', () => {
    let relay: Relay;
    beforeEach(async () => {
      relay = await openRelay(given.url);
    });
    afterEach(() => relay.close());

    test('log it once, answer 503 and not 429, and count together when it is back', async () => {
      await start({ REGISTRATIONS_PER_MINUTE: '7', DATABASE_URL: relay.url });
      expect(await register(3)).toEqual({ 201: 3 });
      await relay.close();
      expect(await register(3)).toEqual({ 503: 3 });
      expect(await register(3, '192.0.2.2')).toEqual({ 503: 3 });
      expect(logged(ALONE)).toEqual([1, 1, 1]);
      await relay.open();
      await vi.waitFor(() => expect(logged(TOGETHER)).toEqual([1, 1, 1]), { timeout: 10_000 });
      expect(await register(30, '192.0.2.3')).toEqual({ 201: 7, 429: 23 });
    });
  });

  const redis = findRedis();
  describe.skipIf(redis === null)('that count in Redis', () => {
    let server: RedisServer;
    beforeEach(async () => {
      server = await startRedis(redis ?? '');
      await start({ REGISTRATIONS_PER_MINUTE: '7', LIMITS_REDIS_URL: server.url });
    });
    afterEach(() => server.stop());

    test('hold limits exactly, and write no counts to the database', async () => {
      expect(await register(30)).toEqual({ 201: 7, 429: 23 });
      expect(await given.store.db.selectFrom('rate_limits').selectAll().execute()).toEqual([]);
    });

    test('count alone while it is down, so no one is locked out and limits still hold', async () => {
      await server.stop();
      expect(await register(60)).toEqual({ 201: 7 * GATEWAYS, 429: 60 - 7 * GATEWAYS });
      expect(logged(ALONE)).toEqual([1, 1, 1]);
      await server.start();
      await vi.waitFor(() => expect(logged(TOGETHER)).toEqual([1, 1, 1]), { timeout: 15_000 });
      expect(await register(30, '192.0.2.2')).toEqual({ 201: 7, 429: 23 });
    });

    test('start without it', async () => {
      await Promise.all(nodes.map(stopNode));
      await server.stop();
      await start({ REGISTRATIONS_PER_MINUTE: '7', LIMITS_REDIS_URL: server.url });
      expect(await register(3)).toEqual({ 201: 3 });
      expect(logged(ALONE)).toEqual([1, 1, 1]);
      await server.start();
      await vi.waitFor(() => expect(logged(TOGETHER)).toEqual([1, 1, 1]), { timeout: 15_000 });
    });
  });
});
