/** Resolves the references of a descriptor and opens what is allowed: files inside one folder, and public addresses. */

import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { type FetchRules, isUrl, readDescriptor } from '../source.ts';

/** Twice as many as the largest published descriptor that we know of. */
const MAX_FILES = 6000;
const MAX_URLS = 200;
/** The limit of codegen for one file. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The real path of a file, or a URL without its fragment. */
export type Place = string;

interface OpenRules extends FetchRules {
  /** Real path of the folder that files may be read from; null: none. */
  readonly rootFolder: string | null;
}

/** Opens each place at most once, and counts files and bytes of all of them. */
export interface Opener {
  /** @throws {Error} with the reason if a reference does not lead to a place that may be opened. */
  resolve(location: string, from: Place): Promise<Place>;
  /** @throws {Error} if it cannot be read, or a limit is exceeded. */
  open(place: Place): Promise<{ readonly text: string; readonly extension: 'json' | 'yaml' }>;
}

/** Creates an opener whose counts start at zero. */
export function createOpener(rules: OpenRules): Opener {
  let files = 0;
  let urls = 0;
  let bytes = 0;
  return {
    resolve: (location, from) => resolvePlace(location, from, rules.rootFolder),
    async open(place) {
      if (isUrl(place)) urls += 1;
      else files += 1;
      if (files > MAX_FILES) throw new Error(`more than ${MAX_FILES} files are referred to`);
      if (urls > MAX_URLS) throw new Error(`more than ${MAX_URLS} addresses are referred to`);
      if (bytes > MAX_BYTES) throw new Error(`the files have more than ${MAX_BYTES} bytes`);
      const read = await readDescriptor(place, rules);
      bytes += read.bytes.byteLength;
      if (bytes > MAX_BYTES) throw new Error(`the files have more than ${MAX_BYTES} bytes`);
      return read;
    },
  };
}

async function resolvePlace(location: string, from: Place, rootFolder: string | null): Promise<Place> {
  if (isUrl(from) || isUrl(location) || /^[\\/]{2}/.test(location)) {
    const base = isUrl(from) ? from : undefined;
    if (!URL.canParse(location, base)) throw new Error('it is not an address');
    const url = new URL(location, base);
    url.hash = '';
    if (!/^https?:$/.test(url.protocol)) throw new Error('it is not an http or https URL');
    if (url.username !== '' || url.password !== '') throw new Error('the address holds a password');
    return url.href;
  }
  if (rootFolder === null) throw new Error('files are read with --root-folder only');
  const decoded = decodeURIComponent(location);
  if (/^([a-z][a-z0-9+.-]*:|[\\/])/i.test(decoded)) throw new Error('it is not a relative path');
  if (decoded.includes('\0')) throw new Error('it is not a path');
  const file = path.resolve(path.dirname(from), decoded.replaceAll('\\', '/'));
  requireInside(rootFolder, file);
  const real = await realpath(file).catch(() => null);
  if (real === null) throw new Error('there is no such file');
  requireInside(rootFolder, real);
  if (!(await stat(real)).isFile()) throw new Error('it is not a regular file');
  return real;
}

function requireInside(folder: string, file: string): void {
  const relative = path.relative(folder, file);
  const isInside = relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
  if (!isInside) throw new Error('it lies outside the root folder');
}
