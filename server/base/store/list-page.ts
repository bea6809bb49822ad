/** Lists: keyset pagination in both directions, and a search by a part of a text. */

import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';

/**
 * The beginning of a page. With `before`, the page begins with the row that follows this key in the list, in most lists an older row. With `after`,
 * it ends with the row that precedes this key. With neither, it begins at the top.
 */
export interface ListPlace {
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
  readonly place: ListPlace;
  /** Rows per page. */
  readonly limit: number;
  placeOf(row: Row): string;
  /** Reads the first `limit` rows from a place on; with `after`, nearest first. */
  read(place: ListPlace, limit: number): Promise<readonly Row[] | Reading<Row>>;
}

/** Reads a page. A page that would reach the top is replaced by the first page, so that it is full. */
export async function readListPage<Row>(reader: ListReader<Row>): Promise<ListPage<Row>> {
  const { before, after } = reader.place;
  if (after !== undefined) {
    const { rows, next } = await step(reader, { after });
    const [nearest] = rows;
    if (next === null) return readListPage({ ...reader, place: {} });
    return { rows: rows.toReversed(), newer: next, older: nearest === undefined ? after : reader.placeOf(nearest) };
  }
  const { rows, next } = await step(reader, before === undefined ? {} : { before });
  const [first] = rows;
  return {
    rows,
    newer: before === undefined ? null : first === undefined ? before : reader.placeOf(first),
    older: next,
  };
}

async function step<Row>({ limit, read, placeOf }: ListReader<Row>, place: ListPlace) {
  const reading = await read(place, limit + 1);
  const { rows: found, end = null } = 'rows' in reading ? reading : { rows: reading };
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, next: found.length > limit && last !== undefined ? placeOf(last) : end };
}

/** Makes a query read from a place on in the order of a key, newest first; with `after`, the nearest newer rows, oldest first. */
export function fromPlace<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  key: string,
  { before, after }: ListPlace,
): SelectQueryBuilder<DB, TB, Row> {
  const column = sql.ref<string>(key);
  let placed = query.orderBy(column, after === undefined ? 'desc' : 'asc');
  if (before !== undefined) placed = placed.where(sql<SqlBool>`${column} < ${before}`);
  if (after !== undefined) placed = placed.where(sql<SqlBool>`${column} > ${after}`);
  return placed;
}

/**
 * True where the column contains the text. The case of ASCII letters does not matter; that of others does on SQLite.
 *
 * @param column such as `u.external_user_id`.
 */
export function contains(column: string, text: string): RawBuilder<boolean> {
  const pattern = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql<boolean>`lower(${sql.ref(column)}) like lower(${pattern}) escape '\\'`;
}
