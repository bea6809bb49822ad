import { expect, test } from 'vitest';
import { issueAccessToken } from '../../../../server/identity/grants/access-token.ts';
import { verifies } from '../../../requirements/verifies.ts';
import { authorize, describeOAuth, RESOURCE, signIn } from './support.ts';

const CONFIDENTIAL = {
  redirect_uris: ['https://app.example.com/cb'],
  token_endpoint_auth_method: 'client_secret_basic',
};

describeOAuth('token revocation (RFC 7009)', (given) => {
  const refresh = (clientId: string, refreshToken: string) =>
    given.token({ grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId });

  test('an access token is revoked at once, and its refresh token stays valid', async () => {
    verifies('rfc7009-2.1-access-token', 'rfc7009-2.1-immediate', 'rfc7009-2.1-public');
    const { clientId, accessToken, refreshToken } = await signIn(given);
    const answer = await given.revoke({ token: accessToken });
    expect([answer.status, answer.body]).toEqual([200, '']);
    expect(answer.headers.get('Cache-Control')).toBe('no-store');
    expect(await given.use(accessToken)).toBe(401);
    expect((await refresh(clientId, refreshToken)).status).toBe(200);
    expect(await given.events()).toContain('access_token_revoked');
  });

  test('a refresh token is revoked at once, with every access token of its family', async () => {
    verifies('rfc7009-2.1-refresh-token');
    const { clientId, accessToken, refreshToken } = await signIn(given);
    const { body } = await refresh(clientId, refreshToken);
    expect((await given.revoke({ token: body.refresh_token, token_type_hint: 'refresh_token' })).status).toBe(200);
    expect(await given.use(accessToken)).toBe(401);
    expect(await given.use(body.access_token)).toBe(401);
    expect((await refresh(clientId, body.refresh_token)).body.error).toBe('invalid_grant');
    expect(await given.events()).toContain('grant_revoked');
  });

  test('another sign-in of the same user and client stays valid', async () => {
    const first = await signIn(given);
    const second = await signIn(given, { clientId: first.clientId });
    await given.revoke({ token: first.refreshToken });
    expect(await given.use(first.accessToken)).toBe(401);
    expect(await given.use(second.accessToken)).toBe(200);
  });

  test('a used refresh token revokes its family too', async () => {
    const { clientId, refreshToken } = await signIn(given);
    const { body } = await refresh(clientId, refreshToken);
    await given.revoke({ token: refreshToken });
    expect(await given.use(body.access_token)).toBe(401);
  });

  test.each(['access_token', 'refresh_token', 'something_else', ''])('the hint "%s" does not matter', async (hint) => {
    verifies('rfc7009-2.1-hint');
    const { accessToken, refreshToken } = await signIn(given);
    expect((await given.revoke({ token: accessToken, token_type_hint: hint })).status).toBe(200);
    expect(await given.use(accessToken)).toBe(401);
    expect((await given.revoke({ token: refreshToken, token_type_hint: hint })).status).toBe(200);
    expect((await given.events()).filter((type) => type.endsWith('revoked'))).toHaveLength(2);
  });

  test('an unknown or expired token is 200 and no event', async () => {
    verifies('rfc7009-2.2-unknown');
    const { accessToken, refreshToken } = await signIn(given);
    for (const token of ['utg_rt_unknown', 'anything', accessToken, accessToken, refreshToken, refreshToken]) {
      expect((await given.revoke({ token })).status).toBe(200);
    }
    expect((await given.events()).filter((type) => type.endsWith('revoked'))).toHaveLength(2);
  });

  test('a token of the connect flow is revoked like any other', async () => {
    const { token } = await issueAccessToken(given.store.db, {
      userId: given.userId,
      scopes: ['tools:read'],
      services: null,
      resource: RESOURCE,
      now: given.now,
    });
    expect(await given.use(token)).toBe(200);
    const other = (await given.register()).body.client_id;
    expect((await given.revoke({ token, client_id: other })).body.error).toBe('invalid_grant');
    expect((await given.revoke({ token, client_id: 'acme', client_secret: 'utg_ps_wrong' })).status).toBe(401);
    expect(await given.use(token)).toBe(200);
    expect((await given.revoke({ token, client_id: 'acme', client_secret: given.partnerSecret })).status).toBe(200);
    expect(await given.use(token)).toBe(401);
  });

  test('credentials, if sent, must be valid and those of the token', async () => {
    verifies('rfc7009-2.1-credentials', 'rfc7009-2.1-owner');
    const mine = await signIn(given);
    const other = (await given.register(CONFIDENTIAL)).body;
    const attempts = [
      [{ client_id: 'client-unknown' }, 401, 'invalid_client'],
      [{ client_secret: 'utg_cs_x' }, 401, 'invalid_client'],
      [{ client_id: mine.clientId, client_secret: 'utg_cs_x' }, 401, 'invalid_client'],
      [{ client_id: other.client_id }, 401, 'invalid_client'],
      [{ client_id: (await given.register()).body.client_id }, 400, 'invalid_grant'],
      [{ client_id: 'acme' }, 401, 'invalid_client'],
      [{ client_id: other.client_id, client_secret: 'utg_cs_x' }, 401, 'invalid_client'],
      [{ client_id: other.client_id, client_secret: other.client_secret }, 400, 'invalid_grant'],
      [{ client_id: 'acme', client_secret: given.partnerSecret }, 400, 'invalid_grant'],
    ] as const;
    for (const [credentials, status, error] of attempts) {
      const answer = await given.revoke({ token: mine.accessToken, ...credentials });
      expect([answer.status, answer.body.error]).toEqual([status, error]);
    }
    const unknown = await given.revoke({ token: 'unknown', client_id: 'client-unknown' });
    expect([unknown.status, unknown.body.error]).toEqual([401, 'invalid_client']);
    expect(await given.use(mine.accessToken)).toBe(200);
    expect((await given.revoke({ token: mine.accessToken, client_id: mine.clientId })).status).toBe(200);
    expect(await given.use(mine.accessToken)).toBe(401);
  });

  test('a token of a confidential client is revoked only with its secret, in the header or in the body', async () => {
    verifies('rfc7009-2.1-confidential');
    const { client_id, client_secret } = (await given.register(CONFIDENTIAL)).body;
    const Authorization = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`;
    const { parameters } = await authorize(given, { clientId: client_id });
    const { body } = await given.token({ ...parameters, client_secret });
    for (const token of [body.access_token, body.refresh_token]) {
      for (const form of [{}, { client_id }, { client_id, client_secret: 'utg_cs_x' }] as Record<string, string>[]) {
        const refused = await given.revoke({ token, ...form });
        expect([refused.status, refused.body.error]).toEqual([401, 'invalid_client']);
      }
    }
    expect(await given.use(body.access_token)).toBe(200);
    expect((await given.revoke({ token: body.access_token }, { Authorization })).status).toBe(200);
    expect(await given.use(body.access_token)).toBe(401);
    expect((await given.revoke({ token: body.refresh_token, client_id, client_secret })).status).toBe(200);
    expect(await given.events()).toContain('grant_revoked');
  });

  test.each([
    ['no token', {}],
    ['an empty token', { token: '' }],
    ['two tokens', { token: ['a', 'b'] }],
    ['a token with a NUL', { token: 'a\0b' }],
  ])('%s is 400 invalid_request', async (_title, parameters) => {
    verifies('rfc7009-2.1-token');
    const answer = await given.revoke(parameters);
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
  });
});
