/** Reads the logo that `connector.yaml` names. The bytes decide the image type, not the file name. */

import { hash } from 'node:crypto';
import type { Problem } from '../../diagnostics.ts';
import { readBytesInside, type ServiceFolder } from '../service-folder.ts';

const MAX_LOGO_BYTES = 65_536;
const HASH_CHARACTERS = 32;

/** An image that pages may show. SVG is not allowed: it is a document that can hold scripts and load other files. */
export interface Logo {
  readonly type: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif';
  /** SHA-256, in 32 hexadecimal digits. */
  readonly hash: string;
  readonly base64: string;
}

/** Null if there is no logo, or if it has a problem. */
export async function loadLogo(
  folder: ServiceFolder,
  file: string | null,
  name: string | undefined,
): Promise<{ logo: Logo | null; problems: readonly Problem[] }> {
  if (name === undefined || file === null) return { logo: null, problems: [] };
  const refuse = (message: string) => {
    const problem: Problem = { code: 'config-logo', file, pointer: '/logo', message };
    return { logo: null, problems: [problem] };
  };
  const read = await readBytesInside(folder, name, MAX_LOGO_BYTES);
  if ('refused' in read) return refuse(read.message);
  const { bytes } = read;
  const type = typeOf(bytes);
  if (type === null) return refuse(`${name} is not a PNG, JPEG, WebP or GIF image.`);
  const logo = { type, hash: hash('sha256', bytes).slice(0, HASH_CHARACTERS), base64: bytes.toString('base64') };
  return { logo, problems: [] };
}

/**
 * Detects the type by the signatures of PNG (3rd edition §5.2), JPEG (ITU T.81 §B.1.1), GIF89a (§17) and WebP (RFC 9649
 * §2.4).
 */
function typeOf(bytes: Buffer): Logo['type'] | null {
  const starts = bytes.toString('latin1', 0, 12);
  if (starts.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (starts.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(starts)) return 'image/gif';
  return starts.startsWith('RIFF') && starts.endsWith('WEBP') ? 'image/webp' : null;
}
