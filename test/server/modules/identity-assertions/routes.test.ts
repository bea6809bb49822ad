import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { expect, test } from 'vitest';
import { approveIssuer, parseIssuer } from '../../../../server/modules/identity-assertions/issuers.ts';
import { createSigningKey } from '../../../support/identity-provider.ts';
import { describeConnect } from '../../connect/support.ts';

const { jwk } = await createSigningKey('one');
const ISSUER = 'https://idp.acme.example';
const JWKS_URI = 'https://idp.acme.example/keys';

function publicKeyOf(kind: readonly unknown[]): object {
  const { publicKey } = (generateKeyPairSync as (...of: readonly unknown[]) => { publicKey: KeyObject })(...kind);
  return publicKey.export({ format: 'jwk' });
}

describeConnect('identity issuers of the partner API', (given) => {
  const send = (method: string, path: string, body?: unknown, [id, secret] = ['acme', given.secret]) =>
    given.send(`/api/partner/issuers${path}`, {
      method,
      headers: {
        Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const approve = (id: string, partnerId: string) =>
    given.store.db
      .transaction()
      .execute((transaction) => approveIssuer(transaction, { id, partnerId }, { now: Date.now() }));
  const events = async () => {
    const rows = await given.store.db.selectFrom('audit_events').select('type').execute();
    const types = rows.map(({ type }) => type).filter((type) => type.startsWith('identity_issuer'));
    return types.sort();
  };

  test('are registered, listed, changed under the same id, and removed', async () => {
    const added = await send('POST', '', { issuer: ISSUER, jwks_uri: JWKS_URI });
    const { id } = added.body;
    const view = {
      id,
      issuer: ISSUER,
      tenant: null,
      jwks_uri: JWKS_URI,
      jwks: null,
      subject_claim: 'sub',
      created_at: '2023-11-14T22:13:20.000Z',
      last_used_at: null,
      approved_at: null,
    };
    expect([added.status, added.body]).toEqual([201, view]);
    const jwks = { keys: [jwk] };
    const changed = await send('POST', '', { issuer: ISSUER, jwks, subject_claim: 'email' });
    const after = { ...view, jwks_uri: null, jwks, subject_claim: 'email' };
    expect([changed.status, changed.body]).toEqual([200, after]);
    expect((await send('GET', '')).body).toEqual({ issuers: [after] });
    expect((await send('DELETE', `/${id}`)).status).toBe(204);
    expect((await send('DELETE', `/${id}`)).status).toBe(404);
    expect((await send('GET', '')).body).toEqual({ issuers: [] });
    expect(await events()).toEqual(['identity_issuer_added', 'identity_issuer_changed', 'identity_issuer_removed']);
  });

  test('belong to the partner for which an operator approved them, and another can neither register, see nor remove them', async () => {
    const other = await given.add('other');
    const as: [string, string] = ['other', other.secret];
    const { id } = (await send('POST', '', { issuer: ISSUER, jwks_uri: JWKS_URI })).body;
    expect(await approve(id, given.partnerId)).toBe(true);
    const taken = await send('POST', '', { issuer: ISSUER, jwks: { keys: [jwk] } }, as);
    expect([taken.status, taken.body.error]).toEqual([409, 'issuer_taken']);
    expect((await send('GET', '', undefined, as)).body).toEqual({ issuers: [] });
    expect((await send('DELETE', `/${id}`, undefined, as)).status).toBe(404);
    expect((await send('GET', '')).body.issuers).toMatchObject([{ id, jwks_uri: JWKS_URI }]);
    expect((await send('POST', '', { issuer: ISSUER, tenant: 'two', jwks_uri: JWKS_URI }, as)).status).toBe(201);
  });

  test('that wait for approval keep no other partner from registering and getting the same one', async () => {
    const squatter = await given.add('squatter');
    const as: [string, string] = ['squatter', squatter.secret];
    const squatted = await send('POST', '', { issuer: ISSUER, jwks: { keys: [jwk] } }, as);
    const rightful = await send('POST', '', { issuer: ISSUER, jwks_uri: JWKS_URI });
    expect([squatted.status, rightful.status]).toEqual([201, 201]);
    expect((await send('GET', '')).body.issuers).toMatchObject([{ id: rightful.body.id, jwks_uri: JWKS_URI }]);
    expect(await approve(rightful.body.id, given.partnerId)).toBe(true);
    expect(await approve(squatted.body.id, squatter.id)).toBe(false);
    expect((await send('POST', '', { issuer: ISSUER, jwks_uri: JWKS_URI }, as)).body.error).toBe('issuer_taken');
    expect((await send('GET', '', undefined, as)).body.issuers).toMatchObject([{ approved_at: null }]);
    expect((await send('POST', '', { issuer: ISSUER, jwks: { keys: [jwk] } })).status).toBe(200);
    expect((await send('DELETE', `/${rightful.body.id}`)).status).toBe(204);
    expect(await approve(squatted.body.id, squatter.id)).toBe(true);
  });

  test('require the credentials of a partner', async () => {
    for (const [method, path] of [
      ['GET', ''],
      ['POST', ''],
      ['DELETE', '/x'],
    ] as const) {
      const body = method === 'POST' ? { issuer: ISSUER, jwks_uri: JWKS_URI } : undefined;
      expect((await send(method, path, body, ['acme', 'utg_ps_wrong'])).body.error).toBe('invalid_client');
      expect((await given.send(`/api/partner/issuers${path}`, { method })).status).toBe(401);
    }
    expect(await events()).toEqual([]);
  });

  const REFUSED: readonly (readonly [string, unknown, RegExp])[] = [
    ['no object', [], /JSON object|issuer/],
    ['no issuer', { jwks_uri: JWKS_URI }, /issuer must be a string/],
    ['http', { issuer: 'http://idp.acme.example', jwks_uri: JWKS_URI }, /issuer must be an https URL/],
    ['a query', { issuer: `${ISSUER}?a=b`, jwks_uri: JWKS_URI }, /issuer must be an https URL/],
    ['no URL', { issuer: 'acme', jwks_uri: JWKS_URI }, /issuer must be an https URL/],
    ['no keys', { issuer: ISSUER }, /jwks_uri or the keys/],
    ['keys twice', { issuer: ISSUER, jwks_uri: JWKS_URI, jwks: { keys: [jwk] } }, /jwks_uri or the keys/],
    ['keys at a user', { issuer: ISSUER, jwks_uri: 'https://a:b@idp.acme.example/keys' }, /jwks_uri must be/],
    ['an empty set', { issuer: ISSUER, jwks: { keys: [] } }, /jwks must be a JSON Web Key Set/],
    ['a private key', { issuer: ISSUER, jwks: { keys: [{ ...jwk, d: jwk.x }] } }, /public keys/],
    ['a symmetric key', { issuer: ISSUER, jwks: { keys: [{ kty: 'oct', k: 'AAAA' }] } }, /public keys/],
    [
      'a short RSA key',
      { issuer: ISSUER, jwks: { keys: [publicKeyOf(['rsa', { modulusLength: 1024 }])] } },
      /2048 bits/,
    ],
    [
      'an RSA key that signs whatever it is given',
      { issuer: ISSUER, jwks: { keys: [{ ...publicKeyOf(['rsa', { modulusLength: 2048 }]), e: 'AQ' }] } },
      /2048 bits/,
    ],
    [
      'an unknown curve',
      { issuer: ISSUER, jwks: { keys: [publicKeyOf(['ec', { namedCurve: 'secp256k1' }])] } },
      /P-256/,
    ],
    ['a key that signs nothing', { issuer: ISSUER, jwks: { keys: [publicKeyOf(['x25519'])] } }, /Ed25519/],
    ['half a key', { issuer: ISSUER, jwks: { keys: [{ kty: 'EC', crv: 'P-256' }] } }, /public keys/],
    ['too many keys', { issuer: ISSUER, jwks: { keys: Array(21).fill(jwk) } }, /public keys/],
    ['no claim name', { issuer: ISSUER, jwks_uri: JWKS_URI, subject_claim: 'a b' }, /subject_claim must be/],
    ['a NUL', { issuer: ISSUER, jwks_uri: JWKS_URI, tenant: 'a\0b' }, /tenant must be/],
  ];

  test('are refused in the name of the gateway itself', async () => {
    for (const url of [given.origin, `${given.origin}/`, `${given.origin}/idp`]) {
      const { status, body } = await send('POST', '', { issuer: url, jwks_uri: JWKS_URI });
      expect([status, body.error_description]).toEqual([400, 'issuer must not be this gateway.']);
    }
    for (const issuer of [
      'https://GW.example',
      'https://gw.example:443/idp/',
      'https://gw.example./',
      'https://ｇw.example',
    ]) {
      const parse = () => parseIssuer({ issuer, jwksUri: JWKS_URI }, 'https://gw.example');
      expect(parse).toThrow('issuer must not be this gateway');
    }
  });

  test('are refused with the reason', async () => {
    for (const [title, body, description] of REFUSED) {
      const answer = await send('POST', '', body);
      const wanted = [title, 400, 'invalid_request', expect.stringMatching(description)];
      expect([title, answer.status, answer.body.error, answer.body.error_description]).toEqual(wanted);
    }
    expect((await send('DELETE', '/a%00b')).status).toBe(404);
    expect(await events()).toEqual([]);
  });
});
