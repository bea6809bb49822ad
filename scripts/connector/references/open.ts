/** Resolves the references of a descriptor and opens what is allowed: files inside one folder, and public addresses. */

import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { createDescriptorReader, type Descriptor, type FetchRules, isUrl } from '../source.ts';

/** Limits of what is read for one descriptor, without the descriptor itself. */
export interface ReadLimits {
  readonly files: number;
  readonly addresses: number;
  readonly bytes: number;
  /** For everything that is read, in milliseconds. */
  readonly milliseconds: number;
}

const LIMITS: ReadLimits = {
  // Twice as many as the largest published descriptor that we know of.
  files: 6000,
  addresses: 2000,
  // The limit of codegen for one file.
  bytes: 64 * 1024 * 1024,
  milliseconds: 300_000,
};

/** Milliseconds that one referenced file may take to arrive. */
const FILE_TIMEOUT_MS = 30_000;

/** The real path of a file, or a URL without its fragment. */
export type DocumentId = string;

/** Thrown for a reference that the gateway does not follow. The descriptor may be right, so the reason is recorded in it. */
export class NotFollowedError extends Error {
  override name = 'NotFollowedError';
}

export interface OpenRules extends FetchRules {
  /** Real path of the folder that files may be read from. Null if no files may be read. */
  readonly rootFolder: string | null;
  /** Default: 6,000 files, 2,000 addresses, 64 MB, 300 seconds. */
  readonly limits?: Partial<ReadLimits>;
}

/** Opens files and addresses, and counts the bytes of all of them. */
export interface Opener {
  /** @throws {Error} with the reason if a reference does not lead to a place that may be opened. */
  resolve(location: string, from: DocumentId): Promise<DocumentId>;
  /** Counts the place. @throws {NotFollowedError} for the first place over a limit and all after it. */
  admit(documentId: DocumentId): void;
  /** @throws {Error} if it cannot be read, or a limit is exceeded. */
  open(documentId: DocumentId): Promise<Descriptor>;
  /** Closes the connections. */
  close(): Promise<void>;
}

/** Creates an opener whose counts start at zero, and whose time starts now. */
export function createOpener({ rootFolder, limits: customLimits = {}, ...rules }: OpenRules): Opener {
  const limits = { ...LIMITS, ...customLimits };
  const deadline = AbortSignal.timeout(limits.milliseconds);
  let redirects = 0;
  const sayFirst = (line: string): void => {
    redirects += 1;
    if (redirects === 1) rules.say(line);
  };
  const reader = createDescriptorReader({ ...rules, say: sayFirst, timeoutMs: FILE_TIMEOUT_MS, deadline });
  const counts = { files: 0, addresses: 0, bytes: 0 };
  const requireTime = () => {
    if (deadline.aborted) {
      throw new NotFollowedError(
        `${OUR_LIMIT}: ${limits.milliseconds / 1000} seconds for everything that it refers to`,
      );
    }
  };
  const requireBytes = () => {
    if (counts.bytes > limits.bytes) {
      throw new NotFollowedError(`${OUR_LIMIT}: ${inMegabytes(limits.bytes)} for everything that it refers to`);
    }
  };
  return {
    resolve: (location, from) => resolveDocument(location, from, rootFolder),
    admit(documentId) {
      const kind = isUrl(documentId) ? 'addresses' : 'files';
      counts[kind] += 1;
      if (counts[kind] <= limits[kind]) return;
      const limit = limits[kind].toLocaleString('en');
      throw new NotFollowedError(`${OUR_LIMIT}: ${limit} ${kind === 'files' ? 'files' : 'addresses'}. ${BUNDLE_FIRST}`);
    },
    async open(documentId) {
      requireTime();
      requireBytes();
      try {
        const descriptor = await reader.read(documentId);
        counts.bytes += descriptor.bytes.byteLength;
        requireBytes();
        return descriptor;
      } catch (error) {
        requireTime();
        throw error;
      }
    },
    async close() {
      if (redirects > 1) rules.say(`${redirects - 1} more references redirect.\n`);
      await reader.close();
    },
  };
}

const OUR_LIMIT = 'it is over the limit of `utg add` for one descriptor';
const BUNDLE_FIRST = 'Bundle the descriptor into one file, and add that file';

function inMegabytes(bytes: number): string {
  return bytes < 1024 * 1024 ? `${bytes} bytes` : `${Math.floor(bytes / 1024 / 1024)} MB`;
}

async function resolveDocument(location: string, from: DocumentId, rootFolder: string | null): Promise<DocumentId> {
  if (isUrl(from) || isUrl(location) || /^[\\/]{2}/.test(location)) {
    const base = isUrl(from) ? from : undefined;
    if (!URL.canParse(location, base)) throw new Error('it is not an address');
    const url = new URL(location, base);
    url.hash = '';
    if (!/^https?:$/.test(url.protocol)) throw new Error('it is not an http or https URL');
    if (url.username !== '' || url.password !== '') throw new Error('the address holds a password');
    return url.href;
  }
  if (rootFolder === null) throw new Error('it is not an address');
  const decoded = decode(location);
  if (/^([a-z][a-z0-9+.-]*:|[\\/])/i.test(decoded)) throw new Error('it is not a relative path');
  if (decoded.includes('\0')) throw new Error('it is not a path');
  const file = path.resolve(path.dirname(from), decoded.replaceAll('\\', '/'));
  requireInside(rootFolder, file);
  const realFile = await realpath(file).catch(() => null);
  if (realFile === null) throw new Error('there is no such file');
  requireInside(rootFolder, realFile);
  if (!(await stat(realFile)).isFile()) throw new Error('it is not a regular file');
  return realFile;
}

/** A name with a lone `%` is taken as it is. */
function decode(location: string): string {
  try {
    return decodeURIComponent(location);
  } catch {
    return location;
  }
}

function requireInside(folder: string, file: string): void {
  const relative = path.relative(folder, file);
  const isInside = relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
  if (isInside) return;
  throw new NotFollowedError(
    'it lies outside the root folder. --root-folder <dir> names a folder that holds all files',
  );
}
