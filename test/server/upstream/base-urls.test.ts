import { describe, expect, it } from 'vitest';
import type { ServerTemplate } from '../../../server/contract/index.ts';
import { resolveBaseUrls } from '../../../server/upstream/index.ts';

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
    'what the environment says',
    { DATATABLE_BASE_URL: 'http://127.0.0.1:4000/api/v3' },
    ['http://127.0.0.1:4000/api/v3', 'http://127.0.0.1:4000'],
  ],
  [
    'a final slash away',
    { DATATABLE_BASE_URL: 'http://127.0.0.1:4000/api/v3/' },
    ['http://127.0.0.1:4000/api/v3', 'http://127.0.0.1:4000'],
  ],
  [
    'a base without the suffix as it is',
    { DATATABLE_BASE_URL: 'http://127.0.0.1:4000' },
    ['http://127.0.0.1:4000', 'http://127.0.0.1:4000'],
  ],
  [
    'a derived variable by its own name',
    { DATATABLE_ROOT_URL: 'https://other.example' },
    ['https://data.example/api/v3', 'https://other.example'],
  ],
  ['an empty value as not set', { DATATABLE_BASE_URL: '' }, ['https://data.example/api/v3', 'https://data.example']],
];

describe('resolveBaseUrls', () => {
  for (const [title, values, want] of ROWS) {
    it(`takes ${title}`, () => {
      expect([...resolveBaseUrls(SERVERS, values).values()]).toEqual(want);
    });
  }

  it('fills a variable inside a URL', () => {
    const servers = [{ url: 'https://{region}.example/v1/', variables: [variable('region', 'eu')] }];
    expect([...resolveBaseUrls(servers, { REGION: 'us' }).entries()]).toEqual([
      ['https://{region}.example/v1/', 'https://us.example/v1'],
    ]);
  });

  for (const [title, url] of [
    ['another scheme', 'ftp://data.example'],
    ['a relative URL', '/api'],
    ['a user', 'https://ada:pw@data.example'],
    ['a query', 'https://data.example?x=1'],
  ] as const) {
    it(`refuses ${title}`, () => {
      expect(() => resolveBaseUrls(SERVERS, { DATATABLE_BASE_URL: url })).toThrow(/^DATATABLE_BASE_URL (is|must)/);
    });
  }
});
