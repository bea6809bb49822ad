/** Counts current access by user, client, partner and service, and revokes it in batches. */

import { type RawBuilder, sql } from 'kysely';
import type { Executor } from '../schema.ts';
import { announceRevoked, type GrantEnd } from './oauth-grants.ts';

/** Access must match all criteria that are given; without criteria, all access matches. */
export interface AccessSelection {
  /** Row id: only access of this partner's users. */
  readonly partnerId?: string;
  /** Row id. */
  readonly userId?: string;
  /** `client_id` of an OAuth client, which has only grants; null: grants of partners themselves. */
  readonly clientId?: string | null;
  /** Connector name: only access that may use it now. The user has connected it, and it was not left out as a whole. */
  readonly service?: string;
}

/**
 * - `codes`: connection codes that no one has entered yet.
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
  /** Whether OAuth clients have access of this kind. */
  readonly ofClients: boolean;
  /** SQL condition of live rows. */
  live(now: number): RawBuilder<unknown>;
  /** SQL condition of rows that include the service. */
  includes(service: string): RawBuilder<unknown>;
  /** SQL assignments that revoke a row. */
  end(now: number, reason: GrantEnd): RawBuilder<unknown>;
}

const RULES: Readonly<Record<AccessKind, KindRules>> = {
  codes: {
    table: 'single_use_codes',
    key: 'code_hash',
    ofClients: false,
    live: (now) => sql`x.purpose = 'connection' and x.consumed_at is null and x.expires_at > ${now}`,
    includes: (service) =>
      sql`(x.payload like ${'%"services":null%'} or x.payload like ${likeText(`"${service}"`)} escape '\\')`,
    end: (now) => sql`consumed_at = ${now}`,
  },
  grants: {
    table: 'oauth_grants',
    key: 'id',
    ofClients: true,
    live: (now) => sql`x.revoked_at is null and x.expires_at > ${now} and (x.ends_at is null or x.ends_at > ${now})`,
    includes: (service) => sql`${listsService(service)}
      and (x.permission is null or x.permission not like ${likeText(`"${service}/*"`)} escape '\\')`,
    end: (now, reason) => sql`revoked_at = ${now}, revoked_reason = ${reason}`,
  },
  tokens: {
    table: 'access_tokens',
    key: 'id',
    ofClients: false,
    live: (now) => sql`x.grant_id is null and x.revoked_at is null and x.expires_at > ${now}`,
    includes: listsService,
    end: (now) => sql`revoked_at = ${now}`,
  },
};

function clientIs(clientId: string | null): RawBuilder<unknown> {
  return clientId === null ? sql`x.client_id is null` : sql`x.client_id = ${clientId}`;
}

/** SQL condition of rows that are selected and live, for a table with the alias `x`. */
export function isSelected(kind: AccessKind, selection: AccessSelection, now: number): RawBuilder<unknown> {
  const { partnerId, userId, clientId, service } = selection;
  const { live, includes, ofClients } = RULES[kind];
  const conditions = [
    live(now),
    ...(partnerId === undefined ? [] : [sql`x.user_id in (select id from users where partner_id = ${partnerId})`]),
    ...(userId === undefined ? [] : [sql`x.user_id = ${userId}`]),
    ...(clientId === undefined ? [] : [ofClients ? clientIs(clientId) : sql`1 = 0`]),
    ...(service === undefined
      ? []
      : [
          sql`exists (select 1 from connections c where c.user_id = x.user_id and c.service = ${service})`,
          includes(service),
        ]),
  ];
  return sql.join(conditions, sql` and `);
}

export async function countAccess(executor: Executor, selection: AccessSelection, now: number): Promise<AccessCounts> {
  const count = async (kind: AccessKind): Promise<number> => {
    const table = sql.table(RULES[kind].table);
    const { rows } = await sql<{ live: number | string }>`
      select count(*) as live from ${table} as x where ${isSelected(kind, selection, now)}`.execute(executor);
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
    update ${sql.table(table)} as x set ${end(now, reason)}
     where x.${key} in (select x.${key} from ${sql.table(table)} as x
                         where ${selected} and x.${key} > ${after} order by x.${key} limit ${sql.lit(limit)})
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

function listsService(service: string): RawBuilder<unknown> {
  return sql`(x.services is null or ',' || x.services || ',' like ${likeText(`,${service},`)} escape '\\')`;
}

/** Builds the `like` pattern of texts that contain this one. */
function likeText(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}
