/** Identity issuers: identity providers whose assertions vouch for the users of one partner. */

import { newId } from '../../base/store/rows.ts';
import type { Executor } from '../../base/store/schema.ts';
import { defineTables, type RowsOf } from '../../base/store/tables/table-set.ts';

const ISSUER_COLUMNS = {
  id: 'text primary key',
  partner_id: 'text not null references partners (id) on delete cascade',
  /** As in `iss`, byte for byte. */
  issuer: 'text not null',
  /** As in the claim `tenant` of an issuer with several tenants. Empty if its assertions have no such claim. */
  tenant: 'text not null',
  /** URL of its keys, or null if they are in `jwks`. */
  jwks_uri: 'text',
  /** JSON: its public keys (RFC 7517 §5). */
  jwks: 'text',
  /** The claim that holds the partner's own name for the user. */
  subject_claim: 'text not null',
  created_at: 'bigint not null',
} as const;

export const IDENTITY_ASSERTIONS_TABLES = defineTables(
  'identity-assertions',
  {
    /** An issuer that an operator approved. It vouches for users of its partner; `(issuer, tenant)` is unique. */
    identity_issuers: {
      columns: {
        ...ISSUER_COLUMNS,
        /** Time at which it last vouched for a user, or null. */
        last_used_at: 'bigint',
        /** Null in rows of older gateways, which stored waiting issuers here. Those rows are no longer read. */
        approved_at: 'bigint',
      },
      unique: { identity_issuers_by_name: 'issuer, tenant' },
      indexes: {
        identity_issuers_by_partner: '(partner_id)',
      },
    },
    /** An identity provider that a partner registered. It waits for an operator; `(partner_id, issuer, tenant)` is unique. */
    identity_issuer_requests: {
      columns: ISSUER_COLUMNS,
      unique: { identity_issuer_requests_by_name: 'partner_id, issuer, tenant' },
    },
  },
  { baseline: '0004-baseline', replaces: '0003-requests' },
);

declare module '../../base/store/schema.ts' {
  interface Database extends RowsOf<typeof IDENTITY_ASSERTIONS_TABLES> {}
}

/** Identifies an issuer among those of all partners. */
export interface IssuerName {
  /** As in `iss`, byte for byte. */
  readonly issuer: string;
  /** As in the claim `tenant`. Empty if the issuer's assertions have none. */
  readonly tenant: string;
}

/** A partner's registration. Exactly one of `jwksUri` and `jwks` is set. */
export interface IssuerRegistration extends IssuerName {
  readonly jwksUri: string | null;
  /** Public keys (RFC 7517 §5). */
  readonly jwks: { readonly keys: readonly object[] } | null;
  /** The claim that holds the partner's own name for the user. */
  readonly subjectClaim: string;
}

export interface IdentityIssuer extends IssuerRegistration {
  readonly id: string;
  readonly partnerId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Time at which it last vouched for a user, in milliseconds since 1970, or null. */
  readonly lastUsedAt: number | null;
  /**
   * Time at which an operator approved it, in milliseconds since 1970. Null until then. An issuer without approval vouches for no user, and other
   * partners can register it too.
   */
  readonly approvedAt: number | null;
}

const REQUEST = [
  'id',
  'partner_id as partnerId',
  'issuer',
  'tenant',
  'jwks_uri as jwksUri',
  'jwks',
  'subject_claim as subjectClaim',
  'created_at as createdAt',
] as const;

const ISSUER = [...REQUEST, 'last_used_at as lastUsedAt', 'approved_at as approvedAt'] as const;

/**
 * Adds an issuer that waits, or replaces its earlier registration by the same partner, which stays approved.
 *
 * @returns undefined if it is approved for another partner.
 */
export async function saveIssuer(
  executor: Executor,
  registration: IssuerRegistration & { partnerId: string; isApproved?: boolean; now: number },
): Promise<IdentityIssuer | undefined> {
  const { partnerId, issuer, tenant, jwksUri, jwks, subjectClaim, isApproved = false, now } = registration;
  const approvedIssuer = await findIssuer(executor, registration);
  if (approvedIssuer !== undefined && approvedIssuer.partnerId !== partnerId) return undefined;
  const settings = {
    jwks_uri: jwksUri,
    jwks: jwks === null ? null : JSON.stringify(jwks),
    subject_claim: subjectClaim,
  };
  const row = await executor
    .insertInto('identity_issuer_requests')
    .values({ id: newId(now), partner_id: partnerId, issuer, tenant, created_at: now, ...settings })
    .onConflict((conflict) => conflict.columns(['partner_id', 'issuer', 'tenant']).doUpdateSet(settings))
    .returning(REQUEST)
    .executeTakeFirstOrThrow();
  return isApproved || approvedIssuer !== undefined ? markIssuerApproved(executor, row, now) : toIssuer(row);
}

