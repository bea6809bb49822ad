/** A substring search that works in both databases. */

import { type RawBuilder, sql } from 'kysely';

/**
 * True where the column contains the text. The case of ASCII letters does not matter; that of others does on SQLite.
 *
 * @param column such as `u.external_user_id`.
 */
export function contains(column: string, text: string): RawBuilder<boolean> {
  const pattern = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql<boolean>`lower(${sql.ref(column)}) like lower(${pattern}) escape '\\'`;
}
