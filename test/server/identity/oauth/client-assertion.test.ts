import { randomUUID } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { GuardedFetchError } from '../../../../server/base/guarded-fetch/index.ts';
import { verifies } from '../../../requirements/verifies.ts';
import { ASSERTION_TYPE, type ClientKey, createClientKey } from './client-keys.ts';
import { authorize, describeOAuth, PUBLIC_URL, REDIRECT_URI } from './support.ts';

const TOKEN_ENDPOINT = `${PUBLIC_URL}/api/mcp/oauth/token`;
const JWKS_URI = 'https://app.example.com/jwks.json';

let key: ClientKey;
let next: ClientKey;
let published: () => unknown;
let fetched: string[];
beforeAll(async () => {
  key = await createClientKey('one');
  next = await createClientKey('two', 'RS256');
});
beforeEach(() => {
  published = () => ({ keys: [key.publicJwk] });
  fetched = [];
});

const documents = {
  async getJson(url: string) {
    fetched.push(url);
    return { json: published(), header: () => null };
  },
};

describeOAuth(
  'private_key_jwt (RFC 7523 §2.2)',
  (given) => {
    const register = async (keys: object = { jwks: { keys: [key.publicJwk] } }) => {
      const metadata = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'private_key_jwt', ...keys };
      return (await given.register(metadata)).body.client_id as string;
    };
    const claimsOf = (clientId: string, changes: Readonly<Record<string, unknown>> = {}): JWTPayload => {
      const seconds = Math.floor(given.now / 1000);
      const times = { iat: seconds, exp: seconds + 60 };
      return { iss: clientId, sub: clientId, aud: PUBLIC_URL, jti: randomUUID(), ...times, ...changes };
    };
    const assert = async (
      clientId: string,
      changes: Readonly<Record<string, unknown>> = {},
      by = key,
      header = {},
    ) => ({
      client_assertion_type: ASSERTION_TYPE,
      client_assertion: await by.sign(claimsOf(clientId, changes), header),
    });
    const signIn = async (clientId: string, assertion: Record<string, string>) => {
      const { parameters } = await authorize(given, { clientId });
      return given.token({ ...parameters, ...assertion });
    };

    test('a registration names its keys, and gets no secret', async () => {
      verifies('rfc7591-2-jwks');
      const jwks = { keys: [key.publicJwk] };
      const metadata = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'private_key_jwt' };
      const { status, body } = await given.register({ ...metadata, jwks });
      expect([status, body.jwks, 'client_secret' in body]).toEqual([201, jwks, false]);
      expect((await given.register({ ...metadata, jwks_uri: JWKS_URI })).body.jwks_uri).toBe(JWKS_URI);
    });

    test.each<[string, () => object]>([
      ['no keys', () => ({})],
      ['keys by value and by URL', () => ({ jwks: { keys: [key.publicJwk] }, jwks_uri: JWKS_URI })],
      ['a private key', () => ({ jwks: { keys: [key.privateJwk] } })],
      ['a symmetric key', () => ({ jwks: { keys: [{ kty: 'oct', k: 'AAAA' }] } })],
      ['an empty set', () => ({ jwks: { keys: [] } })],
      ['a URL that is not https', () => ({ jwks_uri: 'http://app.example.com/jwks.json' })],
    ])('a registration with %s is refused', async (_, keys) => {
      verifies('rfc7591-2-jwks');
      const metadata = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'private_key_jwt' };
      const { status, body } = await given.register({ ...metadata, ...keys() });
      expect([status, body.error]).toEqual([400, 'invalid_client_metadata']);
    });

    test.each([
      ['the issuer', PUBLIC_URL, {}],
      ['the token endpoint', TOKEN_ENDPOINT, {}],
      ['the issuer, with a type', PUBLIC_URL, { typ: 'client-authentication+jwt' }],
    ])('an assertion for %s signs in, and refreshes with a new one', async (_, aud, header) => {
      verifies('rfc7523-2.2-assertion');
      const clientId = await register();
      const first = await signIn(clientId, await assert(clientId, { aud }, key, header));
      expect(first.status).toBe(200);
      const refresh = { grant_type: 'refresh_token', refresh_token: first.body.refresh_token };
      const second = await given.token({ ...refresh, ...(await assert(clientId, { aud })) });
      expect(second.status).toBe(200);
    });

    test('an assertion names its client, so client_id may be omitted but not differ', async () => {
      verifies('rfc7523-2.2-client-id');
      const clientId = await register();
      const { parameters } = await authorize(given, { clientId });
      const { client_id: _, ...rest } = parameters;
      expect((await given.token({ ...rest, ...(await assert(clientId)) })).status).toBe(200);
      const other = await register();
      const answer = await given.token({ ...parameters, client_id: other, ...(await assert(clientId)) });
      expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client']);
    });

    describe('refused assertions', () => {
      const seconds = 1_700_000_000;
      test.each<[string, Readonly<Record<string, unknown>>]>([
        ['of another issuer', { iss: 'https://other.example' }],
        ['about another client', { sub: 'client-other' }],
        ['for another server', { aud: 'https://other.example' }],
        ['for several servers', { aud: [PUBLIC_URL, 'https://other.example'] }],
        ['that has expired', { iat: seconds - 120, exp: seconds - 60 }],
        ['with too long a lifetime', { exp: seconds + 601 }],
        ['without an expiry', { exp: undefined }],
        ['without an id', { jti: undefined }],
        ['with an empty id', { jti: '' }],
      ])('an assertion %s', async (_, changes) => {
        verifies('rfc7523-3-claims');
        const clientId = await register();
        const answer = await signIn(clientId, { ...(await assert(clientId, changes)) });
        expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client']);
      });

      test('an assertion of another key, or another kind of JWT', async () => {
        verifies('rfc7523-3-signature');
        const clientId = await register();
        const forged = await assert(clientId, {}, next, { kid: 'one' });
        expect((await signIn(clientId, forged)).body.error).toBe('invalid_client');
        const confused = await assert(clientId, {}, key, { typ: 'oauth-id-jag+jwt' });
        expect((await signIn(clientId, confused)).body.error).toBe('invalid_client');
      });

      test('a used assertion, even after its expiry within the clock tolerance', async () => {
        verifies('rfc7523-3-once');
        const clientId = await register();
        const assertion = await assert(clientId);
        expect((await signIn(clientId, assertion)).status).toBe(200);
        given.now += 75_000;
        const answer = await signIn(clientId, assertion);
        expect(answer.body.error_description).toBe('The client assertion is refused (replay).');
      });

      test('all but one of many requests with the same assertion', async () => {
        verifies('rfc7523-3-once');
        const clientId = await register();
        const assertion = await assert(clientId);
        const { parameters } = await authorize(given, { clientId });
        const answers = await Promise.all(
          Array.from({ length: 8 }, () => given.token({ ...parameters, ...assertion, code: 'utg_ac_wrong' })),
        );
        expect(answers.map(({ body }) => body.error).sort()).toEqual([
          ...Array<string>(7).fill('invalid_client'),
          'invalid_grant',
        ]);
      });

      test('a client with a key that sends no assertion, and one without a key that sends one', async () => {
        verifies('rfc7523-2.2-required');
        const clientId = await register();
        for (const proof of [{}, { client_secret: 'x' }]) {
          expect((await signIn(clientId, proof)).body.error).toBe('invalid_client');
        }
        const { clientId: plain, parameters } = await authorize(given);
        expect((await given.token({ ...parameters, ...(await assert(plain)) })).body.error).toBe('invalid_client');
      });

      test('an assertion next to a secret, without its type, or of another type', async () => {
        verifies('rfc7523-2.2-assertion');
        const clientId = await register();
        const assertion = await assert(clientId);
        for (const sent of [
          { ...assertion, client_secret: 'x' },
          { client_assertion: assertion.client_assertion },
          { ...assertion, client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer' },
          { client_assertion_type: ASSERTION_TYPE },
        ]) {
          const answer = await signIn(clientId, sent as Record<string, string>);
          expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
        }
      });
    });

    test('keys at a URL are fetched once, and again after the client changes them', async () => {
      verifies('rfc7591-2-jwks-uri');
      const clientId = await register({ jwks_uri: JWKS_URI });
      for (const _ of [1, 2]) expect((await signIn(clientId, await assert(clientId))).status).toBe(200);
      expect(fetched).toEqual([JWKS_URI]);

      published = () => ({ keys: [next.publicJwk] });
      expect((await signIn(clientId, await assert(clientId, {}, next))).body.error).toBe('invalid_client');
      given.now += 31_000;
      expect((await signIn(clientId, await assert(clientId, {}, next))).status).toBe(200);
      expect((await signIn(clientId, await assert(clientId))).body.error).toBe('invalid_client');
      expect(fetched).toHaveLength(2);
    });

    test('keys that cannot be fetched are 503, so a client keeps its tokens', async () => {
      verifies('rfc7591-2-jwks-uri');
      const clientId = await register({ jwks_uri: JWKS_URI });
      published = () => {
        throw new GuardedFetchError('timeout');
      };
      const answer = await signIn(clientId, await assert(clientId));
      expect([answer.status, answer.body.error]).toEqual([503, 'server_error']);
      published = () => 'no key set';
      expect((await signIn(clientId, await assert(clientId))).body.error).toBe('invalid_client');
    });

    test('a token is revoked with a valid assertion only', async () => {
      verifies('rfc7523-2.2-assertion');
      const clientId = await register();
      const { body } = await signIn(clientId, await assert(clientId));
      const wrong = await given.revoke({ token: body.access_token, ...(await assert(clientId, {}, next)) });
      expect([wrong.status, await given.use(body.access_token)]).toEqual([401, 200]);
      const right = await given.revoke({ token: body.access_token, ...(await assert(clientId)) });
      expect([right.status, await given.use(body.access_token)]).toEqual([200, 401]);
    });
  },
  { documents },
);
