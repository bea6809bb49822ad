/** Approvals of exact calls: asked for, decided, and used once. */

import type { ExpressionBuilder } from 'kysely';
import { columns, columnsOf, countRows, hasRow, type Row } from '../../rows.ts';
import { type ApprovalChannel, CORE_TABLES, type Database, type Executor } from '../../schema.ts';
import type { KeyOwner } from './calls-made-once.ts';

const APPROVAL = columnsOf(CORE_TABLES.tables.approvals);

export type Approval = Row<'approvals', typeof APPROVAL>;

/** A call to be decided. */
interface NewApproval extends KeyOwner {
  readonly id: string;
  /** Keyed hash of the exact call. */
  readonly digest: string;
  readonly connectionId: string;
  readonly service: string;
  readonly tool: string;
  readonly sealed: string | null;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** The decision about all calls of a tool, which holds until it expires. Default: the approval waits for a decision about one call. */
  readonly standing?: { readonly channel: ApprovalChannel | null; readonly proof: string | null };
}

/**
 * Adds an approval, in the place of one of the same call, or calls, that has expired.
 *
 * @returns false if the call has one. @throws a foreign key violation if the user, the grant or the connection was removed.
 */
export async function insertApproval(executor: Executor, approval: NewApproval): Promise<boolean> {
  const { grantId, now, digest, standing } = approval;
  const row = {
    id: approval.id,
    user_id: approval.userId,
    grant_id: grantId,
    token_id: grantId === null ? approval.tokenId : null,
    connection_id: approval.connectionId,
    service: approval.service,
    tool: approval.tool,
    sealed: approval.sealed,
    status: standing === undefined ? 'pending' : 'standing',
    channel: standing?.channel ?? null,
    proof: standing?.proof ?? null,
    created_at: now,
    decided_at: standing === undefined ? null : now,
    expires_at: approval.expiresAt,
  } as const;
  return hasRow(
    executor
      .insertInto('approvals')
      .values({ digest, ...row })
      .onConflict((conflict) => conflict.column('digest').doUpdateSet(row).where('approvals.expires_at', '<=', now))
      .returning('id'),
  );
}

/** The approval of an exact call that has not expired. @param now milliseconds since 1970. */
export async function findApproval(executor: Executor, digest: string, now: number): Promise<Approval | undefined> {
  return executor
    .selectFrom('approvals')
    .select(APPROVAL)
    .where('digest', '=', digest)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** The approval of calls of a tool, if what it was given for has not ended. @param now milliseconds since 1970. */
export async function findStanding(executor: Executor, digest: string, now: number): Promise<Approval | undefined> {
  return executor
    .selectFrom('approvals')
    .select(APPROVAL)
    .where('digest', '=', digest)
    .where('status', '=', 'standing')
    .where('expires_at', '>', now)
    .where((row) => isUsable(row, now))
    .executeTakeFirst();
}

/** Ends approvals of calls of a tool: one of a user, or all. @returns those that were ended. */
export async function endStanding(
  executor: Executor,
  of?: { readonly id: string; readonly userId: string },
): Promise<Approval[]> {
  let query = executor.deleteFrom('approvals').where('status', '=', 'standing').returning(APPROVAL);
  if (of !== undefined) query = query.where('id', '=', of.id).where('user_id', '=', of.userId);
  return query.execute();
}

/** Counts the calls of one grant, or of a token without a grant, that wait. @param now milliseconds since 1970. */
export async function countPending(executor: Executor, owner: KeyOwner, now: number): Promise<number> {
  const { grantId, tokenId } = owner;
  return countRows(
    executor
      .selectFrom('approvals')
      .where(grantId === null ? 'token_id' : 'grant_id', '=', grantId ?? tokenId)
      .where('status', '=', 'pending')
      .where('expires_at', '>', now),
  );
}

/**
 * Uses an approval up. One statement decides between concurrent callers, and refuses when what it was given for has ended.
 *
 * @param now milliseconds since 1970.
 */
export async function spendApproval(executor: Executor, { id, digest }: Approval, now: number): Promise<boolean> {
  return hasRow(
    executor
      .updateTable('approvals')
      .set({ status: 'spent', digest: null, sealed: null })
      .where('id', '=', id)
      .where('digest', '=', digest)
      .where('status', '=', 'approved')
      .where('expires_at', '>', now)
      .where((row) => isUsable(row, now))
      .returning('id'),
  );
}

/** Returns true if a call is approved, and what the approval was given for has not ended. @param now milliseconds since 1970. */
export async function isApproved(executor: Executor, { id, digest }: Approval, now: number): Promise<boolean> {
  return hasRow(
    executor
      .selectFrom('approvals')
      .select('id')
      .where('id', '=', id)
      .where('digest', '=', digest)
      .where('status', '=', 'approved')
      .where('expires_at', '>', now)
      .where((row) => isUsable(row, now)),
  );
}

/**
 * Gives back an approval that was used for a call which was never sent, unless what it was given for ended or changed meanwhile.
 *
 * @param credentialSince `updatedAt` of the connection with the credential of that call. @throws a unique violation if the call waits again.
 */
export async function restoreApproval(
  executor: Executor,
  { id, digest }: Approval,
  { now, credentialSince }: { readonly now: number; readonly credentialSince: number },
): Promise<void> {
  await executor
    .updateTable('approvals')
    .set({ status: 'approved', digest })
    .where('id', '=', id)
    .where('status', '=', 'spent')
    .where('expires_at', '>', now)
    .where((row) => isUsable(row, now))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('connections')
          .select('connections.id')
          .whereRef('connections.id', '=', 'approvals.connection_id')
          .where('connections.updated_at', '=', credentialSince),
      ),
    )
    .execute();
}

