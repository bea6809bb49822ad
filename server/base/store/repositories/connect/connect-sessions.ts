/** Connect sessions: visits to the connect page that a partner's server requested, each for one user. */

import { columnsOf, hasRow, newId, type Row, toList, toRow } from '../../rows.ts';
import { CORE_TABLES, type Executor } from '../../schema.ts';

const SESSION = columnsOf(CORE_TABLES.tables.connect_sessions);

type SessionRow = Row<'connect_sessions', typeof SESSION>;

export type ConnectSession = ReturnType<typeof toSession>;

/** The account that the partner asks for where the service is connected already, and the values that it has filled in. */
interface RequestedAccount {
  /** Undefined if the user is asked. */
  readonly mode?: 'replace' | 'add' | undefined;
  /** Name of the account that is replaced or added. */
  readonly name?: string | undefined;
  /** By service: public values of the credential, by field. */
  readonly values?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
  /** Label of what the user adds to the connection. */
  readonly extra?: string | undefined;
}

/** A partner's request for a session. Times are in milliseconds since 1970. */
interface NewConnectSession
  extends Pick<
    ConnectSession,
    | 'partnerId'
    | 'externalUserId'
    | 'services'
    | 'redirectUri'
    | 'state'
    | 'locale'
    | 'allowedOrigins'
    | 'account'
    | 'expiresAt'
  > {
  readonly tokenHash: string;
  readonly now: number;
}

export async function insertConnectSession(executor: Executor, session: NewConnectSession): Promise<void> {
  const { now } = session;
  const lists = {
    services: session.services.join(','),
    allowedOrigins: JSON.stringify(session.allowedOrigins),
    account: session.account === null ? null : JSON.stringify(session.account),
  };
  await executor
    .insertInto('connect_sessions')
    .values(toRow(SESSION, { id: newId(now), ...session, ...lists, skipped: '', createdAt: now }))
    .execute();
}

/** Returns true if the partner has at least `limit` sessions that can still continue. */
export async function hasOpenSessions(
  executor: Executor,
  partnerId: string,
  { limit, now }: { limit: number; now: number },
): Promise<boolean> {
  return hasRow(
    executor
      .selectFrom('connect_sessions')
      .select('id')
      .where('partner_id', '=', partnerId)
      .where('expires_at', '>', now)
      .where('redeemed_at', 'is', null)
      .offset(limit - 1)
      .limit(1),
  );
}

/** Finds a session by one of its identifiers, whether or not it can still continue. */
export async function findConnectSession(
  executor: Executor,
  identifier: { id: string } | { tokenHash: string } | { codeHash: string },
): Promise<ConnectSession | undefined> {
  const sessions = executor.selectFrom('connect_sessions').select(SESSION);
  const query =
    'id' in identifier
      ? sessions.where('id', '=', identifier.id)
      : 'tokenHash' in identifier
        ? sessions.where('token_hash', '=', identifier.tokenHash)
        : sessions.where('code_hash', '=', identifier.codeHash);
  const row = await query.executeTakeFirst();
  return row && toSession(row);
}

/**
 * Claims the session for one browser; exactly one of several concurrent browsers succeeds. That browser may claim it
 * again.
 *
 * The first claim extends the session until `expiresAt`.
 *
 * @returns undefined if another browser has it, or the session has expired or is finished.
 */
export async function claimConnectSession(
  executor: Executor,
  claim: { id: string; browserHash: string; now: number; expiresAt: number },
): Promise<ConnectSession | undefined> {
  const row = await executor
    .updateTable('connect_sessions')
    .set((session) => ({
      browser_hash: claim.browserHash,
      expires_at: session
        .case()
        .when('browser_hash', 'is', null)
        .then(claim.expiresAt)
        .else(session.ref('expires_at'))
        .end(),
    }))
    .where('id', '=', claim.id)
    .where('expires_at', '>', claim.now)
    .where('code_hash', 'is', null)
    .where((session) =>
      session.or([session('browser_hash', 'is', null), session('browser_hash', '=', claim.browserHash)]),
    )
    .returning(SESSION)
    .executeTakeFirst();
  return row && toSession(row);
}

/** Stores which services the user skipped. */
export async function setSkippedServices(executor: Executor, id: string, skipped: readonly string[]): Promise<void> {
  await executor
    .updateTable('connect_sessions')
    .set({ skipped: skipped.join(',') })
    .where('id', '=', id)
    .execute();
}

/** Gives an unfinished session its code. @returns false if it is finished, expired or removed. */
export async function finishConnectSession(
  executor: Executor,
  finish: { id: string; codeHash: string; now: number; expiresAt: number },
): Promise<boolean> {
  return hasRow(
    executor
      .updateTable('connect_sessions')
      .set({ code_hash: finish.codeHash, expires_at: finish.expiresAt })
      .where('id', '=', finish.id)
      .where('code_hash', 'is', null)
      .where('expires_at', '>', finish.now)
      .returning('id'),
  );
}

/** Redeems a session; one of several concurrent callers succeeds. @returns false if it was redeemed or has expired. */
export async function redeemConnectSession(executor: Executor, id: string, now: number): Promise<boolean> {
  return hasRow(
    executor
      .updateTable('connect_sessions')
      .set({ redeemed_at: now })
      .where('id', '=', id)
      .where('redeemed_at', 'is', null)
      .where('expires_at', '>', now)
      .returning('id'),
  );
}

/** Stores the grant of a redeemed session. */
export async function setGrantOfSession(executor: Executor, id: string, grantId: string): Promise<void> {
  await executor.updateTable('connect_sessions').set({ grant_id: grantId }).where('id', '=', id).execute();
}

/** Removes a session completely. */
export async function deleteConnectSession(executor: Executor, id: string): Promise<void> {
  await executor.deleteFrom('connect_sessions').where('id', '=', id).execute();
}

/** Removes all sessions of a user. */
export async function deleteSessionsOfUser(
  executor: Executor,
  user: { partnerId: string; externalUserId: string },
): Promise<void> {
  await executor
    .deleteFrom('connect_sessions')
    .where('partner_id', '=', user.partnerId)
    .where('external_user_id', '=', user.externalUserId)
    .execute();
}

function toSession({ services, skipped, allowedOrigins, codeHash, account, ...session }: SessionRow) {
  return {
    ...session,
    /** Null if the person is asked. */
    account: account === null ? null : (JSON.parse(account) as RequestedAccount),
    services: toList(services),
    skipped: toList(skipped),
    allowedOrigins: JSON.parse(allowedOrigins) as readonly string[],
    /** True if the user has finished, so that only the code is left. */
    hasCode: codeHash !== null,
  };
}
