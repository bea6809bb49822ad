/** Describes the tables from the database's own catalogue, so that no list has to be maintained. */

import { type Kysely, sql } from 'kysely';

/** One table. */
export interface TableDescription {
  readonly name: string;
  readonly columns: readonly ColumnDescription[];
  /** The column of the primary key. */
  readonly key: string;
}

interface ColumnDescription {
  readonly name: string;
  readonly type: 'text' | 'integer' | 'bigint';
  readonly isNullable: boolean;
  readonly hasDefault: boolean;
  /** The table that it references, or null. */
  readonly references: string | null;
}

interface KeyRow {
  readonly table: string;
  readonly column: string;
  /** The referenced column. Null if it is the primary key of the referenced table. */
  readonly to: string | null;
}

const TYPES: Readonly<Record<string, ColumnDescription['type']>> = {
  text: 'text',
  integer: 'integer',
  int4: 'integer',
  bigint: 'bigint',
  int8: 'bigint',
};

/**
 * Describes every table except Kysely's own. A table comes after the tables that it references.
 *
 * @throws {Error} for a table that breaks the store's rules: another column type, no key of one column, or numbers that
 * the database generates, which a copy would have to continue.
 */
export async function describeTables<Tables>(
  db: Kysely<Tables>,
  dialect: 'sqlite' | 'postgres',
): Promise<TableDescription[]> {
  const { rows: keys } = await (dialect === 'sqlite' ? SQLITE_KEYS : POSTGRES_KEYS).execute(db);
  const allTables = await db.introspection.getTables();
  const schemaTables = dialect === 'sqlite' ? allTables : allTables.filter(({ schema }) => schema === keys[0]?.schema);
  const tables = schemaTables.map(({ name, columns }): TableDescription => {
    const tableKeys = keys.filter(({ table }) => table === name);
    const primary = tableKeys.filter(({ to }) => to === null);
    const [key] = primary;
    if (key === undefined || primary.length > 1) throw new Error(`the table ${name} has no key of one column`);
    // SQLite reports every integer key as auto-incrementing, although the gateway sets its value.
    const generatedColumn =
      dialect === 'postgres' ? columns.find(({ isAutoIncrementing }) => isAutoIncrementing) : undefined;
    if (generatedColumn !== undefined)
      throw new Error(`${name}.${generatedColumn.name} holds numbers that the database gives out`);
    return { name, key: key.column, columns: columns.map((column) => toColumn(column, tableKeys, key.column)) };
  });
  return inOrder(tables);
}

interface Introspected {
  readonly name: string;
  readonly dataType: string;
  readonly isNullable: boolean;
  readonly hasDefaultValue: boolean;
}

/** SQLite reports a text key as nullable. */
function toColumn(column: Introspected, keys: readonly KeyRow[], primary: string): ColumnDescription {
  const { name, dataType, isNullable, hasDefaultValue: hasDefault } = column;
  const type = TYPES[dataType.toLowerCase()];
  if (type === undefined) throw new Error(`the column ${name} is of the type ${dataType}`);
  const references = keys.find((key) => key.column === name && key.to !== null)?.to ?? null;
  return { name, type, isNullable: isNullable && name !== primary, hasDefault, references };
}

/** @throws {Error} if tables reference each other in a cycle. */
function inOrder(tables: readonly TableDescription[]): TableDescription[] {
  const ordered: TableDescription[] = [];
  const remaining = new Set(tables);
  while (remaining.size > 0) {
    const remainingNames = new Set([...remaining].map(({ name }) => name));
    const ready = [...remaining].filter(({ columns }) =>
      columns.every(({ references }) => references === null || !remainingNames.has(references)),
    );
    if (ready.length === 0) throw new Error(`tables refer to one another: ${[...remainingNames].join(', ')}`);
    for (const table of ready) remaining.delete(table);
    ordered.push(...ready);
  }
  return ordered;
}

const SQLITE_KEYS = sql<KeyRow & { schema: null }>`
  select m.name as "table", i.name as "column", null as "to", null as schema
    from (select name, type from main.sqlite_master union select name, type from calls.sqlite_master) m,
         pragma_table_info(m.name) i where m.type = 'table' and i.pk > 0
  union all
  select m.name, f."from", f."table", null
    from sqlite_master m, pragma_foreign_key_list(m.name) f where m.type = 'table'`;

const POSTGRES_KEYS = sql<KeyRow & { schema: string }>`
  select r.relname as "table", a.attname as "column", f.relname as "to", current_schema() as schema
    from pg_constraint c
    join pg_class r on r.oid = c.conrelid and r.relnamespace = current_schema()::regnamespace
    join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any (c.conkey)
    left join pg_class f on f.oid = c.confrelid
   where c.contype in ('p', 'f')`;
