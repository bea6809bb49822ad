/** Revokes many grants, tokens and codes at once, for use in an incident. */

import type { Kysely } from 'kysely';
import { tell } from '../../../base/events.ts';
import {
  ACCESS_KINDS,
  type AccessCounts,
  type AccessKind,
  type AccessSelection,
  revokeSomeAccess,
} from '../../../base/store/repositories/live-access.ts';
import type { Database } from '../../../base/store/schema.ts';
import type { GrantChange } from './own-grant.ts';

/** Rows that one statement revokes: few enough that no other statement waits long for them. */
const ROWS_PER_STATEMENT = 500;

/**
 * Revokes everything that is selected, in batches, and records one audit event `grants_revoked` with the numbers. Running it
 * again revokes what was issued since, and completes a run that was interrupted.
 *
 * @param kinds default: all.
 * @returns how many live rows were revoked.
 */
export async function revokeAccess(
  db: Kysely<Database>,
  selection: AccessSelection,
  change: GrantChange,
  kinds: readonly AccessKind[] = ACCESS_KINDS,
): Promise<AccessCounts> {
  const { by, ...event } = change;
  const revoked = { codes: 0, grants: 0, tokens: 0 };
  try {
    for (const kind of kinds) {
      for await (const rows of revokeKind(db, kind, selection, change)) revoked[kind] += rows;
    }
  } finally {
    const { partnerId = null, userId = null, clientId = null, service } = selection;
    const details = { by, ...(service === undefined ? {} : { service }), ...revoked };
    if (Object.values(revoked).some((rows) => rows > 0)) {
      await tell(db, { type: 'grants_revoked', partnerId, userId, clientId, details, ...event });
    }
  }
  return revoked;
}

async function* revokeKind(
  db: Kysely<Database>,
  kind: AccessKind,
  selection: AccessSelection,
  { by, now }: GrantChange,
): AsyncGenerator<number> {
  let after = '';
  for (;;) {
    const options = { selection, now, reason: `revoked-by-${by}`, limit: ROWS_PER_STATEMENT, after } as const;
    const keys = await db.transaction().execute((transaction) => revokeSomeAccess(transaction, kind, options));
    const last = keys.at(-1);
    if (last === undefined) return;
    yield keys.length;
    after = last;
  }
}
