/** Copies the rows of every table from one database to another, and reads them back. */

import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { TableDescription } from '../../../server/base/store/tables/describe.ts';
import { FailureError } from '../../../shared/cli/run.ts';

/** A database whose tables are described by the database itself. */
export type AnyDatabase = Kysely<Record<string, Record<string, unknown>>>;

/** Progress of the copy of a table. */
export interface CopyProgress {
  readonly table: string;
  readonly copied: number;
  readonly rows: number;
}

const BATCH_ROWS = 500;

/** Per statement: SQLite's limit is 32,766. */
const MAX_PARAMETERS = 30_000;

const DIGEST_BITS = 256n;

/**
 * Copies tables in the given order.
 *
 * Both sides are transactions: the source's sees one state, the target's keeps all or nothing.
 *
 * @returns the number of rows.
 * @throws {FailureError} for a value that a store cannot contain, and if the target returns different data.
 */
export async function copyRows(
  source: AnyDatabase,
  target: AnyDatabase,
  tables: readonly TableDescription[],
  onProgress: (progress: CopyProgress) => void,
): Promise<number> {
  let total = 0;
  for (const table of tables) {
    const rows = await countRows(source, table.name);
    const sourceDigest = createDigest(table);
    let copied = 0;
    for await (const batch of readRows(source, table)) {
      for (const row of batch) checkRow(table, row);
      await target
        .insertInto(table.name)
        .values([...batch])
        .execute()
        .catch((error: unknown) => {
          throw new FailureError(`The target refuses rows of ${table.name}: ${messageOf(error)}. Nothing was copied.`);
        });
      sourceDigest.add(batch);
      copied += batch.length;
      onProgress({ table: table.name, copied, rows });
    }
    const targetDigest = createDigest(table);
    for await (const batch of readRows(target, table)) targetDigest.add(batch);
    if (copied !== rows || sourceDigest.value() !== targetDigest.value()) {
      throw new FailureError(`The rows of ${table.name} are not the same in the target. Nothing was copied.`);
    }
    total += rows;
  }
  return total;
}

export async function countRows(db: AnyDatabase, name: string): Promise<number> {
  const row = await db
    .selectFrom(name)
    .select(({ fn }) => fn.countAll<number | string>().as('rows'))
    .executeTakeFirstOrThrow();
  return Number(row.rows);
}

/** Reads every row in batches, ordered by its key as the database sorts it. */
async function* readRows(db: AnyDatabase, { name, key, columns }: TableDescription) {
  const limit = Math.min(BATCH_ROWS, Math.floor(MAX_PARAMETERS / columns.length));
  for (let last: unknown; ; ) {
    let query = db
      .selectFrom(name)
      .select(columns.map((column) => column.name))
      .orderBy(key)
      .limit(limit);
    if (last !== undefined) query = query.where(key, '>', last);
    const batch: readonly Record<string, unknown>[] = await query.execute();
    if (batch.length > 0) yield batch;
    if (batch.length < limit) return;
    last = batch.at(-1)?.[key];
  }
}

/** SQLite accepts any type in any column; PostgreSQL and the gateway do not. */
function checkRow({ name, key, columns }: TableDescription, row: Readonly<Record<string, unknown>>): void {
  for (const { name: column, type } of columns) {
    const value = row[column];
    const problem = value === null ? null : problemOf(type, value);
    if (problem === null) continue;
    throw new FailureError(
      `${name}.${column} of the row ${JSON.stringify(row[key])} ${problem}. No gateway writes such a value: correct it or ` +
        'remove the row in the source, and copy again. Nothing was copied.',
    );
  }
}

function problemOf(type: 'text' | 'integer' | 'bigint', value: unknown): string | null {
  if (type !== 'text') return Number.isSafeInteger(value) ? null : 'is not a whole number below 2^53';
  if (typeof value !== 'string') return 'is not text';
  return value.includes('\0') ? 'holds a NUL character, which PostgreSQL cannot keep' : null;
}

/** Creates a digest of rows in any order, because databases sort text differently: the sum of their SHA-256. */
function createDigest({ columns }: TableDescription) {
  let sum = 0n;
  return {
    add(rows: readonly Readonly<Record<string, unknown>>[]): void {
      for (const row of rows) {
        const text = JSON.stringify(columns.map(({ name }) => row[name]));
        sum = BigInt.asUintN(Number(DIGEST_BITS), sum + BigInt(`0x${createHash('sha256').update(text).digest('hex')}`));
      }
    },
    value: () => sum,
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
