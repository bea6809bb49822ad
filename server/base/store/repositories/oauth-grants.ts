/** Grants: the access that a user gave a client. A grant is the family of its codes and tokens. */

import { tell } from '../../events.ts';
import { locksRows } from '../conflicts.ts';
import { newId } from '../ids.ts';
import type { Executor } from '../schema.ts';
import type { Partner } from './partners.ts';

/** Why a grant was revoked. */
export type GrantEnd =
  | 'code-replayed'
  | 'refresh-token-replayed'
  | 'revoked-by-client'
  | 'revoked-by-operator'
  | 'issuer-removed'
  | 'revoked-by-partner'
  | 'revoked-by-user';

interface NewGrant {
  /** Null: the user's partner itself. */
  readonly clientId: string | null;
  readonly userId: string;
  readonly scopes: readonly string[];
  /** Services that the grant is limited to; null: all services of the user, now or later. */
  readonly services: readonly string[] | null;
  /** Resource indicator (RFC 8707). */
  readonly resource: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** When its first code or token expires, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** The service whose connect flow creates the grant. Default: none. */
  readonly service?: string;
  /** JSON of `Permission`. Default: none. */
  readonly permission?: string | null;
  /** When its last token expires, in milliseconds since 1970. Default: each refresh extends it. */
  readonly endsAt?: number | null;
  /** Row id of the identity issuer that vouched for the user. Default: none. */
  readonly issuerId?: string;
  /** The redirect URI that receives its authorization code. Default: none. */
  readonly redirectUri?: string;
}

export interface Grant {
  readonly id: string;
  readonly clientId: string | null;
  readonly userId: string;
  /** Row id of the partner that owns the user. */
  readonly partnerId: string;
  readonly partner: Pick<Partner, 'clientId' | 'name' | 'suspendedAt'>;
  readonly scopes: readonly string[];
  readonly services: readonly string[] | null;
  readonly resource: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Milliseconds since 1970, or null while the grant lives. */
  readonly revokedAt: number | null;
  /** The service whose connect flow created the grant; null: it came another way. */
  readonly service: string | null;
  /** JSON of `Permission`, or null. */
  readonly permission: string | null;
  /** When its last token must have expired, in milliseconds since 1970; null: each refresh extends it. */
  readonly endsAt: number | null;
  /** The redirect URI that received its authorization code; null: there was none. */
  readonly redirectUri: string | null;
}

/** Adds a grant. Needs a transaction. @returns its row id. */
export async function insertGrant(executor: Executor, grant: NewGrant): Promise<string> {
  const id = newId(grant.now);
  await executor
    .insertInto('oauth_grants')
    .values({
      id,
      client_id: grant.clientId,
      user_id: grant.userId,
      scopes: grant.scopes.join(' '),
      services: grant.services === null ? null : grant.services.join(','),
      resource: grant.resource,
      created_at: grant.now,
      expires_at: grant.expiresAt,
      revoked_at: null,
      revoked_reason: null,
      service: grant.service ?? null,
      permission: grant.permission ?? null,
      ends_at: grant.endsAt ?? null,
      issuer_id: grant.issuerId ?? null,
      redirect_uri: grant.redirectUri ?? null,
    })
    .execute();
  const { userId, clientId, now } = grant;
  await tell(executor, { type: 'grant_given', userId, grantId: id, clientId, now });
  return id;
}

export async function findGrant(executor: Executor, id: string): Promise<Grant | undefined> {
  return toGrant(await selectGrant(executor, id).executeTakeFirst());
}

/** Locks a grant until the transaction ends, and keeps its user from removal. Lock other rows of the grant after it. */
export async function lockGrant(executor: Executor, id: string): Promise<Grant | undefined> {
  const query = selectGrant(executor, id);
  const locking = locksRows(executor) ? query.forKeyShare('users').forNoKeyUpdate('oauth_grants') : query;
  return toGrant(await locking.executeTakeFirst());
}

function selectGrant(executor: Executor, id: string) {
  return executor
    .selectFrom('oauth_grants')
    .innerJoin('users', 'users.id', 'oauth_grants.user_id')
    .innerJoin('partners', 'partners.id', 'users.partner_id')
    .select([
      'oauth_grants.id',
      'oauth_grants.client_id as clientId',
      'oauth_grants.user_id as userId',
      'users.partner_id as partnerId',
      'partners.client_id as partnerClientId',
      'partners.name as partnerName',
      'partners.suspended_at as suspendedAt',
      'oauth_grants.scopes',
      'oauth_grants.services',
      'oauth_grants.resource',
      'oauth_grants.created_at as createdAt',
      'oauth_grants.revoked_at as revokedAt',
      'oauth_grants.service',
      'oauth_grants.permission',
      'oauth_grants.ends_at as endsAt',
      'oauth_grants.redirect_uri as redirectUri',
    ])
    .where('oauth_grants.id', '=', id);
}

