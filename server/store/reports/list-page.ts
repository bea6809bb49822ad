/** One page of a list that is walked in both directions, by the keys of its rows. */

/**
 * Where a page begins: right behind `before` in the list's order, which for most lists means older; or right ahead of `after`, and
 * then rows are read backwards. Neither: at the top.
 */
export interface ListPlace {
  readonly before?: string;
  readonly after?: string;
}

/** What one reading found. */
interface Reading<Row> {
  readonly rows: readonly Row[];
  /** How far it looked, where it stopped before the list's end. */
  readonly end?: string | null;
}

/** One page, in the list's order. The places are keys for the next `after` and `before`; null: nothing is there. */
export interface ListPage<Row> {
  readonly rows: readonly Row[];
  readonly newer: string | null;
  readonly older: string | null;
}

/** How a list is read. */
interface ListReader<Row> {
  readonly place: ListPlace;
  /** Rows of a page. */
  readonly limit: number;
  placeOf(row: Row): string;
  /** The first `limit` rows from a place on; with `after`, the nearest first. */
  read(place: ListPlace, limit: number): Promise<readonly Row[] | Reading<Row>>;
}

/** Reads a page. One that would reach the top is the first page, so that it is full. */
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
