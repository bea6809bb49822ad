/** Finds the changes of a migration that would break a gateway of the previous version. */

import { sql } from 'kysely';
import { migrateToLatest } from '../../../../server/base/store/migrate.ts';
import { describeTables, type TableDescription } from '../../../../server/base/store/tables/describe.ts';
import type { TableSet } from '../../../../server/base/store/tables/table-set.ts';
import { keyBytes } from '../../../support/keys.ts';
import type { StoreUnderTest } from './dialects.ts';
import { fillEveryTable } from './every-table.ts';

const RING = [{ id: 'k1', key: keyBytes(1) }];

/**
 * Runs the migrations of a newer version on a migrated database with rows in every table, and lets the older version write.
 *
 * @param from an even number, different for each call on one database: see `fillEveryTable`.
 * @returns one sentence for each break; empty if an older gateway can continue.
 */
export async function findBreaks(
  given: StoreUnderTest,
  older: readonly TableSet[],
  newer: readonly TableSet[],
  from = 0,
): Promise<string[]> {
  const { store, dialect } = given;
  await migrateToLatest(store.db, dialect, older);
  await fillEveryTable(given, RING, { from });
  const before = await describe(given);
  const rows = await readRows(given, before.tables);
  await migrateToLatest(store.db, dialect, newer);
  const after = await describe(given);
  const breaks = [...before.tables.flatMap((table) => compare(table, after.tables)), ...compareKeys(before, after)];
  if (breaks.length > 0) return breaks;
  const changed = Object.entries(await readRows(given, before.tables)).filter(([name, found]) => found !== rows[name]);
  return changed.map(([name]) => `the rows of ${name} are changed`);
}

interface Keys {
  /** Unique columns, by table, as `table (columns)`. */
  readonly unique: ReadonlySet<string>;
  /** Rows that prevent the removal of the row that they refer to, as `table -> table`. */
  readonly blocking: ReadonlySet<string>;
}

interface Described extends Keys {
  readonly tables: readonly TableDescription[];
}

async function describe({ store: { db }, dialect }: StoreUnderTest): Promise<Described> {
  const { unique, blocking } = dialect === 'sqlite' ? SQLITE : POSTGRES;
  const namesIn = (rows: readonly { name: string }[]) => new Set(rows.map(({ name }) => name));
  return {
    tables: await describeTables(db, dialect),
    unique: namesIn((await unique.execute(db)).rows),
    blocking: namesIn((await blocking.execute(db)).rows),
  };
}

function compare({ name, columns }: TableDescription, after: readonly TableDescription[]): string[] {
  const table = after.find((each) => each.name === name);
  if (table === undefined) return [`the table ${name} is gone`];
  const known = new Set(columns.map((column) => column.name));
  const required = table.columns.filter((each) => !known.has(each.name) && !each.isNullable && !each.hasDefault);
  return [
    ...required.map((column) => `${name}.${column.name} is new and needs a value`),
    ...columns.flatMap((column) => compareColumn(name, column, table.columns)),
  ];
}

type Column = TableDescription['columns'][number];

function compareColumn(table: string, column: Column, after: readonly Column[]): string[] {
  const now = after.find((each) => each.name === column.name);
  const name = `${table}.${column.name}`;
  if (now === undefined) return [`the column ${name} is gone`];
  return [
    ...(now.type === column.type ? [] : [`${name} is ${now.type} instead of ${column.type}`]),
    ...(column.isNullable && !now.isNullable ? [`${name} needs a value`] : []),
    ...(now.references === column.references ? [] : [`${name} refers to another table`]),
  ];
}

function compareKeys(before: Described, after: Described): string[] {
  const isKnown = (name: string) => before.tables.some((table) => name.startsWith(`${table.name} (`));
  const unique = [...after.unique].filter((name) => isKnown(name) && !before.unique.has(name));
  const blocking = [...after.blocking].filter((name) => !before.blocking.has(name));
  return [
    ...unique.map((name) => `${name} is unique now`),
    ...blocking.map((name) => `${name} keeps rows from being removed`),
  ];
}

/** By table, the columns of each row that the older version knows. */
async function readRows(
  { store: { db } }: StoreUnderTest,
  tables: readonly TableDescription[],
): Promise<Record<string, string>> {
  const read = tables.map(async ({ name, key, columns }) => {
    const names = sql.join(columns.map((column) => sql.ref(column.name)));
    const { rows } = await sql`select ${names} from ${sql.table(name)} order by ${sql.ref(key)}`.execute(db);
    return [name, JSON.stringify(rows)] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}

const SQLITE = {
  unique: sql<{ name: string }>`
    select m.name || ' (' || (select group_concat(i.name) from pragma_index_info(l.name) i) || ')' as name
      from sqlite_master m, pragma_index_list(m.name) l where m.type = 'table' and l."unique" = 1`,
  blocking: sql<{ name: string }>`
    select m.name || ' -> ' || f."table" as name from sqlite_master m, pragma_foreign_key_list(m.name) f
     where m.type = 'table' and f.on_delete not in ('CASCADE', 'SET NULL')`,
};

const POSTGRES = {
  unique: sql<{ name: string }>`
    select i.indrelid::regclass || ' (' || (
             select string_agg(coalesce(a.attname, '?'), ',') from unnest(i.indkey) k
               left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k) || ')' as name
      from pg_index i join pg_class c on c.oid = i.indrelid and c.relnamespace = current_schema()::regnamespace
     where i.indisunique`,
  blocking: sql<{ name: string }>`
    select conrelid::regclass || ' -> ' || confrelid::regclass as name from pg_constraint
     where contype = 'f' and connamespace = current_schema()::regnamespace and confdeltype not in ('c', 'n')`,
};
