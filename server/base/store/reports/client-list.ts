/** OAuth clients with their grants and their use: all of them for operators, and those of its users for a partner. */

import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Realm } from '../../realm.ts';
import { contains, type PageCursor } from '../list-page.ts';
import { callOrder, isOfUser, lastCallOf } from '../repositories/calls/call-order.ts';
import { isSelected } from '../repositories/live-access.ts';
import { columns } from '../rows.ts';
import type { Executor } from '../schema.ts';
import { callCategory } from './call-category.ts';

interface ListedClient {
  readonly clientId: string;
  readonly clientName: string | null;
  readonly redirectUris: readonly string[];
  readonly confidential: boolean;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Time at which a user first granted the client access. Null if no user has yet. */
  readonly firstUsedAt: number | null;
  /** Grants that are neither revoked nor expired. */
  readonly liveGrants: number;
  /** Those of them that are of users of test mode. */
  readonly testGrants: number;
}

/** The place of a client in the list. */
export function keyOfClient({ createdAt, clientId }: ListedClient): string {
  return `${createdAt} ${clientId}`;
}

/** The `limit` newest clients, newest first; with `after`, the nearest newer ones, oldest first. */
export async function listClients(
  executor: Executor,
  options: PageCursor & { now: number; limit: number; text?: string; realm?: Realm },
): Promise<ListedClient[]> {
  const order = options.after === undefined ? 'desc' : 'asc';
  const [, createdAt, clientId = ''] = /^(\d{1,15}) (.*)$/s.exec(options.before ?? options.after ?? '') ?? [];
  let query = executor
    .selectFrom('oauth_clients as c')
    .select([
      ...columns(
        'c.client_id',
        'c.client_name',
        'c.redirect_uris',
        'c.authentication_method',
        'c.created_at',
        'c.first_used_at',
      ),
      countGrants({}, options.now).as('liveGrants'),
      countGrants({ realm: 'test' }, options.now).as('testGrants'),
    ])
    .orderBy('c.created_at', order)
    .orderBy('c.client_id', order)
    .limit(options.limit);
  if (createdAt !== undefined) {
    const comparison = sql.raw(order === 'desc' ? '<' : '>');
    query = query.where(sql<SqlBool>`(c.created_at, c.client_id) ${comparison} (${Number(createdAt)}, ${clientId})`);
  }
  if (options.realm !== undefined) query = query.where(hasLiveGrants(options.realm, options.now, 'c.client_id'));
  if (options.text !== undefined) query = query.where(saysText(options.text));
  const rows = await query.execute();
  return rows.map(({ authenticationMethod, ...row }) => ({
    ...row,
    redirectUris: JSON.parse(row.redirectUris),
    confidential: authenticationMethod !== 'none',
    liveGrants: Number(row.liveGrants),
    testGrants: Number(row.testGrants),
  }));
}

/** Clients that one search for a text examines, the newest. */
const MAX_SEARCHED = 5000;

/** Finds clients by a part of their name, `client_id` or redirect URIs, the newest first, among a bounded number of them. */
export async function findClientsByText(
  executor: Executor,
  { text, limit }: { readonly text: string; readonly limit: number },
): Promise<{ readonly clientId: string; readonly clientName: string | null }[]> {
  const newest = executor
    .selectFrom('oauth_clients')
    .select(['client_id', 'client_name', 'redirect_uris', 'created_at'])
    .orderBy('created_at', 'desc')
    .limit(MAX_SEARCHED);
  return executor
    .selectFrom(newest.as('c'))
    .select(columns('c.client_id', 'c.client_name'))
    .where(saysText(text))
    .orderBy('c.created_at', 'desc')
    .limit(limit)
    .execute();
}

/** SQL condition: the client with the alias `c` has the text in what it says of itself. */
function saysText(text: string): RawBuilder<SqlBool> {
  const conditions = ['c.client_id', 'c.client_name', 'c.redirect_uris'].map((column) => contains(column, text));
  return sql`(${sql.join(conditions, sql` or `)})`;
}

function countGrants(selection: { realm?: Realm }, now: number): RawBuilder<number> {
  const isCounted = isSelected('grants', selection, now);
  return sql`(select count(*) from oauth_grants as access where access.client_id = c.client_id and ${isCounted})`;
}

/** SQL condition: the client has a live grant of a user of the realm. @param clientId column with the `client_id`. */
export function hasLiveGrants(realm: Realm, now: number, clientId = 'client_id'): RawBuilder<SqlBool> {
  const isOfRealm = isSelected('grants', { realm }, now);
  return sql`${sql.ref(clientId)} in (select access.client_id from oauth_grants as access where ${isOfRealm})`;
}