type GrantRow = Omit<Grant, 'scopes' | 'services' | 'partner'> & {
  readonly scopes: string;
  readonly services: string | null;
  readonly partnerClientId: string;
  readonly partnerName: string;
  readonly suspendedAt: number | null;
};

function toGrant(row: GrantRow | undefined): Grant | undefined {
  if (row === undefined) return undefined;
  const { partnerClientId, partnerName, suspendedAt, ...grant } = row;
  return {
    ...grant,
    partner: { clientId: partnerClientId, name: partnerName, suspendedAt },
    scopes: splitList(row.scopes, ' '),
    services: row.services === null ? null : splitList(row.services, ','),
  };
}

/** @returns undefined if the grant was revoked or removed. */
export async function findLiveGrant(executor: Executor, id: string): Promise<Grant | undefined> {
  const grant = await findGrant(executor, id);
  return grant?.revokedAt === null ? grant : undefined;
}

/** Whether a stored grant has exactly this redirect URI. */
export async function wasGrantSentTo(executor: Executor, redirectUri: string): Promise<boolean> {
  const found = await executor
    .selectFrom('oauth_grants')
    .select('id')
    .where('redirect_uri', '=', redirectUri)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Row ids of the grants of a user's partner that were not revoked. */
export async function listPartnerGrants(executor: Executor, userId: string): Promise<string[]> {
  const rows = await executor
    .selectFrom('oauth_grants')
    .select('id')
    .where('user_id', '=', userId)
    .where('client_id', 'is', null)
    .where('revoked_at', 'is', null)
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Extends a grant until its newest code or token expires.
 *
 * @returns false if the grant was revoked or removed meanwhile.
 */
export async function extendGrant(executor: Executor, id: string, expiresAt: number): Promise<boolean> {
  const extended = await executor
    .updateTable('oauth_grants')
    .set({ expires_at: expiresAt })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return extended !== undefined;
}

/** Revokes a grant and all tokens of its family. Needs a transaction. @returns false if it was revoked before. */
export async function revokeGrant(
  executor: Executor,
  id: string,
  end: { reason: GrantEnd; now: number },
): Promise<boolean> {
  const revoked = await executor
    .updateTable('oauth_grants')
    .set({ revoked_at: end.now, revoked_reason: end.reason })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning(REVOKED_COLUMNS)
    .executeTakeFirst();
  if (revoked === undefined) return false;
  await announceRevoked(executor, [revoked], end);
  return true;
}

/** The columns that the event of a revoked grant needs. */
export const REVOKED_COLUMNS = ['id', 'user_id as userId', 'client_id as clientId'] as const;

/** Tells of revoked grants. Needs the transaction that revoked them. */
export async function announceRevoked(
  transaction: Executor,
  grants: readonly { readonly id: string; readonly userId: string; readonly clientId: string | null }[],
  { reason, now }: { reason: GrantEnd; now: number },
): Promise<void> {
  await tell(
    transaction,
    grants.map(({ id, userId, clientId }) => ({ type: 'grant_ended', userId, grantId: id, clientId, reason, now })),
  );
}

/**
 * Revokes every grant of an identity issuer or a client. Needs a transaction.
 *
 * @param of.column says what `value` is: the issuer's row id, or `client_id`.
 * @returns how many were still live.
 */
export async function revokeGrantsOf(
  executor: Executor,
  of: { column: 'issuer_id' | 'client_id'; value: string },
  end: { reason: GrantEnd; now: number },
): Promise<number> {
  const { reason, now } = end;
  const revoked = await executor
    .updateTable('oauth_grants')
    .set({ revoked_at: now, revoked_reason: reason })
    .where(of.column, '=', of.value)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .returning(REVOKED_COLUMNS)
    .execute();
  await announceRevoked(executor, revoked, end);
  return revoked.length;
}

/** What a grant lets a client call, as stored in its row. */
export type GrantAccess = Pick<Grant, 'scopes' | 'services' | 'permission'>;

/**
 * Replaces the access of a live grant, if it is still what the caller read.
 *
 * @returns false if it was changed, revoked or removed meanwhile: read it again.
 */
export async function replaceGrantAccess(
  executor: Executor,
  id: string,
  change: { from: GrantAccess; to: GrantAccess },
): Promise<boolean> {
  const [from, to] = [toColumns(change.from), toColumns(change.to)];
  const replaced = await executor
    .updateTable('oauth_grants')
    .set(to)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .where('scopes', '=', from.scopes)
    .where('services', from.services === null ? 'is' : '=', from.services)
    .where('permission', from.permission === null ? 'is' : '=', from.permission)
    .returning('id')
    .executeTakeFirst();
  return replaced !== undefined;
}

function toColumns({ scopes, services, permission }: GrantAccess) {
  return { scopes: scopes.join(' '), services: services === null ? null : services.join(','), permission };
}

function splitList(text: string, separator: string): string[] {
  return text === '' ? [] : text.split(separator);
}
