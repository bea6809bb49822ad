/** Partners: the applications that own users. */

import type { ExpressionBuilder } from 'kysely';
import { type Realm, realmOf, testClientId } from '../../realm.ts';
import type { PageCursor } from '../list-page.ts';
import { columnsOf, hasRow, newId, type Row, toOptionalList, toRow } from '../rows.ts';
import { CORE_TABLES, type Database, type Executor } from '../schema.ts';

/** Excludes the image: partners are read far more often than logos are shown. */
const PARTNER = columnsOf(CORE_TABLES.tables.partners, { except: ['logo_type', 'logo'] });

export type Partner = ReturnType<typeof toPartner>;

/** A partner's registration and permissions. */
export type PartnerSettings = Pick<
  Partner,
  | 'name'
  | 'redirectUris'
  | 'connectUri'
  | 'logoText'
  | 'accentColor'
  | 'services'
  | 'plainLinks'
  | 'approvals'
  | 'callLimits'
  | 'footer'
  | 'ownerSharing'
  | 'requiresAllowance'
>;

/** Allowed media types of a logo. */
export type LogoType = 'image/png' | 'image/jpeg' | 'image/webp';

/** A checked image. */
export interface PartnerLogo {
  /** Identifies the bytes in the URL of the image. */
  readonly hash: string;
  readonly type: LogoType;
  readonly bytes: Buffer;
}

/** Adds a partner. @throws the driver's unique violation if `clientId` is taken (see `isUniqueViolation`). */
export async function insertPartner(
  executor: Executor,
  partner: { clientId: string; name: string; now: number } & Partial<PartnerSettings>,
): Promise<Partner> {
  const { now, clientId, name, ...settings } = partner;
  const { redirect_uris = '[]', plain_links = 1, footer = 1, ...otherColumns } = toStored(settings);
  const { owner_sharing = 0, requires_allowance = 0, ...nullableColumns } = otherColumns;
  const row = await executor
    .insertInto('partners')
    .values({
      id: newId(now),
      client_id: clientId,
      name,
      created_at: now,
      redirect_uris,
      plain_links,
      footer,
      owner_sharing,
      requires_allowance,
      ...nullableColumns,
    })
    .returning(PARTNER)
    .executeTakeFirstOrThrow();
  return toPartner(row);
}

/**
 * Adds the test partner of a live one, with its settings. From then on, changes of the live one are changes of both.
 *
 * @returns its row id. @throws the driver's unique violation if there is one.
 */
export async function insertTestPartner(executor: Executor, liveId: string, now: number): Promise<string> {
  const live = await executor.selectFrom('partners').selectAll().where('id', '=', liveId).executeTakeFirstOrThrow();
  const testColumns = { id: newId(now), client_id: testClientId(live.client_id), created_at: now, test_of: live.id };
  await executor
    .insertInto('partners')
    .values({ ...live, ...testColumns })
    .execute();
  return testColumns.id;
}

/** Selects a live partner together with its test partner, because a setting holds for both. The id of a test partner selects no row. */
function withTest(id: string) {
  return (row: ExpressionBuilder<Database, 'partners'>) =>
    row.or([row.and([row('id', '=', id), row('test_of', 'is', null)]), row('test_of', '=', id)]);
}

/** Replaces the given members. @returns false if there is no such live partner. */
export async function updatePartner(
  executor: Executor,
  id: string,
  changes: Partial<PartnerSettings>,
): Promise<boolean> {
  const { name, ...otherSettings } = changes;
  const query = executor
    .updateTable('partners')
    .set((row) => ({ name: name ?? row.ref('name'), ...toStored(otherSettings) }));
  return hasRow(query.where(withTest(id)).returning('id'));
}

function toStored({
  redirectUris,
  services,
  approvals,
  callLimits,
  plainLinks,
  footer,
  ownerSharing,
  requiresAllowance,
  ...texts
}: Partial<Omit<PartnerSettings, 'name'>>) {
  return {
    ...toRow(PARTNER, texts),
    redirect_uris: redirectUris && JSON.stringify(redirectUris),
    services: services === null ? null : services?.join(','),
    approvals: approvals === null ? null : approvals?.join(','),
    call_limits: callLimits === null ? null : callLimits?.join(','),
    plain_links: plainLinks === undefined ? undefined : Number(plainLinks),
    footer: footer === undefined ? undefined : Number(footer),
    owner_sharing: ownerSharing === undefined ? undefined : Number(ownerSharing),
    requires_allowance: requiresAllowance === undefined ? undefined : Number(requiresAllowance),
  };
}

/** Suspends an active partner, or resumes a suspended one. @returns false if nothing changed. */
export async function setPartnerSuspended(
  executor: Executor,
  id: string,
  suspendedAt: number | null,
): Promise<boolean> {
  return hasRow(
    executor
      .updateTable('partners')
      .set({ suspended_at: suspendedAt })
      .where('id', '=', id)
      .where('suspended_at', suspendedAt === null ? 'is not' : 'is', null)
      .returning('id'),
  );
}

