import { describe, expect, test } from 'vitest';
import type { Schema } from '../../../../codegen/model/types.ts';
import { build, buildOne, config, jsonBody, operation, parameter, service } from '../service.ts';

const text = { type: 'string' } as const;
const part = (type: string, name: string, more: object = {}) => ({ id: 'key', type, name, label: 'Key', ...more });
const withParts = (...parts: object[]) => ({ credential: { parts } });

function post(schema: Schema, path = '/things') {
  return operation({ id: `post${path.replace(/\W/g, '')}`, method: 'POST', path, body: jsonBody(schema) });
}

const keyed = { type: 'object', required: ['key', 'a'], properties: { key: text, a: text } };

describe('a part of the credential in a body', () => {
  test.each<[string, Schema]>([
    ['a member', keyed],
    ['a member of a part of allOf', { allOf: [keyed, { type: 'object', properties: { b: text } }] }],
    ['a member of every alternative', { oneOf: [keyed, { ...keyed, properties: { key: text, c: text } }] }],
    [
      'a member of an alternative in a reference',
      { anyOf: [{ $ref: '#/components/schemas/Keyed' }, { type: 'object' }] },
    ],
  ])('is in no schema where it is %s, and is sent by the gateway', (_, schema) => {
    const model = service([post(schema)], { schemas: { '#/components/schemas/Keyed': keyed } });
    const { tool } = build(model, withParts(part('body', 'key')));
    expect(JSON.stringify([tool.inputSchema, tool.description])).not.toContain('key');
    expect(JSON.stringify(tool.call.body)).toMatch(/"credential","id":"key"|"credentials":\{"key":"key"\}/);
  });

  test('is removed from examples and defaults, and so are objects left empty', () => {
    const schema = {
      type: 'object',
      required: ['auth', 'a'],
      properties: {
        auth: { type: 'object', required: ['key'], properties: { key: text } },
        a: { type: 'object', properties: { key: text } },
      },
      examples: [{ auth: { key: 'abc' }, a: {} }],
    };
    const { tool } = build(service([post(schema)]), withParts(part('body', 'auth.key')));
    expect(tool.inputSchema).toMatchObject({ properties: { a: { properties: { key: text } } }, required: ['a'] });
    expect(JSON.stringify(tool.inputSchema)).not.toMatch(/auth|abc/);
  });

  test('may have a name with dots', () => {
    const schema = { type: 'object', properties: { 'auth.key': text, a: text } };
    const { tool } = build(service([post(schema)]), withParts(part('body', 'auth.key')));
    expect(tool.call.body).toMatchObject({
      members: [{ wireName: 'a' }, { wireName: 'auth.key', value: { kind: 'credential', id: 'key' } }],
    });
  });

  test('may be next to members that connector.yaml uses as arguments, and in a fixed object', () => {
    const auth = { type: 'object', properties: { key: text, user: text } };
    const schema = { type: 'object', properties: { auth, sign: auth } };
    const { tool, codes } = build(service([post(schema)]), {
      ...withParts(part('body', 'auth.key'), part('body', 'sign.key')),
      tools: {
        shop_post: {
          operation: 'postthings',
          arguments: { user: { wire: 'body.auth.user' } },
          fixed: { 'body.sign': { user: 'ada' } },
        },
      },
    });
    expect(codes).not.toContain('config-wire-unknown');
    expect(tool.arguments.map(({ name }) => name)).toEqual(['user']);
    const credential = { wireName: 'key', value: { kind: 'credential', id: 'key' } };
    expect(tool.call.body).toMatchObject({
      members: [
        { wireName: 'auth', value: { members: [{ wireName: 'user', value: { name: 'user' } }, credential] } },
        { wireName: 'sign', value: { members: [{ wireName: 'user', value: { value: 'ada' } }, credential] } },
      ],
    });
  });
});

describe('a part of the credential in a path', () => {
  const get = operation({
    path: '/bot{token}/things/{id}',
    parameters: [parameter('token', { in: 'path' }), parameter('id', { in: 'path' })],
  });

  test('is not an argument, and is sent by the gateway', () => {
    const { tool } = build(service([get]), withParts(part('path', 'token')));
    expect(tool.arguments.map(({ name }) => name)).toEqual(['id']);
    expect(tool.call.path).toContainEqual({ wireName: 'token', value: { kind: 'credential', id: 'key' } });
  });

  test('cannot have a style', () => {
    const parameters = [parameter('token', { in: 'path', style: 'matrix' })];
    const { connector } = buildOne({ path: '/things/{token}', parameters }, withParts(part('path', 'token')));
    expect(connector.notExposed[0]?.reason).toContain('needs the credential in the path as matrix');
  });
});

