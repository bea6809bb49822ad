/** Requests for prices and tables. */

import type { Content, Journey } from './journey.ts';

const column = (name: string) => ({ name, type: name === 'date' ? 'Date' : 'String' });
const table = (columns: readonly string[], data: readonly unknown[][], cursor: string | null = null) => ({
  datatable: { data, columns: columns.map(column) },
  meta: { next_cursor_id: cursor },
});
const PRICES = { vendorCode: 'QUOTEMEDIA', tableCode: 'PRICES' };

/** The rows of every page of a table. */
async function rowsOf(pages: readonly Content[]): Promise<Content[]> {
  return pages.flatMap(({ datatable }) => (datatable as Content).data as Content[]);
}

export const datatableJourneys: readonly Journey[] = [
  {
    request: "What was Apple's close last Friday (20 November 2026)?",
    words: {
      datatable_get_datatable_metadata: ['No tool finds a table by its name: use the codes that other tools name'],
      datatable_get_end_of_day_quote: ['QUOTEMEDIA/PRICES', 'For one day give it as dateGte and dateLte', 'e.g. AAPL'],
      datatable_get_real_time_quote: ['Returns end-of-day prices, never live ones'],
    },
    answers: {
      'GET /api/v3/datatables/QUOTEMEDIA/PRICES.json?ticker=AAPL&date.gte=2026-11-20&date.lte=2026-11-20&qopts.per_page=100':
        table(['ticker', 'date', 'close'], [['AAPL', '2026-11-20', 271.5]]),
    },
    steps: async (call) => {
      const day = { dateGte: '2026-11-20', dateLte: '2026-11-20' };
      const { datatable } = await call('datatable_get_end_of_day_quote', { ...PRICES, ...day, ticker: 'AAPL' });
      return ((datatable as Content).data as Content[])[0]?.close;
    },
    outcome: 271.5,
  },
  {
    request: "Draw Apple's closing prices since 2000.",
    words: {
      datatable_get_end_of_day_quote: ['A year has about 250 rows: for several years', 'use datatable_get_table_row'],
      datatable_get_table_row: ['columns such as ["date", "close"] and perPage 1000', 'rows come in no promised order'],
    },
    answers: {
      'GET /api/v3/datatables/QUOTEMEDIA/PRICES.json?ticker=AAPL&qopts.columns=date,close&qopts.per_page=1000': table(
        ['date', 'close'],
        [
          ['2000-01-04', 102.5],
          ['1999-12-31', 102.8],
        ],
        'n2',
      ),
      'GET /api/v3/datatables/QUOTEMEDIA/PRICES.json?ticker=AAPL&qopts.columns=date,close&qopts.per_page=1000&qopts.cursor_id=n2':
        table(['date', 'close'], [['2000-01-03', 111.9]]),
    },
    steps: async (call) => {
      const pages: Content[] = [];
      let args: Content | null = {
        ...PRICES,
        filterColumnName: 'ticker',
        filterColumnValue: 'AAPL',
        columns: ['date', 'close'],
        perPage: 1000,
      };
      while (args !== null) {
        const page: Content = await call('datatable_get_table_row', args);
        pages.push(page);
        args = (page.page as { nextArguments: Content | null }).nextArguments;
      }
      const rows = (await rowsOf(pages)).filter(({ date }) => String(date) >= '2000-01-01');
      return rows.map(({ date, close }) => `${date} ${close}`).sort();
    },
    outcome: ['2000-01-03 111.9', '2000-01-04 102.5'],
  },
  {
    request: 'Compare the closes of Apple and Microsoft on 20 November 2026.',
    words: { datatable_get_end_of_day_quote: ['several joined by commas'] },
    answers: {
      'GET /api/v3/datatables/QUOTEMEDIA/PRICES.json?ticker=AAPL%2CMSFT&date.gte=2026-11-20&date.lte=2026-11-20&qopts.per_page=100':
        table(
          ['ticker', 'close'],
          [
            ['AAPL', 271.5],
            ['MSFT', 480.1],
          ],
        ),
    },
    steps: async (call) => {
      const day = { dateGte: '2026-11-20', dateLte: '2026-11-20', cursorId: null };
      const answer = await call('datatable_get_end_of_day_quote', { ...PRICES, ...day, ticker: ['AAPL', 'MSFT'] });
      return (await rowsOf([answer])).map(({ ticker, close }) => [ticker, close]);
    },
    outcome: [
      ['AAPL', 271.5],
      ['MSFT', 480.1],
    ],
  },
  {
    request: 'All analyst ratings of Apple, please.',
    words: {
      datatable_get_analyst_ratings: [
        'at most 100 rows',
        'If meta.next_cursor_id is not null there are more',
        'ZACKS/AR',
      ],
    },
    answers: {
      'GET /api/v3/datatables/ZACKS/AR.json?ticker=AAPL&qopts.per_page=100': table(
        ['ticker', 'rating'],
        [['AAPL', 2]],
        'n2',
      ),
      'GET /api/v3/datatables/ZACKS/AR.json?ticker=AAPL&qopts.per_page=100&qopts.cursor_id=n2': table(
        ['ticker', 'rating'],
        [['AAPL', 3]],
      ),
    },
    steps: async (call) => {
      const codes = { vendorCode: 'ZACKS', tableCode: 'AR' };
      const first = await call('datatable_get_analyst_ratings', { ...codes, symbol: 'AAPL' });
      const { next_cursor_id: cursorId } = first.meta as Content;
      const filter = { filterColumnName: 'ticker', filterColumnValue: 'AAPL' };
      const rest = await call('datatable_get_table_row', { ...codes, ...filter, cursorId });
      return (await rowsOf([first, rest])).map(({ rating }) => rating);
    },
    outcome: [2, 3],
  },
];
