/** Literal requests of the datatable tools, written from the upstream's documents; longer than 300 lines because it is a table. */

import type { SentHeaders, WireCase } from './case.ts';

export const datatableHeaders: SentHeaders = {
  headers: { 'x-api-token': 'test-datatable-key' },
  absentHeaders: ['authorization'],
};

const COLUMNS = [
  { name: 'ticker', type: 'String' },
  { name: 'date', type: 'Date' },
  { name: 'close', type: 'BigDecimal(34,12)' },
];
const FIRST_PAGE = {
  datatable: {
    data: [
      ['AAPL', '2026-11-19', 270.88],
      ['AAPL', '2026-11-20', null],
    ],
    columns: COLUMNS,
  },
  meta: { next_cursor_id: 'djFfMg==' },
};
const FIRST_PAGE_ROWS = {
  datatable: {
    data: [
      { ticker: 'AAPL', date: '2026-11-19', close: 270.88 },
      { ticker: 'AAPL', date: '2026-11-20', close: null },
    ],
    columns: COLUMNS,
  },
  meta: { next_cursor_id: 'djFfMg==' },
};
const LAST_PAGE = {
  datatable: { data: [['AAPL', '2026-11-20', 271.74]], columns: COLUMNS },
  meta: { next_cursor_id: null },
};
const LAST_PAGE_ROWS = {
  datatable: { data: [{ ticker: 'AAPL', date: '2026-11-20', close: 271.74 }], columns: COLUMNS },
  meta: { next_cursor_id: null },
};
const METADATA = {
  datatable: {
    vendor_code: 'QUOTEMEDIA',
    datatable_code: 'PRICES',
    name: 'End of Day US Stock Prices',
    description: null,
    columns: COLUMNS,
    filters: ['ticker', 'date'],
    primary_key: ['ticker', 'date'],
    premium: true,
    status: { refreshed_at: '2026-11-20T22:05:12.000Z', status: 'ON TIME', expected_at: null, update_frequency: null },
    data_version: null,
  },
};

