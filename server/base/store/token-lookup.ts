/** The one statement of the request path, and what is kept of its answers: token, user, partner, connections and sealed credentials by token hash. */

import { type InRealm, realmOf } from '../realm.ts';
import { nameAccountsOfMember } from './repositories/account-names.ts';
import type { ShareOwner, StoredAllowance } from './repositories/users.ts';
import { readAccountKey } from './rows.ts';
import type { ConnectionStatus } from './schema.ts';
import { CREATE_CHANGES_TABLE, countChanges, countChangesOfRead } from './tables/count-changes.ts';

/** Columns as both dialects return them: one row per connection, or one with nulls for a user without connections. */
export interface TokenLookupRow {
  readonly token_hash: string;
  readonly token_id: string;
  readonly scopes: string;
  readonly token_services: string | null;
  readonly grant_id: string | null;
  readonly client_id: string | null;
  readonly grant_scopes: string | null;
  readonly grant_services: string | null;
  readonly permission: string | null;
  readonly resource: string;
  readonly expires_at: number;
  readonly first_used_at: number | null;
  readonly user_id: string;
  readonly partner_id: string;
  readonly external_user_id: string;
  readonly connect_uri: string | null;
  readonly partner_name: string;
  readonly partner_services: string | null;
  readonly suspended_at: number | null;
  readonly partner_approvals: string | null;
  readonly partner_call_limits: string | null;
  readonly test_of: string | null;
  readonly user_approvals: string | null;
  readonly allowance: string | null;
  readonly allowance_until: number | null;
  readonly requires_allowance: number;
  readonly in_teams: number | null;
  readonly writing_stopped_at: number | null;
  readonly connection_id: string | null;
  /** An account key: see `accountKeyOf`. */
  readonly service: string;
  readonly status: ConnectionStatus;
  readonly sealed_credential: string | null;
  readonly updated_at: number;
  readonly account_name: string | null;
  readonly account: string | null;
}

/** Columns of a connection that a team shares with a user, as both dialects return them. */
export interface SharedConnectionRow {
  readonly member_id: string;
  readonly share_id: string;
  readonly read_only: number;
  readonly team_name: string;
  readonly owner_id: string;
  readonly owner_external_id: string;
  readonly owner_allowance: string | null;
  readonly owner_allowance_until: number | null;
  readonly connection_id: string;
  readonly service: string;
  readonly status: ConnectionStatus;
  readonly sealed_credential: string | null;
  readonly updated_at: number;
  readonly account_name: string | null;
  readonly account: string | null;
}

/** How a user may use a connection of another one: a team of the user shares it. */
export interface ConnectionShare {
  /** Row id. A grant pins the account by it. */
  readonly id: string;
  /** True if its tools may only read. */
  readonly isReadOnly: boolean;
  /** The owner of the connection, for whom its credential is sealed. */
  readonly owner: ShareOwner & { readonly userId: string; readonly externalUserId: string };
  /** True if the owner may not use the connection any more. Then no member may. */
  readonly isWithheld?: boolean;
}

/** The current state of a connection. */
export interface FoundConnection {
  readonly id: string;
  readonly status: ConnectionStatus;
  /** Null for open services. */
  readonly sealedCredential: string | null;
  /** Time at which the credential or status last changed, in milliseconds since 1970. */
  readonly updatedAt: number;
  /** Short name by which tools choose the account: that of the team for a shared one. Undefined if the user has had only this account of the service. */
  readonly name?: string | undefined;
  /** Name of the account as the service reports it. Undefined if it is not known. */
  readonly account?: string | undefined;
  /** Undefined for a connection of the user. */
  readonly share?: ConnectionShare;
  /** The user's other accounts of the service, shared ones last. Undefined if there are none. */
  readonly others?: readonly FoundConnection[];
}

