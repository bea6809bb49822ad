/** Names of columns in the database (`user_id`) and of the same values in code (`userId`), lists that a column holds as text, accounts of a service, and ids of rows. */

import { randomUUID } from 'node:crypto';
import type { SelectQueryBuilder } from 'kysely';
import type { Database } from './schema.ts';
import type { Table } from './tables/table-set.ts';

/** The name in code of a name in SQL or in JSON: `userId` of `user_id`. */
export type Camel<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Name;

/** A column as a query selects it: `users.partner_id as partnerId`. */
type Selected<Column extends string> = Column extends string ? `${Column} as ${Camel<Unprefixed<Column>>}` : never;

/** @param names of columns, with the alias of the table where the query has several: `u.partner_id`. */
export function columns<const Column extends string>(...names: readonly Column[]): Selected<Column>[] {
  return names.map((name) => `${name} as ${toCamel(name.slice(name.indexOf('.') + 1))}` as Selected<Column>);
}

/**
 * Selects every column of a table.
 *
 * @param options.alias of the table where the query has several. Default: none. @param options.except columns that are not read. Default: none.
 */
export function columnsOf<
  const Columns extends Table['columns'],
  const Alias extends string = '',
  const Except extends keyof Columns = never,
>(
  { columns: definitions }: { readonly columns: Columns },
  { alias, except = [] }: { readonly alias?: Alias; readonly except?: readonly Except[] } = {},
): Selected<Prefixed<Alias, Exclude<keyof Columns & string, Except>>>[] {
  const names = Object.keys(definitions).filter((name) => !except.includes(name as Except));
  const prefix = alias === undefined ? '' : `${alias}.`;
  return names.map((name) => `${prefix}${name} as ${toCamel(name)}`) as never;
}

type Prefixed<Alias extends string, Column extends string> = Alias extends '' ? Column : `${Alias}.${Column}`;

/** The row that a query reads which selects the columns: `Row<'users', typeof USER>`, where `USER` is what `columns` returned. */
export type Row<Table extends keyof Database, List extends readonly string[]> = {
  readonly [Column in List[number] as NameOf<Column>]: ValueOf<Database[Table], Column>;
};

type NameOf<Column extends string> = Column extends `${string} as ${infer Name}` ? Name : never;

type ValueOf<Table, Column extends string> = Column extends `${infer Stored} as ${string}`
  ? Table[Unprefixed<Stored> & keyof Table]
  : never;

/**
 * The row of a record, to be stored: those of its members that are among the columns.
 *
 * @param list what `columns` returned.
 */
export function toRow<const List extends readonly string[], Stored extends object>(
  list: List,
  record: Stored,
): { [Column in List[number] as ColumnOf<Column, keyof Stored>]: Stored[NameOf<Column> & keyof Stored] } {
  const row: Record<string, unknown> = {};
  for (const column of list) {
    const [, stored = '', name = ''] = /^(?:\w+\.)?(\w+) as (\w+)$/.exec(column) ?? [];
    const value = record[name as keyof Stored];
    if (value !== undefined) row[stored] = value;
  }
  return row as ReturnType<typeof toRow<List, Stored>>;
}

type ColumnOf<Column extends string, Names> = Column extends `${infer Stored} as ${infer Name}`
  ? Name extends Names
    ? Unprefixed<Stored>
    : never
  : never;

type Unprefixed<Column extends string> = Column extends `${string}.${infer Name}` ? Name : Column;

/** Returns the name in code of a name in SQL or in JSON: `userId` of `user_id`. */
export function toCamel(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns the entries of a column that lists scopes, separated by spaces, or services, separated by commas. */
export function toList(column: string, separator: ' ' | ',' = ','): string[] {
  return column === '' ? [] : column.split(separator);
}

/** Returns the entries of a column that is null where there is no limit. */
export function toOptionalList(column: string | null): string[] | null {
  return column === null ? null : toList(column);
}

/** Runs a query that returns the rows it found or changed. @returns true if there was at least one. */
export async function hasRow(query: { executeTakeFirst(): Promise<unknown> }): Promise<boolean> {
  return (await query.executeTakeFirst()) !== undefined;
}

/** Returns how many rows a query selects. */
export async function countRows<DB, Tables extends keyof DB, Selected>(
  query: SelectQueryBuilder<DB, Tables, Selected>,
): Promise<number> {
  const counted = query.clearSelect().select(({ fn }) => fn.countAll().as('rows'));
  const { rows } = (await counted.executeTakeFirstOrThrow()) as { readonly rows: string | number | bigint };
  return Number(rows);
}

/** Accounts of one service that a user may have. */
export const MAX_ACCOUNTS = 10;

/**
 * Returns what the column `service` of a connection holds: the name of the service for the first account, and `<service>/<number>` for every
 * other one. So `(user_id, service)` stays unique, and a gateway of a version without several accounts knows no such service and leaves
 * them alone. Only the store sees account keys; everyone else sees service and number.
 *
 * @param number 1 for the first account.
 */
function accountKeyOf(service: string, number: number): string {
  return number === 1 ? service : `${service}/${number}`;
}

/** Returns the account keys that a service can have, the first account's first. */
export function accountKeysOf(service: string): readonly string[] {
  return Array.from({ length: MAX_ACCOUNTS }, (_, index) => accountKeyOf(service, index + 1));
}

/** Reads an account key. No connector has a `/` in its name. */
export function readAccountKey(accountKey: string): { readonly service: string; readonly number: number } {
  const at = accountKey.indexOf('/');
  if (at < 0) return { service: accountKey, number: 1 };
  return { service: accountKey.slice(0, at), number: Number(accountKey.slice(at + 1)) };
}

/** Returns the row with the service in place of the account key. */
export function withService<Found extends { readonly service: string }>(row: Found): Found {
  return { ...row, service: readAccountKey(row.service).service };
}

/** Returns the time at which an id of `newId` was made, in milliseconds since 1970. Returns null for an id of another kind. */
export function timeOfId(id: string): number | null {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/.exec(id) ?? [];
  return high === undefined || low === undefined ? null : Number.parseInt(high + low, 16);
}

/**
 * Creates a UUID version 7 (RFC 9562 §5.7): the time in milliseconds, then 74 random bits.
 *
 * Rows created one after another are next to each other in the index.
 */
export function newId(now: number = Date.now()): string {
  // A version 4 UUID has random bits where version 7 needs them, and Node generates them in advance.
  return `${firstIdAt(now)}-7${randomUUID().slice(15)}`;
}

const MAX_ID_TIME = 2 ** 48 - 1;

/** Returns the beginning of the ids that are made at a time, in milliseconds since 1970: earlier ids sort before it. */
export function firstIdAt(time: number): string {
  const milliseconds = Math.trunc(Math.min(Math.max(0, time), MAX_ID_TIME));
  const digits = milliseconds.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}
