/** Lists: keyset pagination in both directions, and a search by a part of a text. */

import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';

/**
 * The beginning of a page. With `before`, the page begins with the row that follows this key in the list, in most lists an older row. With `after`,
 * it ends with the row that precedes this key. With neither, it begins at the top.
 */
export interface PageCursor {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** The result of one read. */
interface Reading<Row> {
  readonly rows: readonly Row[];
  /** Key of the last examined row, if the read stopped before the end of the list. */
  readonly end?: string | null;
}

/** One page, in list order. `newer` and `older` are keys for the next `after` and `before`, or null if there is no such page. */
export interface ListPage<Row> {
  readonly rows: readonly Row[];
  readonly newer: string | null;
  readonly older: string | null;
}

/** Functions that read a list. */
interface ListReader<Row> {
  readonly place: PageCursor;
  /** Rows per page. */
  readonly limit: number;
  keyOf(row: Row): string;
  /** Reads the first `limit` rows from a place on; with `after`, nearest first. */
  read(place: PageCursor, limit: number): Promise<readonly Row[] | Reading<Row>>;
}

/** Reads a page. A page that would reach the top is replaced by the first page, so that it is full. */
export async function readListPage<Row>(reader: ListReader<Row>): Promise<ListPage<Row>> {
  const { before, after } = reader.place;
  if (after !== undefined) {
    const { rows, next } = await step(reader, { after });
    const [nearest] = rows;
    if (next === null) return readListPage({ ...reader, place: {} });
    return { rows: rows.toReversed(), newer: next, older: nearest === undefined ? after : reader.keyOf(nearest) };
  }
  const { rows, next } = await step(reader, { before });
  if (before === undefined) return { rows, newer: null, older: next };
  const [first] = rows;
  return { rows, newer: first === undefined ? before : reader.keyOf(first), older: next };
}

async function step<Row>({ limit, read, keyOf }: ListReader<Row>, cursor: PageCursor) {
  const reading = await read(cursor, limit + 1);
  const { rows: fetchedRows, end = null } = 'rows' in reading ? reading : { rows: reading };
  const rows = fetchedRows.slice(0, limit);
  const last = rows.at(-1);
  return { rows, next: fetchedRows.length > limit && last !== undefined ? keyOf(last) : end };
}

/** Makes a query read from a place on in the order of a key, newest first; with `after`, the nearest newer rows, oldest first. */
export function fromCursor<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  key: string,
  { before, after }: PageCursor,
): SelectQueryBuilder<DB, TB, Row> {
  const column = sql.ref<string>(key);
  let pagedQuery = query.orderBy(column, after === undefined ? 'desc' : 'asc');
  if (before !== undefined) pagedQuery = pagedQuery.where(sql<SqlBool>`${column} < ${before}`);
  if (after !== undefined) pagedQuery = pagedQuery.where(sql<SqlBool>`${column} > ${after}`);
  return pagedQuery;
}

/**
 * True where the column contains the text. The case of ASCII letters does not matter; that of others does on SQLite.
 *
 * @param column such as `u.external_user_id`.
 */
export function contains(column: string, text: string): RawBuilder<boolean> {
  return sql<boolean>`lower(${sql.ref(column)}) like lower(${likeText(text)}) escape '\\'`;
}

/** Builds the `like` pattern of texts that contain this one, with the escape character `\\`. */
export function likeText(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}