/** An access token with its principal. Neither token nor grant is revoked; the caller checks whether it expired. */
export interface FoundAccessToken extends InRealm, StoredAllowance {
  readonly id: string;
  /** Scopes that both the token and its grant have. */
  readonly scopes: readonly string[];
  /** Row id of the grant. Null if the token was minted outside OAuth. */
  readonly grantId: string | null;
  /** The client that the token was issued to. Null if the user's partner or an operator created the token. */
  readonly clientId: string | null;
  /** JSON of the grant's `Permission`, or null. */
  readonly permission: string | null;
  readonly resource: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** Milliseconds since 1970, or null (see `markAccessTokenUsed`). */
  readonly firstUsedAt: number | null;
  readonly userId: string;
  readonly partnerId: string;
  readonly externalUserId: string;
  /** URL where the partner starts connect flows, or null. */
  readonly connectUri: string | null;
  readonly partnerName: string;
  /** Services that the partner may offer now. Null if it may offer all. */
  readonly offeredServices: readonly string[] | null;
  /** Services that token and grant are both limited to, connected or not. Null if neither is limited. */
  readonly narrowedTo: readonly string[] | null;
  /** If the partner is suspended, no connection may be used. */
  readonly isSuspended: boolean;
  /** Rules of the partner and of the user about which calls the user approves. Null if neither has set any. */
  readonly approvals: readonly string[] | null;
  /** Rules of the partner about the number of calls, separated by commas. Null if it has set none. */
  readonly callLimits: string | null;
  /** True if the operator has stopped all calls that write. */
  readonly isWritingStopped: boolean;
  /** Connections that the token may use, by service (of several accounts the first), in the order of their names by code unit. */
  readonly connections: ReadonlyMap<string, FoundConnection>;
}

const LOOKUP = `
  select t.token_hash, t.id as token_id, t.scopes, t.services as token_services, t.resource, t.expires_at, t.first_used_at,
         g.id as grant_id, g.client_id, g.scopes as grant_scopes, g.services as grant_services, g.permission,
         u.id as user_id, u.partner_id, u.external_user_id, p.connect_uri,
         p.name as partner_name, p.services as partner_services, p.suspended_at, p.approvals as partner_approvals, p.call_limits as partner_call_limits,
         p.test_of, p.requires_allowance,
         u.approvals as user_approvals, u.allowance, u.allowance_until, u.in_teams,
         (select set_at from switches where name = 'writing_stopped') as writing_stopped_at,
         c.id as connection_id, c.service, c.status, c.sealed_credential, c.updated_at, c.account_name, c.account
    from access_tokens t
    join users u on u.id = t.user_id
    join partners p on p.id = u.partner_id
    left join oauth_grants g on g.id = t.grant_id
    left join connections c on c.user_id = u.id
   where t.revoked_at is null and g.revoked_at is null and t.token_hash = `;

/** SQL for both dialects: what teams share with the user whose row id follows. */
export const SHARES = `
  select m.user_id as member_id, s.id as share_id, s.read_only, t.name as team_name, o.id as owner_id,
         o.external_user_id as owner_external_id, o.allowance as owner_allowance, o.allowance_until as owner_allowance_until,
         c.id as connection_id, c.service, c.status, c.sealed_credential, c.updated_at, c.account_name, c.account
    from team_members m
    join users u on u.id = m.user_id
    join teams t on t.id = m.team_id and t.partner_id = u.partner_id
    join team_shares s on s.team_id = t.id
    join connections c on c.id = s.connection_id
    join users o on o.id = c.user_id and o.partner_id = t.partner_id and o.id <> u.id
   where m.user_id = `;

/**
 * SQL for better-sqlite3, with one positional parameter.
 *
 * With a bare `?` in a join, SQLite would plan the query again at each execution, because it is built with STAT4 and
 * looks at the value (measured: six times the cost). It does not look into a subquery.
 */
export const SQLITE_TOKEN_LOOKUP = `${LOOKUP} (select ?)`;

/** Differs between two reads of one connection if another connection, of any process, committed in between. */
export const SQLITE_VERSION = 'pragma main.data_version';

/**
 * Statements that create triggers which count the changes of what the lookup reads, whichever process makes them. Running them again has no effect.
 *
 * A new row of the other tables belongs to no token that was found before. A migration that removes one of the columns drops its trigger first.
 */
