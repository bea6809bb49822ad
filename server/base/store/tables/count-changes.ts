/** Triggers with which SQLite counts the changes of what a statement reads, whichever process writes. */

import { hash } from 'node:crypto';

/** The table of one row that has the count. SQLite has it only, and it is no part of the schema. */
export const SQLITE_CHANGES_TABLE = 'access_changes';

/** Differs between two reads if something that is counted has changed in between. */
export const SQLITE_CHANGES = `select changes from ${SQLITE_CHANGES_TABLE}`;

export const CREATE_CHANGES_TABLE = `create table if not exists ${SQLITE_CHANGES_TABLE} as select 0 as changes`;

/** Counts the changes of the columns that a statement reads, and removed rows. */
export function countChangesOfRead(statement: string): string[] {
  return [...statement.matchAll(/(?:from|join) (\w+) (\w)\s/g)].flatMap(([, table = '', alias = '']) => {
    const reads = statement.matchAll(new RegExp(`\\b${alias}\\.(\\w+)`, 'g'));
    const columns = new Set([...reads].map(([, column]) => column));
    return [countChanges(table, `update of ${[...columns].join(', ')}`), countChanges(table, 'delete')];
  });
}

/** The name says what it counts, because a trigger of a former version stays. */
export function countChanges(table: string, change: string): string {
  const name = `access_changes_${table}_${hash('sha256', change, 'hex').slice(0, 8)}`;
  return `create trigger if not exists ${name} after ${change} on ${table}
    begin update ${SQLITE_CHANGES_TABLE} set changes = changes + 1; end`;
}
