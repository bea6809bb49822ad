/** Takes what was deleted off the disk as well. */

import { sql } from 'kysely';
import { locksRows } from './conflicts.ts';
import type { Executor } from './schema.ts';

/**
 * Empties SQLite's write-ahead log, which holds deleted rows until it is written over. The file itself holds zeros in
 * their place (`secure_delete`). A reader of another process may prevent it; then the next purge does it.
 *
 * Comes after the transaction that deleted. PostgreSQL takes care of its own files.
 */
export async function eraseDeleted(db: Executor): Promise<void> {
  if (locksRows(db)) return;
  await sql`pragma wal_checkpoint(truncate)`.execute(db);
}
