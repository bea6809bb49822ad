/** Reads the tables of a store out of the database's own catalogue, in every detail that one schema can differ from another. */

import { type RawBuilder, sql } from 'kysely';
import type { StoreUnderTest } from '../server/base/store/dialects.ts';

type Row = Record<string, unknown>;

const SQLITE: Readonly<Record<string, RawBuilder<Row>>> = {
  columns: sql`
    select m.name as "table", x.name, x.type, x."notnull", x.dflt_value, x.pk
      from sqlite_master m, pragma_table_xinfo(m.name) x where m.type = 'table' order by m.name, x.cid`,
  keys: sql`
    select m.name as "table", f."from", f."table" as target, f."to", f.on_update, f.on_delete
      from sqlite_master m, pragma_foreign_key_list(m.name) f where m.type = 'table' order by m.name, f."from"`,
  indexes: sql`
    select m.name as "table", l.name, l."unique", l.origin, l.partial,
           (select group_concat(coalesce(i.name, '') || i."desc" || i.coll) from pragma_index_xinfo(l.name) i where i.key = 1) as columns,
           (select s.sql from sqlite_master s where s.name = l.name) as sql
      from sqlite_master m, pragma_index_list(m.name) l where m.type = 'table' order by m.name, l.name`,
  constraints: sql`select name as "table", sql from sqlite_master where type = 'table' order by name`,
};

const POSTGRES: Readonly<Record<string, RawBuilder<Row>>> = {
  tables: sql`
    select relname, relkind, relpersistence from pg_class
     where relnamespace = current_schema()::regnamespace and relkind in ('r', 'S') order by relname`,
  columns: sql`
    select table_name, column_name, data_type, is_nullable, column_default from information_schema.columns
     where table_schema = current_schema() order by table_name, ordinal_position`,
  constraints: sql`
    select conrelid::regclass::text as "table", conname, pg_get_constraintdef(oid) as definition from pg_constraint
     where connamespace = current_schema()::regnamespace order by 1, 2`,
  indexes: sql`select tablename, indexname, indexdef from pg_indexes where schemaname = current_schema() order by indexname`,
};

/** Two stores with the same tables, columns, keys, indexes and defaults give the same value, in whatever words they were created. */
export async function readCatalogue({ store: { db }, dialect }: StoreUnderTest): Promise<Record<string, Row[]>> {
  const queries = Object.entries(dialect === 'sqlite' ? SQLITE : POSTGRES);
  const read = queries.map(async ([name, query]) => [name, (await query.execute(db)).rows.map(unworded)] as const);
  return Object.fromEntries(await Promise.all(read));
}

/** SQLite keeps the words of each statement: of an index, everything counts but case and quotes; of a table, the names of constraints. */
function unworded(row: Row): Row {
  const { sql: statement } = row;
  if (typeof statement !== 'string') return row;
  const plain = statement.toLowerCase().replaceAll('"', '').replaceAll(/\s+/g, ' ');
  return { ...row, sql: plain.startsWith('create table') ? plain.match(/constraint \w+ unique \([^)]*\)/g) : plain };
}

/** Where each table is kept, which changes when it is rebuilt, and the statement that SQLite keeps for it. */
export async function readPlaces({ store: { db }, dialect }: StoreUnderTest): Promise<Row[]> {
  const query =
    dialect === 'sqlite'
      ? sql<Row>`select name, rootpage, sql from sqlite_master order by name`
      : sql<Row>`select relname, oid, relfilenode from pg_class where relnamespace = current_schema()::regnamespace order by relname`;
  return (await query.execute(db)).rows;
}
