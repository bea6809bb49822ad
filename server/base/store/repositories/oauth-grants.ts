/** Grants: the access that a user gave a client. A grant is the family of its authorization codes (RFC 6749 §4.1.2) and tokens. */

import { locksRows } from '../conflicts.ts';
import { emit } from '../events.ts';
import { columns, columnsOf, hasRow, newId, type Row, toList, toOptionalList, toRow } from '../rows.ts';
import { CORE_TABLES, type Executor } from '../schema.ts';

/** Why a grant was revoked. */
export type GrantEnd =
  | 'code-replayed'
  | 'refresh-token-replayed'
  | 'revoked-by-client'
  | 'revoked-by-operator'
  | 'issuer-removed'
  | 'revoked-by-partner'
  | 'revoked-by-user';

const GRANT = columnsOf(CORE_TABLES.tables.oauth_grants, { alias: 'access' });

/** A grant with its user, the user's partner, and the client. */
export type Grant = ReturnType<typeof toGrant>;

/** The columns of a grant that hold lists. */
interface GrantLists {
  readonly scopes: readonly string[];
  /** Null if it covers all services of the user. */
  readonly services: readonly string[] | null;
}

/** A grant to add. Omitted members are null. */
interface NewGrant
  extends GrantLists,
    Pick<Grant, 'clientId' | 'userId' | 'resource' | 'expiresAt'>,
    Partial<Pick<Grant, 'service' | 'permission' | 'endsAt' | 'issuerId' | 'redirectUri'>> {
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Adds a grant. Needs a transaction. @returns its row id. */
export async function insertGrant(executor: Executor, grant: NewGrant): Promise<string> {
  const id = newId(grant.now);
  await executor
    .insertInto('oauth_grants')
    .values(toRow(GRANT, { ...grant, ...toLists(grant), id, createdAt: grant.now }))
    .execute();
  const { userId, clientId, now } = grant;
  await emit(executor, { type: 'grant_given', userId, grantId: id, clientId, now });
  return id;
}

export async function findGrant(executor: Executor, id: string): Promise<Grant | undefined> {
  const row = await selectGrants(executor).where('access.id', '=', id).executeTakeFirst();
  return row && toGrant(row);
}

/** Locks a grant until the transaction ends, and keeps its user from removal. Lock other rows of the grant after it. */
export async function lockGrant(executor: Executor, id: string): Promise<Grant | undefined> {
  const query = selectGrants(executor).where('access.id', '=', id);
  const row = await (locksRows(executor) ? query.forKeyShare('u').forNoKeyUpdate('access') : query).executeTakeFirst();
  return row && toGrant(row);
}

/** A user's stored grants, newest first. */
export async function listUserGrants(executor: Executor, userId: string, limit: number): Promise<Grant[]> {
  const query = selectGrants(executor).where('access.user_id', '=', userId).orderBy('access.id', 'desc').limit(limit);
  return (await query.execute()).map(toGrant);
}

/** The holder of a grant. */
export interface GrantHolder {
  /** Null if the partner itself holds the grant. */
  readonly clientId: string | null;
  /** The name that the client gave itself, unverified. */
  readonly clientName: string | null;
}

/** The holders of grants by row id, also of grants that were revoked; grants that are deleted are absent. */
export async function findGrantHolders(
  executor: Executor,
  ids: readonly string[],
): Promise<ReadonlyMap<string, GrantHolder>> {
  if (ids.length === 0) return new Map();
  const rows = await executor
    .selectFrom('oauth_grants as g')
    .leftJoin('oauth_clients as c', 'c.client_id', 'g.client_id')
    .select(columns('g.id', 'g.client_id', 'c.client_name'))
    .where('g.id', 'in', ids)
    .execute();
  return new Map(rows.map(({ id, ...holder }) => [id, holder]));
}

/** The query that every reading of grants begins with, for `toGrant`. The grants have the alias `access`. */
export function selectGrants(executor: Executor) {
  return executor
    .selectFrom('oauth_grants as access')
    .innerJoin('users as u', 'u.id', 'access.user_id')
    .innerJoin('partners as p', 'p.id', 'u.partner_id')
    .leftJoin('oauth_clients as c', 'c.client_id', 'access.client_id')
    .select([...GRANT, ...columns('u.external_user_id', 'u.partner_id', 'p.suspended_at', 'p.test_of')])
    .select(['p.client_id as partnerClientId', 'p.name as partnerName'])
    .select(columns('c.client_name', 'c.redirect_uris', 'c.document_fetched_at'));
}

interface JoinedRow extends Row<'oauth_grants', typeof GRANT> {
  readonly externalUserId: string;
  readonly partnerId: string;
  readonly partnerClientId: string;
  readonly partnerName: string;
  readonly suspendedAt: number | null;
  /** Row id of the live partner, if the grant is one of test mode. */
  readonly testOf: string | null;
  readonly clientName: string | null;
  readonly redirectUris: string | null;
  readonly documentFetchedAt: number | null;
}

export function toGrant(row: JoinedRow) {
  const { scopes, services, partnerClientId, suspendedAt, redirectUris, documentFetchedAt, ...grant } = row;
  return {
    ...grant,
    scopes: toList(scopes, ' ') as readonly string[],
    services: toOptionalList(services) as readonly string[] | null,
    partner: { clientId: partnerClientId, name: grant.partnerName, suspendedAt },
    /** Of the client. */
    redirectUris: (redirectUris === null ? [] : JSON.parse(redirectUris)) as readonly string[],
    /** The client's id is the URL of its metadata document, whose host identifies the client. */
    isDocument: documentFetchedAt !== null,
  };
}

/** @returns undefined if the grant was revoked or removed. */
export async function findLiveGrant(executor: Executor, id: string): Promise<Grant | undefined> {
  const grant = await findGrant(executor, id);
  return grant?.revokedAt === null ? grant : undefined;
}

/** Returns true if a stored grant has exactly this redirect URI. */
export async function wasGrantSentTo(executor: Executor, redirectUri: string): Promise<boolean> {
  return hasRow(executor.selectFrom('oauth_grants').select('id').where('redirect_uri', '=', redirectUri).limit(1));
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
  return hasRow(
    executor
      .updateTable('oauth_grants')
      .set({ expires_at: expiresAt })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .returning('id'),
  );
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
const REVOKED_COLUMNS = columns('id', 'user_id', 'client_id');

/** Tells of revoked grants. Needs the transaction that revoked them. */
export async function announceRevoked(
  transaction: Executor,
  grants: readonly { readonly id: string; readonly userId: string; readonly clientId: string | null }[],
  { reason, now }: { reason: GrantEnd; now: number },
): Promise<void> {
  await emit(
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

/** The limits of what a client may call, as the row of its grant stores them. */
export interface GrantAccess extends GrantLists {
  /** JSON, see `writePermission`; null narrows nothing. */
  readonly permission: string | null;
}

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
  const stored = ({ permission, ...lists }: GrantAccess) => ({ ...toLists(lists), permission });
  const from = stored(change.from);
  const to = stored(change.to);
  return hasRow(
    executor
      .updateTable('oauth_grants')
      .set(to)
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .where('scopes', '=', from.scopes)
      .where('services', from.services === null ? 'is' : '=', from.services)
      .where('permission', from.permission === null ? 'is' : '=', from.permission)
      .returning('id'),
  );
}

function toLists({ scopes, services }: GrantLists) {
  return { scopes: scopes.join(' '), services: services?.join(',') ?? null };
}

const CODE = columnsOf(CORE_TABLES.tables.oauth_codes);

export type AuthorizationCode = Row<'oauth_codes', typeof CODE>;

export async function insertAuthorizationCode(
  executor: Executor,
  code: Omit<AuthorizationCode, 'createdAt' | 'consumedAt'> & { now: number },
): Promise<void> {
  await executor
    .insertInto('oauth_codes')
    .values(toRow(CODE, { ...code, createdAt: code.now }))
    .execute();
}

/** Finds a code whether or not it can still be used. */
export async function findAuthorizationCode(
  executor: Executor,
  codeHash: string,
): Promise<AuthorizationCode | undefined> {
  return executor.selectFrom('oauth_codes').select(CODE).where('code_hash', '=', codeHash).executeTakeFirst();
}

/** Consumes a code; one of several concurrent callers succeeds. @returns false if it was consumed or has expired. */
export async function consumeAuthorizationCode(executor: Executor, codeHash: string, now: number): Promise<boolean> {
  return hasRow(
    executor
      .updateTable('oauth_codes')
      .set({ consumed_at: now })
      .where('code_hash', '=', codeHash)
      .where('consumed_at', 'is', null)
      .where('expires_at', '>', now)
      .returning('code_hash'),
  );
}
