/** Lists the OAuth clients that users of a partner granted access. */

import { sql } from 'kysely';
import { isSelected } from '../repositories/live-access.ts';
import type { Executor } from '../schema.ts';

/** A client, with a summary of the grants of one partner's users. */
export interface PartnerClient {
  readonly clientId: string;
  /** As the client calls itself; no one has verified it. */
  readonly clientName: string | null;
  readonly redirectUris: readonly string[];
  /** Live grants. */
  readonly grants: number;
  /** Users who gave them. */
  readonly users: number;
  /** When the newest grant was created, in milliseconds since 1970. */
  readonly allowedAt: number;
}

/** The first `limit` clients with live grants of the partner's users, by id. @param options.after an id. */
export async function listPartnerClients(
  executor: Executor,
  options: { partnerId: string; now: number; limit: number; after?: string },
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
