/** Partners: the applications that own users. */

import { newId } from '../ids.ts';
import type { Database, Executor } from '../schema.ts';

/** What a partner registered, and what it may do. */
export interface PartnerSettings {
  readonly name: string;
  /** Where a connect flow may end, compared byte for byte. */
  readonly redirectUris: readonly string[];
  /** Where the partner's application starts a connect flow; null: nowhere that the gateway could point to. */
  readonly connectUri: string | null;
  /** One to three characters that stand for the partner on pages; null: none. */
  readonly logoText: string | null;
  /** `#rrggbb` in lower case; null: pages have their own colours. */
  readonly accentColor: string | null;
  /** Connector names that the partner may offer; null: all. */
  readonly services: readonly string[] | null;
  /** Whether anyone may begin a connect flow by a link; false: only with a connect session that the partner's server made. */
  readonly plainLinks: boolean;
}

export interface Partner extends PartnerSettings {
  readonly id: string;
  readonly clientId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Since when nothing is done for the partner and its users, in milliseconds since 1970; null: it is active. */
  readonly suspendedAt: number | null;
  /** Of its logo, which `findPartnerLogo` reads; null: it has none. */
  readonly logoHash: string | null;
}

/** Media types that a logo may have. */
export type LogoType = 'image/png' | 'image/jpeg' | 'image/webp';

/** An image that was checked. */
export interface PartnerLogo {
  /** Stands for the bytes in the address of the image. */
  readonly hash: string;
  readonly type: LogoType;
  readonly bytes: Buffer;
}

/** Without the image: a partner is found far more often than its logo is shown. */
const COLUMNS = [
  'id',
  'client_id',
  'name',
  'redirect_uris',
  'connect_uri',
  'logo_text',
  'accent_color',
  'logo_hash',
  'services',
  'plain_links',
  'created_at',
  'suspended_at',
] as const;

/** Adds a partner. @throws the driver's unique violation when `clientId` is taken (see `isUniqueViolation`). */
export async function insertPartner(
  executor: Executor,
  partner: { clientId: string; name: string; now: number } & Partial<PartnerSettings>,
): Promise<Partner> {
  const row = {
    id: newId(partner.now),
    client_id: partner.clientId,
    name: partner.name,
    created_at: partner.now,
    redirect_uris: JSON.stringify(partner.redirectUris ?? []),
    connect_uri: partner.connectUri ?? null,
    logo_text: partner.logoText ?? null,
    accent_color: partner.accentColor ?? null,
    logo_hash: null,
    logo_type: null,
    logo: null,
    services: partner.services?.join(',') ?? null,
    plain_links: partner.plainLinks === false ? 0 : 1,
    suspended_at: null,
  };
  await executor.insertInto('partners').values(row).execute();
  return toPartner(row);
}

/** Replaces what is named. @returns false when there is no such partner. */
export async function updatePartner(
  executor: Executor,
  id: string,
  changes: Partial<PartnerSettings>,
): Promise<boolean> {
  const { name, redirectUris, connectUri, logoText, accentColor, services, plainLinks } = changes;
  const changed = await executor
    .updateTable('partners')
    .set((row) => ({
      name: name ?? row.ref('name'),
      redirect_uris: redirectUris === undefined ? row.ref('redirect_uris') : JSON.stringify(redirectUris),
      connect_uri: connectUri === undefined ? row.ref('connect_uri') : connectUri,
      logo_text: logoText === undefined ? row.ref('logo_text') : logoText,
      accent_color: accentColor === undefined ? row.ref('accent_color') : accentColor,
      services: services === undefined ? row.ref('services') : (services?.join(',') ?? null),
      plain_links: plainLinks === undefined ? row.ref('plain_links') : Number(plainLinks),
    }))
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return changed !== undefined;
}

/** Suspends an active partner, or resumes a suspended one. @returns false when it is so already, or there is none. */
export async function setPartnerSuspended(
  executor: Executor,
  id: string,
  suspendedAt: number | null,
): Promise<boolean> {
  const changed = await executor
    .updateTable('partners')
    .set({ suspended_at: suspendedAt })
    .where('id', '=', id)
    .where('suspended_at', suspendedAt === null ? 'is not' : 'is', null)
    .returning('id')
    .executeTakeFirst();
  return changed !== undefined;
}

/** Puts a logo, or takes it away. @returns false when there is no such partner. */
export async function setPartnerLogo(
  executor: Executor,
  partnerId: string,
  logo: PartnerLogo | null,
): Promise<boolean> {
  const changed = await executor
    .updateTable('partners')
    .set({
      logo_hash: logo?.hash ?? null,
      logo_type: logo?.type ?? null,
      logo: logo?.bytes.toString('base64url') ?? null,
    })
    .where('id', '=', partnerId)
    .returning('id')
    .executeTakeFirst();
  return changed !== undefined;
}

/** The logo that an active partner has now, if it is the one that is asked for. */
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

/** Removes a partner that has no users, with its secrets, issuers and connect flows. */
export async function deletePartner(executor: Executor, id: string): Promise<boolean> {
  const removed = await executor.deleteFrom('partners').where('id', '=', id).returning('id').executeTakeFirst();
  return removed !== undefined;
}

/** Whether the partner may offer a service now. */
export function mayOffer({ services }: Pick<PartnerSettings, 'services'>, service: string): boolean {
  return services?.includes(service) ?? true;
}

export async function findPartner(executor: Executor, id: string): Promise<Partner | undefined> {
  const row = await executor.selectFrom('partners').select(COLUMNS).where('id', '=', id).executeTakeFirst();
  return row && toPartner(row);
}

export async function findPartnerByClientId(executor: Executor, clientId: string): Promise<Partner | undefined> {
  const row = await executor
    .selectFrom('partners')
    .select(COLUMNS)
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  return row && toPartner(row);
}

/** The first `limit` partners by `clientId`. @param place `clientId`s: only partners behind `before`, or those ahead of `after`, backwards. */
export async function listPartners(
  executor: Executor,
  limit: number,
  { before, after }: { readonly before?: string; readonly after?: string } = {},
): Promise<Partner[]> {
  const rows = await executor
    .selectFrom('partners')
    .select(COLUMNS)
    .$if(before !== undefined, (query) => query.where('client_id', '>', before ?? ''))
    .$if(after !== undefined, (query) => query.where('client_id', '<', after ?? ''))
    .orderBy('client_id', after === undefined ? 'asc' : 'desc')
    .limit(limit)
    .execute();
  return rows.map(toPartner);
}

function toPartner(row: Pick<Database['partners'], (typeof COLUMNS)[number]>): Partner {
  return {
    id: row.id,
    clientId: row.client_id,
    name: row.name,
    redirectUris: JSON.parse(row.redirect_uris) as string[],
    connectUri: row.connect_uri,
    logoText: row.logo_text,
    accentColor: row.accent_color,
    services: toServices(row.services),
    plainLinks: row.plain_links === 1,
    createdAt: row.created_at,
    suspendedAt: row.suspended_at,
    logoHash: row.logo_hash,
  };
}

/** Reads the column. */
export function toServices(column: string | null): readonly string[] | null {
  return column === null ? null : column.split(',').filter((service) => service !== '');
}
