/** Reads a user's live grants, with their clients and their last calls. */

import { sql } from 'kysely';
import { toServices } from '../repositories/partners.ts';
import type { Executor } from '../schema.ts';

/** The last call under a grant. */
export interface LastCall {
  readonly service: string;
  /** The name in the call, which may be an old one. */
  readonly tool: string;
  readonly outcome: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** A grant that is neither revoked nor expired. */
export interface LiveGrant {
  readonly id: string;
  /** Null: the user's partner itself. */
  readonly clientId: string | null;
  /** As the client calls itself; no one has verified it. */
  readonly clientName: string | null;
  /** The client's id is the URL of its metadata document, whose host identifies the client. */
  readonly isDocument: boolean;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
  /** Null: all services of the user, now or later. */
  readonly services: readonly string[] | null;
  /** JSON of `Permission`, or null. */
  readonly permission: string | null;
  /** The service whose connect flow created the grant; null: it came another way. */
  readonly service: string | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** When its last code or token expires, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** The latest possible `expiresAt`, in milliseconds since 1970; null: each use extends it. */
  readonly endsAt: number | null;
  /** When its holder last got tokens or called a tool, in milliseconds since 1970; null: never. */
  readonly lastUsedAt: number | null;
  /** Null: no call is on record. */
  readonly lastCall: LastCall | null;
}

/** Which grants to read. */
interface LiveGrantFilter {
  readonly userId: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Only this grant. Default: all. */
  readonly id?: string;
  /** Only grants of clients, or only those of the user's partner itself. Default: all. */
  readonly holder?: 'client' | 'partner';
  /** Id of a grant: only older grants. Default: from the newest. */
  readonly before?: string;
}

/** The `limit` newest matching grants, newest first. */
export async function listLiveGrants(executor: Executor, filter: LiveGrantFilter, limit: number): Promise<LiveGrant[]> {
  const { now } = filter;
  let query = executor
    .selectFrom('oauth_grants as g')
    .leftJoin('oauth_clients as c', 'c.client_id', 'g.client_id')
    .leftJoin('call_records as r', (join) => join.on('r.id', '=', lastCallOf))
    .select([
      'g.id',
      'g.client_id as clientId',
      'c.client_name as clientName',
      'c.document_fetched_at as documentFetchedAt',
      'c.redirect_uris as redirectUris',
      'g.scopes',
      'g.services',
      'g.permission',
      'g.service',
      'g.created_at as createdAt',
      'g.expires_at as expiresAt',
      'g.ends_at as endsAt',
      sql<number | null>`(select max(t.created_at) from refresh_tokens t where t.grant_id = g.id)`.as('tokensAt'),
      'r.service as callService',
      'r.tool as callTool',
      'r.outcome as callOutcome',
      'r.created_at as calledAt',
    ])
    .where('g.user_id', '=', filter.userId)
    .where('g.revoked_at', 'is', null)
    .where('g.expires_at', '>', now)
    .where(({ or, eb }) => or([eb('g.ends_at', 'is', null), eb('g.ends_at', '>', now)]))
    .orderBy('g.id', 'desc')
    .limit(limit);
  if (filter.id !== undefined) query = query.where('g.id', '=', filter.id);
  if (filter.holder !== undefined)
    query = query.where('g.client_id', filter.holder === 'client' ? 'is not' : 'is', null);
  if (filter.before !== undefined) query = query.where('g.id', '<', filter.before);
  const rows = await query.execute();
  return rows.map(toLiveGrant);
}

type LiveGrantRow = Omit<
  LiveGrant,
  'isDocument' | 'redirectUris' | 'scopes' | 'services' | 'lastUsedAt' | 'lastCall'
> & {
  readonly documentFetchedAt: number | null;
  readonly redirectUris: string | null;
  readonly scopes: string;
  readonly services: string | null;
  readonly tokensAt: number | string | null;
  readonly callService: string | null;
  readonly callTool: string | null;
  readonly callOutcome: string | null;
  readonly calledAt: number | null;
};

const lastCallOf = sql<string>`(select l.id from call_records l where l.grant_id = g.id
  order by l.created_at desc, l.id desc limit 1)`;

function toLiveGrant(row: LiveGrantRow): LiveGrant {
  const { documentFetchedAt, tokensAt, callService, callTool, callOutcome, calledAt, ...grant } = row;
  const called = callService !== null && callTool !== null && callOutcome !== null && calledAt !== null;
  const uses = [tokensAt, calledAt].filter((time) => time !== null).map(Number);
  return {
    ...grant,
    isDocument: documentFetchedAt !== null,
    redirectUris: row.redirectUris === null ? [] : JSON.parse(row.redirectUris),
    scopes: row.scopes === '' ? [] : row.scopes.split(' '),
    services: toServices(row.services),
    expiresAt: row.endsAt === null ? row.expiresAt : Math.min(row.expiresAt, row.endsAt),
    lastUsedAt: uses.length === 0 ? null : Math.max(...uses),
    lastCall: called ? { service: callService, tool: callTool, outcome: callOutcome, createdAt: calledAt } : null,
  };
}
