import { afterEach, beforeEach, expect, test } from 'vitest';
import { countUnusedClients } from '../../server/base/store/repositories/oauth-clients.ts';
import { verifies } from '../requirements/verifies.ts';
import { describeStore } from '../server/base/store/dialects.ts';
import { type OAuthGateway, startOAuthGateway } from '../support/oauth-gateway.ts';
import { consent } from '../support/scripted-browser.ts';
import { authorizeUrl } from './oauth-steps.ts';

const MINUTE_MS = 60_000;
const METADATA = { redirect_uris: ['http://127.0.0.1:7000/callback'], token_endpoint_auth_method: 'none' };
const HONEST_ADDRESSES = Array.from({ length: 5 }, (_, index) => `9.9.9.${200 + index}`);

describeStore('new people, during a flood of registrations', (given) => {
  let gateway: OAuthGateway;
  let now: number;
  const start = async (env: Record<string, string> = {}) => {
    const settings = { DATABASE_URL: given.url, TRUST_PROXY: '127.0.0.1', ...env };
    gateway = await startOAuthGateway(settings, undefined, () => now);
  };
  beforeEach(() => {
    now = Date.now();
  });
  afterEach(() => gateway.close());

  const register = async (address: string) => {
    const response = await fetch(`${gateway.issuer}/api/mcp/oauth/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': address },
      body: JSON.stringify(METADATA),
    });
    const body = (await response.json()) as { client_id?: string; error?: string };
    const { client_id: clientId = '', error } = body;
    return { status: response.status, retryAfter: response.headers.get('Retry-After'), clientId, error };
  };
  const registerFrom = async (addresses: readonly string[]) => {
    const statuses: Record<number, number> = {};
    for (const address of addresses) {
      const { status } = await register(address);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
    return statuses;
  };
  const registerHonest = async () => {
    const clientIds: string[] = [];
    for (const address of HONEST_ADDRESSES) {
      const { status, clientId } = await register(address);
      expect(status).toBe(201);
      clientIds.push(clientId);
      now += 1;
    }
    return clientIds;
  };
  const signIn = async (clientId: string, whileOpen = async () => {}) => {
    const url = authorizeUrl(gateway, clientId);
    const answer = await consent({ url, connectionCode: await gateway.connectionCode(), whileOpen });
    return answer.searchParams.get('code');
  };
  const addressesOf = (count: number, prefix: string) =>
    Array.from({ length: count }, (_, index) => `${prefix}.${index >> 8}.${index & 255}`);

  test('all sign in when there are as many idle registrations as are kept, each from another address', {
    timeout: 120_000,
  }, async () => {
    await start({ MAX_UNUSED_CLIENTS: '20' });
    expect(await registerFrom(addressesOf(20, '10.1'))).toEqual({ 201: 20 });
    now += 11 * MINUTE_MS;
    const clientIds = await registerHonest();
    expect(await registerFrom(addressesOf(10, '10.2'))).toEqual({ 201: 10 });
    for (const clientId of clientIds) expect(await signIn(clientId)).toMatch(/^utg_ac_/);
    expect(await countUnusedClients(given.store.db, 'registered')).toBeLessThanOrEqual(20);
  });

  test('all sign in when as many others register within ten minutes', { timeout: 120_000 }, async () => {
    await start({ MAX_UNUSED_CLIENTS: '20' });
    const clientIds = await registerHonest();
    now += 9 * MINUTE_MS;
    expect(await registerFrom(addressesOf(20, '10.1'))).toEqual({ 201: 20 });
    for (const clientId of clientIds) expect(await signIn(clientId)).toMatch(/^utg_ac_/);
  });

  test('can answer a consent page that they opened before the flood', { timeout: 60_000 }, async () => {
    await start({ MAX_UNUSED_CLIENTS: '10' });
    const { clientId } = await register('9.9.9.1');
    now += 9 * MINUTE_MS;
    const code = await signIn(clientId, async () => {
      now += 9 * MINUTE_MS;
      expect(await registerFrom(addressesOf(30, '10.1'))).toEqual({ 201: 30 });
    });
    expect(code).toMatch(/^utg_ac_/);
  });

  test('register elsewhere while one network has its share', { timeout: 60_000 }, async () => {
    verifies('rfc7591-5-limits');
    await start({ MAX_UNUSED_CLIENTS: '10', REGISTRATIONS_PER_MINUTE: '1000' });
    const statuses = await registerFrom(Array(50).fill('10.1.1.1'));
    expect(statuses).toEqual({ 201: 20, 429: 30 });
    expect(await register('10.1.1.1')).toMatchObject({ status: 429, retryAfter: '60', error: 'too_many_requests' });
    const { clientId } = await register('9.9.9.1');
    expect(await signIn(clientId)).toMatch(/^utg_ac_/);
  });

  test('wait at most until the flood is ten minutes old, and it stays bounded', { timeout: 60_000 }, async () => {
    await start({ MAX_UNUSED_CLIENTS: '10' });
    const { clientId } = await register('9.9.9.1');
    const statuses = await registerFrom(addressesOf(110, '10.1'));
    expect(statuses).toEqual({ 201: 99, 503: 11 });
    expect(await countUnusedClients(given.store.db, 'registered')).toBe(100);
    const refused = await register('9.9.9.2');
    expect(refused).toMatchObject({ status: 503, retryAfter: '60', error: 'temporarily_unavailable' });
    expect(await signIn(clientId)).toMatch(/^utg_ac_/);
    now += 10 * MINUTE_MS;
    const newcomer = await register('9.9.9.2');
    expect(await signIn(newcomer.clientId)).toMatch(/^utg_ac_/);
    expect(await countUnusedClients(given.store.db, 'registered')).toBeLessThanOrEqual(10);
  });
});
