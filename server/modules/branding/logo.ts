/** Checks and changes a partner's logo, by the same rules in the partner API and on the command line. */

import { createHash } from 'node:crypto';
import { emit } from '../../base/store/events.ts';
import { type PartnerLogo, setPartnerLogo } from '../../base/store/repositories/partners.ts';
import type { Executor } from '../../base/store/schema.ts';
import type { ManagementEvent } from '../../identity/partners/manage.ts';
import { readImageHeader } from './image.ts';

/** Media types of logos. SVG is not allowed: it can contain scripts and load other files. */
export const LOGO_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const;

export const MAX_LOGO_BYTES = 65_536;

const MAX_SIDE_PIXELS = 1024;

/** Length of the hash. It may be short, because a logo is looked up together with its partner. */
const HASH_CHARACTERS = 32;

/** An image cannot be a logo. The message is a sentence that says what to do. */
export class LogoError extends Error {
  override readonly name = 'LogoError';
}

/**
 * Checks an image by its bytes.
 *
 * @param declared media type that its sender names, if any.
 * @throws {LogoError} for the first rule that it breaks.
 */
export function parseLogo(bytes: Buffer, declared?: string): PartnerLogo {
  if (bytes.length > MAX_LOGO_BYTES) {
    throw new LogoError(`The logo has ${bytes.length} bytes. Save it with at most ${MAX_LOGO_BYTES}.`);
  }
  const header = readImageHeader(bytes);
  if (header === null) throw new LogoError('The logo is not a PNG, JPEG or WebP image. Save it as one of them.');
  const { type, width, height, isAnimated } = header;
  if (declared !== undefined && declared !== type) {
    throw new LogoError(`The logo is ${type}, and was sent as ${declared}. Send it with its own Content-Type.`);
  }
  if (isAnimated) throw new LogoError('The logo is animated. Save a single frame.');
  if (Math.min(width, height) < 1 || Math.max(width, height) > MAX_SIDE_PIXELS) {
    const most = `${MAX_SIDE_PIXELS} x ${MAX_SIDE_PIXELS}`;
    throw new LogoError(`The logo has ${width} x ${height} pixels. Save it with 1 x 1 to ${most}.`);
  }
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, HASH_CHARACTERS);
  return { type, bytes, hash };
}

/** Sets or removes the logo of a partner. Needs a transaction. @returns false when there is no such partner. */
export async function changeLogo(
  transaction: Executor,
  partnerId: string,
  logo: PartnerLogo | null,
  event: ManagementEvent,
): Promise<boolean> {
  if (!(await setPartnerLogo(transaction, partnerId, logo))) return false;
  const details = { changed: ['logo'] };
  await emit(transaction, { type: 'partner_changed', partnerId, details, ...event });
  return true;
}
