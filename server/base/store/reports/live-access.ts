/** Lists current access: live grants and minted tokens, with their users, partners and clients. */

import { sql } from 'kysely';
import { type AccessSelection, isSelected } from '../repositories/live-access.ts';
import { toServices } from '../repositories/partners.ts';
import type { Executor } from '../schema.ts';
import type { ListPlace } from './list-page.ts';

/** A live grant, or an access token that was minted outside OAuth. */
export interface ListedAccess {
  readonly kind: 'grants' | 'tokens';
  readonly id: string;
  readonly userId: string;
  /** The partner's own name for the user. */
  readonly externalUserId: string;
  /** Row id. */
  readonly partnerId: string;
  readonly partnerName: string;
  /** Null: the user's partner, or an operator. */
  readonly clientId: string | null;
  /** As the client calls itself; no one has verified it. */
  readonly clientName: string | null;
  readonly scopes: readonly string[];
  /** Null: all services of the user, now or later. */
  readonly services: readonly string[] | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** When its last code or token expires, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** The latest possible `expiresAt`, in milliseconds since 1970; null: each use extends it, or it is a token. */
  readonly endsAt: number | null;
}

const TABLES = { grants: 'oauth_grants', tokens: 'access_tokens' } as const;
const NO_CLIENT = sql`cast(null as text)`;
const NO_END = sql`cast(null as bigint)`;

/** The `limit` newest of one kind, newest first; with `after` (an id), the nearest newer ones, oldest first. */
export async function listAccess(
  executor: Executor,
  kind: ListedAccess['kind'],
  options: ListPlace & { selection: AccessSelection; now: number; limit: number },
): Promise<ListedAccess[]> {
  const { selection, now, limit, before, after } = options;
  const client = kind === 'grants' ? sql`x.client_id` : NO_CLIENT;
  const older = before === undefined ? sql`` : sql`and x.id < ${before}`;
  const newer = after === undefined ? sql`` : sql`and x.id > ${after}`;
  const { rows } = await sql<Row>`
    select x.id, x.user_id as "userId", u.external_user_id as "externalUserId", u.partner_id as "partnerId",
           p.name as "partnerName", ${client} as "clientId", o.client_name as "clientName",
           x.scopes, x.services, x.created_at as "createdAt", x.expires_at as "expiresAt",
           ${kind === 'grants' ? sql`x.ends_at` : NO_END} as "endsAt"
      from ${sql.table(TABLES[kind])} as x
      join users u on u.id = x.user_id
      join partners p on p.id = u.partner_id
      left join oauth_clients o on o.client_id = ${client}
     where ${isSelected(kind, selection, now)} ${older} ${newer}
     order by x.id ${sql.raw(after === undefined ? 'desc' : 'asc')} limit ${sql.lit(limit)}`.execute(executor);
  return rows.map((row) => ({
    ...row,
    kind,
    expiresAt: Math.min(row.expiresAt, row.endsAt ?? row.expiresAt),
    scopes: row.scopes === '' ? [] : row.scopes.split(' '),
    services: toServices(row.services),
  }));
}

type Row = Omit<ListedAccess, 'kind' | 'scopes' | 'services'> & {
  readonly scopes: string;
  readonly services: string | null;
};