export const COUNT_SQLITE_CHANGES: readonly string[] = [
  CREATE_CHANGES_TABLE,
  ...[LOOKUP, SHARES].flatMap(countChangesOfRead),
  ...['connections', 'team_members', 'team_shares'].map((table) => countChanges(table, 'insert')),
  ...['insert', 'update', 'delete'].map((change) => countChanges('switches', change)),
];

/**
 * SQL for pg: the rows of all the hashes in the one parameter, as one JSON array, or null for none.
 *
 * The name makes each connection of the pool prepare it once.
 */
export const POSTGRES_TOKEN_LOOKUP = {
  name: 'access-token-lookup',
  text: `select json_agg(found) as rows from (${LOOKUP} any($1)) as found`,
};

/** SQL for better-sqlite3: what teams share with one user. See `SQLITE_TOKEN_LOOKUP` about its parameter. */
export const SQLITE_SHARE_LOOKUP = `${SHARES} (select ?)`;

/** SQL for pg: what teams share with all the users in the one parameter. */
export const POSTGRES_SHARE_LOOKUP = {
  name: 'share-lookup',
  text: `select json_agg(found) as rows from (${SHARES} any($1)) as found`,
};

/** Returns the user whose shared connections are to be read with the token. Null for a user in no team, which needs no other statement. */
export function findMember([first]: readonly TokenLookupRow[]): string | null {
  return first?.in_teams === 1 ? first.user_id : null;
}

/** Rows of found tokens that are kept at most, those found last: about 1 KB each, with the sealed credential of one connection. */
const MAX_CACHED_ROWS = 10_000;

/**
 * Keeps found tokens for as long as nothing that they were read from changes.
 *
 * Every call asks for the version first, so a call sees each change that was committed before it, by any process. What
 * `find` sees may only be newer than the version, and then the next version differs. Unknown tokens are not kept.
 *
 * @param version changes with every commit that changes what `find` reads. @param find reads the database. Errors of both are passed on,
 * and nothing is kept.
 */
export function cacheWhileUnchanged(
  version: () => number,
  find: (tokenHash: string) => FoundAccessToken | undefined,
): (tokenHash: string) => FoundAccessToken | undefined {
  const cache = new Map<string, FoundAccessToken>();
  let cachedVersion: number | undefined;
  let rows = 0;
  return (tokenHash) => {
    const current = version();
    if (current !== cachedVersion) {
      cache.clear();
      rows = 0;
    }
    cachedVersion = current;
    const cached = cache.get(tokenHash);
    if (cached !== undefined) return cached;
    const token = find(tokenHash);
    if (token === undefined) return undefined;
    rows += countRows(token);
    cache.set(tokenHash, token);
    for (const [oldestHash, oldest] of cache) {
      if (rows <= MAX_CACHED_ROWS) break;
      rows -= countRows(oldest);
      cache.delete(oldestHash);
    }
    return token;
  };
}

function countRows({ connections }: FoundAccessToken): number {
  let rows = 0;
  for (const { others = [] } of connections.values()) rows += 1 + others.length;
  return Math.max(1, rows);
}

/**
 * @param shares connections that teams share with the user.
 * @returns undefined if there is no row.
 */
