/** Connect sessions: visits to the connect page that a partner's server requested, each for one user. */

import { newId } from '../../ids.ts';
import type { Database, Executor } from '../../schema.ts';

export interface ConnectSession {
  readonly id: string;
  /** Row id. */
  readonly partnerId: string;
  /** The partner's own name for the user. */
  readonly externalUserId: string;
  /** Connector names, in the order of their pages. */
  readonly services: readonly string[];
  /** The services that the user skipped. */
  readonly skipped: readonly string[];
  /** As the partner gave it, byte for byte. */
  readonly redirectUri: string;
  readonly state: string | null;
  /** BCP 47. */
  readonly locale: string | null;
  /** Origins that a popup may post its result to. */
  readonly allowedOrigins: readonly string[];
  /** Deadline of the next step, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** SHA-256 of the cookie of the browser that used the token, as base64url; null: the token is unused. */
  readonly browserHash: string | null;
  /** Whether the user has finished, so that only the code is left. */
  readonly hasCode: boolean;
  /** Milliseconds since 1970; null: not yet. */
  readonly redeemedAt: number | null;
  /** The grant that resulted, which a replay revokes. */
  readonly grantId: string | null;
}

/** A partner's request for a session. Times are in milliseconds since 1970. */
export interface NewConnectSession
  extends Pick<
    ConnectSession,
    'partnerId' | 'externalUserId' | 'services' | 'redirectUri' | 'state' | 'locale' | 'allowedOrigins' | 'expiresAt'
  > {
  readonly tokenHash: string;
  readonly now: number;
}

export async function insertConnectSession(executor: Executor, session: NewConnectSession): Promise<void> {
  await executor
    .insertInto('connect_sessions')
    .values({
      id: newId(session.now),
      token_hash: session.tokenHash,
      partner_id: session.partnerId,
      external_user_id: session.externalUserId,
      services: session.services.join(','),
      skipped: '',
      redirect_uri: session.redirectUri,
      state: session.state,
      locale: session.locale,
      allowed_origins: JSON.stringify(session.allowedOrigins),
      created_at: session.now,
      expires_at: session.expiresAt,
      browser_hash: null,
      code_hash: null,
      redeemed_at: null,
      grant_id: null,
    })
    .execute();
}

/** Whether the partner has at least `limit` sessions that can still continue. */
export async function hasOpenSessions(
  executor: Executor,
  partnerId: string,
  { limit, now }: { limit: number; now: number },
): Promise<boolean> {
  const last = await executor
    .selectFrom('connect_sessions')
    .select('id')
    .where('partner_id', '=', partnerId)
    .where('expires_at', '>', now)
    .where('redeemed_at', 'is', null)
    .offset(limit - 1)
    .limit(1)
    .executeTakeFirst();
  return last !== undefined;
}

/** Finds a session by one of its identifiers, whether or not it can still continue. */
export async function findConnectSession(
  executor: Executor,
  name: { id: string } | { tokenHash: string } | { codeHash: string },
): Promise<ConnectSession | undefined> {
  const sessions = executor.selectFrom('connect_sessions').selectAll();
  const named =
    'id' in name
      ? sessions.where('id', '=', name.id)
      : 'tokenHash' in name
        ? sessions.where('token_hash', '=', name.tokenHash)
        : sessions.where('code_hash', '=', name.codeHash);
  const row = await named.executeTakeFirst();
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
    .returningAll()
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
  const finished = await executor
    .updateTable('connect_sessions')
    .set({ code_hash: finish.codeHash, expires_at: finish.expiresAt })
    .where('id', '=', finish.id)
    .where('code_hash', 'is', null)
    .where('expires_at', '>', finish.now)
    .returning('id')
    .executeTakeFirst();
  return finished !== undefined;
}

/** Redeems a session; one of several concurrent callers succeeds. @returns false if it was redeemed or has expired. */
export async function redeemConnectSession(executor: Executor, id: string, now: number): Promise<boolean> {
  const redeemed = await executor
    .updateTable('connect_sessions')
    .set({ redeemed_at: now })
    .where('id', '=', id)
    .where('redeemed_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('id')
    .executeTakeFirst();
  return redeemed !== undefined;
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

function toSession(row: Database['connect_sessions']): ConnectSession {
  return {
    id: row.id,
    partnerId: row.partner_id,
    externalUserId: row.external_user_id,
    services: toList(row.services),
    skipped: toList(row.skipped),
    redirectUri: row.redirect_uri,
    state: row.state,
    locale: row.locale,
    allowedOrigins: JSON.parse(row.allowed_origins) as string[],
    expiresAt: row.expires_at,
    browserHash: row.browser_hash,
    hasCode: row.code_hash !== null,
    redeemedAt: row.redeemed_at,
    grantId: row.grant_id,
  };
}

function toList(column: string): string[] {
  return column.split(',').filter((name) => name !== '');
}
