/** Current access by user, client, partner and service: counted, listed, and revoked in batches. */

import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Realm } from '../../realm.ts';
import { isUserInRealm } from '../in-realm.ts';
import { fromCursor, likeText, type PageCursor } from '../list-page.ts';
import { accountKeysOf, columns, toList, toOptionalList } from '../rows.ts';
import type { Executor } from '../schema.ts';
import { lastCallOf } from './calls/call-order.ts';
import { announceRevoked, type Grant, type GrantEnd, selectGrants, toGrant } from './oauth-grants.ts';

/** Access must match all criteria that are given; without criteria, all access matches. */
export interface AccessSelection {
  /** Row id: only access of this partner's users. */
  readonly partnerId?: string;
  /** Row id. */
  readonly userId?: string | undefined;
  /** `client_id` of an OAuth client, which has only grants. Null for the grants of partners themselves. */
  readonly clientId?: string | null | undefined;
  /** Only access of users of this realm. Default: of both. */
  readonly realm?: Realm;
  /** Connector name: only access that may use it now. The user has connected it or a team shares it, and it was not left out as a whole. */
  readonly service?: string | undefined;
}

/**
 * - `codes`: connection codes that were not entered yet.
 * - `grants`: grants with their codes and tokens, including the partner's own grants.
 * - `tokens`: access tokens that were minted outside OAuth.
 */
export type AccessKind = 'codes' | 'grants' | 'tokens';

/** In the order in which access of one kind can turn into the next. */
export const ACCESS_KINDS: readonly AccessKind[] = ['codes', 'grants', 'tokens'];

/** The count of each kind. */
export type AccessCounts = Readonly<Record<AccessKind, number>>;

interface KindRules {
  readonly table: 'single_use_codes' | 'oauth_grants' | 'access_tokens';
  readonly key: 'id' | 'code_hash';
  /** True if OAuth clients have access of this kind. */
  readonly ofClients: boolean;
  /** SQL condition of live rows. */
  live(now: number): RawBuilder<unknown>;
  /** SQL condition of rows that include the service, whichever of its accounts and tools they allow. */
  includes(service: string): RawBuilder<unknown>;
  /** SQL assignments that revoke a row. */
  end(now: number, reason: GrantEnd): RawBuilder<unknown>;
}

const RULES: Readonly<Record<AccessKind, KindRules>> = {
  codes: {
    table: 'single_use_codes',
    key: 'code_hash',
    ofClients: false,
    live: (now) => sql`access.purpose = 'connection' and access.consumed_at is null and access.expires_at > ${now}`,
    // The payload is JSON of `ConnectionCodeLimits`. Only its list of services can hold a name in plain quotes: the permission is JSON in a
    // string, so that its quotes are escaped.
    includes: (service) =>
      sql`(access.payload like ${'%"services":null%'} or access.payload like ${likeText(`"${service}"`)} escape '\\')`,
    end: (now) => sql`consumed_at = ${now}`,
  },
  grants: {
    table: 'oauth_grants',
    key: 'id',
    ofClients: true,
    live: (now) =>
      sql`access.revoked_at is null and access.expires_at > ${now} and (access.ends_at is null or access.ends_at > ${now})`,
    // The permission is JSON. If the user left out a service, its list `without` holds `<service>/*` (`everyToolOf`).
    includes: (service) => sql`${listsService(service)}
      and (access.permission is null or access.permission not like ${likeText(`"${service}/*"`)} escape '\\')`,
    end: (now, reason) => sql`revoked_at = ${now}, revoked_reason = ${reason}`,
  },
  tokens: {
    table: 'access_tokens',
    key: 'id',
    ofClients: false,
    live: (now) => sql`access.grant_id is null and access.revoked_at is null and access.expires_at > ${now}`,
    includes: listsService,
    end: (now) => sql`revoked_at = ${now}`,
  },
};

