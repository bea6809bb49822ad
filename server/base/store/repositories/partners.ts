/** Partners: the applications that own users. */

import { newId } from '../ids.ts';
import type { Database, Executor } from '../schema.ts';

/** A partner's registration and permissions. */
export interface PartnerSettings {
  readonly name: string;
  /** Allowed redirect URIs of connect flows, compared byte for byte. */
  readonly redirectUris: readonly string[];
  /** Where the partner's application starts a connect flow; null: the gateway cannot point to it. */
  readonly connectUri: string | null;
  /** One to three characters that represent the partner on pages; null: none. */
  readonly logoText: string | null;
  /** `#rrggbb` in lower case; null: pages use their default colours. */
  readonly accentColor: string | null;
  /** Connector names that the partner may offer; null: all. */
  readonly services: readonly string[] | null;
  /** Whether a plain link may begin a connect flow; false: only a connect session from the partner's server may. */
  readonly plainLinks: boolean;
}

export interface Partner extends PartnerSettings {
  readonly id: string;
  readonly clientId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** When the partner was suspended, in milliseconds since 1970; null: it is active. */
  readonly suspendedAt: number | null;
  /** Hash of its logo, which `findPartnerLogo` reads; null: no logo. */
  readonly logoHash: string | null;
}

/** Allowed media types of a logo. */
export type LogoType = 'image/png' | 'image/jpeg' | 'image/webp';

/** A checked image. */
export interface PartnerLogo {
  /** Identifies the bytes in the URL of the image. */
  readonly hash: string;
  readonly type: LogoType;
  readonly bytes: Buffer;
}

/** Excludes the image: partners are read far more often than logos are shown. */
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

/** Adds a partner. @throws the driver's unique violation if `clientId` is taken (see `isUniqueViolation`). */
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

/** Replaces the given members. @returns false if there is no such partner. */
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

/** Suspends an active partner, or resumes a suspended one. @returns false if nothing changed. */
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

/** Sets or removes a logo. @returns false if there is no such partner. */
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

/** The first `limit` partners by `clientId`: those behind `before`, or those ahead of `after`, read backwards. */
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

/** Parses the column `services`. */
export function toServices(column: string | null): readonly string[] | null {
  return column === null ? null : column.split(',').filter((service) => service !== '');
}
