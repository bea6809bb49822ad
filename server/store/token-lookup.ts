/** The one statement of the request path: access token, user and connected services by token hash. */

/** Columns as both dialects return them. */
export interface TokenLookupRow {
  readonly token_id: string;
  readonly scopes: string;
  readonly token_services: string | null;
  readonly resource: string;
  readonly expires_at: number;
  readonly user_id: string;
  readonly partner_id: string;
  readonly external_user_id: string;
  readonly connected_services: string | null;
}

/** A live row of `access_tokens`, of a grant that was not revoked, with whom it speaks for. Whether it has expired is for the caller to say. */
export interface FoundAccessToken {
  readonly id: string;
  readonly scopes: string;
  readonly resource: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  readonly userId: string;
  readonly partnerId: string;
  readonly externalUserId: string;
  /** Connected services that the token may use, sorted by code unit. Pending connections do not count. */
  readonly services: readonly string[];
}

const LOOKUP = `
  select t.id as token_id, t.scopes, t.services as token_services, t.resource, t.expires_at,
         u.id as user_id, u.partner_id, u.external_user_id,
         (select string_agg(c.service, ',') from connections c
           where c.user_id = u.id and c.status in ('active', 'attention')) as connected_services
    from access_tokens t
    join users u on u.id = t.user_id
    left join oauth_grants g on g.id = t.grant_id
   where t.revoked_at is null and g.revoked_at is null and t.token_hash = `;

/** SQL for better-sqlite3, with one positional parameter. */
export const SQLITE_TOKEN_LOOKUP = `${LOOKUP} ?`;

/** SQL for pg, with one positional parameter. The name makes each connection of the pool prepare it once. */
export const POSTGRES_TOKEN_LOOKUP = { name: 'access-token-lookup', text: `${LOOKUP} $1` };

export function toFoundAccessToken(row: TokenLookupRow): FoundAccessToken {
  const allowed = row.token_services === null ? null : new Set(splitList(row.token_services));
  const services = splitList(row.connected_services ?? '').filter((service) => allowed?.has(service) ?? true);
  return {
    id: row.token_id,
    scopes: row.scopes,
    resource: row.resource,
    expiresAt: row.expires_at,
    userId: row.user_id,
    partnerId: row.partner_id,
    externalUserId: row.external_user_id,
    services: services.sort(),
  };
}

function splitList(text: string): string[] {
  return text === '' ? [] : text.split(',');
}