/** SQL condition of rows that are selected and live, for a table with the alias `access`. */
export function isSelected(kind: AccessKind, selection: AccessSelection, now: number): RawBuilder<SqlBool> {
  const { partnerId, userId, clientId, service, realm } = selection;
  const { live, includes, ofClients } = RULES[kind];
  const conditions = [live(now)];
  if (partnerId !== undefined) {
    conditions.push(sql`access.user_id in (select id from users where partner_id = ${partnerId})`);
  }
  if (realm !== undefined) conditions.push(isUserInRealm(realm, 'access.user_id'));
  if (userId !== undefined) conditions.push(sql`access.user_id = ${userId}`);
  if (clientId !== undefined && !ofClients) conditions.push(sql`1 = 0`);
  else if (clientId === null) conditions.push(sql`access.client_id is null`);
  else if (clientId !== undefined) conditions.push(sql`access.client_id = ${clientId}`);
  if (service !== undefined) {
    const accountKeys = sql.join(accountKeysOf(service));
    conditions.push(
      sql`(exists (select 1 from connections c where c.user_id = access.user_id and c.service in (${accountKeys}))
        or exists (select 1 from team_members m join team_shares s on s.team_id = m.team_id
          where m.user_id = access.user_id and s.service = ${service}))`,
      includes(service),
    );
  }
  return sql<SqlBool>`${sql.join(conditions, sql` and `)}`;
}

export async function countAccess(executor: Executor, selection: AccessSelection, now: number): Promise<AccessCounts> {
  const count = async (kind: AccessKind): Promise<number> => {
    const table = sql.table(RULES[kind].table);
    const { rows } = await sql<{ live: number | string }>`
      select count(*) as live from ${table} as access where ${isSelected(kind, selection, now)}`.execute(executor);
    return Number(rows[0]?.live ?? 0);
  };
  return { codes: await count('codes'), grants: await count('grants'), tokens: await count('tokens') };
}

/**
 * Revokes the first `limit` of one kind, by key, and sends partners the events of revoked grants. Needs a transaction.
 *
 * @param options.after the last key of the previous batch. Default: from the first.
 * @returns the keys, sorted.
 */
export async function revokeSomeAccess(
  executor: Executor,
  kind: AccessKind,
  options: { selection: AccessSelection; now: number; reason: GrantEnd; limit: number; after?: string },
): Promise<string[]> {
  const { selection, now, reason, limit, after = '' } = options;
  const { table, end } = RULES[kind];
  const key = sql.ref(RULES[kind].key);
  const selected = isSelected(kind, selection, now);
  const clientId = kind === 'grants' ? sql.ref('client_id') : sql`null`;
  const { rows } = await sql<{ key: string; userId: string; clientId: string | null }>`
    update ${sql.table(table)} as access set ${end(now, reason)}
     where access.${key} in (select access.${key} from ${sql.table(table)} as access
                         where ${selected} and access.${key} > ${after} order by access.${key} limit ${sql.lit(limit)})
       and ${RULES[kind].live(now)}
    returning ${key} as key, user_id as "userId", ${clientId} as "clientId"`.execute(executor);
  if (kind === 'grants')
    await announceRevoked(
      executor,
      rows.map((row) => ({ ...row, id: row.key })),
      { reason, now },
    );
  return rows.map((row) => row.key).sort();
}

/** A live grant, or an access token that was minted outside OAuth. */
export interface ListedAccess
  extends Pick<
    Grant,
    | 'id'
    | 'userId'
    | 'externalUserId'
    | 'partnerId'
    | 'partnerName'
    | 'testOf'
    | 'clientId'
    | 'clientName'
    | 'scopes'
    | 'services'
    | 'createdAt'
    | 'expiresAt'
    | 'endsAt'
  > {
  readonly kind: 'grants' | 'tokens';
}

