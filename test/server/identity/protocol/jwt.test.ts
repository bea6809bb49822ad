import { CompactSign, exportJWK, generateKeyPair, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type JSONWebKeySet,
  JWT_ALGORITHMS,
  JWT_BEARER_GRANT,
  type JwtRules,
  readUnverifiedIssuer,
  verifyJwt,
} from '../../../../server/identity/protocol/jwt.ts';

const NOW = 1_700_000_000_000;
const SECONDS = NOW / 1000;
const ISSUER = 'https://signer.example/client';
const AUDIENCE = 'https://gateway.example';

type Signer = Awaited<ReturnType<typeof createSigner>>;

async function createSigner(alg: string, kid?: string) {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const publicJwk = { ...(await exportJWK(publicKey)), ...(kid === undefined ? {} : { kid }) };
  const privateJwk = { ...(await exportJWK(privateKey)), ...(kid === undefined ? {} : { kid }) };
  return { alg, kid, publicJwk, privateJwk, privateKey };
}

let signer: Signer;
let other: Signer;
beforeAll(async () => {
  signer = await createSigner('ES256', 'one');
  other = await createSigner('ES256', 'two');
});

const CLAIMS = { iss: ISSUER, sub: ISSUER, aud: AUDIENCE, jti: 'id-1', iat: SECONDS, exp: SECONDS + 60 };

function sign(by: Signer, claims: JWTPayload = CLAIMS, header: Partial<JWTHeaderParameters> = {}): Promise<string> {
  const { alg, kid, privateKey } = by;
  return new SignJWT(claims)
    .setProtectedHeader({ alg, ...(kid === undefined ? {} : { kid }), ...header })
    .sign(privateKey);
}