/** A decision about one pending call. */
interface ApprovalDecision {
  readonly id: string;
  readonly userId: string;
  /** The digest of the call that was shown: another call has another. */
  readonly digest: string;
  readonly channel: ApprovalChannel;
  /** Null for a denial. */
  readonly proof: string | null;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** @returns undefined if it does not wait any more, or must not be approved because its grant, partner or connection ended. */
export async function decideApproval(executor: Executor, decision: ApprovalDecision): Promise<Approval | undefined> {
  const { id, userId, digest, channel, proof, now, expiresAt } = decision;
  return executor
    .updateTable('approvals')
    .set({
      status: proof === null ? 'denied' : 'approved',
      channel,
      proof,
      decided_at: now,
      expires_at: expiresAt,
      sealed: null,
    })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('digest', '=', digest)
    .where('status', '=', 'pending')
    .where('expires_at', '>', now)
    .$if(proof !== null, (query) => query.where((row) => isUsable(row, now)))
    .returning(APPROVAL)
    .executeTakeFirst();
}

/** Removes the request for an approval that no one decided. */
export async function withdrawApproval(executor: Executor, id: string): Promise<void> {
  await executor.deleteFrom('approvals').where('id', '=', id).where('status', '=', 'pending').execute();
}

/** The grant or token lives, the partner is not suspended, and the connection works. */
function isUsable(row: ExpressionBuilder<Database, 'approvals'>, now: number) {
  const { exists, selectFrom, or, and } = row;
  return and([
    or([
      row('approvals.grant_id', 'is', null),
      exists(
        selectFrom('oauth_grants')
          .select('oauth_grants.id')
          .whereRef('oauth_grants.id', '=', 'approvals.grant_id')
          .where('oauth_grants.revoked_at', 'is', null),
      ),
    ]),
    or([
      row('approvals.token_id', 'is', null),
      exists(
        selectFrom('access_tokens')
          .select('access_tokens.id')
          .whereRef('access_tokens.id', '=', 'approvals.token_id')
          .where('access_tokens.revoked_at', 'is', null)
          .where('access_tokens.expires_at', '>', now),
      ),
    ]),
    exists(
      selectFrom('connections')
        .innerJoin('users', 'users.id', 'connections.user_id')
        .innerJoin('partners', 'partners.id', 'users.partner_id')
        .select('connections.id')
        .whereRef('connections.id', '=', 'approvals.connection_id')
        .where('connections.status', '=', 'active')
        .where('partners.suspended_at', 'is', null),
    ),
  ]);
}

/** An approval with the client that asked for it. */
export type ListedApproval = Approval & {
  readonly externalUserId: string;
  readonly clientId: string | null;
  readonly clientName: string | null;
};

/** Whose approvals, and which. */
interface ApprovalSelection {
  readonly partnerId: string;
  readonly userId?: string | undefined;
  readonly ids?: readonly string[];
  /** Only those that wait at this time, in milliseconds since 1970. Default: all, decided or not. */
  readonly pendingAt?: number;
  /** Instead of calls, only approvals of calls of a tool that hold at this time, in milliseconds since 1970. */
  readonly standingAt?: number;
  /** Only those after this id. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** The oldest first. */
export async function listApprovals(executor: Executor, selection: ApprovalSelection): Promise<ListedApproval[]> {
  const { partnerId, userId, ids, pendingAt, standingAt, after, limit } = selection;
  let query = executor
    .selectFrom('approvals')
    .innerJoin('users', 'users.id', 'approvals.user_id')
    .leftJoin('oauth_grants', 'oauth_grants.id', 'approvals.grant_id')
    .leftJoin('oauth_clients', 'oauth_clients.client_id', 'oauth_grants.client_id')
    .select(columnsOf(CORE_TABLES.tables.approvals, { alias: 'approvals' }))
    .select('users.external_user_id as externalUserId')
    .select(columns('oauth_grants.client_id', 'oauth_clients.client_name'))
    .where('users.partner_id', '=', partnerId)
    .where('approvals.status', standingAt === undefined ? '!=' : '=', 'standing')
    .orderBy('approvals.id')
    .limit(limit);
  if (userId !== undefined) query = query.where('approvals.user_id', '=', userId);
  if (ids !== undefined) query = query.where('approvals.id', 'in', ids);
  if (after !== undefined) query = query.where('approvals.id', '>', after);
  if (pendingAt !== undefined)
    query = query.where('approvals.status', '=', 'pending').where('approvals.expires_at', '>', pendingAt);
  if (standingAt !== undefined)
    query = query.where('approvals.expires_at', '>', standingAt).where((row) => isUsable(row, standingAt));
  return query.execute();
}

/** Finds the row id of the user of an approval, whatever its state. */
export async function findApprovalUser(executor: Executor, id: string): Promise<string | undefined> {
  const row = await executor.selectFrom('approvals').select('user_id').where('id', '=', id).executeTakeFirst();
  return row?.user_id;
}

/** Ends what was asked or approved for a connection, because it has another credential now. */
export async function endApprovals(executor: Executor, connectionId: string): Promise<void> {
  await executor
    .deleteFrom('approvals')
    .where('connection_id', '=', connectionId)
    .where('digest', 'is not', null)
    .execute();
}