/** The `limit` newest of one kind, newest first; with `after` (an id), the nearest newer ones, oldest first. */
export async function listAccess(
  executor: Executor,
  kind: ListedAccess['kind'],
  { selection, now, limit, ...place }: PageCursor & { selection: AccessSelection; now: number; limit: number },
): Promise<ListedAccess[]> {
  const isListed = isSelected(kind, selection, now);
  if (kind === 'grants') {
    const query = fromCursor(selectGrants(executor).where(isListed), 'access.id', place);
    return (await query.limit(limit).execute()).map((row) => ({ kind, ...toLiveGrant(row) }));
  }
  const query = executor
    .selectFrom('access_tokens as access')
    .innerJoin('users as u', 'u.id', 'access.user_id')
    .innerJoin('partners as p', 'p.id', 'u.partner_id')
    .select([
      ...columns('access.id', 'access.user_id', 'u.external_user_id', 'u.partner_id', 'p.test_of'),
      'p.name as partnerName',
    ])
    .select(columns('access.scopes', 'access.services', 'access.created_at', 'access.expires_at'))
    .where(isListed);
  const rows = await fromCursor(query, 'access.id', place).limit(limit).execute();
  return rows.map((row) => ({
    ...row,
    kind,
    clientId: null,
    clientName: null,
    endsAt: null,
    scopes: toList(row.scopes, ' '),
    services: toOptionalList(row.services),
  }));
}

/** The last call under a grant. */
export interface LastCall {
  readonly service: string;
  /** The name in the call, which may be an old one. */
  readonly tool: string;
  readonly outcome: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** A grant that is neither revoked nor expired. Its `expiresAt` is never after `endsAt`. */
export interface LiveGrant extends Grant {
  /** Time at which its holder last got tokens or called a tool, in milliseconds since 1970. Null if it never did. */
  readonly lastUsedAt: number | null;
  /** Null if there is no record of a call. */
  readonly lastCall: LastCall | null;
}

/** The grants to read. */
interface LiveGrantFilter {
  readonly userId: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Only this grant. Default: all. */
  readonly id?: string;
  /** Only grants of clients, or only those of the user's partner itself. Default: all. */
  readonly holder?: 'client' | 'partner';
  /** Id of a grant: only older grants. Default: from the newest. */
  readonly before?: string | undefined;
}

/** The `limit` newest matching grants of a user with their last calls, newest first. */
export async function listLiveGrants(
  executor: Executor,
  { userId, now, id, holder, ...place }: LiveGrantFilter,
  limit: number,
): Promise<LiveGrant[]> {
  let query = selectGrants(executor)
    .leftJoin('call_records as r', (join) => join.on('r.id', '=', lastCallOf(executor, sql`access.id`)))
    .select(
      sql<number | null>`(select max(t.created_at) from refresh_tokens t where t.grant_id = access.id)`.as('tokensAt'),
    )
    .select(['r.service as callService', 'r.tool as callTool', 'r.outcome as callOutcome', 'r.created_at as calledAt'])
    .where(isSelected('grants', { userId }, now))
    .limit(limit);
  if (id !== undefined) query = query.where('access.id', '=', id);
  if (holder !== undefined) query = query.where('access.client_id', holder === 'client' ? 'is not' : 'is', null);
  const rows = await fromCursor(query, 'access.id', place).execute();
  return rows.map(({ tokensAt, callService, callTool, callOutcome, calledAt, ...grant }) => {
    const isCalled = callService !== null && callTool !== null && callOutcome !== null && calledAt !== null;
    const uses = [tokensAt, calledAt].filter((time) => time !== null).map(Number);
    return {
      ...toLiveGrant(grant),
      lastUsedAt: uses.length === 0 ? null : Math.max(...uses),
      lastCall: isCalled ? { service: callService, tool: callTool, outcome: callOutcome, createdAt: calledAt } : null,
    };
  });
}

/** The client's newest live grant of a user. */
export async function findClientGrant(
  executor: Executor,
  { now, ...selection }: { userId: string; clientId: string; now: number },
): Promise<Grant | undefined> {
  const query = selectGrants(executor).where(isSelected('grants', selection, now));
  const row = await query.orderBy('access.id', 'desc').limit(1).executeTakeFirst();
  return row && toLiveGrant(row);
}

function toLiveGrant(row: Parameters<typeof toGrant>[0]): Grant {
  const grant = toGrant(row);
  return { ...grant, expiresAt: Math.min(grant.expiresAt, grant.endsAt ?? grant.expiresAt) };
}

function listsService(service: string): RawBuilder<unknown> {
  return sql`(access.services is null or ',' || access.services || ',' like ${likeText(`,${service},`)} escape '\\')`;
}
