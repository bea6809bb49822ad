import { expect, test } from 'vitest';
import type { RequirementId } from '../../../requirements/oauth.ts';
import { verifies } from '../../../requirements/verifies.ts';
import { authorize, describeOAuth, type Parameters, RESOURCE, signIn } from './support.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describeOAuth('grant type authorization_code (RFC 6749 §4.1.3)', (given) => {
  test('a code becomes an access token for an hour and a refresh token', async () => {
    verifies('rfc6749-5.1-answer', 'rfc6749-5.1-no-store', 'rfc6749-10.10-entropy', 'mcp-token-lifetime');
    const { parameters } = await authorize(given);
    const answer = await given.token({ ...parameters, resource: RESOURCE });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      access_token: expect.stringMatching(/^utg_at_[A-Za-z0-9_-]{43}$/),
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^utg_rt_[A-Za-z0-9_-]{43}$/),
      scope: 'tools:read tools:write',
    });
    expect(answer.headers.get('Content-Type')).toMatch(/^application\/json/);
    expect(answer.headers.get('Cache-Control')).toBe('no-store');
    expect(answer.headers.get('Pragma')).toBe('no-cache');
    expect(await given.use(answer.body.access_token)).toBe(200);
    given.now += HOUR_MS;
    expect(await given.use(answer.body.access_token)).toBe(401);
    expect(await given.events()).toEqual(['consent_given', 'tokens_issued']);
  });

  test('the tokens have the scopes, services and resource of the grant', async () => {
    verifies('rfc8707-2-absent', 'rfc8707-2.2-audience');
    const { accessToken } = await signIn(given, { limits: { services: ['crm', 'mailer'], readOnly: true } });
    const { body } = await given.send('/api/mcp/unified', { headers: { Authorization: `Bearer ${accessToken}` } });
    expect(body).toMatchObject({
      userId: given.userId,
      externalUserId: 'alice',
      scopes: ['tools:read'],
      services: ['crm'],
      resource: RESOURCE,
    });
  });

  test.each<[string, Parameters, string, RequirementId]>([
    [
      'another redirect URI',
      { redirect_uri: 'http://127.0.0.1:7000/callback/' },
      'invalid_grant',
      'rfc6749-4.1.3-redirect-uri',
    ],
    [
      'another port of the redirect URI',
      { redirect_uri: 'http://127.0.0.1:7001/callback' },
      'invalid_grant',
      'rfc6749-4.1.3-redirect-uri',
    ],
    ['another code verifier', { code_verifier: 'a'.repeat(43) }, 'invalid_grant', 'rfc7636-4.6-mismatch'],
    ['an invalid code verifier', { code_verifier: 'short' }, 'invalid_grant', 'rfc7636-4.6-mismatch'],
    ['another code', { code: 'utg_ac_unknown' }, 'invalid_grant', 'rfc6749-5.2-invalid-grant'],
    ['another resource', { resource: 'https://other.example.com/mcp' }, 'invalid_target', 'rfc8707-2.2-foreign'],
    [
      'a second, different resource',
      { resource: [RESOURCE, 'https://other.example.com'] },
      'invalid_target',
      'rfc8707-2.2-foreign',
    ],
    ['an empty code', { code: '' }, 'invalid_request', 'rfc6749-3.2-empty'],
    ['no code verifier', { code_verifier: undefined }, 'invalid_request', 'rfc9700-2.1.1-downgrade'],
    ['no code', { code: undefined }, 'invalid_request', 'rfc6749-4.1.3-required'],
    ['no grant type', { grant_type: undefined }, 'invalid_request', 'rfc6749-4.1.3-required'],
    ['two codes', { code: ['a', 'b'] }, 'invalid_request', 'rfc6749-3.2-repeated'],
    ['another grant type', { grant_type: 'client_credentials' }, 'unsupported_grant_type', 'rfc6749-5.2-grant-type'],
  ])('%s is refused, and the code stays valid', async (_title, changes, error, requirement) => {
    verifies('rfc6749-5.2-answer', requirement);
    const { parameters } = await authorize(given);
    const refused = await given.token({ ...parameters, ...changes });
    expect([refused.status, refused.body.error]).toEqual([400, error]);
    expect(refused.headers.get('Cache-Control')).toBe('no-store');
    expect((await given.token(parameters)).status).toBe(200);
  });

  test.each([undefined, ''])(
    'a redirect URI of %j is left out, as OAuth 2.1 has it: the code gets tokens',
    async (sent) => {
      verifies('oauth2.1-4.1.3-no-redirect-uri');
      const { parameters } = await authorize(given);
      const { redirect_uri: _, ...others } = parameters;
      const without = { ...others, ...(sent === undefined ? {} : { redirect_uri: sent }) };
      expect((await given.token({ ...without, code_verifier: 'a'.repeat(43) })).body.error).toBe('invalid_grant');
      expect((await given.token(without)).status).toBe(200);
    },
  );

  test('a code of one client is invalid for another', async () => {
    verifies('rfc6749-4.1.3-client');
    const { parameters } = await authorize(given);
    const other = (await given.register()).body.client_id;
    const refused = await given.token({ ...parameters, client_id: other });
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_grant']);
    expect((await given.token(parameters)).status).toBe(200);
  });

  test.each([
    ['too short', 'a'.repeat(42)],
    ['too long', 'a'.repeat(129)],
    ['of other characters', `${'a'.repeat(43)}+`],
  ])('a code verifier that is %s is refused, although it matches', async (_title, codeVerifier) => {
    verifies('rfc7636-4.1-verifier');
    const { parameters } = await authorize(given, { codeVerifier });
    expect((await given.token(parameters)).body.error).toBe('invalid_grant');
  });

  test('a code expires after five minutes', async () => {
    verifies('rfc6749-4.1.2-lifetime');
    const { parameters } = await authorize(given);
    given.now += 300_000;
    expect((await given.token(parameters)).body.error).toBe('invalid_grant');
    given.now -= 1;
    expect((await given.token(parameters)).status).toBe(200);
  });

  test('the resource may be written in any accepted form', async () => {
    verifies('mcp-resource-letters');
    const { parameters } = await authorize(given);
    const { status } = await given.token({
      ...parameters,
      resource: ['HTTP://127.0.0.1:3000/api/mcp/unified/', RESOURCE],
    });
    expect(status).toBe(200);
  });

  test('a second use revokes the tokens of the first one', async () => {
    verifies('rfc6749-4.1.2-replay');
    const { parameters, clientId } = await authorize(given);
    const { body } = await given.token(parameters);
    const replayed = await given.token(parameters);
    expect([replayed.status, replayed.body.error]).toEqual([400, 'invalid_grant']);
    expect(await given.use(body.access_token)).toBe(401);
    const refreshed = await given.token({
      grant_type: 'refresh_token',
      refresh_token: body.refresh_token,
      client_id: clientId,
    });
    expect(refreshed.body.error).toBe('invalid_grant');
    expect(await given.events()).toContain('authorization_code_replayed');
    const [grant] = await given.store.db.selectFrom('oauth_grants').selectAll().execute();
    expect(grant).toMatchObject({ revoked_at: given.now, revoked_reason: 'code-replayed' });
  });

  test('a second use by another client revokes nothing', async () => {
    const { parameters } = await authorize(given);
    const { body } = await given.token(parameters);
    const other = (await given.register()).body.client_id;
    expect((await given.token({ ...parameters, client_id: other })).body.error).toBe('invalid_grant');
    expect(await given.use(body.access_token)).toBe(200);
  });

  test('exactly one of a hundred concurrent uses gets tokens', async () => {
    verifies('rfc6749-4.1.2-single-use');
    const { parameters } = await authorize(given);
    const answers = await Promise.all(Array.from({ length: 100 }, () => given.token(parameters)));
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([200, ...Array(99).fill(400)]);
    expect(await given.store.db.selectFrom('access_tokens').selectAll().execute()).toHaveLength(1);
    expect(await given.store.db.selectFrom('refresh_tokens').selectAll().execute()).toHaveLength(1);
  });
});

