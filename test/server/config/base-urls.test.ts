import { describe, expect, it } from 'vitest';
import { resolveBaseUrls } from '../../../server/base/base-urls.ts';
import type { ServerTemplate } from '../../../server/contract/index.ts';

const variable = (name: string, value: string, derive: { from: string; removeSuffix: string } | null = null) => ({
  name,
  env: name.toUpperCase(),
  default: value,
  derive,
});

const SERVERS: readonly ServerTemplate[] = [
  { url: '{datatable_base_url}', variables: [variable('datatable_base_url', 'https://data.example/api/v3')] },
  {
    url: '{datatable_root_url}',
    variables: [
      variable('datatable_root_url', 'https://data.example', { from: 'datatable_base_url', removeSuffix: '/api/v3' }),
    ],
  },
];

const ROWS: readonly [string, Record<string, string>, [string, string]][] = [
  ['the defaults', {}, ['https://data.example/api/v3', 'https://data.example']],
  [
    'the values of the environment',
    { DATATABLE_BASE_URL: 'http://127.0.0.1:4000/api/v3' },
    ['http://127.0.0.1:4000/api/v3', 'http://127.0.0.1:4000'],
  ],
  [
    'a final slash, which it removes',
    { DATATABLE_BASE_URL: 'http://127.0.0.1:4000/api/v3/' },
    ['http://127.0.0.1:4000/api/v3', 'http://127.0.0.1:4000'],
  ],
  [
    'a base without the suffix unchanged',
    { DATATABLE_BASE_URL: 'http://127.0.0.1:4000' },
    ['http://127.0.0.1:4000', 'http://127.0.0.1:4000'],
  ],
  [
    'a derived variable by its own name',
    { DATATABLE_ROOT_URL: 'https://other.example' },
    ['https://data.example/api/v3', 'https://other.example'],
  ],
  ['an empty value as unset', { DATATABLE_BASE_URL: '' }, ['https://data.example/api/v3', 'https://data.example']],
];

describe('resolveBaseUrls', () => {
  for (const [title, values, want] of ROWS) {
    it(`accepts ${title}`, () => {
      expect([...resolveBaseUrls(SERVERS, values).values()]).toEqual(want);
    });
  }

  it('keeps a final slash of an MCP endpoint', () => {
    const servers = [{ url: '{base_url}', variables: [variable('base_url', 'https://mcp.example/mcp/')] }];
    expect([...resolveBaseUrls(servers, {}, { keepsSlash: true }).values()]).toEqual(['https://mcp.example/mcp/']);
  });

  it('fills a variable inside a URL', () => {
    const servers = [{ url: 'https://{region}.example/v1/', variables: [variable('region', 'eu')] }];
    expect([...resolveBaseUrls(servers, { REGION: 'us' }).entries()]).toEqual([
      ['https://{region}.example/v1/', 'https://us.example/v1'],
    ]);
  });

  it('removes all slashes at the end, and none inside', () => {
    const given = { DATATABLE_BASE_URL: 'http://127.0.0.1:4000/a//b/api/v3//' };
    expect([...resolveBaseUrls(SERVERS, given).values()]).toEqual([
      'http://127.0.0.1:4000/a//b/api/v3',
      'http://127.0.0.1:4000/a//b',
    ]);
    const derive = { from: 'base', removeSuffix: '/api//' };
    const servers = [
      { url: '{base}', variables: [variable('base', 'https://data.example/api')] },
      { url: '{root}', variables: [variable('root', '', derive)] },
      { url: '{alone}', variables: [variable('alone', 'https://alone.example', { ...derive, from: 'absent' })] },
    ];
    expect([...resolveBaseUrls(servers, {}).values()]).toEqual([
      'https://data.example/api',
      'https://data.example',
      'https://alone.example',
    ]);
  });

  it('replaces an undeclared variable by nothing', () => {
    expect([...resolveBaseUrls([{ url: 'https://data.example/{x}', variables: [] }], {}).values()]).toEqual([
      'https://data.example',
    ]);
  });

  for (const [title, url, problem] of [
    ['another scheme', 'ftp://data.example', 'must begin with https:// or http://'],
    ['a relative URL', '/api', 'is not an absolute URL: /api'],
    ['a user', 'https://ada@data.example', 'must have no user, query or fragment'],
    ['a password', 'https://:pw@data.example', 'must have no user, query or fragment'],
    ['a query', 'https://data.example?x=1', 'must have no user, query or fragment'],
    ['a fragment', 'https://data.example#x', 'must have no user, query or fragment'],
  ] as const) {
    it(`rejects ${title}`, () => {
      const env = 'DATATABLE_BASE_URL';
      const refusal = { name: 'BaseUrlError', env, message: `${env} ${problem}` };
      expect(() => resolveBaseUrls(SERVERS, { [env]: url })).toThrow(expect.objectContaining(refusal));
      const refusalOfNone = { env: null, message: `the server URL ${problem}` };
      expect(() => resolveBaseUrls([{ url, variables: [] }], {})).toThrow(expect.objectContaining(refusalOfNone));
    });
  }
});
