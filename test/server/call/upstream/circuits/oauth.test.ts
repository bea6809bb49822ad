import { Agent } from 'undici';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCircuits } from '../../../../../server/call/upstream/circuits.ts';
import { createUpstreamOAuth } from '../../../../../server/call/upstream/oauth/index.ts';
import type { TokenRequestError, UpstreamOAuth } from '../../../../../server/call/upstream/oauth/types.ts';
import { oauth2Rules } from '../../../../support/oauth-rules.ts';
import { describeLease, HOUR_MS } from '../lease/support.ts';
import { type Host, startRawHost } from '../support.ts';

const CLIENT = { service: 'library', id: 'row', clientId: 'gateway', clientSecret: null };

let host: Host;
let agent: Agent;
let oauth: UpstreamOAuth;
beforeEach(async () => {
  host = await startRawHost((socket) => socket.destroy());
  agent = new Agent();
  const circuits = createCircuits({ maxInFlight: 10, now: () => 1_000_000 });
  oauth = createUpstreamOAuth({ dispatcher: () => agent, userAgent: 'gateway', circuits, now: () => 1_000_000 });
});
afterEach(async () => {
  await agent.destroy();
  await host.close();
});

const failure = (request: Promise<unknown>) => request.catch((error: unknown) => error as TokenRequestError);
const rules = () => oauth2Rules(host.origin);
const { signal } = new AbortController();

test('an authorization server that drops connections is not contacted for a while', async () => {
  for (let sent = 0; sent < 5; sent += 1) {
    await failure(oauth.refresh(rules(), { client: CLIENT, refreshToken: 'rt' }, signal));
  }
  expect(host.hits()).toBe(5);
  const refused = await failure(oauth.refresh(rules(), { client: CLIENT, refreshToken: 'rt' }, signal));
  expect(refused).toMatchObject({ kind: 'unavailable', retryAfterSeconds: 5, cause: { kind: 'circuit_open' } });
  expect(host.hits()).toBe(5);
});

test('failed codes from browsers do not make others wait', async () => {
  const request = { client: CLIENT, code: 'x', redirectUri: 'https://tools.example/callback', codeVerifier: null };
  for (let sent = 0; sent < 6; sent += 1) await failure(oauth.exchangeCode(rules(), request, signal));
  expect(host.hits()).toBe(6);
});

describeLease('a token while the breaker is open', (given) => {
  test('is renewed no later than the next probe', async () => {
    await given.start();
    await given.connect();
    given.now += HOUR_MS;
    given.upstream.fault = { status: 503, body: {} };
    const { db } = given.store;
    const failures = async () =>
      (await db.selectFrom('connection_refreshes').select('failures').executeTakeFirstOrThrow()).failures;
    for (let calls = 0; calls < 5; calls += 1) {
      await given.call();
      await db.updateTable('connection_refreshes').set({ retry_at: 0, failures: 1 }).execute();
    }
    expect(given.upstream.tokenRequests).toHaveLength(5);
    const { error } = await given.call();
    expect(error).toMatchObject({ code: 'credential_not_renewed', retryAfterSeconds: 5 });
    expect(given.upstream.tokenRequests).toHaveLength(5);
    expect(await failures()).toBe(1);
  });
});
