import { SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { purge } from '../../../../server/base/store/purge.ts';
import { insertGrant } from '../../../../server/base/store/repositories/oauth-grants.ts';
import { retentionRules } from '../../../../server/base/store/retention.ts';
import { createSigningKey } from '../../../support/identity-provider.ts';
import { describeUserPage, type UserPageUnderTest } from '../me/support.ts';

const TOKEN = '/api/mcp/oauth/token';
const MCP = '/api/mcp/unified';
const DAY_MS = 86_400_000;
const key = await createSigningKey('one');
const otherKey = await createSigningKey('one');
const NAMED = { client_name: 'Nightly report', redirect_uris: ['https://acme.example/back'] };
const WITH_KEY = { ...NAMED, token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key.jwk] } };

function stepsFor(given: UserPageUnderTest) {
  const as = () => ({ id: 'other', secret: given.other.secret });
  const ask = (form: Record<string, string>, headers: Record<string, string> = {}) =>
    given.send(TOKEN, {
      method: 'POST',
      headers,
      body: new URLSearchParams({ grant_type: 'client_credentials', ...form }),
    });
  return {
    as,
    ask,
    async register(body: object = NAMED) {
      const answer = await given.api('POST', 'alice/clients', body);
      expect([answer.status, answer.body]).toMatchObject([201, { client_name: 'Nightly report' }]);
      const { client_id: id, client_secret: secret } = answer.body as { client_id: string; client_secret: string };
      return { id, secret };
    },
    allow: (clientId: string, more: Partial<Parameters<typeof insertGrant>[1]> = {}) =>
      given.store.db.transaction().execute((transaction) =>
        insertGrant(transaction, {
          clientId,
          userId: given.userId,
          scopes: ['tools:read'],
          services: ['library'],
          resource: given.origin + MCP,
          now: given.now,
          expiresAt: given.now + 300_000,
          ...more,
        }),
      ),
    bySecret: ({ id, secret }: { id: string; secret: string }, more: Record<string, string> = {}) =>
      ask({ client_id: id, client_secret: secret, ...more }),
    sign: (clientId: string, claims: Record<string, unknown> = {}, by = key) =>
      new SignJWT({ iss: clientId, sub: clientId, aud: given.origin, jti: crypto.randomUUID(), ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: by.kid })
        .setIssuedAt(Math.floor(given.now / 1000))
        .setExpirationTime(Math.floor(given.now / 1000) + 60)
        .sign(by.privateKey),
    byAssertion: (assertion: string) =>
      ask({
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: assertion,
      }),
  };
}

