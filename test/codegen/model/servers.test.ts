import { describe, expect, test } from 'vitest';
import { modelOf } from './model-of.ts';

const OK = { responses: { '200': { description: 'Done.' } } };

function serversOf(given: { root?: unknown; paths?: Record<string, unknown> }) {
  const { model, problems } = modelOf({
    ...(given.root === undefined ? {} : { servers: given.root }),
    paths: given.paths ?? {},
  });
  const servers = model.servers.map(({ url, variables }) => [
    url,
    Object.fromEntries(variables.map((it) => [it.name, it.default])),
  ]);
  const used = Object.fromEntries(model.operations.map(({ method, path, server }) => [`${method} ${path}`, server]));
  return { servers, used, problems };
}

describe("the descriptor's own server", () => {
  const cases: [string, unknown, unknown[]][] = [
    [
      'without variables becomes one variable',
      [{ url: 'https://api.example.com/v1/' }],
      ['{base_url}', { base_url: 'https://api.example.com/v1' }],
    ],
    [
      'with variables is unchanged',
      [
        {
          url: 'https://{region}.example.com/{version}/',
          variables: { region: { default: 'eu' }, version: { default: 'v1' } },
        },
      ],
      ['https://{region}.example.com/{version}', { region: 'eu', version: 'v1' }],
    ],
    [
      'that is one variable is unchanged',
      [{ url: '{notes_base_url}', variables: { notes_base_url: { default: 'https://api.example.com' } } }],
      ['{notes_base_url}', { notes_base_url: 'https://api.example.com' }],
    ],
    [
      'is the first of several',
      [{ url: 'https://a.example' }, { url: 'https://b.example' }],
      ['{base_url}', { base_url: 'https://a.example' }],
    ],
    ['may be relative', [{ url: '/v1' }], ['{base_url}', { base_url: '/v1' }]],
    ['is / where there is none', undefined, ['{base_url}', { base_url: '/' }]],
    ['is / where the list is empty', [], ['{base_url}', { base_url: '/' }]],
    ['has an empty default for an undeclared variable', [{ url: 'https://{host}' }], ['https://{host}', { host: '' }]],
  ];
  test.each(cases)('%s', (_title, given, want) => {
    const { servers, problems } = serversOf({ root: given });
    expect(servers).toEqual([want]);
    expect(problems).toEqual([]);
  });
});

describe('servers of path items and operations', () => {
  const paths = {
    '/a': {
      get: { ...OK, servers: [{ url: 'https://uploads.example.com' }] },
      put: OK,
      servers: [{ url: 'https://files.example.com/v2' }],
    },
    '/b': { get: OK },
    '/c': { get: { ...OK, servers: [{ url: 'https://api.example.com/' }] } },
    '/d': { get: { ...OK, servers: [] } },
  };
  const root = [{ url: 'https://api.example.com' }];

  test('override those of the levels above, and have their own names', () => {
    const { servers, used } = serversOf({ root, paths });
    expect(used).toEqual({
      'GET /a': '{uploads_example_com_base_url}',
      'PUT /a': '{files_example_com_v2_base_url}',
      'GET /b': '{base_url}',
      'GET /c': '{base_url}',
      'GET /d': '{base_url}',
    });
    expect(servers).toEqual([
      ['{base_url}', { base_url: 'https://api.example.com' }],
      ['{files_example_com_v2_base_url}', { files_example_com_v2_base_url: 'https://files.example.com/v2' }],
      ['{uploads_example_com_base_url}', { uploads_example_com_base_url: 'https://uploads.example.com' }],
    ]);
  });

  test('have the same names in any order', () => {
    const reordered = Object.fromEntries(Object.entries(paths).reverse());
    expect(serversOf({ root, paths: reordered })).toEqual(serversOf({ root, paths }));
  });

  test('get different names where host and path read the same', () => {
    const urls = ['https://a-b.example', 'https://a.b.example'];
    const { servers, used } = serversOf({
      root,
      paths: Object.fromEntries(urls.map((url, index) => [`/${index}`, { get: { ...OK, servers: [{ url }] } }])),
    });
    expect(used).toEqual({
      'GET /0': '{a_b_example_541c5e1c_base_url}',
      'GET /1': '{a_b_example_bfa3cae5_base_url}',
    });
    expect(servers).toHaveLength(3);
  });

  test('are left out where every operation has its own', () => {
    const own = {
      get: { ...OK, servers: [{ url: 'https://b.example' }] },
      servers: [{ url: 'https://unused.example' }],
    };
    expect(serversOf({ root, paths: { '/a': own } }).servers.map(([url]) => url)).toEqual([
      '{base_url}',
      '{b_example_base_url}',
    ]);
  });

  const subdomain = (url: string, value: string) => ({
    url,
    variables: { sub: { default: value }, site: { default: 'x.example' } },
  });
  const at = (value: string, url = 'https://{sub}.{site}') => ({ get: { ...OK, servers: [subdomain(url, value)] } });

  test('have separate variables where their defaults differ', () => {
    const paths = {
      '/a': { get: OK },
      '/b': at('http-intake.logs'),
      '/c': at('api'),
      '/d': at('logs', 'https://{sub}/d'),
    };
    const given = { root: [subdomain('https://{sub}.{site}', 'api')], paths };
    const { servers, used, problems } = serversOf(given);
    expect(problems).toEqual([]);
    expect(used).toEqual({
      'GET /a': 'https://{sub}.{site}',
      'GET /b': 'https://{sub_http_intake_logs}.{site}',
      'GET /c': 'https://{sub}.{site}',
      'GET /d': 'https://{sub_logs}/d',
    });
    expect(servers.map(([, variables]) => variables)).toEqual([
      { sub: 'api', site: 'x.example' },
      { sub_http_intake_logs: 'http-intake.logs', site: 'x.example' },
      { sub_logs: 'logs' },
    ]);
    const reordered = Object.fromEntries(Object.entries(paths).reverse());
    expect(serversOf({ ...given, paths: reordered }).used).toEqual(used);
  });

  test('have a digest in a variable that cannot be named after its default', () => {
    const { used } = serversOf({
      root: [subdomain('https://{sub}.{site}', 'api')],
      paths: { '/a': at('a.b'), '/b': at('a-b'), '/c': at('') },
    });
    expect(new Set(Object.values(used)).size).toBe(3);
    for (const url of Object.values(used)) expect(url).toMatch(/^https:\/\/\{sub_[0-9a-f]{8}\}\.\{site\}$/);
  });
});
