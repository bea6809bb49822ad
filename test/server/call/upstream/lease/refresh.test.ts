import { expect, test } from 'vitest';
import { holdRefresh } from '../../../../../server/base/store/repositories/upstream/connection-refreshes.ts';
import { verifies } from '../../../../requirements/verifies.ts';
import { describeLease, HOUR_MS } from './support.ts';

describeLease('the access token of a connection', (given) => {
  const refreshesOf = () =>
    given.store.db.selectFrom('connection_refreshes').select(['holder', 'failures', 'retry_at']).executeTakeFirst();

  test('is sent without a token request long before it expires', async () => {
    await given.start();
    await given.connect();
    expect(await given.call()).toMatchObject({ data: { token: 'seen' } });
    expect(given.upstream.calls).toEqual(['at-0']);
    expect(given.upstream.tokenRequests).toEqual([]);
  });

  test('is refreshed once for 200 calls at its expiry on two gateways, and no call fails', async () => {
    verifies('rfc9700-4.14.2-upstream-once');
    await given.start(2);
    await given.connect();
    given.now += HOUR_MS;
    given.upstream.accessTokens.clear();
    given.upstream.tokenDelayMs = 50;
    const calls = await Promise.all(Array.from({ length: 200 }, (_, n) => given.call('library_list', n % 2)));
    expect(calls.filter(({ error }) => error !== undefined)).toEqual([]);
    expect(given.upstream.tokenRequests).toEqual([{ grant_type: 'refresh_token', refresh_token: 'rt-0' }]);
    expect(new Set(given.upstream.calls)).toEqual(new Set(['at-1']));
    expect(await given.connection()).toMatchObject({
      status: 'active',
      fields: {
        'oauth.access_token': 'at-1',
        'oauth.refresh_token': 'rt-1',
        'oauth.expires_at': String(given.now + HOUR_MS),
        'oauth.scope': 'read',
      },
    });
    expect(await refreshesOf()).toMatchObject({ holder: null, failures: 0 });
  });

  test('is refreshed before it expires, while calls continue with it', async () => {
    await given.start();
    await given.connect();
    given.now += HOUR_MS - 60_000;
    await given.call();
    expect(given.upstream.calls).toEqual(['at-0']);
    await expect.poll(async () => (await given.connection())?.fields['oauth.access_token']).toBe('at-1');
    await given.call();
    expect(given.upstream.calls).toEqual(['at-0', 'at-1']);
    expect(given.upstream.tokenRequests).toHaveLength(1);
  });

  test('is refreshed after a 401, and the call is repeated, even one that writes', async () => {
    await given.start();
    await given.connect();
    given.upstream.accessTokens.clear();
    expect(await given.call('library_add')).toMatchObject({ data: { token: 'seen' } });
    expect(given.upstream.calls).toEqual(['at-0', 'at-1']);
    expect(given.upstream.tokenRequests).toHaveLength(1);
  });

  test('is not refreshed again at once where the new one is rejected as well', async () => {
    await given.start();
    await given.connect();
    given.upstream.broken = { status: 401, body: {} };
    expect((await given.call()).error).toMatchObject({ code: 'refused_once', retryable: true });
    expect((await given.connection())?.status).toBe('active');
    expect((await given.call()).error.code).toBe('credential_refused');
    expect(given.upstream.tokenRequests).toHaveLength(1);
    expect((await given.connection())?.status).toBe('attention');
  });

  test('that only the body rejects is replaced, and only a call that reads is repeated', async () => {
    const errors = { message: [], code: [], details: [], inSuccess: null };
    const invalidCredential = [{ status: 400, pointer: '/error', contains: 'token_expired' }];
    await given.start(1, { library: { errors: { ...errors, invalidCredential } } });
    await given.connect();
    given.upstream.broken = { status: 400, body: { error: 'token_expired' } };
    given.upstream.onToken = () => {
      given.upstream.broken = null;
    };
    expect((await given.call('library_add')).error).toMatchObject({ code: 'refused_once', retryable: true });
    expect(given.upstream.calls).toEqual(['at-0']);
    expect(await given.call()).toMatchObject({ data: { token: 'seen' } });
    expect(given.upstream.calls).toEqual(['at-0', 'at-1']);
  });

  test('is stored with its refresh token before it is used', async () => {
    verifies('rfc6749-6-upstream-stored');
    await given.start();
    await given.connect();
    given.now += HOUR_MS;
    let stored: string | undefined;
    given.upstream.onToken = async () => {
      stored = (await given.connection())?.fields['oauth.access_token'];
    };
    await given.call();
    expect(stored).toBe('at-0');
    expect(given.upstream.calls).toEqual(['at-1']);
    expect((await given.connection())?.fields['oauth.refresh_token']).toBe('rt-1');
  });

  test('keeps the refresh token without a new one, and drops the expiry without a new one', async () => {
    verifies('rfc6749-6-upstream-kept');
    await given.start();
    await given.connect();
    given.now += HOUR_MS;
    given.upstream.fault = { status: 200, body: { access_token: 'at-0', scope: 'read write' } };
    await given.call();
    const fields = (await given.connection())?.fields;
    expect(fields).toEqual({
      'oauth.access_token': 'at-0',
      'oauth.refresh_token': 'rt-0',
      'oauth.scope': 'read write',
      'oauth.client': expect.any(String),
    });
  });

  test('of the gateway itself is requested again without a refresh token', async () => {
    verifies('rfc6749-4.4-upstream');
    await given.start(1, { rules: { flow: 'client_credentials', authorizationUrl: null, scopes: ['all'] } });
    await given.connect({ 'oauth.refresh_token': undefined });
    given.now += HOUR_MS;
    expect(await given.call()).toMatchObject({ data: { token: 'seen' } });
    expect(given.upstream.tokenRequests).toEqual([{ grant_type: 'client_credentials', scope: 'all root' }]);
  });

  test('that cannot be renewed is sent, and its rejection means that the connection needs attention', async () => {
    await given.start();
    await given.connect({ 'oauth.refresh_token': undefined });
    given.upstream.accessTokens.clear();
    given.now += HOUR_MS;
    expect((await given.call()).error.code).toBe('refused_once');
    expect((await given.call()).error.code).toBe('credential_refused');
    expect((await given.connection())?.status).toBe('attention');
  });
});

