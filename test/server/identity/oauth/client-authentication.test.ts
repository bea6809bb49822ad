import { expect, test } from 'vitest';
import { verifies } from '../../../requirements/verifies.ts';
import { authorize, describeOAuth } from './support.ts';

describeOAuth('client authentication (RFC 6749 §2.3)', (given) => {
  const basic = (id: string, secret: string) => ({
    Authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
  });
  const registerConfidential = async () => {
    const { body } = await given.register({
      redirect_uris: ['https://app.example.com/cb'],
      token_endpoint_auth_method: 'client_secret_basic',
    });
    return { clientId: body.client_id as string, secret: body.client_secret as string };
  };

  test('a confidential client authenticates in the header or in the body', async () => {
    verifies('rfc6749-2.3.1-basic', 'rfc6749-2.3.1-body');
    const { clientId, secret } = await registerConfidential();
    const { parameters } = await authorize(given, { clientId });
    const { client_id: _, ...rest } = parameters;
    const first = await given.token(rest, basic(clientId, secret));
    expect(first.status).toBe(200);
    const second = await given.token({
      grant_type: 'refresh_token',
      refresh_token: first.body.refresh_token,
      client_id: clientId,
      client_secret: secret,
    });
    expect(second.status).toBe(200);
  });

  test.each<[string, { form?: Record<string, string>; authorization?: (id: string) => string }, boolean]>([
    ['without its secret', {}, false],
    ['with another secret in the body', { form: { client_secret: 'utg_cs_other' } }, false],
    ['with another secret in the header', { authorization: (id) => basic(id, 'utg_cs_other').Authorization }, true],
    ['with a header that is not Base64', { authorization: () => 'Basic ?' }, true],
    ['with a header without a colon', { authorization: () => 'Basic YWJj' }, true],
    ['with a header of another scheme', { authorization: () => 'Bearer abc' }, true],
    ['with a header that is wrongly encoded', { authorization: () => 'Basic JTpi' }, true],
  ])('a confidential client is refused %s', async (_title, { form, authorization }, challenged) => {
    verifies('rfc6749-3.2.1-confidential', 'rfc6749-5.2-invalid-client');
    const { clientId } = await registerConfidential();
    const { parameters } = await authorize(given, { clientId });
    const headers = authorization === undefined ? {} : { Authorization: authorization(clientId) };
    const answer = await given.token({ ...parameters, ...form }, headers);
    expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client']);
    expect(answer.headers.get('WWW-Authenticate')?.startsWith('Basic realm=') ?? false).toBe(challenged);
    expect(answer.headers.get('Cache-Control')).toBe('no-store');
  });

  test.each([
    ['an unknown client', { client_id: 'client-unknown' }],
    ['no client', { client_id: undefined }],
    ['a secret that a public client does not have', { client_secret: 'x' }],
  ])('%s is 401 invalid_client', async (_title, changes) => {
    verifies('rfc6749-3.2.1-public', 'rfc6749-5.2-invalid-client');
    const { parameters } = await authorize(given);
    const answer = await given.token({ ...parameters, ...changes });
    expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client']);
  });

  test("a partner's credentials refresh the tokens of its connect flows, and redeem no codes of clients", async () => {
    const { parameters } = await authorize(given);
    const partner = { client_id: 'acme', client_secret: given.partnerSecret };
    const code = await given.token({ ...parameters, ...partner });
    expect([code.status, code.body.error]).toEqual([400, 'unauthorized_client']);
    const { body } = await given.token(parameters);
    const refresh = { grant_type: 'refresh_token', refresh_token: body.refresh_token };
    expect((await given.token({ ...refresh, ...partner })).body.error).toBe('invalid_grant');
    expect((await given.token({ ...refresh, client_id: 'acme' })).body.error).toBe('invalid_client');
    expect((await given.token({ ...refresh, client_id: 'acme', client_secret: 'x' })).body.error).toBe(
      'invalid_client',
    );
  });

  test('two methods at once are refused', async () => {
    verifies('rfc6749-2.3-one-method');
    const { clientId, secret } = await registerConfidential();
    const { parameters } = await authorize(given, { clientId });
    const twice = await given.token({ ...parameters, client_secret: secret }, basic(clientId, secret));
    expect([twice.status, twice.body.error]).toEqual([400, 'invalid_request']);
    const mixed = await given.token({ ...parameters, client_id: 'client-other' }, basic(clientId, secret));
    expect([mixed.status, mixed.body.error]).toEqual([400, 'invalid_request']);
  });

  test('secrets reach neither the database nor the log', async () => {
    verifies('rfc6749-10.3-kept-as-hash');
    const { clientId, secret } = await registerConfidential();
    const { parameters, code } = await authorize(given, { clientId });
    const { body } = await given.token({ ...parameters, client_secret: secret });
    const kept: unknown[] = [given.lines];
    const tables = ['oauth_clients', 'oauth_grants', 'oauth_codes', 'refresh_tokens', 'access_tokens', 'audit_events'];
    for (const table of tables)
      kept.push(
        await given.store.db
          .selectFrom(table as 'users')
          .selectAll()
          .execute(),
      );
    const text = JSON.stringify(kept);
    for (const known of [secret, code, parameters.code_verifier, body.access_token, body.refresh_token]) {
      expect(text).not.toContain(known);
    }
  });
});