function verify(token: string, keys: JSONWebKeySet['keys'], changes: Partial<JwtRules> = {}) {
  return verifyJwt(token, {
    keys: async () => ({ keys }),
    issuer: ISSUER,
    audience: [AUDIENCE],
    typ: [null],
    requiredClaims: ['jti'],
    maxLifetimeSeconds: 300,
    now: NOW,
    ...changes,
  });
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('verifyJwt (RFC 7519, RFC 8725)', () => {
  test.each(JWT_ALGORITHMS)('accepts a signature of %s', async (alg) => {
    const by = await createSigner(alg);
    const { claims } = await verify(await sign(by), [by.publicJwk]);
    expect(claims).toEqual(CLAIMS);
  });

  test('accepts times within the clock tolerance', async () => {
    const late = { ...CLAIMS, iat: SECONDS - 80, exp: SECONDS - 29 };
    const early = { ...CLAIMS, iat: SECONDS + 30, exp: SECONDS + 330 };
    const { iat: _, ...undated } = { ...CLAIMS, exp: SECONDS + 330 };
    for (const claims of [late, early, undated]) {
      await expect(verify(await sign(signer, claims), [signer.publicJwk])).resolves.toBeDefined();
    }
  });

  test('accepts any of several audiences, as a string or a list of one', async () => {
    const audience = ['https://other.example', AUDIENCE];
    for (const aud of [AUDIENCE, [AUDIENCE]]) {
      const token = await sign(signer, { ...CLAIMS, aud });
      await expect(verify(token, [signer.publicJwk], { audience })).resolves.toBeDefined();
    }
  });

  test.each([
    ['an issuer that is not the expected one', { iss: `${ISSUER}/` }, 'issuer'],
    ['another audience', { aud: 'https://other.example' }, 'audience'],
    ['an additional audience', { aud: [AUDIENCE, 'https://other.example'] }, 'audience'],
    ['no audience', { aud: undefined }, 'audience'],
    ['no expiry', { exp: undefined }, 'claims'],
    ['an expiry that is not a number', { exp: '2100-01-01' as unknown as number }, 'claims'],
    ['a missing claim that the rules require', { jti: undefined }, 'claims'],
    ['a start time in the future', { nbf: SECONDS + 31 }, 'claims'],
    ['a time of issue in the future', { iat: SECONDS + 31 }, 'claims'],
    ['an expiry in the past', { iat: SECONDS - 90, exp: SECONDS - 30 }, 'expired'],
    ['an expiry too long after its issue', { iat: SECONDS - 200, exp: SECONDS + 101 }, 'lifetime'],
    ['an expiry too far in the future', { iat: undefined, exp: SECONDS + 331 }, 'lifetime'],
  ] as const)('refuses %s', async (_, changes, problem) => {
    const token = await sign(signer, { ...CLAIMS, ...changes } as JWTPayload);
    await expect(verify(token, [signer.publicJwk])).rejects.toMatchObject({ name: 'JwtError', problem });
  });

  test.each([
    ['a type where none is accepted', 'JWT', [null], false],
    ['no type where one is required', undefined, ['oauth-id-jag+jwt'], false],
    ['another type', 'at+jwt', [null, 'JWT'], false],
    ['the type', 'oauth-id-jag+jwt', ['oauth-id-jag+jwt'], true],
    ['one of several types', 'jwt', [null, 'JWT'], true],
    ['no type, next to another', undefined, ['JWT', null], true],
    ['the full type in upper case', 'application/JWT', ['jwt'], true],
  ] as const)('%s: accepted is %4$s', async (_, typ, accepted, isAccepted) => {
    const token = await sign(signer, CLAIMS, typ === undefined ? {} : { typ });
    const verified = verify(token, [signer.publicJwk], { typ: accepted });
    if (isAccepted) await expect(verified).resolves.toBeDefined();
    else await expect(verified).rejects.toMatchObject({ problem: 'type' });
  });

  test('refuses a signature of another key, and a changed payload', async () => {
    const forged = await sign({ ...other, kid: 'one' });
    await expect(verify(forged, [signer.publicJwk])).rejects.toMatchObject({ problem: 'signature' });
    const [header, , signature] = (await sign(signer)).split('.');
    const changed = `${header}.${encode({ ...CLAIMS, jti: 'id-2' })}.${signature}`;
    await expect(verify(changed, [signer.publicJwk])).rejects.toMatchObject({ problem: 'signature' });
  });

  test('refuses the algorithm none, symmetric ones, and those that are not listed', async () => {
    const unsigned = `${encode({ alg: 'none' })}.${encode(CLAIMS)}.`;
    await expect(verify(unsigned, [signer.publicJwk])).rejects.toMatchObject({ problem: 'algorithm' });
    const secret = new TextEncoder().encode(JSON.stringify(signer.publicJwk));
    const confused = await new SignJWT(CLAIMS).setProtectedHeader({ alg: 'HS256', kid: 'one' }).sign(secret);
    const symmetric = { kty: 'oct', kid: 'one', k: Buffer.from(secret).toString('base64url') };
    await expect(verify(confused, [symmetric])).rejects.toMatchObject({ problem: 'algorithm' });
    const unlisted = await createSigner('ES384');
    await expect(verify(await sign(unlisted), [unlisted.publicJwk])).rejects.toMatchObject({ problem: 'algorithm' });
  });

  test.each(['text', 'a.b.c', ''])('refuses a text that is not a JWT: %j', async (token) => {
    await expect(verify(token, [signer.publicJwk])).rejects.toMatchObject({ problem: 'malformed' });
  });

  test('refuses a JWT of more than 16,384 characters before it reads it', async () => {
    const [largest, larger] = await Promise.all(
      [12_000, 12_400].map((length) => sign(signer, { ...CLAIMS, more: 'x'.repeat(length) })),
    );
    expect([largest!.length < 16_384, larger!.length > 16_384]).toEqual([true, true]);
    await expect(verify(largest!, [signer.publicJwk])).resolves.toBeDefined();
    await expect(verify(larger!, [signer.publicJwk])).rejects.toMatchObject({ problem: 'malformed' });
  });

  test('refuses claims that are not a JSON object', async () => {
    const sign = new CompactSign(new TextEncoder().encode('"text"')).setProtectedHeader({ alg: 'ES256', kid: 'one' });
    const token = await sign.sign(signer.privateKey);
    await expect(verify(token, [signer.publicJwk])).rejects.toMatchObject({ problem: 'malformed' });
  });

  test('refuses a private key in a key set, and an invalid set', async () => {
    const token = await sign(signer);
    await expect(verify(token, [signer.privateJwk])).rejects.toMatchObject({ problem: 'key' });
    const broken = { keys: 'none' } as unknown as JSONWebKeySet;
    await expect(verify(token, [], { keys: async () => broken })).rejects.toMatchObject({ problem: 'key' });
  });

  test('tries a limited number of keys if the JWT names none', async () => {
    const anonymous = await createSigner('ES256');
    const rest = await Promise.all(Array.from({ length: 5 }, () => createSigner('ES256')));
    const keys = rest.map(({ publicJwk }) => publicJwk);
    const token = await sign(anonymous);
    await expect(verify(token, [...keys.slice(1), anonymous.publicJwk])).resolves.toBeDefined();
    await expect(verify(token, [...keys, anonymous.publicJwk])).rejects.toMatchObject({ problem: 'signature' });
    const expired = await sign(anonymous, { ...CLAIMS, iat: SECONDS - 90, exp: SECONDS - 30 });
    const refused = verify(expired, [anonymous.publicJwk, ...keys]);
    await expect(refused).rejects.toMatchObject({ problem: 'expired' });
  });

  test('fetches the keys again, once, if none fits', async () => {
    const asked: string[] = [];
    const token = await sign(other);
    const keys: JwtRules['keys'] = async (need) => {
      asked.push(need);
      return { keys: need === 'known' ? [signer.publicJwk] : [other.publicJwk] };
    };
    await expect(verify(token, [], { keys })).resolves.toBeDefined();
    expect(asked).toEqual(['known', 'renewed']);
    await expect(verify(token, [signer.publicJwk])).rejects.toMatchObject({ problem: 'key' });
  });

  test('does not fetch the keys again if one fits, whatever else is wrong', async () => {
    const asked: string[] = [];
    const keys: JwtRules['keys'] = async (need) => {
      asked.push(need);
      return { keys: [signer.publicJwk] };
    };
    const refused = verify(await sign(signer, { ...CLAIMS, aud: 'x' }), [], { keys });
    await expect(refused).rejects.toMatchObject({ problem: 'audience', cause: expect.anything() });
    await expect(verify(await sign(signer), [], { keys })).resolves.toBeDefined();
    expect(asked).toEqual(['known', 'known']);
  });

  test('passes on a failure to get the keys', async () => {
    const failure = new Error('not reachable');
    const keys = () => Promise.reject(failure);
    await expect(verify(await sign(signer), [], { keys })).rejects.toBe(failure);
  });

  test('does not carry the JWT in its errors', async () => {
    const error: unknown = await verify(await sign(signer, { ...CLAIMS, aud: 'x' }), [signer.publicJwk]).catch(
      (e) => e,
    );
    expect(String(error)).toBe('JwtError: JWT refused (audience)');
  });
});

test('the issuer of a JWT is read without verifying the JWT', () => {
  const unsigned = (claims: object) => `${encode({ alg: 'none' })}.${encode(claims)}.`;
  expect(readUnverifiedIssuer(unsigned({ iss: ISSUER }))).toBe(ISSUER);
  expect([unsigned({ iss: 7 }), unsigned({}), 'text', ''].map(readUnverifiedIssuer)).toEqual(Array(4).fill(undefined));
});

test('the grant type of an assertion is that of RFC 7523', () => {
  expect(JWT_BEARER_GRANT).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
});
