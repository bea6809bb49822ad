/** Erases deleted rows from the disk. */

import { sql } from 'kysely';
import { locksRows } from './conflicts.ts';
import type { Executor } from './schema.ts';

/**
 * Empties SQLite's write-ahead log, which holds deleted rows until it is overwritten. In the file itself, zeros replace
 * them (`secure_delete`). A reader in another process may prevent this; the next purge then does it.
 *
 * Call it after the transaction that deleted. PostgreSQL takes care of its own files.
 */
export async function eraseDeleted(db: Executor): Promise<void> {
  if (locksRows(db)) return;
  await sql`pragma wal_checkpoint(truncate)`.execute(db);
}