export function toFoundAccessToken(
  rows: readonly TokenLookupRow[],
  shares: readonly SharedConnectionRow[] = [],
): FoundAccessToken | undefined {
  const [first] = rows;
  if (first === undefined) return undefined;
  const tokenServices = first.token_services?.split(',');
  const grantServices = first.grant_services?.split(',');
  const offeredServices = first.partner_services?.split(',') ?? null;
  const isSuspended = first.suspended_at !== null;
  const isAllowed = (service: string) =>
    !isSuspended &&
    (offeredServices?.includes(service) ?? true) &&
    (tokenServices?.includes(service) ?? true) &&
    (grantServices?.includes(service) ?? true);
  const connections = new Map<string, FoundConnection>();
  for (const { service, connection } of inOrder([...toOwn(rows), ...toShared(shares, first)])) {
    if (!isAllowed(service)) continue;
    const firstAccount = connections.get(service);
    if (firstAccount === undefined) connections.set(service, connection);
    else connections.set(service, { ...firstAccount, others: [...(firstAccount.others ?? []), connection] });
  }
  if (shares.length > 0) nameAccounts(connections);
  const scopesOfGrant = first.grant_scopes?.split(' ');
  const rules = [first.partner_approvals, first.user_approvals].filter((each) => each !== null);
  return {
    id: first.token_id,
    scopes: first.scopes.split(' ').filter((scope) => scopesOfGrant?.includes(scope) ?? true),
    grantId: first.grant_id,
    clientId: first.client_id,
    permission: first.permission,
    allowance: first.allowance,
    allowanceUntil: first.allowance_until,
    requiresAllowance: first.requires_allowance,
    resource: first.resource,
    expiresAt: first.expires_at,
    firstUsedAt: first.first_used_at,
    userId: first.user_id,
    partnerId: first.partner_id,
    realm: realmOf(first.test_of),
    externalUserId: first.external_user_id,
    connectUri: first.connect_uri,
    partnerName: first.partner_name,
    offeredServices,
    narrowedTo: tokenServices?.filter((service) => grantServices?.includes(service) ?? true) ?? grantServices ?? null,
    isSuspended,
    approvals: rules.length === 0 ? null : rules.flatMap((each) => each.split(',')),
    callLimits: first.partner_call_limits,
    isWritingStopped: first.writing_stopped_at !== null,
    connections,
  };
}

/** An account of a service. */
interface FoundAccount {
  readonly service: string;
  /** Number of an own account. Infinity for a shared one. */
  readonly number: number;
  readonly connection: FoundConnection;
}

function toOwn(rows: readonly TokenLookupRow[]): FoundAccount[] {
  return rows.flatMap((row) => {
    if (row.connection_id === null) return [];
    const connection = {
      id: row.connection_id,
      status: row.status,
      sealedCredential: row.sealed_credential,
      updatedAt: row.updated_at,
      name: row.account_name ?? undefined,
      account: row.account ?? undefined,
    };
    return { ...readAccountKey(row.service), connection };
  });
}

/** The oldest share comes first. Owner and member have the same partner. */
export function toShared(
  shares: readonly SharedConnectionRow[],
  { requires_allowance }: Pick<TokenLookupRow, 'requires_allowance'>,
): FoundAccount[] {
  return shares
    .toSorted((a, b) => (a.share_id < b.share_id ? -1 : 1))
    .map((row) => ({
      service: readAccountKey(row.service).service,
      number: Number.POSITIVE_INFINITY,
      connection: {
        id: row.connection_id,
        status: row.status,
        sealedCredential: row.sealed_credential,
        updatedAt: row.updated_at,
        name: row.team_name,
        share: {
          id: row.share_id,
          isReadOnly: row.read_only === 1,
          owner: {
            userId: row.owner_id,
            externalUserId: row.owner_external_id,
            name: row.account_name ?? undefined,
            account: row.account ?? undefined,
            allowance: row.owner_allowance,
            allowanceUntil: row.owner_allowance_until,
            requiresAllowance: requires_allowance,
          },
        },
      },
    }));
}

/** Gives each account of a member of teams a name of its own. */
function nameAccounts(connections: Map<string, FoundConnection>): void {
  for (const [service, { others = [], ...first }] of connections) {
    const accounts = [first, ...others];
    const own = accounts.filter(({ share }) => share === undefined);
    const shared = accounts.filter(({ share }) => share !== undefined);
    if (shared.length === 0) continue;
    const names = nameAccountsOfMember(
      own.map(({ name }) => name ?? null),
      shared.map(({ name = '' }) => name),
    );
    const [firstName, ...otherNames] = [...names.own, ...names.shared];
    const named = { ...first, name: firstName };
    const otherAccounts = others.map((other, index) => ({ ...other, name: otherNames[index] }));
    connections.set(service, otherAccounts.length === 0 ? named : { ...named, others: otherAccounts });
  }
}

/** By service in code units, then by account. */
function inOrder(accounts: readonly FoundAccount[]): FoundAccount[] {
  return accounts.toSorted((a, b) => {
    if (a.service === b.service) return a.number === b.number ? 0 : a.number - b.number;
    return a.service < b.service ? -1 : 1;
  });
}
