import { createHmac, randomBytes } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { beforeEach, expect, test } from 'vitest';
import { readPrincipal } from '../../../../server/base/http/authenticate.ts';
import { hashSecret } from '../../../../server/base/principal/secrets.ts';
import { insertPartner, updatePartner } from '../../../../server/base/store/repositories/partners.ts';
import { ensureUser } from '../../../../server/base/store/repositories/users.ts';
import { IDENTITY_ASSERTION } from '../../../../server/modules/identity-assertions/exchange.ts';
import {
  approveIssuer,
  parseIssuer,
  registerIssuer,
  removeIssuer,
  type TypedIssuer,
} from '../../../../server/modules/identity-assertions/issuers.ts';
import { verifies } from '../../../requirements/verifies.ts';
import { createSigningKey, type SigningKey, signAssertion } from '../../../support/identity-provider.ts';
import {
  type Answer,
  describeOAuth,
  type OAuthUnderTest,
  PUBLIC_URL,
  REDIRECT_URI,
  RESOURCE,
} from '../../identity/oauth/support.ts';

const ISSUER = 'https://idp.example';
const JWKS_URI = 'https://idp.example/keys';
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** Claims to replace; undefined omits one. */
type Changes = Readonly<Record<string, unknown>>;

const key = await createSigningKey('one');
const nextKey = await createSigningKey('two');
const foreignKey = await createSigningKey('one');

const remote = {
  keys: [key.jwk] as unknown[],
  fetches: 0,
  broken: false,
  async getJson() {
    remote.fetches += 1;
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (remote.broken) throw new Error('nothing answers');
    return { json: { keys: remote.keys }, header: () => null };
  },
};