describeOAuth('grant type refresh_token (RFC 6749 §6, RFC 9700 §4.14.2)', (given) => {
  const refresh = (clientId: string, refreshToken: string, more: Record<string, string> = {}) =>
    given.token({ grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId, ...more });

  test('a refresh token becomes a new pair, and is invalid at once', async () => {
    verifies('rfc9700-4.14.2-rotation');
    const { clientId, accessToken, refreshToken } = await signIn(given);
    const { status, body } = await refresh(clientId, refreshToken);
    expect([status, body.expires_in, body.scope]).toEqual([200, 3600, 'tools:read tools:write']);
    expect(body.refresh_token).not.toBe(refreshToken);
    expect(await given.use(accessToken)).toBe(200);
    expect(await given.use(body.access_token)).toBe(200);
    const replayed = await refresh(clientId, refreshToken);
    expect([replayed.status, replayed.body.error]).toEqual([400, 'temporarily_unavailable']);
    expect((await refresh(clientId, body.refresh_token)).status).toBe(200);
    expect((await given.events()).filter((type) => /refresh/.test(type))).toEqual([
      'tokens_refreshed',
      'tokens_refreshed',
    ]);
    expect(await given.anonymousEvents()).toMatchObject({ refresh_token_replayed: 1 });
  });

  test('a replay within ten seconds fails without revoking the family', async () => {
    verifies('rfc9700-4.14.2-grace');
    const { clientId, refreshToken } = await signIn(given);
    const { body } = await refresh(clientId, refreshToken);
    given.now += 10_000;
    const replayed = await refresh(clientId, refreshToken);
    expect([replayed.status, replayed.body.error]).toEqual([400, 'temporarily_unavailable']);
    expect(replayed.headers.get('Retry-After')).toBe('1');
    expect(replayed.headers.get('Cache-Control')).toBe('no-store');
    expect(await given.use(body.access_token)).toBe(200);
    expect((await refresh(clientId, body.refresh_token)).status).toBe(200);
  });

  test('a later replay revokes the whole family', async () => {
    verifies('rfc9700-4.14.2-replay');
    const { clientId, accessToken, refreshToken } = await signIn(given);
    const { body } = await refresh(clientId, refreshToken);
    given.now += 10_001;
    expect((await refresh(clientId, refreshToken)).body.error).toBe('invalid_grant');
    expect(await given.use(accessToken)).toBe(401);
    expect(await given.use(body.access_token)).toBe(401);
    expect((await refresh(clientId, body.refresh_token)).body.error).toBe('invalid_grant');
    const events = await given.store.db
      .selectFrom('audit_events')
      .selectAll()
      .where('type', '=', 'refresh_token_replayed')
      .execute();
    expect(events).toMatchObject([{ details: '{"revoked":true}', user_id: given.userId, client_id: clientId }]);
  });

  test('a replay by another client revokes nothing', async () => {
    verifies('rfc6749-6-client');
    const { clientId, refreshToken } = await signIn(given);
    const { body } = await refresh(clientId, refreshToken);
    given.now += DAY_MS;
    const other = (await given.register()).body.client_id;
    expect((await refresh(other, refreshToken)).body.error).toBe('invalid_grant');
    expect((await refresh(clientId, body.refresh_token)).status).toBe(200);
  });

  test('a family stays valid while it is used within thirty days', async () => {
    verifies('rfc9700-4.14.2-idle');
    const signedIn = await signIn(given);
    let { refreshToken } = signedIn;
    for (let round = 0; round < 3; round += 1) {
      given.now += 30 * DAY_MS - 1;
      const { status, body } = await refresh(signedIn.clientId, refreshToken);
      expect(status).toBe(200);
      refreshToken = body.refresh_token;
    }
    given.now += 30 * DAY_MS;
    expect((await refresh(signedIn.clientId, refreshToken)).body.error).toBe('invalid_grant');
  });

  test('a family expires when its code said, even if it is used', async () => {
    const { parameters, clientId } = await authorize(given, { limits: { grantSeconds: 5400 } });
    const first = (await given.token(parameters)).body;
    expect(first.expires_in).toBe(3600);
    given.now += 3_000_000;
    const refresh = { grant_type: 'refresh_token', refresh_token: first.refresh_token, client_id: clientId };
    const second = (await given.token(refresh)).body;
    expect(second.expires_in).toBe(2400);
    given.now += 2_400_000;
    const third = await given.token({ ...refresh, refresh_token: second.refresh_token });
    expect([third.status, third.body.error]).toEqual([400, 'invalid_grant']);
  });

  test('a narrower scope is for the access token only', async () => {
    verifies('rfc6749-6-scope', 'rfc9700-4.14.2-bound');
    const { clientId, refreshToken } = await signIn(given);
    const narrow = await refresh(clientId, refreshToken, { scope: 'tools:read' });
    expect([narrow.status, narrow.body.scope]).toEqual([200, 'tools:read']);
    const wide = await refresh(clientId, narrow.body.refresh_token);
    expect(wide.body.scope).toBe('tools:read tools:write');
  });

  test.each(['tools:read openid', 'offline_access', '  '])('a scope %j gets the granted scopes', async (scope) => {
    verifies('rfc6749-3.3-unknown');
    const { clientId, refreshToken } = await signIn(given, { scopes: ['tools:read'] });
    const { status, body } = await refresh(clientId, refreshToken, { scope });
    expect([status, body.scope]).toEqual([200, 'tools:read']);
  });

  test.each<[string, Record<string, string>, string, RequirementId]>([
    ['a scope that was not granted', { scope: 'tools:read tools:write' }, 'invalid_scope', 'rfc9700-4.14.2-bound'],
    ['another resource', { resource: 'https://other.example.com/mcp' }, 'invalid_target', 'rfc8707-2.2-foreign'],
    ['no refresh token', { refresh_token: '' }, 'invalid_request', 'rfc6749-4.1.3-required'],
    ['another token', { refresh_token: 'utg_rt_unknown' }, 'invalid_grant', 'rfc6749-5.2-invalid-grant'],
  ])('%s is refused, and the token stays valid', async (_title, changes, error, requirement) => {
    verifies('rfc6749-5.2-answer', requirement);
    const { clientId, refreshToken } = await signIn(given, { scopes: ['tools:read'] });
    const refused = await refresh(clientId, refreshToken, changes);
    expect([refused.status, refused.body.error]).toEqual([400, error]);
    expect((await refresh(clientId, refreshToken)).status).toBe(200);
  });

  test('an access token is not accepted as a refresh token', async () => {
    const { clientId, accessToken } = await signIn(given);
    expect((await refresh(clientId, accessToken)).body.error).toBe('invalid_grant');
  });

  test('a hundred concurrent refreshes without a hold issue exactly one pair, and the family stays valid', async () => {
    verifies('rfc9700-4.14.2-race');
    const { clientId, refreshToken } = await signIn(given);
    const answers = await Promise.all(Array.from({ length: 100 }, () => refresh(clientId, refreshToken)));
    const winners = answers.filter(({ status }) => status === 200);
    expect(new Set(winners.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    const losers = answers.filter(({ status }) => status !== 200);
    expect(losers.filter(({ body }) => body.error !== 'temporarily_unavailable')).toEqual([]);
    expect(await given.store.db.selectFrom('refresh_tokens').select('id').execute()).toHaveLength(2);
    expect(await given.store.db.selectFrom('access_tokens').select('id').execute()).toHaveLength(2);
    expect((await given.events()).filter((type) => type === 'tokens_refreshed')).toHaveLength(1);
    expect(await given.use(winners[0]!.body.access_token)).toBe(200);
    expect((await refresh(clientId, winners[0]!.body.refresh_token)).status).toBe(200);
  });

  test('the tokens of a deleted user are unknown', async () => {
    const { clientId, accessToken, refreshToken } = await signIn(given);
    await given.store.db.deleteFrom('users').where('id', '=', given.userId).execute();
    expect((await refresh(clientId, refreshToken)).body.error).toBe('invalid_grant');
    expect(await given.use(accessToken)).toBe(401);
  });
});
