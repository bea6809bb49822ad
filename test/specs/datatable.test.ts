import { describe, expect, it } from 'vitest';
import { accepts, findTool, loadGenerated } from './generated-connector.ts';

const datatable = await loadGenerated('datatable');

function acceptsColumn(filterColumnName: string): boolean {
  const codes = { vendorCode: 'ZACKS', tableCode: 'FC' };
  return accepts(datatable, 'datatable_get_table_row', { ...codes, filterColumnName, filterColumnValue: 'x' });
}

describe('datatable tools', () => {
  it.each(['ticker', 'per_end_date', 'date.gte', 'date.lte', 'volume.gt', 'volume.lt', 'm_ticker.eq', 'Q1'])(
    'filter by the column %s',
    (name) => {
      expect(acceptsColumn(name)).toBe(true);
    },
  );

  it.each([
    'qopts.per_page',
    'qopts.columns',
    'qopts.cursor_id',
    'qopts.export',
    'api_key',
    'api_key=x&ticker',
    'ticker&qopts.per_page',
    'ticker[]',
    'ticker.in',
    'date.gte.lte',
    '__proto__',
    '1day',
    'ticker\n',
    ' ticker',
    '.gte',
    '',
  ])('do not filter by %j', (name) => {
    expect(acceptsColumn(name)).toBe(false);
  });

  it.each(['datatable_get_datatable_metadata', 'datatable_get_datatable', 'datatable_get_table_row'])(
    '%s compares datatableCode with the codes',
    (name) => {
      expect(findTool(datatable, name).agreements).toEqual([
        { argument: 'datatableCode', template: '{vendorCode}/{tableCode}' },
      ]);
    },
  );

  it('the metadata path is on the server without /api/v3', () => {
    const { operation } = findTool(datatable, 'datatable_get_datatable_metadata');
    expect(operation.server).toBe('{datatable_root_url}');
    expect(datatable.servers).toEqual([
      {
        url: '{datatable_base_url}',
        variables: [
          {
            name: 'datatable_base_url',
            env: 'DATATABLE_BASE_URL',
            default: 'https://data.nasdaq.com/api/v3',
            derive: null,
          },
        ],
      },
      {
        url: '{datatable_root_url}',
        variables: [
          {
            name: 'datatable_root_url',
            env: 'DATATABLE_ROOT_URL',
            default: 'https://data.nasdaq.com',
            derive: { from: 'datatable_base_url', removeSuffix: '/api/v3' },
          },
        ],
      },
    ]);
  });

  it('the credential is sent in one header', () => {
    expect(datatable.credential.parts).toEqual([
      { id: 'apiToken', type: 'header', label: 'Nasdaq Data Link API key', name: 'X-Api-Token' },
    ]);
  });

  it('the real-time quote says first that it returns end-of-day prices', () => {
    const { description } = findTool(datatable, 'datatable_get_real_time_quote');
    expect(description).toMatch(/^Returns end-of-day prices, never live ones/);
    expect(description).toContain('the same call as datatable_get_end_of_day_quote');
  });

  it.each([
    ['no page of 10001 rows', { perPage: 10_001 }, false],
    ['a page of 10000 rows', { perPage: 10_000 }, true],
    ['no empty page', { perPage: 0 }, false],
    ['no date in another form', { dateGte: '11/01/2026' }, false],
    ['no day that does not exist', { dateLte: '2026-02-30' }, false],
  ])('accept %s', (_, extra, want) => {
    const args = { ticker: 'AAPL', vendorCode: 'QUOTEMEDIA', tableCode: 'PRICES', ...extra };
    expect(accepts(datatable, 'datatable_get_end_of_day_quote', args)).toBe(want);
  });
});
