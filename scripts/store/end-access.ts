/** Ends the access that a restored backup brings back: it does not include what was revoked, used or replaced since. */

import type { Kysely } from 'kysely';
import { emit } from '../../server/base/store/events.ts';
import { type AccessCounts, countAccess } from '../../server/base/store/repositories/live-access.ts';
import type { Database } from '../../server/base/store/schema.ts';
import { revokeAccess } from '../../server/identity/grants/allowed/revoke.ts';
import type { AnyModule } from '../../server/module.ts';
import { FailureError } from '../../shared/cli/run.ts';

/** Numbers of ended accesses, by kind. Modules add their own kinds. */
export interface EndedAccess extends AccessCounts {
  /** Unused links and other single-use codes. */
  readonly links: number;
  /** Connect sessions, and connections made in them that no partner has redeemed. */
  readonly connectFlows: number;
  readonly [kind: string]: number;
}

const WORDS: Readonly<Record<string, string>> = {
  grants: 'grants',
  tokens: 'minted tokens',
  codes: 'connection codes',
  links: 'links',
  connectFlows: 'connect flows',
};

/** Returns the numbers as text, such as `grants: 2, minted tokens: 0`. */
export function inWords(ended: EndedAccess, modules: readonly AnyModule[]): string {
  const words = Object.assign({}, WORDS, ...modules.map(({ storage }) => storage?.restored?.words)) as typeof WORDS;
  return Object.entries(words)
    .map(([kind, word]) => `${word}: ${ended[kind]}`)
    .join(', ');
}

/**
 * Revokes every grant, token and code, removes unfinished connect flows, ends the access that modules name, and records an event. If interrupted, it
 * can be called again to finish.
 *
 * @param now milliseconds since 1970.
 * @throws {FailureError} if something is as usable as before, because something in the database restores it.
 */
export async function endAccess(
  db: Kysely<Database>,
  modules: readonly AnyModule[],
  now: number,
): Promise<EndedAccess> {
  let moduleCounts: Readonly<Record<string, number>> = {};
  for (const { storage } of modules) moduleCounts = { ...moduleCounts, ...(await storage?.restored?.end(db, now)) };
  const revoked = await revokeAccess(db, {}, { by: 'operator', now });
  const ended = await db.transaction().execute(async (transaction) => {
    const links = await transaction
      .updateTable('single_use_codes')
      .set({ consumed_at: now })
      .where('consumed_at', 'is', null)
      .where('expires_at', '>', now)
      .executeTakeFirst();
    const attempts = await transaction
      .deleteFrom('connection_attempts')
      .where('redeemed_at', 'is', null)
      .executeTakeFirst();
    const sessions = await transaction
      .deleteFrom('connect_sessions')
      .where('redeemed_at', 'is', null)
      .executeTakeFirst();
    const ended = {
      ...revoked,
      links: Number(links.numUpdatedRows),
      connectFlows: Number(attempts.numDeletedRows + sessions.numDeletedRows),
      ...moduleCounts,
    };
    await emit(transaction, { type: 'store_restored', now, details: { ...ended } });
    return ended;
  });
  const remaining = await countEndable(db, modules, now);
  if (Object.values(remaining).every((count) => count === 0)) return ended;
  throw new FailureError(
    `Access is still there after it was revoked (${inWords(remaining, modules)}): something in the database gives it back, such as a trigger. Do not use it.`,
  );
}

/** Counts what `endAccess` would end now. */
export async function countEndable(
  db: Kysely<Database>,
  modules: readonly AnyModule[],
  now: number,
): Promise<EndedAccess> {
  let moduleCounts: Readonly<Record<string, number>> = {};
  for (const { storage } of modules) moduleCounts = { ...moduleCounts, ...(await storage?.restored?.count(db, now)) };
  const { links, attempts, sessions } = await db
    .selectNoFrom(({ selectFrom, fn }) => [
      selectFrom('single_use_codes')
        .select(fn.countAll<number>().as('n'))
        .where('consumed_at', 'is', null)
        .where('expires_at', '>', now)
        .where('purpose', '<>', 'connection')
        .as('links'),
      selectFrom('connection_attempts')
        .select(fn.countAll<number>().as('n'))
        .where('redeemed_at', 'is', null)
        .as('attempts'),
      selectFrom('connect_sessions')
        .select(fn.countAll<number>().as('n'))
        .where('redeemed_at', 'is', null)
        .as('sessions'),
    ])
    .executeTakeFirstOrThrow();
  return {
    ...(await countAccess(db, {}, now)),
    links: links ?? 0,
    connectFlows: (attempts ?? 0) + (sessions ?? 0),
    ...moduleCounts,
  };
}
