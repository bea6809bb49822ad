/** The search for a part of a text that both databases understand. */

import { type RawBuilder, sql } from 'kysely';

/**
 * True where the column holds the text somewhere. Case does not matter for ASCII letters; for others it does on SQLite.
 *
 * @param column such as `u.external_user_id`.
 */
export function contains(column: string, text: string): RawBuilder<boolean> {
  const pattern = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql<boolean>`lower(${sql.ref(column)}) like lower(${pattern}) escape '\\'`;
}
