import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { build, buildOne, jsonBody, operation, parameter, service } from '../../codegen/tools/service.ts';

const text = { type: 'string' } as const;
const suspectsOf = ({ problems }: ReturnType<typeof build>) =>
  problems.filter(({ code }) => code === 'argument-looks-secret');

/** The lines that the warning proposes. */
function adviceOf(fix = ''): Record<string, unknown> {
  return parse(/`(.*)`/s.exec(fix)?.[1] ?? '') as Record<string, unknown>;
}

describe('an argument that looks like a credential', () => {
  test.each<[string, Parameters<typeof parameter>, boolean]>([
    ['in the query', ['access_token'], true],
    ['in a header', ['X-Api-Key', { in: 'header' }], true],
    ['not if its name only resembles one', ['page_token'], false],
  ])('causes a warning: %s', (_title, given, want) => {
    expect(buildOne({ parameters: [parameter(...given)] }).codes.includes('argument-looks-secret')).toBe(want);
  });

  test('is not an argument after the lines of the warning are in connector.yaml', () => {
    const parameters = [parameter('api_key', { required: true }), parameter('X-Auth-Token', { in: 'header' })];
    const before = buildOne({ parameters });
    const advised = suspectsOf(before).map(({ fix }) => adviceOf(fix));
    expect(advised).toHaveLength(2);
    expect(advised[0]).toEqual({
      credential: {
        parts: [
          { id: 'token', type: 'bearer', label: 'Access token' },
          { id: 'apiKey', type: 'query', name: 'api_key', label: 'API key' },
          { id: 'xAuthToken', type: 'header', name: 'X-Auth-Token', label: 'Access token' },
        ],
      },
    });
    const after = buildOne({ parameters }, advised[1]);
    expect([after.tool.arguments, after.codes]).toEqual([[], []]);
  });

  test('is added to the parts of the credential in connector.yaml', () => {
    const parts = [{ id: 'apiKey', type: 'header', name: 'x', label: 'Key' }];
    const [found] = suspectsOf(buildOne({ parameters: [parameter('api_key')] }, { credential: { parts } }));
    expect(adviceOf(found?.fix)).toEqual({ id: 'apiKey2', type: 'query', name: 'api_key', label: 'API key' });
  });

  test('is not an argument, and causes no warning, if connector.yaml describes the credential', () => {
    const parts = [{ id: 'token', type: 'query', name: 'access_token', label: 'Token' }];
    const { tool, codes } = buildOne({ parameters: [parameter('access_token')] }, { credential: { parts } });
    expect([tool.arguments, codes]).toEqual([[], []]);
  });
});

describe('a member of a body or a parameter of a path that looks like a credential', () => {
  const post = (path: string, name: string, description = '') => {
    const properties = { [name]: { ...text, description }, a: text };
    return operation({ id: path.slice(1), method: 'POST', path, body: jsonBody({ type: 'object', properties }) });
  };
  const bot = (name: string) =>
    operation({ id: name, path: `/bot{token}/${name}`, parameters: [parameter('token', { in: 'path' })] });

  test.each([
    ['in every body', [post('/a', 'api_key'), post('/b', 'api_key')], 'body.api_key'],
    [
      'called key, with a description',
      [post('/a', 'key', 'A valid API key.'), post('/b', 'key', 'A valid API key.')],
      'body.key',
    ],
    ['in every path', [bot('a'), bot('b')], 'path.token'],
  ])('causes a warning %s, with the lines that fill it', (_, operations, place) => {
    const before = build(service(operations));
    const [first] = suspectsOf(before);
    expect(first?.message).toBe(`An argument fills ${place}, which looks like a credential.`);
    const after = build(service(operations), adviceOf(first?.fix));
    expect([suspectsOf(after), JSON.stringify(after.connector.tools)]).toEqual([
      [],
      expect.stringContaining('"credential"'),
    ]);
  });

  test.each([
    ['in one body', [post('/a', 'api_key'), post('/b', 'b')]],
    [
      'in few bodies',
      [post('/a', 'api_key'), post('/b', 'api_key'), ...['/c', '/d', '/e'].map((path) => post(path, 'b'))],
    ],
    ['called key, without a description', [post('/a', 'key'), post('/b', 'key')]],
    [
      'a path segment of its own',
      ['a', 'b'].map((id) =>
        operation({ id, path: `/${id}/{token}`, parameters: [parameter('token', { in: 'path' })] }),
      ),
    ],
  ])('is an ordinary argument: %s', (_, operations) => {
    expect(suspectsOf(build(service(operations)))).toEqual([]);
  });
});
