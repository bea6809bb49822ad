/** Resolves a `$ref` string to its target before any file is opened. */

import path from 'node:path';
import { fragmentPointer } from '../json-pointer.ts';

type ReferenceTarget =
  | {
      /** Path relative to the service folder, with `/`: the file itself for a local reference. */
      readonly file: string;
      /** Pointer into that file; null for a fragment that is not a pointer, such as `#anchor`. */
      readonly pointer: string | null;
    }
  | { readonly refused: 'reference-network' | 'reference-outside'; readonly message: string };

/**
 * Resolves a `$ref` in `fromFile`; both paths are relative to the service folder.
 *
 * URLs of any scheme, `//host/...` and absolute paths are refused, and so is a path that leaves the folder, in any
 * encoding.
 */
export function readReference(ref: string, fromFile: string): ReferenceTarget {
  const hash = ref.indexOf('#');
  const location = hash === -1 ? ref : ref.slice(0, hash);
  const pointer = hash === -1 ? '' : fragmentPointer(ref.slice(hash));
  if (location === '') return { file: fromFile, pointer };
  if (/^(file:|[a-z]:[\\/])/i.test(location)) return outside(ref, 'names a file of this machine');
  if (/^([a-z][a-z0-9+.-]*:|[\\/]{2})/i.test(location)) {
    return { refused: 'reference-network', message: `$ref ${JSON.stringify(ref)} is a URL.` };
  }
  const decoded = decode(location);
  if (decoded === null || decoded.includes('\0')) return outside(ref, 'is not a path');
  if (/^[\\/]/.test(decoded)) return outside(ref, 'is an absolute path');
  const file = path.posix.normalize(path.posix.join(path.posix.dirname(fromFile), decoded.replaceAll('\\', '/')));
  if (file === '..' || file.startsWith('../')) return outside(ref, 'climbs out of the service folder');
  return { file, pointer };
}

function decode(location: string): string | null {
  try {
    return decodeURIComponent(location);
  } catch {
    return null;
  }
}

function outside(ref: string, why: string): ReferenceTarget {
  return { refused: 'reference-outside', message: `$ref ${JSON.stringify(ref)} ${why}.` };
}