export const datatableCases: readonly WireCase[] = [
  {
    tool: 'datatable_get_datatable_metadata',
    title: 'reaches the path that carries /api/v3 itself exactly once',
    arguments: { datatableCode: 'QUOTEMEDIA/PRICES', vendorCode: 'QUOTEMEDIA', tableCode: 'PRICES' },
    sends: 'GET /api/v3/datatables/QUOTEMEDIA/PRICES/metadata.json',
    answer: METADATA,
  },
  {
    tool: 'datatable_get_datatable_metadata',
    title: 'recognizes a refused key in a 400 answer',
    arguments: { datatableCode: 'QUOTEMEDIA/PRICES', vendorCode: 'QUOTEMEDIA', tableCode: 'PRICES' },
    sends: 'GET /api/v3/datatables/QUOTEMEDIA/PRICES/metadata.json',
    status: 400,
    answer: { quandl_error: { code: 'QEAx01', message: 'The key has the wrong format' } },
    error: ['credential_refused', 'The key has the wrong format'],
  },

  {
    tool: 'datatable_get_datatable',
    title: 'asks for the first hundred rows without a filter',
    arguments: { datatableCode: 'QUOTEMEDIA/PRICES', vendorCode: 'QUOTEMEDIA', tableCode: 'PRICES' },
    sends: 'GET /api/v3/datatables/QUOTEMEDIA/PRICES.json?qopts.per_page=100',
    answer: FIRST_PAGE,
    result: FIRST_PAGE_ROWS,
  },
  {
    tool: 'datatable_get_datatable',
    title: 'recognizes an error inside a 200 answer',
    arguments: { datatableCode: 'ZACKS/FC', vendorCode: 'ZACKS', tableCode: 'FC' },
    sends: 'GET /api/v3/datatables/ZACKS/FC.json?qopts.per_page=100',
    answer: { quandl_error: { code: 'QEPx04', message: 'You need a subscription' } },
    error: ['QEPx04', 'You need a subscription'],
  },
  {
    tool: 'datatable_get_datatable',
    title: 'recognizes a refused key inside a 200 answer',
    arguments: { datatableCode: 'ZACKS/FC', vendorCode: 'ZACKS', tableCode: 'FC' },
    sends: 'GET /api/v3/datatables/ZACKS/FC.json?qopts.per_page=100',
    answer: { quandl_error: { code: 'QEAx01', message: 'The key has the wrong format' } },
    error: ['credential_refused', 'The key has the wrong format'],
  },

  {
    tool: 'datatable_get_table_row',
    title: 'makes the filtered column a parameter and joins the columns with commas',
    arguments: {
      datatableCode: 'QUOTEMEDIA/PRICES',
      vendorCode: 'QUOTEMEDIA',
      tableCode: 'PRICES',
      filterColumnName: 'date.gte',
      filterColumnValue: '2026-11-19',
      columns: ['ticker', 'date', 'close'],
      perPage: 2,
      cursorId: 'djFfMQ==',
    },
    sends:
      'GET /api/v3/datatables/QUOTEMEDIA/PRICES.json?date.gte=2026-11-19&qopts.columns=ticker,date,close&qopts.per_page=2&qopts.cursor_id=djFfMQ%3D%3D',
    answer: FIRST_PAGE,
    result: FIRST_PAGE_ROWS,
    next: { cursorId: 'djFfMg==' },
  },
  {
    tool: 'datatable_get_table_row',
    title: 'needs no datatableCode and encodes the commas of several values',
    arguments: {
      vendorCode: 'QUOTEMEDIA',
      tableCode: 'PRICES',
      filterColumnName: 'ticker',
      filterColumnValue: 'AAPL,BRK B&C',
    },
    sends: 'GET /api/v3/datatables/QUOTEMEDIA/PRICES.json?ticker=AAPL%2CBRK%20B%26C&qopts.per_page=100',
    answer: LAST_PAGE,
    result: LAST_PAGE_ROWS,
    next: null,
  },
  {
    tool: 'datatable_get_table_row',
    title: 'takes a number for its text, and drops an empty check and cursor',
    arguments: {
      datatableCode: '',
      vendorCode: 'ZACKS',
      tableCode: 'FC',
      filterColumnName: 'fiscal_year.gte',
      filterColumnValue: 2025,
      cursorId: '',
    },
    sends: 'GET /api/v3/datatables/ZACKS/FC.json?fiscal_year.gte=2025&qopts.per_page=100',
    answer: LAST_PAGE,
    result: LAST_PAGE_ROWS,
    next: null,
  },
  {
    tool: 'datatable_get_table_row',
    title: 'reports a column that cannot be filtered',
    arguments: { vendorCode: 'ZACKS', tableCode: 'FC', filterColumnName: 'net_loss', filterColumnValue: '1' },
    sends: 'GET /api/v3/datatables/ZACKS/FC.json?net_loss=1&qopts.per_page=100',
    status: 422,
    answer: { quandl_error: { code: 'QESx04', message: 'You cannot filter by net_loss' } },
    error: ['QESx04', 'You cannot filter by net_loss'],
  },

  {
    tool: 'datatable_get_dividend_history',
    title: 'sends date as the datekey filter',
    arguments: {
      ticker: 'AAPL',
      date: '2026-10-30',
      columns: ['ticker', 'date', 'close'],
      perPage: 1,
      cursorId: 'a',
      vendorCode: 'SHARADAR',
      tableCode: 'SF1',
    },
    sends:
      'GET /api/v3/datatables/SHARADAR/SF1.json?ticker=AAPL&datekey=2026-10-30&qopts.columns=ticker,date,close&qopts.per_page=1&qopts.cursor_id=a',
    answer: FIRST_PAGE,
    result: FIRST_PAGE_ROWS,
    next: { cursorId: 'djFfMg==' },
  },
  {
    tool: 'datatable_get_dividend_history',
    title: 'adds no filter and no column of its own, and asks for 100 rows',
    arguments: { ticker: 'AAPL', vendorCode: 'SHARADAR', tableCode: 'SF1' },
    sends: 'GET /api/v3/datatables/SHARADAR/SF1.json?ticker=AAPL&qopts.per_page=100',
    answer: LAST_PAGE,
    result: LAST_PAGE_ROWS,
    next: null,
  },

  {
    tool: 'datatable_get_analyst_ratings',
    title: 'sends symbol as the ticker filter and asks for 100 rows',
    arguments: { symbol: 'AAPL', vendorCode: 'ZACKS', tableCode: 'AR' },
    sends: 'GET /api/v3/datatables/ZACKS/AR.json?ticker=AAPL&qopts.per_page=100',
    answer: LAST_PAGE,
    result: LAST_PAGE_ROWS,
  },

  {
    tool: 'datatable_get_end_of_day_quote',
    title: 'sends the range of dates as operators on the date column',
    arguments: {
      ticker: 'AAPL',
      dateGte: '2026-11-01',
      dateLte: '2026-11-20',
      perPage: 2,
      cursorId: 'a',
      vendorCode: 'QUOTEMEDIA',
      tableCode: 'PRICES',
    },
    sends:
      'GET /api/v3/datatables/QUOTEMEDIA/PRICES.json?ticker=AAPL&date.gte=2026-11-01&date.lte=2026-11-20&qopts.per_page=2&qopts.cursor_id=a',
    answer: FIRST_PAGE,
    result: FIRST_PAGE_ROWS,
    next: { cursorId: 'djFfMg==' },
  },

  {
    tool: 'datatable_get_end_of_day_quote',
    title: 'joins the tickers of an array by commas',
    arguments: { ticker: ['AAPL', 'MSFT'], vendorCode: 'QUOTEMEDIA', tableCode: 'PRICES', perPage: 4 },
    sends: 'GET /api/v3/datatables/QUOTEMEDIA/PRICES.json?ticker=AAPL%2CMSFT&qopts.per_page=4',
    answer: LAST_PAGE,
    result: LAST_PAGE_ROWS,
    next: null,
  },

  {
    tool: 'datatable_get_real_time_quote',
    title: "makes the end-of-day quote's call",
    arguments: {
      ticker: 'AAPL',
      dateGte: '2026-11-01',
      dateLte: '2026-11-20',
      perPage: 2,
      cursorId: 'a',
      vendorCode: 'QUOTEMEDIA',
      tableCode: 'PRICES',
    },
    sends:
      'GET /api/v3/datatables/QUOTEMEDIA/PRICES.json?ticker=AAPL&date.gte=2026-11-01&date.lte=2026-11-20&qopts.per_page=2&qopts.cursor_id=a',
    answer: FIRST_PAGE,
    result: FIRST_PAGE_ROWS,
    next: { cursorId: 'djFfMg==' },
  },
];
