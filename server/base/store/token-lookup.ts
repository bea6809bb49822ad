/** The one statement of the request path, and what is kept of its answers: token, user, partner, connections and sealed credentials by token hash. */

import { type InRealm, realmOf } from '../realm.ts';
import { readAccountKey } from './rows.ts';
import type { ConnectionStatus } from './schema.ts';

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
  readonly test_of: string | null;
  readonly user_approvals: string | null;
  readonly writing_stopped_at: number | null;
  readonly connection_id: string | null;
  /** An account key: see `accountKeyOf`. */
  readonly service: string;
  readonly status: ConnectionStatus;
  readonly sealed_credential: string | null;
  readonly updated_at: number;
  readonly account_name: string | null;
}

/** The current state of a connection. */
export interface FoundConnection {
  readonly id: string;
  readonly status: ConnectionStatus;
  /** Null for open services. */
  readonly sealedCredential: string | null;
  /** Time at which the credential or status last changed, in milliseconds since 1970. */
  readonly updatedAt: number;
  /** Short name by which tools choose the account. Undefined if the user has had only this account of the service. */
  readonly name?: string | undefined;
  /** The user's other accounts of the service. Undefined if there are none. */
  readonly others?: readonly FoundConnection[];
}

/** An access token with its principal. Neither token nor grant is revoked; the caller checks whether it expired. */
export interface FoundAccessToken extends InRealm {
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
  /** True if the operator has stopped all calls that write. */
  readonly isWritingStopped: boolean;
  /** Connections that the token may use, by service (of several accounts the first), in the order of their names by code unit. */
  readonly connections: ReadonlyMap<string, FoundConnection>;
}

const LOOKUP = `
  select t.token_hash, t.id as token_id, t.scopes, t.services as token_services, t.resource, t.expires_at, t.first_used_at,
         g.id as grant_id, g.client_id, g.scopes as grant_scopes, g.services as grant_services, g.permission,
         u.id as user_id, u.partner_id, u.external_user_id, p.connect_uri,
         p.name as partner_name, p.services as partner_services, p.suspended_at, p.approvals as partner_approvals, p.test_of,
         u.approvals as user_approvals,
         (select set_at from switches where name = 'writing_stopped') as writing_stopped_at,
         c.id as connection_id, c.service, c.status, c.sealed_credential, c.updated_at, c.account_name
    from access_tokens t
    join users u on u.id = t.user_id
    join partners p on p.id = u.partner_id
    left join oauth_grants g on g.id = t.grant_id
    left join connections c on c.user_id = u.id
   where t.revoked_at is null and g.revoked_at is null and t.token_hash = `;

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
 * SQL for pg: the rows of all the hashes in the one parameter, as one JSON array, or null for none.
 *
 * The name makes each connection of the pool prepare it once.
 */
export const POSTGRES_TOKEN_LOOKUP = {
  name: 'access-token-lookup',
  text: `select json_agg(found) as rows from (${LOOKUP} any($1)) as found`,
};

/** Rows of found tokens that are kept at most, those found last: about 1 KB each, with the sealed credential of one connection. */
const MAX_CACHED_ROWS = 10_000;

/**
 * Keeps found tokens for as long as the database stays as it was.
 *
 * Every call asks for the version first, so a call sees each change that was committed before it, by any process. What
 * `find` sees may only be newer than the version, and then the next version differs. Unknown tokens are not kept.
 *
 * @param version changes with every commit. @param find reads the database. Errors of both are passed on, and nothing is kept.
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

/** @returns undefined if there is no row. */
export function toFoundAccessToken(rows: readonly TokenLookupRow[]): FoundAccessToken | undefined {
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
  for (const { row, service } of inOrder(rows)) {
    if (row.connection_id === null || !isAllowed(service)) continue;
    const connection: FoundConnection = {
      id: row.connection_id,
      status: row.status,
      sealedCredential: row.sealed_credential,
      updatedAt: row.updated_at,
      name: row.account_name ?? undefined,
    };
    const firstAccount = connections.get(service);
    if (firstAccount === undefined) connections.set(service, connection);
    else connections.set(service, { ...firstAccount, others: [...(firstAccount.others ?? []), connection] });
  }
  const scopesOfGrant = first.grant_scopes?.split(' ');
  const rules = [first.partner_approvals, first.user_approvals].filter((each) => each !== null);
  return {
    id: first.token_id,
    scopes: first.scopes.split(' ').filter((scope) => scopesOfGrant?.includes(scope) ?? true),
    grantId: first.grant_id,
    clientId: first.client_id,
    permission: first.permission,
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
    isWritingStopped: first.writing_stopped_at !== null,
    connections,
  };
}

/** By service in code units, then by account. */
function inOrder(rows: readonly TokenLookupRow[]) {
  return rows
    .map((row) => ({ row, ...readAccountKey(row.service ?? '') }))
    .sort((a, b) => {
      if (a.service === b.service) return a.number - b.number;
      return a.service < b.service ? -1 : 1;
    });
}
