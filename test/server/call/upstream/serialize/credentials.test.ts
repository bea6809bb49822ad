import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCredentialWriter } from '../../../../../server/call/upstream/credential.ts';
import { compileRequest, withRawCredential } from '../../../../../server/call/upstream/serialize.ts';
import type { ToolRequest } from '../../../../../server/contract/index.ts';

const JSON_BODY = 'application/json';
const FORM = 'application/x-www-form-urlencoded';
const SECRETS = { key: 'k=1&x#"ä', account: 'acme' };

function write(request: ToolRequest, args: Readonly<Record<string, unknown>>, path = '/x', secrets: object = SECRETS) {
  const operation = { id: null, method: 'POST', path, server: '' } as const;
  return compileRequest({ operation, request }, () => 'b0')(args, secrets as Record<string, string>);
}

const whole = (credentials: object): ToolRequest => ({
  body: { mediaType: JSON_BODY, argument: 'body', credentials: credentials as never },
});

describe('a credential in a JSON body', () => {
  test('is sent unchanged, whatever a call says, and nothing else changes', () => {
    const spelt = fc.constantFrom('key', 'KEY', 'Key', 'note', '__proto__', 'auth', 'Auth');
    const value = fc.dictionary(spelt, fc.oneof(fc.jsonValue(), fc.dictionary(spelt, fc.string())));
    fc.assert(
      fc.property(value, fc.option(fc.dictionary(spelt, fc.jsonValue()), { nil: undefined }), (body, auth) => {
        const given = auth === undefined ? body : { ...body, auth };
        fc.pre(
          given.auth === undefined ||
            given.auth === null ||
            (typeof given.auth === 'object' && !Array.isArray(given.auth)),
        );
        const sent = JSON.parse(String(write(whole({ key: 'key', auth: { key: 'account' } }), { body: given }).body));
        const others = (object: object) =>
          Object.entries(object).filter(([name]) => !['key', 'auth'].includes(name.toLowerCase()));
        expect(sent.key).toBe(SECRETS.key);
        expect(sent.auth.key).toBe('acme');
        expect(Object.keys(sent).filter((name) => name.toLowerCase() === 'key')).toEqual(['key']);
        expect(others(sent)).toEqual(others(JSON.parse(JSON.stringify(given))));
      }),
    );
  });

  test.each([
    ['an array', []],
    ['a string', 'key'],
  ])('is not added to a body that is %s', (_, body) => {
    expect(() => write(whole({ key: 'key' }), { body })).toThrow('the credential belongs into an object');
  });

  test('creates a body where a call has none', () => {
    const members = { title: 'title', key: { credential: 'key' } };
    const body = { mediaType: JSON_BODY, optional: true, members } as const;
    expect(write({ body }, {})).toMatchObject({ body: JSON.stringify({ key: SECRETS.key }), contentType: JSON_BODY });
    expect(write(whole({ key: 'key' }), {}).body).toBe(JSON.stringify({ key: SECRETS.key }));
  });

  test('is left out where the connection has another kind of credential', () => {
    expect(write(whole({ key: 'key' }), { body: { key: 'forged', a: 1 } }, '/x', {}).body).toBe('{"a":1}');
  });
});

describe('a credential in a form', () => {
  test('is escaped, and replaces the value of a call', () => {
    const members = { to: 'to', key: { credential: 'key' } };
    const form = { body: { mediaType: FORM, as: 'form', members } } as const;
    expect(write(form, { to: 'a&key=forged' }).body).toBe('to=a%26key%3Dforged&key=k%3D1%26x%23%22%C3%A4');
    const one = { body: { mediaType: FORM, as: 'form', argument: 'body', credentials: { key: 'key' } } } as const;
    expect(write(one, { body: { Key: 'forged', to: 'a' } }).body).toBe('to=a&key=k%3D1%26x%23%22%C3%A4');
  });

  test('is a part of a multipart body', () => {
    const members = { key: { credential: 'account' } };
    const { body } = write({ body: { mediaType: 'multipart/form-data', as: 'multipart', members } }, {});
    expect(String(body)).toContain('name="key"\r\n\r\nacme\r\n');
  });
});

describe('a credential in a path', () => {
  const request = { path: { token: { credential: 'key' }, id: 'id' } };

  test('is escaped, and adds no segment, query or fragment', () => {
    expect(write(request, { id: '7' }, '/bot{token}/notes/{id}').target).toBe('/botk%3D1%26x%23%22%C3%A4/notes/7');
  });

  test.each(['..', '.', 'a/../b', 'a\\b', 'a%2fb', 'a\nb', '\ud800'])('cannot be %j', (token) => {
    const parts = [{ id: 'token', type: 'path', label: 'Token', name: 'token' }] as const;
    expect(() => createCredentialWriter(parts, { token })).toThrow('"token" is not sendable');
  });

  test('is reported as missing where the connection has another kind of credential', () => {
    expect(() => write(request, { id: '7' }, '/bot{token}/notes/{id}', {})).toThrow('"key" is missing');
  });
});

describe('a credential in a request of a hand-written tool', () => {
  const operation = { id: null, method: 'POST', path: '/bot{token}/notes/{id}', server: '' } as const;
  const path = { token: { credential: 'account' }, id: 'id' };
  const raw = (request: ToolRequest, target: string, body: string | null) =>
    withRawCredential(
      { operation, request },
      { target, headers: {}, body: body === null ? null : Buffer.from(body) },
      SECRETS,
    );

  test('replaces its segment and its member', () => {
    const body = { mediaType: JSON_BODY, members: { a: 'a', auth: { members: { key: { credential: 'account' } } } } };
    const sent = raw({ path, body }, '/botX/notes/7?token=t', '{"auth":{"key":"forged","b":1},"a":2}');
    expect(sent.target).toBe('/botacme/notes/7?token=t');
    expect(JSON.parse(String(sent.body))).toEqual({ a: 2, auth: { b: 1, key: 'acme' } });
  });

  test('replaces the field of a form, and creates a body where there is none', () => {
    const form = { mediaType: FORM, as: 'form', members: { a: 'a', key: { credential: 'key' } } } as const;
    expect(String(raw({ path, body: form }, '/botX/notes/7', 'KEY=forged&a=1').body)).toBe(
      'a=1&key=k%3D1%26x%23%22%C3%A4',
    );
    const made = raw({ body: { mediaType: JSON_BODY, members: { key: { credential: 'account' } } } }, '/x', null);
    expect(made).toMatchObject({ headers: { 'content-type': JSON_BODY }, body: Buffer.from('{"key":"acme"}') });
  });
});

describe('a key in a header', () => {
  const parts = (prefix?: string) =>
    [
      { id: 'key', type: 'header', label: 'Key', name: 'Authorization', ...(prefix === undefined ? {} : { prefix }) },
    ] as const;

  test.each([
    ['after its prefix', 'GenieKey ', 'abcdef', 'GenieKey abcdef'],
    ['after a prefix without a space', 'Token token=', 'abcdef', 'Token token=abcdef'],
    ['with its prefix once where it was pasted with it', 'Token ', 'token  abcdef', 'Token abcdef'],
    ['unchanged without a prefix', undefined, 'Token abcdef', 'Token abcdef'],
  ])('is sent %s', (_, prefix, key, want) => {
    const { headers, redactor } = createCredentialWriter(parts(prefix), { key });
    expect(headers).toEqual([['authorization', want]]);
    expect(redactor.text('"abcdef"')).toBe(prefix === undefined ? '"abcdef"' : '"[redacted]"');
  });
});
