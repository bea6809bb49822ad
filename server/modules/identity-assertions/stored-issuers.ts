/** Identity issuers: identity providers whose assertions vouch for the users of one partner. */

import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { createTables, type TableSet } from '../../base/store/migrations/table-set.ts';
import { newId } from '../../base/store/rows.ts';
import type { Database, Executor } from '../../base/store/schema.ts';

/** Identity providers that vouch for users of their partner; `(issuer, tenant)` is unique. */
interface IdentityIssuersTable {
  id: string;
  partner_id: string;
  /** As in `iss`, byte for byte. */
  issuer: string;
  /** As in the claim `tenant` of an issuer with several tenants; empty: its assertions have no such claim. */
  tenant: string;
  /** URL of its keys; null: they are in `jwks`. */
  jwks_uri: string | null;
  /** JSON: its public keys (RFC 7517 §5). */
  jwks: string | null;
  /** The claim that holds the partner's own name for the user. */
  subject_claim: string;
  created_at: number;
  /** When it last vouched for a user; null: not yet. */
  last_used_at: number | null;
  /** When an operator approved it; null: it waits, and vouches for nobody. */
  approved_at: number | null;
}

declare module '../../base/store/schema.ts' {
  interface Database {
    identity_issuers: IdentityIssuersTable;
  }
}

const baseline = createTables(
  () => `
create table identity_issuers (
  id text primary key,
  partner_id text not null references partners (id) on delete cascade,
  issuer text not null,
  tenant text not null,
  jwks_uri text,
  jwks text,
  subject_claim text not null,
  created_at bigint not null,
  last_used_at bigint,
  constraint identity_issuers_by_name unique (issuer, tenant)
);
create index identity_issuers_by_partner on identity_issuers (partner_id);`,
);

const approval: Migration = {
  async up(db: Kysely<Pick<Database, 'identity_issuers'>>) {
    await db.schema.alterTable('identity_issuers').addColumn('approved_at', 'bigint').execute();
    await db
      .updateTable('identity_issuers')
      .set(({ ref }) => ({ approved_at: ref('created_at') }))
      .execute();
  },
};

export const IDENTITY_ASSERTIONS_TABLES: TableSet = {
  owner: 'identity-assertions',
  tables: ['identity_issuers'],
  migrations: { '0001-baseline': baseline, '0002-approval': approval },
};

/** Identifies an issuer among those of all partners. */
export interface IssuerName {
  /** As in `iss`, byte for byte. */
  readonly issuer: string;
  /** As in the claim `tenant`; empty: the issuer's assertions have none. */
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
  /** When it last vouched for a user, in milliseconds since 1970; null: not yet. */
  readonly lastUsedAt: number | null;
  /** When an operator approved it, in milliseconds since 1970; null: it waits, and vouches for nobody. */
  readonly approvedAt: number | null;
}

const COLUMNS = [
  'id',
  'partner_id as partnerId',
  'issuer',
  'tenant',
  'jwks_uri as jwksUri',
  'jwks',
  'subject_claim as subjectClaim',
  'created_at as createdAt',
  'last_used_at as lastUsedAt',
  'approved_at as approvedAt',
] as const;

/**
 * Adds an issuer, or replaces its earlier registration by the same partner, which stays approved. One statement decides between concurrent
 * callers.
 *
 * @returns undefined if another partner has it.
 */
export async function saveIssuer(
  executor: Executor,
  registration: IssuerRegistration & { partnerId: string; isApproved?: boolean; now: number },
): Promise<IdentityIssuer | undefined> {
  const { partnerId, issuer, tenant, jwksUri, jwks, subjectClaim, isApproved = false, now } = registration;
  const settings = {
    jwks_uri: jwksUri,
    jwks: jwks === null ? null : JSON.stringify(jwks),
    subject_claim: subjectClaim,
    ...(isApproved ? { approved_at: now } : {}),
  };
  const row = await executor
    .insertInto('identity_issuers')
    .values({
      ...{ id: newId(now), partner_id: partnerId, issuer, tenant, created_at: now },
      ...{ last_used_at: null, approved_at: null },
      ...settings,
    })
    .onConflict((conflict) =>
      conflict.columns(['issuer', 'tenant']).doUpdateSet(settings).where('identity_issuers.partner_id', '=', partnerId),
    )
    .returning(COLUMNS)
    .executeTakeFirst();
  return row && toIssuer(row);
}

/** Finds an issuer; any text is a valid argument. */
export async function findIssuer(executor: Executor, name: IssuerName): Promise<IdentityIssuer | undefined> {
  if (`${name.issuer}${name.tenant}`.includes('\0')) return undefined;
  const row = await executor
    .selectFrom('identity_issuers')
    .select(COLUMNS)
    .where('issuer', '=', name.issuer)
    .where('tenant', '=', name.tenant)
    .executeTakeFirst();
  return row && toIssuer(row);
}

/** All issuers of a partner, sorted by name. */
export async function listIssuers(executor: Executor, partnerId: string): Promise<IdentityIssuer[]> {
  const rows = await executor
    .selectFrom('identity_issuers')
    .select(COLUMNS)
    .where('partner_id', '=', partnerId)
    .orderBy('issuer')
    .orderBy('tenant')
    .execute();
  return rows.map(toIssuer);
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

/** Lets an issuer vouch for users. @returns its name, or undefined if the partner has no such issuer that waits. */
export async function markIssuerApproved(
  executor: Executor,
  key: { id: string; partnerId: string },
  now: number,
): Promise<IssuerName | undefined> {
  return executor
    .updateTable('identity_issuers')
    .set({ approved_at: now })
    .where('id', '=', key.id)
    .where('partner_id', '=', key.partnerId)
    .where('approved_at', 'is', null)
    .returning(['issuer', 'tenant'])
    .executeTakeFirst();
}

/** Any text is a valid argument. @returns the issuer's name, or undefined if the partner has no such issuer. */
export async function deleteIssuer(
  executor: Executor,
  key: { id: string; partnerId: string },
): Promise<IssuerName | undefined> {
  if (key.id.includes('\0')) return undefined;
  return executor
    .deleteFrom('identity_issuers')
    .where('id', '=', key.id)
    .where('partner_id', '=', key.partnerId)
    .returning(['issuer', 'tenant'])
    .executeTakeFirst();
}

function toIssuer(row: Omit<IdentityIssuer, 'jwks'> & { readonly jwks: string | null }): IdentityIssuer {
  return { ...row, jwks: row.jwks === null ? null : (JSON.parse(row.jwks) as IdentityIssuer['jwks']) };
}