describeLease('a refresh that fails', (given) => {
  const NEEDS = 'connection_needs_attention';

  test('with invalid_grant marks the connection once, and its partner is notified', async () => {
    verifies('rfc6749-5.2-upstream-invalid-grant');
    await given.start(2);
    await given.connect();
    given.now += HOUR_MS;
    given.upstream.refreshTokens.clear();
    const calls = await Promise.all(Array.from({ length: 20 }, (_, n) => given.call('library_list', n % 2)));
    expect(new Set(calls.map(({ error }) => error.code))).toEqual(new Set([NEEDS]));
    expect(given.upstream.tokenRequests).toHaveLength(1);
    expect(given.upstream.calls).toEqual([]);
    expect((await given.connection())?.status).toBe('attention');
    const events = given.store.db.selectFrom('audit_events').select('type').where('type', '=', NEEDS);
    expect(await events.execute()).toHaveLength(1);
    expect((await given.call()).text).toContain('the user must connect The library again');
  });

  test.each([
    ['500', { status: 500, body: {} }],
    ['429', { status: 429, body: { error: 'invalid_grant' } }],
    ['nonsense', { status: 200, body: {} }],
  ])('with %s keeps the connection, says when to call again, and is retried later', async (_, fault) => {
    await given.start();
    await given.connect();
    given.now += HOUR_MS;
    given.upstream.fault = fault;
    const { error, text } = await given.call();
    expect(error).toMatchObject({ code: 'credential_not_renewed', retryable: true });
    expect(error.retryAfterSeconds).toBeLessThanOrEqual(2);
    expect(text).toContain('The call was not carried out.');
    await given.call();
    expect(given.upstream.tokenRequests).toHaveLength(1);
    given.now += 2_000;
    given.upstream.fault = null;
    expect(await given.call()).toMatchObject({ data: { token: 'seen' } });
  });

  test('waits longer each time, and as long as the upstream asks', async () => {
    await given.start();
    await given.connect();
    given.now += HOUR_MS;
    given.upstream.fault = { status: 503, body: {} };
    const waits: number[] = [];
    for (let n = 0; n < 4; n += 1) {
      const { retryAfterSeconds } = (await given.call()).error;
      waits.push(retryAfterSeconds);
      given.now += retryAfterSeconds * 1000;
    }
    expect(waits[3]).toBeGreaterThan(waits[0]!);
    given.upstream.fault = { status: 429, body: {}, headers: { 'retry-after': '120' } };
    expect((await given.call()).error.retryAfterSeconds).toBe(120);
  });

  test('because of the client refers to the operator, and keeps the connection', async () => {
    verifies('rfc6749-5.2-upstream-invalid-grant');
    await given.start();
    await given.connect();
    given.now += HOUR_MS;
    given.upstream.fault = { status: 401, body: { error: 'invalid_client' } };
    expect((await given.call()).text).toContain('The operator has to check the client');
    expect((await given.connection())?.status).toBe('active');
    given.now += 120_000;
    await given.store.db.deleteFrom('upstream_clients').execute();
    expect((await given.call()).error.code).toBe('credential_not_renewed');
    expect(given.upstream.tokenRequests).toHaveLength(1);
  });

  test('while the token still works affects no call', async () => {
    await given.start();
    await given.connect();
    given.now += HOUR_MS - 60_000;
    given.upstream.fault = { status: 500, body: {} };
    for (let n = 0; n < 5; n += 1) expect((await given.call()).error).toBeUndefined();
    await expect.poll(() => given.upstream.tokenRequests.length).toBe(1);
  });

  test('recovers from a lost answer where the provider accepts the old refresh token again', async () => {
    await given.start();
    await given.connect();
    given.now += HOUR_MS;
    given.upstream.fault = 'lost';
    expect((await given.call()).error.code).toBe('credential_not_renewed');
    given.upstream.fault = null;
    given.upstream.refreshTokens.add('rt-0');
    given.now += 2_000;
    expect(await given.call()).toMatchObject({ data: { token: 'seen' } });
  });

  test('with an answer that was lost for good means that the connection needs attention', async () => {
    await given.start();
    await given.connect();
    given.now += HOUR_MS;
    given.upstream.fault = 'lost';
    await given.call();
    given.upstream.fault = null;
    given.now += 2_000;
    expect((await given.call()).error.code).toBe(NEEDS);
  });

  test('of a gateway that died is taken over when its hold expires', async () => {
    await given.start();
    const connectionId = await given.connect();
    given.now += HOUR_MS;
    const until = given.now + 20_000;
    await holdRefresh(given.store.db, { connectionId, holder: 'dead', now: given.now, until });
    const waiting = given.call();
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(given.upstream.tokenRequests).toEqual([]);
    given.now = until;
    expect(await waiting).toMatchObject({ data: { token: 'seen' } });
  });

  test('is held by nobody when its connection has been removed', async () => {
    const hold = { connectionId: 'removed', holder: 'late', now: given.now, until: given.now + 20_000 };
    expect(await holdRefresh(given.store.db, hold)).toBe(false);
  });

  test('does not change a connection that the user replaced meanwhile, and the call uses it', async () => {
    await given.start();
    await given.connect();
    given.now += HOUR_MS;
    given.upstream.onToken = async () => {
      given.now += 1;
      await given.connect({ 'oauth.access_token': 'at-1', 'oauth.refresh_token': 'rt-9' });
    };
    expect(await given.call()).toMatchObject({ data: { token: 'seen' } });
    expect((await given.connection())?.fields['oauth.refresh_token']).toBe('rt-9');
    expect(given.upstream.tokenRequests).toHaveLength(1);
  });

  test('writes no secret to the log', async () => {
    await given.start();
    await given.connect();
    given.now += HOUR_MS;
    given.upstream.fault = { status: 400, body: { error: 'rt-0', error_description: 'client-secret' } };
    await given.call();
    expect(given.lines.join()).toContain('a connection was not renewed');
    expect(given.lines.join()).not.toMatch(/rt-0|client-secret/);
  });
});