describeUserPage(
  'clients that act for one user',
  (given) => {
    const steps = stepsFor(given);
    const types = async () => {
      const rows = await given.store.db.selectFrom('audit_events').select('type').orderBy('id').execute();
      return rows.map(({ type }) => type);
    };

    test('are registered, listed with what the user allowed, and removed, with events', async () => {
      const client = await steps.register();
      expect(client.secret).toMatch(/^utg_cs_/);
      const listed = async () => (await given.api('GET', 'alice/clients')).body.clients;
      expect(await listed()).toMatchObject([{ client_id: client.id, grant_id: null }]);
      const grantId = await steps.allow(client.id);
      expect(await listed()).toMatchObject([{ client_id: client.id, grant_id: grantId }]);
      expect(JSON.stringify(await listed())).not.toContain(client.secret);
      expect((await given.api('DELETE', `alice/clients/${client.id}`)).status).toBe(204);
      expect(await listed()).toEqual([]);
      expect((await given.api('DELETE', `alice/clients/${client.id}`)).status).toBe(404);
      expect(await types()).toEqual(expect.arrayContaining(['user_client_added', 'user_client_removed']));
    });

    test('get a token of the grant, which lists and calls what the user allowed, again and again', async () => {
      const client = await steps.register();
      await steps.allow(client.id);
      for (const later of [0, 20 * DAY_MS, 20 * DAY_MS]) {
        given.now += later;
        const { status, body } = await steps.bySecret(client);
        expect([status, body]).toEqual([
          200,
          { access_token: expect.any(String), token_type: 'Bearer', expires_in: 3600, scope: 'tools:read' },
        ]);
        expect(await given.tools(body.access_token)).toEqual(['library_find']);
      }
      given.now += 31 * DAY_MS;
      expect((await steps.bySecret(client)).body.error).toBe('invalid_grant');
      const issued = (await types()).filter((type) => type.startsWith('tokens_'));
      expect(issued).toEqual(['tokens_issued', 'tokens_refreshed', 'tokens_refreshed']);
    });

    test('are refused until the user has allowed them, and when the user takes it back on /me', async () => {
      const client = await steps.register();
      expect((await steps.bySecret(client)).body.error).toBe('invalid_grant');
      const grantId = await steps.allow(client.id);
      const { access_token: token } = (await steps.bySecret(client)).body;
      const browser = await given.entered();
      expect((await browser.get('/me')).text).toContain('Nightly report');
      await browser.submit('/me', `/me/clients/${grantId}/revoke`);
      expect(await given.tools(token)).toBe(401);
      expect((await steps.bySecret(client)).body.error).toBe('invalid_grant');
    });

    test('never get more than the grant: neither scope, nor resource, nor the time that it has', async () => {
      const client = await steps.register();
      await steps.allow(client.id, { endsAt: given.now + 60_000 });
      expect((await steps.bySecret(client, { scope: 'tools:read tools:write' })).body.error).toBe('invalid_scope');
      expect((await steps.bySecret(client, { resource: 'https://elsewhere.example/' })).body.error).toBe(
        'invalid_target',
      );
      expect((await steps.bySecret(client)).body.expires_in).toBe(60);
      given.now += 60_000;
      expect((await steps.bySecret(client)).body.error).toBe('invalid_grant');
    });

    test("use only their own user's grant, even if another user allowed them", async () => {
      const client = await steps.register();
      await steps.allow(client.id, { userId: given.other.userId });
      expect((await steps.bySecret(client)).body.error).toBe('invalid_grant');
    });

    test('belong to their partner: another can neither see, remove nor register them', async () => {
      const client = await steps.register();
      await steps.allow(client.id);
      expect((await given.api('GET', 'alice/clients', undefined, steps.as())).body).toEqual({ clients: [] });
      expect((await given.api('DELETE', `alice/clients/${client.id}`, undefined, steps.as())).status).toBe(404);
      expect((await given.api('POST', 'bob/clients', NAMED, steps.as())).status).toBe(404);
      expect((await steps.bySecret(client)).status).toBe(200);
      const partner = await steps.ask({ client_id: 'other', client_secret: given.other.secret });
      expect([partner.status, partner.body.error]).toEqual([400, 'unauthorized_client']);
    });

    test('lose everything when the partner removes them', async () => {
      const client = await steps.register();
      await steps.allow(client.id);
      const { access_token: token } = (await steps.bySecret(client)).body;
      await given.api('DELETE', `alice/clients/${client.id}`);
      expect(await given.tools(token)).toBe(401);
      expect((await steps.bySecret(client)).body.error).toBe('invalid_client');
    });

    test('of a suspended partner get no tokens', async () => {
      const client = await steps.register();
      await steps.allow(client.id);
      await given.store.db.updateTable('partners').set({ suspended_at: given.now }).execute();
      const { status, body } = await steps.bySecret(client);
      expect([status, body.error]).toEqual([400, 'temporarily_unavailable']);
    });

    test('of a user who is removed get no tokens', async () => {
      const client = await steps.register();
      await steps.allow(client.id);
      expect((await given.api('DELETE', 'alice')).status).toBe(204);
      expect((await steps.bySecret(client)).body.error).toBe('unauthorized_client');
    });

    test('are not those that register themselves, even if a user allowed them', async () => {
      const registered = await given.send('/api/mcp/oauth/register', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({
          redirect_uris: NAMED.redirect_uris,
          token_endpoint_auth_method: 'client_secret_post',
          grant_types: ['authorization_code', 'client_credentials'],
        }),
      });
      expect(registered.body.grant_types).toEqual(['authorization_code', 'refresh_token']);
      const client = { id: registered.body.client_id, secret: registered.body.client_secret };
      await steps.allow(client.id);
      expect((await steps.bySecret(client)).body.error).toBe('unauthorized_client');
    });

    test('with a key sign assertions that are used once', async () => {
      const { id, secret } = await steps.register(WITH_KEY);
      expect(secret).toBeNull();
      await steps.allow(id);
      const assertion = await steps.sign(id);
      expect((await steps.byAssertion(assertion)).status).toBe(200);
      expect((await steps.byAssertion(assertion)).body.error).toBe('invalid_client');
    });

    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    test.each<[string, (id: string, other: string) => Promise<string> | string]>([
      ['for another server', (id) => steps.sign(id, { aud: 'https://elsewhere.example' })],
      ['for several servers', (id) => steps.sign(id, { aud: [given.origin, 'https://elsewhere.example'] })],
      ['by another key', (id) => steps.sign(id, {}, otherKey)],
      ['about another client', (id, other) => steps.sign(id, { sub: other })],
      ['without a jti', (id) => steps.sign(id, { jti: undefined })],
      [
        'with the algorithm none',
        (id) => {
          const claims = { iss: id, sub: id, aud: given.origin, jti: 'a', exp: Math.floor(given.now / 1000) + 60 };
          return `${encode({ alg: 'none' })}.${encode(claims)}.`;
        },
      ],
      [
        'with the public key as a secret',
        (id) =>
          new SignJWT({ iss: id, sub: id, aud: given.origin, jti: 'b', exp: Math.floor(given.now / 1000) + 60 })
            .setProtectedHeader({ alg: 'HS256', kid: key.kid })
            .sign(Buffer.from(JSON.stringify(key.jwk))),
      ],
    ])('with a key are refused an assertion %s', async (_title, toAssertion) => {
      const { id } = await steps.register(WITH_KEY);
      const other = await steps.register(WITH_KEY);
      await steps.allow(id);
      await steps.allow(other.id);
      const { status, body } = await steps.byAssertion(await toAssertion(id, other.id));
      expect([status, body.error]).toEqual([401, 'invalid_client']);
      expect((await steps.ask({ client_id: id })).body.error).toBe('invalid_client');
    });

    test.each([
      ['a client without a name', { redirect_uris: NAMED.redirect_uris }],
      ['a public client', { ...NAMED, token_endpoint_auth_method: 'none' }],
      ['no keys', { ...NAMED, token_endpoint_auth_method: 'private_key_jwt' }],
      ['a private key', { ...WITH_KEY, jwks: { keys: [{ ...key.jwk, d: 'AAAA' }] } }],
      ['a redirect URI of a script', { ...NAMED, redirect_uris: ['javascript:alert(1)'] }],
    ])('cannot be %s', async (_title, body) => {
      expect((await given.api('POST', 'alice/clients', body)).status).toBe(400);
      expect((await given.api('GET', 'alice/clients')).body).toEqual({ clients: [] });
    });

    test('that the user does not allow within a day are removed, with nothing left behind', async () => {
      const [unused, used] = [await steps.register(), await steps.register()];
      await given.store.db
        .updateTable('oauth_clients')
        .set({ first_used_at: given.now })
        .where('client_id', '=', used.id)
        .execute();
      await purge(given.store, retentionRules({ callRecordDays: 30 }), { now: given.now + DAY_MS + 1 });
      const left = await given.store.db.selectFrom('user_clients').select('client_id').execute();
      expect(left).toEqual([{ client_id: used.id }]);
      expect((await steps.bySecret(unused)).body.error).toBe('invalid_client');
    });

    test('are at most 20 for each user', async () => {
      for (let count = 0; count < 15; count += 1) await steps.register();
      const answers = await Promise.all(Array.from({ length: 12 }, () => given.api('POST', 'alice/clients', NAMED)));
      expect(answers.map(({ status }) => status).sort()).toEqual([...Array(5).fill(201), ...Array(7).fill(400)]);
      const { status, body } = await given.api('POST', 'alice/clients', NAMED);
      expect([status, body.error_description]).toEqual([400, expect.stringContaining('20 clients')]);
    });
  },
  { CLIENT_CREDENTIALS: 'on' },
);

describeUserPage('a gateway without client credentials', (given) => {
  test('has neither the grant type nor the operations', async () => {
    const { body } = await given.send('/.well-known/oauth-authorization-server');
    expect(body.grant_types_supported).not.toContain('client_credentials');
    expect((await given.api('POST', 'alice/clients', NAMED)).status).toBe(404);
    const { ask } = stepsFor(given);
    expect((await ask({ client_id: 'a', client_secret: 'b' })).body.error).toBe('unsupported_grant_type');
  });
});
