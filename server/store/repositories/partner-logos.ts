/** Logos of partners. They are apart from the other settings, so that finding a partner never reads an image. */

import type { Executor } from '../schema.ts';

/** Media types that a logo may have. */
export type LogoType = 'image/png' | 'image/jpeg' | 'image/webp';

/** An image that was checked. */
export interface PartnerLogo {
  /** Stands for the bytes in the address of the image. */
  readonly hash: string;
  readonly type: LogoType;
  readonly bytes: Buffer;
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