/** Sets or removes a logo. @returns false if there is no such live partner. */
export async function setPartnerLogo(
  executor: Executor,
  partnerId: string,
  logo: PartnerLogo | null,
): Promise<boolean> {
  return hasRow(
    executor
      .updateTable('partners')
      .set({
        logo_hash: logo?.hash ?? null,
        logo_type: logo?.type ?? null,
        logo: logo?.bytes.toString('base64url') ?? null,
      })
      .where(withTest(partnerId))
      .returning('id'),
  );
}

/** The current logo of an active partner, if it has the requested hash. */
export async function findPartnerLogo(
  executor: Executor,
  { clientId, hash }: { clientId: string; hash: string },
): Promise<PartnerLogo | undefined> {
  const row = await executor
    .selectFrom('partners')
    .select(['logo_type', 'logo'])
    .where('client_id', '=', clientId)
    .where('logo_hash', '=', hash)
    .where('suspended_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined || row.logo === null || row.logo_type === null) return undefined;
  return { hash, type: row.logo_type as LogoType, bytes: Buffer.from(row.logo, 'base64url') };
}

/** Removes a partner without users, with its secrets, issuers and connect flows. */
export async function deletePartner(executor: Executor, id: string): Promise<boolean> {
  return hasRow(executor.deleteFrom('partners').where('id', '=', id).returning('id'));
}

/** Returns true if the partner may offer a service now. */
export function mayOffer({ services }: PartnerSettings, service: string): boolean {
  return services?.includes(service) ?? true;
}

export async function findPartner(executor: Executor, id: string): Promise<Partner | undefined> {
  const row = await executor.selectFrom('partners').select(PARTNER).where('id', '=', id).executeTakeFirst();
  return row && toPartner(row);
}

/** The realm of a partner's users. @param id row id; of a partner that was removed meanwhile, nothing is left to use. */
export async function findRealm(executor: Executor, id: string): Promise<Realm> {
  return (await findPartner(executor, id))?.realm ?? 'test';
}

export async function findPartnerByClientId(executor: Executor, clientId: string): Promise<Partner | undefined> {
  const row = await executor
    .selectFrom('partners')
    .select(PARTNER)
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  return row && toPartner(row);
}

/** Returns the test partner of a live partner, or undefined if it has none. */
export async function findTestPartner(executor: Executor, liveId: string): Promise<Partner | undefined> {
  const row = await executor.selectFrom('partners').select(PARTNER).where('test_of', '=', liveId).executeTakeFirst();
  return row && toPartner(row);
}

/** Returns the partners with rules about the number of calls, by `clientId`. */
export async function listPartnersWithCallLimits(executor: Executor, limit: number): Promise<Partner[]> {
  const rows = await executor
    .selectFrom('partners')
    .select(PARTNER)
    .where('call_limits', 'is not', null)
    .orderBy('client_id')
    .limit(limit)
    .execute();
  return rows.map(toPartner);
}

/** The first `limit` partners by `clientId`: those behind `before`, or those ahead of `after`, read backwards. @param cursor.realm only of this realm. Default: of both. */
export async function listPartners(
  executor: Executor,
  limit: number,
  { before, after, realm }: PageCursor & { realm?: Realm } = {},
): Promise<Partner[]> {
  const rows = await executor
    .selectFrom('partners')
    .select(PARTNER)
    .$if(before !== undefined, (query) => query.where('client_id', '>', before ?? ''))
    .$if(after !== undefined, (query) => query.where('client_id', '<', after ?? ''))
    .$if(realm !== undefined, (query) => query.where('test_of', realm === 'test' ? 'is not' : 'is', null))
    .orderBy('client_id', after === undefined ? 'asc' : 'desc')
    .limit(limit)
    .execute();
  return rows.map(toPartner);
}

function toPartner(row: Row<'partners', typeof PARTNER>) {
  return {
    ...row,
    redirectUris: JSON.parse(row.redirectUris) as readonly string[],
    /** Null if it may offer all services. */
    services: toOptionalList(row.services) as readonly string[] | null,
    /** Null if its users approve no more than the operator requires. */
    approvals: toOptionalList(row.approvals) as readonly string[] | null,
    /** Rules about the number of calls (`CallRule`). Null if only those of the operator hold. */
    callLimits: toOptionalList(row.callLimits) as readonly string[] | null,
    plainLinks: row.plainLinks === 1,
    realm: realmOf(row.testOf),
    footer: row.footer === 1,
    ownerSharing: row.ownerSharing === 1,
    requiresAllowance: row.requiresAllowance === 1,
  };
}