/** Finds an approved issuer; any text is a valid argument. */
export async function findIssuer(executor: Executor, name: IssuerName): Promise<IdentityIssuer | undefined> {
  if (`${name.issuer}${name.tenant}`.includes('\0')) return undefined;
  const row = await executor
    .selectFrom('identity_issuers')
    .select(ISSUER)
    .where('issuer', '=', name.issuer)
    .where('tenant', '=', name.tenant)
    .where('approved_at', 'is not', null)
    .executeTakeFirst();
  return row && toIssuer(row);
}

/** Lists all issuers of a partner by name, the approved ones before the waiting ones. */
export async function listIssuers(executor: Executor, partnerId: string): Promise<IdentityIssuer[]> {
  const [approved, waiting] = await Promise.all([
    executor
      .selectFrom('identity_issuers')
      .select(ISSUER)
      .where('partner_id', '=', partnerId)
      .where('approved_at', 'is not', null)
      .orderBy('issuer')
      .orderBy('tenant')
      .execute(),
    executor
      .selectFrom('identity_issuer_requests')
      .select(REQUEST)
      .where('partner_id', '=', partnerId)
      .orderBy('issuer')
      .orderBy('tenant')
      .execute(),
  ]);
  return [...approved, ...waiting].map(toIssuer);
}

/**
 * Records that an issuer vouched for a user.
 *
 * In a transaction, this also protects the issuer from removal until the transaction ends.
 *
 * @returns false if the issuer was removed meanwhile.
 */
export async function markIssuerUsed(executor: Executor, id: string, now: number): Promise<boolean> {
  const used = await executor
    .updateTable('identity_issuers')
    .set({ last_used_at: now })
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return used !== undefined;
}

/**
 * Lets an issuer that waits vouch for users, or replaces the settings of an approved one of the same partner. One statement decides between
 * concurrent callers.
 *
 * @returns undefined if the partner has no such issuer that waits, or it is approved for another partner.
 */
export async function markIssuerApproved(
  executor: Executor,
  { id, partnerId }: { id: string; partnerId: string },
  now: number,
): Promise<IdentityIssuer | undefined> {
  const requests = executor.selectFrom('identity_issuer_requests').selectAll();
  const issuerRequest = await requests.where('id', '=', id).where('partner_id', '=', partnerId).executeTakeFirst();
  if (issuerRequest === undefined) return undefined;
  const { issuer, tenant, jwks_uri, jwks, subject_claim } = issuerRequest;
  await executor
    .deleteFrom('identity_issuers')
    .where('issuer', '=', issuer)
    .where('tenant', '=', tenant)
    .where('approved_at', 'is', null)
    .execute();
  const row = await executor
    .insertInto('identity_issuers')
    .values({ ...issuerRequest, last_used_at: null, approved_at: now })
    .onConflict((conflict) =>
      conflict
        .columns(['issuer', 'tenant'])
        .doUpdateSet({ jwks_uri, jwks, subject_claim })
        .where('identity_issuers.partner_id', '=', partnerId),
    )
    .returning(ISSUER)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  await executor.deleteFrom('identity_issuer_requests').where('id', '=', id).execute();
  return toIssuer(row);
}

/** Any text is a valid argument. @returns the issuer's name, or undefined if the partner has no such issuer. */
export async function deleteIssuer(
  executor: Executor,
  { id, partnerId }: { id: string; partnerId: string },
): Promise<IssuerName | undefined> {
  if (id.includes('\0')) return undefined;
  let name: IssuerName | undefined;
  for (const table of ['identity_issuers', 'identity_issuer_requests'] as const) {
    const deletion = executor.deleteFrom(table).where('id', '=', id).where('partner_id', '=', partnerId);
    name = (await deletion.returning(['issuer', 'tenant']).executeTakeFirst()) ?? name;
  }
  return name;
}

/** A row of either table. */
interface IssuerRow extends IssuerName {
  readonly id: string;
  readonly partnerId: string;
  readonly jwksUri: string | null;
  /** JSON. */
  readonly jwks: string | null;
  readonly subjectClaim: string;
  readonly createdAt: number;
  /** Undefined in a row that waits for an operator. */
  readonly lastUsedAt?: number | null;
  /** Undefined in a row that waits for an operator. */
  readonly approvedAt?: number | null;
}

function toIssuer(row: IssuerRow): IdentityIssuer {
  const jwks = row.jwks === null ? null : (JSON.parse(row.jwks) as IdentityIssuer['jwks']);
  return { lastUsedAt: null, approvedAt: null, ...row, jwks };
}
