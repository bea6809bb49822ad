/** SQL conditions that select rows by realm: live, or of test mode. */

import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Realm } from '../realm.ts';

/**
 * The partner with the row id in `partnerId` is of the realm. A partner that was removed counts as live.
 *
 * @param partnerId such as `u.partner_id`.
 */
export function isInRealm(realm: Realm, partnerId: string): RawBuilder<SqlBool> {
  const test = sql`(select id from partners where test_of is not null)`;
  const column = sql.ref(partnerId);
  return realm === 'test' ? sql`${column} in ${test}` : sql`${column} not in ${test}`;
}

/** The user with the row id in `userId` is of the realm. @param userId such as `c.user_id`. */
export function isUserInRealm(realm: Realm, userId: string): RawBuilder<SqlBool> {
  return sql`${sql.ref(userId)} in (select id from users where ${isInRealm(realm, 'users.partner_id')})`;
}