describeLease('a tool that needs a scope', (given) => {
  test('fails before any request where none of its alternatives was granted', async () => {
    await given.start();
    await given.connect();
    const { error, text } = await given.call('library_admin');
    expect(error).toMatchObject({ code: 'scope_not_granted', retryable: false, details: { scopes: ['admin'] } });
    expect(text).toContain('library_admin needs a scope of The library that the user has not granted: admin.');
    expect(text).toContain('the user must connect The library again');
    expect(given.upstream.calls).toEqual([]);
    expect((await given.connection())?.status).toBe('active');
  });

  test.each([
    ['one alternative was granted', 'admin read'],
    ['another alternative was granted', 'root'],
    ['it is unknown what was granted', undefined],
  ])('is called where %s', async (_, scope) => {
    await given.start();
    await given.connect({ 'oauth.scope': scope });
    expect(await given.call('library_admin')).toMatchObject({ data: { token: 'seen' } });
  });

  test('is called with a credential of another kind', async () => {
    await given.start();
    given.upstream.accessTokens.add('a-key');
    const none = { 'oauth.access_token': undefined, 'oauth.refresh_token': undefined, 'oauth.expires_at': undefined };
    await given.connect({ ...none, 'oauth.scope': undefined, key: 'a-key' });
    expect(await given.call('library_admin')).toMatchObject({ data: { token: 'seen' } });
  });
});