describe('such a part in connector.yaml', () => {
  const model = service([
    post({ type: 'object', properties: { api_key: text } }, '/a'),
    operation({ path: '/things/{tokenn}', parameters: [parameter('tokenn', { in: 'path' })] }),
  ]);
  const problemsOf = (...parts: object[]) =>
    build(model, withParts(...parts)).problems.map(({ code, pointer, fix }) => [code, pointer, fix]);

  test.each([
    ['body', 'apikey', 'Did you mean api_key?'],
    ['path', 'token', 'Did you mean tokenn?'],
  ])('names a place that exists: %s', (type, name, fix) => {
    expect(problemsOf(part('header', 'x-key'), part(type, name))).toContainEqual([
      'config-credential',
      '/credential/parts/1',
      fix,
    ]);
  });

  test('is one secret with one label, wherever it is sent', () => {
    const codes = (...parts: object[]) => problemsOf(...parts).map(([code]) => code);
    expect(codes(part('header', 'x-key'), part('body', 'api_key'))).toEqual([]);
    expect(codes(part('header', 'x-key'), part('body', 'api_key', { label: 'Other' }))).toEqual(['config-credential']);
    expect(codes(part('header', 'x-key'), { id: 'key', type: 'basic', label: 'Key' })).toContain('config-credential');
  });

  test('is one secret in all kinds of credential', () => {
    const alternatives = [{ label: 'Other', parts: [part('body', 'api_key', { id: 'other' })] }];
    const { problems } = build(model, { credential: { parts: [part('body', 'api_key')], alternatives } });
    expect(problems).toContainEqual(
      expect.objectContaining({ code: 'config-credential', fix: 'Give both the id key.' }),
    );
  });

  test('does not distinguish two kinds only by where one secret is sent', () => {
    const alternatives = [{ label: 'Other', parts: [part('header', 'x-key')] }];
    const { problems } = build(model, { credential: { parts: [part('body', 'api_key')], alternatives } });
    expect(problems.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('no connection could be of this kind'),
    );
  });

  test('is reported once, where it is, if every kind asks for it', () => {
    const also = [part('path', 'account', { id: 'account', secret: false })];
    const alternatives = [{ label: 'Other', parts: [part('header', 'x-other', { id: 'other' })] }];
    const credential = { also, parts: [part('header', 'x-key'), part('body', 'apikey')], alternatives };
    const { problems } = build(model, { credential });
    const faults = problems.filter(({ code }) => code === 'config-credential');
    expect(faults.map(({ pointer, message }) => [pointer, message])).toEqual([
      ['/credential/also/0', 'No operation with a tool has a path parameter account.'],
      ['/credential/parts/1', 'No operation with a tool has a member apikey in its body.'],
    ]);
  });

  test('is reported with the operations that it does not cover', () => {
    const { problems } = build(model, withParts(part('body', 'api_key')));
    expect(problems.filter(({ code }) => code === 'credential-not-sent')).toMatchObject([
      { message: '1 operations carry no part of the credential: GET /things/{tokenn}.' },
    ]);
  });
});

describe('an argument that repeats the credential', () => {
  const get = operation({ parameters: [parameter('X-Token', { in: 'header', required: true }), parameter('q')] });
  const built = (repeated: string) => build(service([get]), { credential: { repeated: [repeated] } });

  test('is a header whatever the case of its name', () => {
    const { tool, problems } = built('header.x-token');
    expect(problems).toEqual([]);
    expect(tool.arguments.map(({ name }) => name)).toEqual(['q']);
    expect(built('query.Q').problems).toMatchObject([{ pointer: '/credential/repeated/0' }]);
  });
});

describe('the prefix of a key', () => {
  const scheme = (description: string) => ({
    securitySchemes: [
      { id: 'key', type: 'apiKey', in: 'header', name: 'Authorization', description, pointer: '/s' } as const,
    ],
    security: [{ id: 'key', scopes: [] }].map((one) => [one]),
  });
  const prefixOf = (description: string, input: object = {}) => {
    const { connector } = buildOne({}, { credential: input }, scheme(description));
    const [first] = connector.credential.parts;
    return first !== undefined && 'prefix' in first ? first.prefix : null;
  };

  test('is what the description shows, unless connector.yaml sets another or none', () => {
    expect(prefixOf('`Token <key>`')).toBe('Token ');
    expect(prefixOf('A key.')).toBeNull();
    expect(prefixOf('`Token <key>`', { prefixes: { key: 'GenieKey' } })).toBe('GenieKey ');
    expect(prefixOf('`Token <key>`', { prefixes: { key: '' } })).toBeNull();
    expect(prefixOf('', { parts: [part('header', 'x', { prefix: 'Token token=' })] })).toBe('Token token=');
  });

  test('belongs to an existing scheme in a header', () => {
    const { problems } = buildOne({}, { credential: { prefixes: { kee: 'Token' } } }, scheme(''));
    expect(problems).toMatchObject([{ code: 'config-scheme-unknown', pointer: '/credential/prefixes/kee' }]);
    expect(() => config({ credential: { prefixes: { key: ' Token' } } })).toThrow('not a space first');
  });
});