describeOAuth(
  'identity assertions (MCP Enterprise-Managed Authorization, ID-JAG)',
  (given) => {
    let client: { client_id: string; client_secret: string };
    let issuerId: string;
    beforeEach(async () => {
      remote.keys = [key.jwk];
      remote.fetches = 0;
      remote.broken = false;
      client = await registerConfidential(given);
      issuerId = (await register(given, given.partnerId)).id;
    });

    const claims = (changes: Changes = {}): JWTPayload => {
      const iat = given.now / 1000;
      return {
        iss: ISSUER,
        sub: 'alice',
        aud: PUBLIC_URL,
        resource: RESOURCE,
        client_id: client.client_id,
        jti: randomBytes(8).toString('hex'),
        iat,
        exp: iat + 300,
        scope: 'tools:read tools:write',
        ...changes,
      } as JWTPayload;
    };
    const exchange = (assertion: string, parameters: Record<string, string> = {}): Promise<Answer> =>
      given.token({ grant_type: JWT_BEARER, assertion, ...client, ...parameters });
    const assert = async (changes: Changes = {}, by: SigningKey = key, header = {}): Promise<Answer> =>
      exchange(await signAssertion(by, claims(changes), header));
    const refusal = ({ status, body }: Answer) => [status, body.error, body.error_description];

    test('of a user without the allowance that its partner requires gives a token that may use nothing', async () => {
      const { db } = given.store;
      await updatePartner(db, given.partnerId, { requiresAllowance: true });
      const { status, body } = await assert();
      expect(status).toBe(200);
      const token = await given.store.findAccessToken(hashSecret(db, body.access_token));
      expect(readPrincipal(token, RESOURCE, given.now)).toMatchObject({ permission: { allows: [] } });
    });

    test('becomes an access token of that user, and no refresh token', async () => {
      verifies('mcp-ema-access-token', 'mcp-ema-no-refresh-token');
      const { status, headers, body } = await assert();
      expect([status, headers.get('Cache-Control')]).toEqual([200, 'no-store']);
      expect(body).toEqual({
        access_token: expect.stringMatching(/^utg_at_/),
        token_type: 'Bearer',
        expires_in: 3600,
        scope: 'tools:read tools:write',
      });
      const used = await given.send('/api/mcp/unified', { headers: { Authorization: `Bearer ${body.access_token}` } });
      expect(used.body).toMatchObject({ userId: given.userId, scopes: ['tools:read', 'tools:write'] });
    });

    test('leaves an audit event with issuer, client and user, and a grant like one from the consent page', async () => {
      await assert();
      const event = await given.store.db
        .selectFrom('audit_events')
        .selectAll()
        .where('type', '=', 'tokens_issued')
        .executeTakeFirstOrThrow();
      expect(event).toMatchObject({ user_id: given.userId, client_id: client.client_id, partner_id: given.partnerId });
      expect(JSON.parse(event.details)).toEqual({ issuer: ISSUER, scopes: ['tools:read', 'tools:write'] });
      const grant = await given.store.db.selectFrom('oauth_grants').selectAll().executeTakeFirstOrThrow();
      expect(grant).toMatchObject({ id: event.grant_id, issuer_id: issuerId, services: null, resource: RESOURCE });
    });

    test('is refused until an operator approves its issuer, whose keys are not fetched before', async () => {
      await removeIssuerOf(given, issuerId);
      const { id } = await register(given, given.partnerId, { jwksUri: JWKS_URI }, false);
      expect(refusal(await assert())).toEqual([
        400,
        'invalid_grant',
        expect.stringContaining('approval of an operator'),
      ]);
      expect(remote.fetches).toBe(0);
      const key = { id, partnerId: given.partnerId };
      const approve = (of: typeof key) =>
        given.store.db.transaction().execute((transaction) => approveIssuer(transaction, of, { now: given.now }));
      expect(await approve({ ...key, partnerId: 'another' })).toBe(false);
      expect([await approve(key), await approve(key)]).toEqual([true, false]);
      expect((await assert()).status).toBe(200);
      const events = given.store.db.selectFrom('audit_events').select('details');
      const event = await events.where('type', '=', 'identity_issuer_approved').executeTakeFirstOrThrow();
      expect(JSON.parse(event.details)).toMatchObject({ issuer: ISSUER });
      await register(given, given.partnerId, { jwks: { keys: [nextKey.jwk] } }, false);
      expect((await assert({}, nextKey)).status).toBe(200);
    });

    test('is that of the partner with the approval, even if others ask for the same issuer', async () => {
      const other = await insertPartner(given.store.db, { clientId: 'squatter', name: 'Squatter', now: 1 });
      await removeIssuerOf(given, issuerId);
      await register(given, other.id, { jwks: { keys: [foreignKey.jwk] } }, false);
      await register(given, given.partnerId);
      expect((await assert()).status).toBe(200);
      expect((await assert({}, foreignKey)).status).toBe(400);
    });

    test('keeps the registration of its client', async () => {
      await assert();
      const row = await given.store.db.selectFrom('oauth_clients').select('first_used_at').executeTakeFirstOrThrow();
      expect(row.first_used_at).toBe(given.now);
    });

    const REFUSED: readonly (readonly [string, Changes, RegExp])[] = [
      ['of another server', { aud: 'https://other.example' }, /only audience/],
      ['of this server and another', { aud: [PUBLIC_URL, 'https://other.example'] }, /only audience/],
      ['without an audience', { aud: undefined }, /only audience|lacks/],
      ['for another client', { client_id: 'client-other' }, /another client/],
      ['for no client', { client_id: undefined }, /lacks/],
      ['for another resource', { resource: 'https://other.example/mcp' }, /another resource/],
      ['for this resource and another', { resource: [RESOURCE, 'https://other.example/mcp'] }, /another resource/],
      ['without a jti', { jti: undefined }, /lacks/],
      ['with an empty jti', { jti: '' }, /jti/],
      ['without a subject', { sub: undefined }, /lacks/],
      ['without an expiry', { exp: undefined }, /lacks/],
      ['without a time of issue', { iat: undefined }, /lacks/],
      ['that is bound to a key of the client', { cnf: { jkt: 'x' } }, /cnf/],
      ['with finer limits than scopes', { authorization_details: [{ type: 'tool' }] }, /authorization_details/],
      ['with scopes of another server only', { scope: 'admin' }, /scope/],
      ['of a tenant that nobody registered', { tenant: 'other' }, /No partner has registered/],
      ['of an issuer that nobody registered', { iss: 'https://idp.example/' }, /No partner has registered/],
      ['of an issuer with a NUL', { iss: 'https://idp.example\0' }, /No partner has registered/],
    ];

    test('is refused for another server, client or resource, and without a required claim', async () => {
      verifies('mcp-ema-audience', 'mcp-ema-client', 'mcp-ema-resource', 'mcp-ema-claims');
      for (const [title, changes, description] of REFUSED) {
        const wanted = [title, 400, 'invalid_grant', expect.stringMatching(description)];
        expect([title, ...refusal(await assert(changes))]).toEqual(wanted);
      }
    });

    test('is refused if it has expired, is not valid yet, or is valid for too long', async () => {
      verifies('mcp-ema-lifetime');
      const now = given.now / 1000;
      for (const [iat, exp, description] of [
        [-400, -100, /has expired/],
        [600, 900, /lacks .* or one of them/],
        [0, 1201, /more than 1200 seconds/],
      ] as const) {
        const answer = await assert({ iat: now + iat, exp: now + exp });
        expect(refusal(answer)).toEqual([400, 'invalid_grant', expect.stringMatching(description)]);
      }
      expect((await assert({ iat: now, exp: now + 1200 })).status).toBe(200);
    });

    test('is refused with another typ, or none, such as an ID token', async () => {
      verifies('mcp-ema-type');
      for (const typ of [undefined, 'JWT', 'at+jwt']) {
        const answer = await assert({}, key, { typ });
        expect(refusal(answer)).toEqual([400, 'invalid_grant', 'The assertion must be of the type oauth-id-jag+jwt.']);
      }
    });

    test('is refused without a signature, and with a symmetric one', async () => {
      verifies('mcp-ema-algorithms');
      const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const head = { kid: key.kid, typ: 'oauth-id-jag+jwt' };
      const unsigned = `${encode({ ...head, alg: 'none' })}.${encode(claims())}.`;
      expect((await exchange(unsigned)).body.error).toBe('invalid_grant');
      const signed = `${encode({ ...head, alg: 'HS256' })}.${encode(claims())}`;
      for (const secret of [JSON.stringify(key.jwk), String(key.jwk.x), Buffer.from(String(key.jwk.x), 'base64url')]) {
        const mac = createHmac('sha256', secret).update(signed).digest('base64url');
        expect((await exchange(`${signed}.${mac}`)).body.error).toBe('invalid_grant');
      }
      expect(await given.events()).not.toContain('tokens_issued');
    });

    test('is refused if another key signed it under the same key id', async () => {
      verifies('mcp-ema-signature');
      expect(refusal(await assert({}, foreignKey))).toEqual([400, 'invalid_grant', expect.stringMatching(/signature/)]);
    });

    test('is refused if it is not a JWT', async () => {
      for (const text of ['x', 'a.b.c', 'e30.e30.e30', 'e30.'.repeat(3000)]) {
        const answer = await exchange(text);
        expect([answer.status, answer.body.error]).toEqual([400, 'invalid_grant']);
      }
      expect((await exchange('')).body.error).toBe('invalid_request');
    });

    test('is accepted once, however many concurrent requests send it', async () => {
      verifies('mcp-ema-single-use');
      const assertion = await signAssertion(key, claims());
      const answers = await Promise.all(Array.from({ length: 20 }, () => exchange(assertion)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      const others = answers.filter(({ status }) => status !== 200);
      expect(new Set(others.map(({ body }) => body.error))).toEqual(new Set(['invalid_grant']));
      expect(others[0]?.body.error_description).toMatch(/already used/);
      expect(await given.store.db.selectFrom('oauth_grants').select('id').execute()).toHaveLength(1);
    });

    test('stays used up until its expiry plus the clock tolerance', async () => {
      const assertion = await signAssertion(key, claims());
      expect((await exchange(assertion)).status).toBe(200);
      const kept = await given.store.db.selectFrom('single_use_codes').select('expires_at').executeTakeFirstOrThrow();
      expect(kept.expires_at).toBe(given.now + 330_000);
      given.now += 329_000;
      expect((await exchange(assertion)).body.error_description).toMatch(/already used/);
      given.now += 2_000;
      expect((await exchange(assertion)).body.error_description).toMatch(/expired/);
    });

    test('is not used up by a request that fails a check', async () => {
      const assertion = await signAssertion(key, claims({ sub: 'bob' }));
      expect((await exchange(assertion)).status).toBe(400);
      await ensureUser(given.store.db, { partnerId: given.partnerId, externalUserId: 'bob', now: given.now });
      expect((await exchange(assertion)).status).toBe(200);
    });

    test('of a user that never connected anything is refused, and creates no user', async () => {
      verifies('mcp-ema-known-users');
      const answer = await assert({ sub: 'nobody' });
      expect(refusal(answer)).toEqual([400, 'invalid_grant', expect.stringMatching(/has connected nothing yet/)]);
      expect(await given.store.db.selectFrom('users').select('id').execute()).toHaveLength(1);
      expect(await given.events()).toContain('identity_assertion_refused');
    });

    test('identifies only users of its own partner', async () => {
      verifies('mcp-ema-own-users');
      const other = await insertPartner(given.store.db, { clientId: 'other', name: 'Other', now: 1 });
      await register(given, other.id, { issuer: 'https://idp.other.example', jwks: { keys: [foreignKey.jwk] } });
      const answer = await assert({ iss: 'https://idp.other.example' }, foreignKey);
      expect(refusal(answer)).toEqual([400, 'invalid_grant', expect.stringMatching(/has connected nothing yet/)]);
      expect((await assert({ iss: 'https://idp.other.example' }, key)).body.error_description).toMatch(/signature/);
    });

    test('must name the registered tenant', async () => {
      await register(given, given.partnerId, { tenant: 'acme', jwksUri: JWKS_URI });
      await removeIssuerOf(given, issuerId);
      expect((await assert({ tenant: 'acme' })).status).toBe(200);
      expect((await assert()).body.error_description).toMatch(/No partner has registered/);
    });

    test('identifies the user by the registered claim', async () => {
      await register(given, given.partnerId, { subjectClaim: 'email', jwksUri: JWKS_URI });
      expect((await assert({ sub: 'U1', email: 'alice' })).status).toBe(200);
      expect((await assert({ sub: 'alice' })).body.error_description).toMatch(/claim email/);
      expect((await assert({ email: ['alice'] })).body.error_description).toMatch(/claim email/);
      const unverified = await assert({ email: 'alice', email_verified: false });
      expect(unverified.body.error_description).toMatch(/not verified/);
    });

    test('grants only what both it and the request name', async () => {
      verifies('mcp-ema-scopes');
      const scopeOf = async (scope: string | undefined, requested: Record<string, string>) => {
        const { body } = await exchange(await signAssertion(key, claims({ scope })), requested);
        return body.scope ?? body.error;
      };
      expect(await scopeOf('tools:read', { scope: 'tools:read tools:write' })).toBe('tools:read');
      expect(await scopeOf('tools:write tools:read', { scope: 'tools:read' })).toBe('tools:read');
      expect(await scopeOf('tools:read', { scope: 'tools:write' })).toBe('invalid_scope');
      expect(await scopeOf('tools:read admin', { scope: 'tools:read openid' })).toBe('tools:read');
      expect(await scopeOf('tools:read', { scope: 'openid' })).toBe('invalid_scope');
      expect(await scopeOf(undefined, {})).toBe('tools:read');
      expect(await scopeOf(undefined, { scope: 'tools:read tools:write' })).toBe('tools:read');
      await given.store.db.updateTable('oauth_clients').set({ scopes: 'tools:read' }).execute();
      expect(await scopeOf('tools:write tools:read', {})).toBe('tools:read');
    });

    test('is accepted without a resource, with a URL as audience, and with the resource in the request', async () => {
      verifies('mcp-ema-resource');
      expect((await assert({ resource: undefined })).status).toBe(200);
      expect((await assert({ aud: `${PUBLIC_URL}/` })).status).toBe(200);
      expect((await exchange(await signAssertion(key, claims()), { resource: RESOURCE })).status).toBe(200);
      const foreign = await exchange(await signAssertion(key, claims()), { resource: 'https://other.example/mcp' });
      expect([foreign.status, foreign.body.error]).toEqual([400, 'invalid_target']);
    });

    test('is refused from a public client, which cannot authenticate', async () => {
      verifies('mcp-ema-confidential');
      const { body } = await given.register();
      const assertion = await signAssertion(key, claims({ client_id: body.client_id }));
      const answer = await given.token({ grant_type: JWT_BEARER, assertion, client_id: body.client_id });
      expect([answer.status, answer.body.error]).toEqual([400, 'unauthorized_client']);
    });

    test('is refused from a client that does not authenticate, and from one with the secret of another', async () => {
      verifies('mcp-ema-confidential');
      const assertion = await signAssertion(key, claims());
      const other = await registerConfidential(given);
      for (const client_secret of [undefined, other.client_secret]) {
        const form = { grant_type: JWT_BEARER, assertion, client_id: client.client_id, client_secret };
        expect((await given.token(form)).body.error).toBe('invalid_client');
      }
      const stolen = await given.token({ grant_type: JWT_BEARER, assertion, ...other });
      expect(stolen.body.error_description).toMatch(/another client/);
    });

    test('an unknown key makes the gateway fetch the keys again, at most every 30 seconds', async () => {
      verifies('mcp-ema-key-rotation');
      expect((await assert()).status).toBe(200);
      given.now += 31_000;
      remote.keys = [key.jwk, nextKey.jwk];
      expect((await assert({}, nextKey)).status).toBe(200);
      expect(remote.fetches).toBe(2);
      const unknown = await createSigningKey('three');
      const answers = await Promise.all(Array.from({ length: 10 }, () => assert({}, unknown)));
      expect(answers.map(({ body }) => body.error)).toEqual(Array(10).fill('invalid_grant'));
      expect(remote.fetches).toBe(2);
    });

    test('concurrent requests share one fetch, and a withdrawn key is refused after ten minutes', async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => assert()));
      expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
      expect(remote.fetches).toBe(1);
      remote.keys = [nextKey.jwk];
      given.now += 600_000;
      expect((await assert()).body.error_description).toMatch(/does not publish/);
    });

    test('reports that the keys cannot be fetched, and works again when they can', async () => {
      remote.broken = true;
      const assertion = await signAssertion(key, claims());
      const answer = await exchange(assertion);
      expect(refusal(answer)).toEqual([503, 'server_error', expect.stringMatching(/keys of the identity provider/)]);
      remote.broken = false;
      expect((await exchange(assertion)).status).toBe(200);
    });

    test('keys that are not a key set are refused like unknown ones', async () => {
      for (const broken of [[{ kty: 'oct', k: 'AAAA', kid: 'one' }], 'no list', [null]]) {
        remote.keys = broken as unknown[];
        given.now += 600_000;
        expect((await assert()).body.error).toBe('invalid_grant');
      }
    });

    test('a removed issuer grants nothing more, and its grants end at once', async () => {
      verifies('mcp-ema-issuer-removed');
      const { body } = await assert();
      expect(await given.use(body.access_token)).toBe(200);
      expect(await removeIssuerOf(given, issuerId)).toBe(true);
      expect(await given.use(body.access_token)).toBe(401);
      expect((await assert()).body.error_description).toMatch(/No partner has registered/);
      const grant = await given.store.db.selectFrom('oauth_grants').selectAll().executeTakeFirstOrThrow();
      expect(grant.revoked_reason).toBe('issuer-removed');
    });

    test('removing an issuer during an exchange leaves no valid token', async () => {
      const assertions = await Promise.all(Array.from({ length: 10 }, () => signAssertion(key, claims())));
      const [removed, ...answers] = await Promise.all([
        removeIssuerOf(given, issuerId),
        ...assertions.map((assertion) => exchange(assertion)),
      ]);
      expect(removed).toBe(true);
      for (const { body } of answers) {
        if (body.access_token !== undefined) expect(await given.use(body.access_token)).toBe(401);
      }
    });

    test('an access token of an assertion is revoked by its client', async () => {
      const { body } = await assert();
      expect((await given.revoke({ token: body.access_token, ...client })).status).toBe(200);
      expect(await given.use(body.access_token)).toBe(401);
    });

    test('nothing of an assertion reaches the log or the audit trail', async () => {
      verifies('mcp-ema-not-logged');
      const good = await signAssertion(key, claims({ email: 'alice@acme.example' }));
      const expired = await signAssertion(key, claims({ email: 'alice@acme.example', exp: 1, iat: 0 }));
      await exchange(good);
      await exchange(good);
      await exchange(expired);
      remote.broken = true;
      given.now += 600_000;
      await assert({ email: 'alice@acme.example' });
      const kept =
        given.lines.join('') + JSON.stringify(await given.store.db.selectFrom('audit_events').selectAll().execute());
      expect(kept).not.toContain(good.split('.')[1]);
      expect(kept).not.toContain(expired.split('.')[2]);
      expect(kept).not.toContain('alice@acme.example');
    });

    test('a client that exchanges identity assertions gets that grant type', async () => {
      const { body } = await given.register({
        redirect_uris: [REDIRECT_URI],
        grant_types: ['authorization_code', JWT_BEARER],
      });
      expect(body.grant_types).toEqual(['authorization_code', 'refresh_token', JWT_BEARER]);
    });
  },
  { documents: remote, grantTypes: [IDENTITY_ASSERTION] },
);

async function registerConfidential(given: OAuthUnderTest): Promise<{ client_id: string; client_secret: string }> {
  const { body } = await given.register({
    redirect_uris: [REDIRECT_URI],
    token_endpoint_auth_method: 'client_secret_post',
  });
  return { client_id: body.client_id, client_secret: body.client_secret };
}

async function register(
  given: OAuthUnderTest,
  partnerId: string,
  typed: Partial<TypedIssuer> = { jwksUri: JWKS_URI },
  isApproved = true,
) {
  const registration = { ...parseIssuer({ issuer: ISSUER, ...typed }, PUBLIC_URL), partnerId, isApproved };
  const event = { now: given.now };
  const registered = await given.store.db
    .transaction()
    .execute((transaction) => registerIssuer(transaction, registration, event));
  return registered!.issuer;
}

function removeIssuerOf(given: OAuthUnderTest, id: string): Promise<boolean> {
  const key = { id, partnerId: given.partnerId };
  return given.store.db.transaction().execute((transaction) => removeIssuer(transaction, key, { now: given.now }));
}
