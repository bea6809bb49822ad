/**
 * Tables as values. A column is written once, in SQL's words; the statements that create it and the type of its values follow from that.
 *
 * A migration only adds what a gateway of the previous version can ignore, because that gateway keeps serving meanwhile, and may be started
 * again. Removals follow two versions later, when nothing uses the data any more, in a migration called
 * `NNNN-contract-after-MMMM-<what>`: from then on, gateways that do not know migration MMMM refuse to start. A released migration is never
 * changed; a new one is added instead.
 */

import { type Kysely, PostgresAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

type Dialect = 'sqlite' | 'postgres';

/** The definition of a column whose values have a narrower type than SQL says. At run time, it is the definition alone. */
type TypedColumn<Value> = string & { readonly valueType: Value };

/** Declares a column with the type of its values. @param definition in SQL. */
export function column<Value>(definition: string): TypedColumn<Value> {
  return definition as TypedColumn<Value>;
}

/** A table, in SQL that both dialects understand. Times are integer milliseconds, booleans 0 or 1. */
export interface Table {
  /** By name, the definition: `text not null`. */
  readonly columns: Readonly<Record<string, string>>;
  /** By the constraint's name, columns whose values are unique together. Default: none. */
  readonly unique?: Readonly<Record<string, string>>;
  /** By name, what follows `create index <name> on <table>`; one for a single dialect names it. Default: none. */
  readonly indexes?: Readonly<Record<string, string | Readonly<Partial<Record<Dialect, string>>>>>;
  /** A crash of PostgreSQL may lose the last minute's rows, so that no write waits for the disk. Default: false. */
  readonly unlogged?: boolean;
  /** On SQLite, the table is in the file of call records: see `../call-file.ts`. Default: false. */
  readonly inCallFile?: boolean;
}

/** The type of a row of a table. */
export type Row<Columns> = { -readonly [Name in keyof Columns]: ColumnValue<Columns[Name]> };

type ColumnValue<Definition> =
  Definition extends TypedColumn<infer Value>
    ? Value
    : Definition extends `${string}${'not null' | 'primary key'}${string}`
      ? NonNullValue<Definition>
      : NonNullValue<Definition> | null;

type NonNullValue<Definition> = Definition extends `text${string}` ? string : number;

/** The types of the rows of a set, by table. */
export type RowsOf<Set extends TableSet> = { [Name in keyof Set['tables']]: Row<Set['tables'][Name]['columns']> };

/** A migration after the baseline. */
export interface LaterMigration {
  /**
   * Names of tables (`badges`), columns (`users.nickname`) and indexes (`users_by_nickname`) of the set that it creates, in order. The
   * baseline leaves them out. Default: none.
   */
  readonly adds?: readonly string[];
  /** Changes to make after the column was added. By default there are none. */
  readonly up?: Migration['up'];
}

/** The tables of one owner. */
export interface TableSet<Tables = Readonly<Record<string, Table>>> {
  /** `core`, or the name of the module. */
  readonly owner: string;
  /** By name. A table comes after those that it refers to. Tables of a module refer to its own and to those of the core. */
  readonly tables: Tables;
  /** Name of the migration that creates the tables: `NNNN-baseline`. */
  readonly baseline: string;
  /** The migration after which a store of an earlier version has the tables of the baseline. Default: no earlier version had the set. */
  readonly replaces?: string;
  /** By name, `NNNN-<what>`, in order. */
  readonly migrations: Readonly<Record<string, LaterMigration>>;
}

/** Declares the tables of one owner. */
export function defineTables<const Tables extends TableSet['tables']>(
  owner: string,
  tables: Tables,
  history: Partial<Pick<TableSet, 'baseline' | 'replaces' | 'migrations'>> = {},
): TableSet<Tables> {
  return { owner, tables, baseline: '0001-baseline', migrations: {}, ...history };
}

/** The statement that creates a table. @param without columns that it leaves out, as `table.column`. */
export function createTable(name: string, table: Table, dialect: Dialect, without: readonly string[] = []): string {
  const columns = Object.entries(table.columns)
    .filter(([column]) => !without.includes(`${name}.${column}`))
    .map(([column, definition]) => `${column} ${definition}`);
  const constraints = Object.entries(table.unique ?? {}).map(([key, list]) => `constraint ${key} unique (${list})`);
  const lines = [...columns, ...constraints].join(',\n  ');
  if (dialect === 'sqlite' && table.inCallFile) {
    // Rows are in the order of their ids, and so of time.
    return `create table if not exists calls.${name} (\n  ${lines}\n) without rowid`;
  }
  const unlogged = dialect === 'postgres' && table.unlogged ? 'unlogged ' : '';
  return `create ${unlogged}table ${name} (\n  ${lines}\n)`;
}

/** The statements that create the indexes of a table, by the index's name. */
export function createIndexes(name: string, table: Table, dialect: Dialect): Map<string, string> {
  const statements = new Map<string, string>();
  for (const [index, definition] of Object.entries(table.indexes ?? {})) {
    const text = typeof definition === 'string' ? definition : definition[dialect];
    if (text === undefined) continue;
    const inCallFile = dialect === 'sqlite' && table.inCallFile;
    statements.set(index, `create index ${inCallFile ? 'if not exists calls.' : ''}${index} on ${name} ${text}`);
  }
  return statements;
}

/** The migrations of all sets, each under the name by which the database records it: `NNNN-<what>` or `<module>/NNNN-<what>`. */
export function namedMigrations(sets: readonly TableSet[]): Record<string, Migration> {
  const migrations: Record<string, Migration> = {};
  for (const set of sets) {
    migrations[recordedName(set.owner, set.baseline)] = { up: (db) => createMissingTables(db, set) };
    for (const [name, { adds = [], up }] of Object.entries(set.migrations)) {
      migrations[recordedName(set.owner, name)] = {
        async up(db) {
          for (const statement of additions(set, adds, dialectOf(db))) await sql.raw(statement).execute(db);
          await up?.(db);
        },
      };
    }
  }
  return migrations;
}

/** The name by which the database records a migration. */
export function recordedName(owner: string, name: string): string {
  return owner === 'core' ? name : `${owner}/${name}`;
}

/** A store of an earlier version has all of the tables already; there, nothing changes. */
async function createMissingTables(db: Kysely<unknown>, set: TableSet): Promise<void> {
  const later = Object.values(set.migrations).flatMap(({ adds = [] }) => adds);
  const tables = Object.keys(set.tables).filter((name) => !later.includes(name));
  const [first] = tables;
  if (first === undefined || (await hasTable(db, first))) return;
  for (const statement of toStatements(set, tables, dialectOf(db), later)) await sql.raw(statement).execute(db);
}

/** On SQLite, `moveCalls` creates the tables of the file of call records. */
function toStatements(
  set: TableSet,
  tables: readonly string[],
  dialect: Dialect,
  without: readonly string[] = [],
): string[] {
  return tables.flatMap((name) => {
    const table = tableOf(set, name);
    if (dialect === 'sqlite' && table.inCallFile) return [];
    const indexes = [...createIndexes(name, table, dialect)].filter(([index]) => !without.includes(index));
    return [createTable(name, table, dialect, without), ...indexes.map(([, statement]) => statement)];
  });
}

function additions(set: TableSet, names: readonly string[], dialect: Dialect): string[] {
  return names.flatMap((added) => {
    const [name = '', column] = added.split('.');
    if (column !== undefined) {
      const { columns, inCallFile } = tableOf(set, name);
      const isMoved = dialect === 'sqlite' && inCallFile;
      return isMoved ? [] : [`alter table ${name} add column ${column} ${columns[column]}`];
    }
    if (set.tables[name] !== undefined) return toStatements(set, [name], dialect, names);
    return Object.entries(set.tables).flatMap(([table, value]) => {
      const isMoved = dialect === 'sqlite' && value.inCallFile;
      return isMoved ? [] : (createIndexes(table, value, dialect).get(name) ?? []);
    });
  });
}

function tableOf(set: TableSet, name: string): Table {
  const table = set.tables[name];
  if (table === undefined) throw new Error(`${set.owner} has no table ${name}`);
  return table;
}

/** Returns the kind of the database. */
export function dialectOf(db: Pick<Kysely<unknown>, 'getExecutor'>): Dialect {
  return db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
}

/** Returns true if the store itself has a table. On SQLite, tables in an attached file do not count. */
export async function hasTable<Tables>(db: Kysely<Tables>, name: string): Promise<boolean> {
  const query =
    dialectOf(db) === 'sqlite'
      ? sql`select 1 from main.sqlite_master where type = 'table' and name = ${name}`
      : sql`select 1 from pg_class where relname = ${name} and relnamespace = current_schema()::regnamespace`;
  return (await query.execute(db)).rows.length > 0;
}

/**
 * Removes the tables of a module, with all their rows. The next gateway that has the module creates them again, empty.
 *
 * No gateway may have the module meanwhile.
 *
 * @param owner name of the module. @param tables their names; a table comes after those that it refers to.
 */
export async function eraseModule<Tables>(db: Kysely<Tables>, owner: string, tables: readonly string[]): Promise<void> {
  if (owner === 'core') throw new Error('the core cannot be without its tables');
  await db.transaction().execute(async (transaction) => {
    for (const table of tables.toReversed()) await transaction.schema.dropTable(table).ifExists().execute();
    await sql`delete from kysely_migration where name like ${`${owner}/%`}`.execute(transaction);
  });
}
