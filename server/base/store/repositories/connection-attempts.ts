/** Completed connect flows whose code the partner has yet to redeem. */

import { columnsOf, hasRow, newId, type Row, toRow } from '../rows.ts';
import { CORE_TABLES, type Executor } from '../schema.ts';

const ATTEMPT = columnsOf(CORE_TABLES.tables.connection_attempts);

export type ConnectionAttempt = Row<'connection_attempts', typeof ATTEMPT>;

/** Creates the id of an attempt, because the credential is sealed for it before the row is written. */
export function newAttemptId(now: number): string {
  return newId(now);
}

/** Far more than a company's people complete in the seconds until the partner redeems a code. */
const MAX_PENDING_PER_NETWORK = 50;

/**
 * Stores an attempt. Each network keeps this one and its newest others, `MAX_PENDING_PER_NETWORK` in all, that are not
 * redeemed. So a flood of attempts displaces only attempts of the same network. An id can be older than its row, because it
 * is created before the user signs in at the service: the order is that of the rows. Needs a transaction.
 *
 * @param attempt.account an `AccountChoice`; default: null, the first account. @param attempt.madeFrom the network of the browser (see `siteOf`); null: not known, so nothing is dropped.
 */
export async function insertConnectionAttempt(
  executor: Executor,
  attempt: Omit<ConnectionAttempt, 'createdAt' | 'redeemedAt' | 'grantId' | 'madeFrom' | 'account'> & {
    madeFrom?: string | null;
    account?: string | null;
    now: number;
  },
): Promise<void> {
  const { now, madeFrom = null } = attempt;
  await executor
    .insertInto('connection_attempts')
    .values(toRow(ATTEMPT, { ...attempt, createdAt: now }))
    .execute();
  if (madeFrom === null) return;
  const newestIds = executor
    .selectFrom('connection_attempts')
    .select('id')
    .where('made_from', '=', madeFrom)
    .where('id', '!=', attempt.id)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_PENDING_PER_NETWORK - 1);
  await executor
    .deleteFrom('connection_attempts')
    .where('made_from', '=', madeFrom)
    .where('id', '!=', attempt.id)
    .where('id', 'not in', newestIds)
    .execute();
}

/** Finds an attempt by the hash of its code, whether or not it can still be redeemed. */
export async function findConnectionAttempt(
  executor: Executor,
  codeHash: string,
): Promise<ConnectionAttempt | undefined> {
  return executor
    .selectFrom('connection_attempts')
    .select(ATTEMPT)
    .where('code_hash', '=', codeHash)
    .executeTakeFirst();
}

/** The attempts of a connect session, unordered. */
export async function listAttemptsOfSession(executor: Executor, sessionId: string): Promise<ConnectionAttempt[]> {
  return executor.selectFrom('connection_attempts').select(ATTEMPT).where('session_id', '=', sessionId).execute();
}

/** Removes the attempts of a connect session, or only those of one service. */
export async function deleteAttemptsOfSession(executor: Executor, sessionId: string, service?: string): Promise<void> {
  let attempts = executor.deleteFrom('connection_attempts').where('session_id', '=', sessionId);
  if (service !== undefined) attempts = attempts.where('service', '=', service);
  await attempts.execute();
}

/**
 * Redeems an attempt, and clears its credential and network. Only one of several concurrent callers succeeds.
 *
 * @returns false if it was redeemed or has expired.
 */
export async function redeemConnectionAttempt(executor: Executor, id: string, now: number): Promise<boolean> {
  return hasRow(
    executor
      .updateTable('connection_attempts')
      .set({ redeemed_at: now, sealed_credential: null, made_from: null })
      .where('id', '=', id)
      .where('redeemed_at', 'is', null)
      .where('expires_at', '>', now)
      .returning('id'),
  );
}

/** Stores the grant of a redeemed attempt. */
export async function setGrantOfAttempt(executor: Executor, id: string, grantId: string): Promise<void> {
  await executor.updateTable('connection_attempts').set({ grant_id: grantId }).where('id', '=', id).execute();
}

/** In place of the hash of a code, while the person chooses the account: no code has this hash. */
export function undecidedCode(id: string): string {
  return `${id} undecided`;
}

/** Takes an attempt whose account was not chosen yet, to keep it again or to drop it; of concurrent callers exactly one gets it. */
export async function takeUndecidedAttempt(
  executor: Executor,
  attempt: { id: string; partnerId: string; externalUserId: string; service: string; now: number },
): Promise<{ readonly id: string; readonly sealedCredential: string | null } | undefined> {
  return executor
    .deleteFrom('connection_attempts')
    .where('code_hash', '=', undecidedCode(attempt.id))
    .where('partner_id', '=', attempt.partnerId)
    .where('external_user_id', '=', attempt.externalUserId)
    .where('service', '=', attempt.service)
    .where('expires_at', '>', attempt.now)
    .returning(['id', 'sealed_credential as sealedCredential'])
    .executeTakeFirst();
}

/** Removes all attempts of a user. */
export async function deleteAttemptsOfUser(
  executor: Executor,
  user: { partnerId: string; externalUserId: string; service?: string },
): Promise<void> {
  let attempts = executor
    .deleteFrom('connection_attempts')
    .where('partner_id', '=', user.partnerId)
    .where('external_user_id', '=', user.externalUserId);
  if (user.service !== undefined) attempts = attempts.where('service', '=', user.service);
  await attempts.execute();
}