/** Removes a client with its grants, and revokes their tokens at once. @returns false if there is no such client. */
export async function deleteClient(executor: Executor, clientId: string): Promise<boolean> {
  const removed = await executor
    .deleteFrom('oauth_clients')
    .where('client_id', '=', clientId)
    .returning('client_id')
    .executeTakeFirst();
  return removed !== undefined;
}

/** Grants and calls that are read of one client. */
const MAX_GRANTS = 5000;
const MAX_CALLS = 10_000;

export interface ClientUse {
  /** Time at which it last got tokens or called a tool, in milliseconds since 1970. Null if it never did. */
  readonly lastUsedAt: number | null;
  readonly calls: number;
  readonly failed: number;
  readonly waiting: number;
  /** True if there are more calls than were counted. */
  readonly isCut: boolean;
}

/** Reads the use of a client under its newest grants. @param since counts calls from then on, in milliseconds since 1970. */
export async function findClientUse(executor: Executor, clientId: string, since: number): Promise<ClientUse> {
  const grants = sql`(select id, user_id from oauth_grants where client_id = ${clientId} order by id desc limit ${sql.lit(MAX_GRANTS)})`;
  const { rows: last } = await sql<{ tokensAt: number | string | null; calledAt: number | string | null }>`
    select max(tokens) as "tokensAt", max(calls) as "calledAt" from (
      select (select max(created_at) from refresh_tokens where grant_id = g.id) as tokens,
             (select created_at from call_records where id = ${lastCallOf(executor, sql`g.id`)}) as calls
        from ${grants} as g) as used`.execute(executor);
  const { rows } = await sql<{ outcome: string; calls: number | string }>`
    select outcome, count(*) as calls from (
      select r.outcome from ${grants} as g join call_records as r
          on ${isOfUser(executor, sql`g.user_id`)} and r.grant_id = g.id and ${callOrder(executor).since(since)}
       limit ${sql.lit(MAX_CALLS + 1)}) as counted
     group by outcome`.execute(executor);
  const uses = Object.values(last[0] ?? {}).filter((time) => time !== null);
  const countOf = (isCounted: (outcome: string) => boolean) =>
    rows.reduce((sum, { outcome, calls }) => (isCounted(outcome) ? sum + Number(calls) : sum), 0);
  const calls = countOf(() => true);
  return {
    lastUsedAt: uses.length === 0 ? null : Math.max(...uses.map(Number)),
    calls: Math.min(calls, MAX_CALLS),
    failed: countOf((outcome) => callCategory(outcome) === 'failed'),
    waiting: countOf((outcome) => callCategory(outcome) === 'waiting'),
    isCut: calls > MAX_CALLS,
  };
}

/** A client, with a summary of the grants of one partner's users. */
interface PartnerClient {
  readonly clientId: string;
  /** The name that the client gives itself. It is not verified. */
  readonly clientName: string | null;
  readonly redirectUris: readonly string[];
  /** Live grants. */
  readonly grants: number;
  /** Users who gave them. */
  readonly users: number;
  /** Time at which the newest grant was created, in milliseconds since 1970. */
  readonly allowedAt: number;
}

/** The first `limit` clients with live grants of the partner's users, by id. @param options.after an id. */
export async function listPartnerClients(
  executor: Executor,
  options: { partnerId: string; now: number; limit: number; after?: string | undefined },
): Promise<PartnerClient[]> {
  const { partnerId, now, limit, after = '' } = options;
  const { rows } = await sql<Row>`
    select c.client_id as "clientId", c.client_name as "clientName", c.redirect_uris as "redirectUris",
           count(*) as grants, count(distinct access.user_id) as users, max(access.created_at) as "allowedAt"
      from oauth_grants as access join oauth_clients c on c.client_id = access.client_id
     where ${isSelected('grants', { partnerId }, now)} and access.client_id > ${after}
     group by c.client_id, c.client_name, c.redirect_uris
     order by c.client_id limit ${sql.lit(limit)}`.execute(executor);
  return rows.map((row) => ({
    ...row,
    redirectUris: JSON.parse(row.redirectUris),
    grants: Number(row.grants),
    users: Number(row.users),
    allowedAt: Number(row.allowedAt),
  }));
}

interface Row {
  readonly clientId: string;
  readonly clientName: string | null;
  readonly redirectUris: string;
  readonly grants: number | string;
  readonly users: number | string;
  readonly allowedAt: number | string;
}
