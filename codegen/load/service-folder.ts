/** The only reader of `specs/`: finds the files of one service and reads nothing outside their folder. */

import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';

/** Four times the size of the largest public descriptor known to us. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

export interface ServiceFolder {
  /** Path of the folder relative to the project's root, such as `specs/retrieval`. */
  readonly file: string;
  readonly path: string;
  /** Names of the entries, sorted by code units. */
  readonly entries: readonly string[];
}

interface Refused {
  readonly refused: 'outside' | 'unreadable';
  readonly message: string;
}

/** Sorted names of the folders in `specs/`, without hidden ones; empty if there is no `specs/`. */
export async function listServices(root: string): Promise<string[]> {
  const specs = path.join(root, 'specs');
  const entries = await readdir(specs, { withFileTypes: true }).catch(() => []);
  const names: string[] = [];
  for (const entry of entries) {
    if (entry.name.startsWith('.') || entry.isFile()) continue;
    const target = await stat(path.join(specs, entry.name)).catch(() => null);
    if (target?.isDirectory()) names.push(entry.name);
  }
  return names.sort();
}

/** Null if `specs/` has no such folder, or if the folder is a symbolic link that leaves `specs/`. */
export async function openServiceFolder(root: string, service: string): Promise<ServiceFolder | null> {
  const folder = path.resolve(root, 'specs', service);
  try {
    const [specs, real] = await Promise.all([realpath(path.resolve(root, 'specs')), realpath(folder)]);
    if (!isInside(specs, real)) return null;
    const entries = (await readdir(real)).sort();
    return { file: `specs/${service}`, path: real, entries };
  } catch {
    return null;
  }
}

/** Names of the entries of a subfolder, sorted by code units; empty if there is no such folder. */
export async function listInside(folder: ServiceFolder, relative: string): Promise<readonly string[]> {
  const real = await realpath(path.resolve(folder.path, relative)).catch(() => folder.path);
  if (!isInside(folder.path, real)) return [];
  return (await readdir(real).catch(() => [])).sort();
}

/**
 * Reads a UTF-8 file of the folder. `relative` is a path such as `schemas/document.yaml`.
 *
 * Opens nothing until the path, with all symbolic links resolved, is known to end inside the folder.
 */
export async function readInside(
  folder: ServiceFolder,
  relative: string,
): Promise<{ readonly text: string } | Refused> {
  const read = await readBytesInside(folder, relative, MAX_FILE_BYTES);
  if ('refused' in read) return read;
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(read.bytes) };
  } catch (error) {
    return unreadable(`${relative} ${reason(error)}.`);
  }
}

/** The same for the bytes of any file, up to a maximum size. */
export async function readBytesInside(
  folder: ServiceFolder,
  relative: string,
  maxBytes: number,
): Promise<{ readonly bytes: Buffer } | Refused> {
  const absolute = path.resolve(folder.path, relative);
  const outside = { refused: 'outside', message: `${relative} lies outside ${folder.file}/.` } as const;
  if (relative.includes('\0') || !isInside(folder.path, absolute)) return outside;
  try {
    const real = await realpath(absolute);
    if (!isInside(folder.path, real)) return outside;
    const { size, isRegular } = await stat(real).then((found) => ({ size: found.size, isRegular: found.isFile() }));
    if (!isRegular) return unreadable(`${relative} is not a regular file.`);
    if (size > maxBytes) {
      return unreadable(`${relative} has ${size} bytes; at most ${maxBytes} are read.`);
    }
    return { bytes: await readFile(real) };
  } catch (error) {
    return unreadable(`${relative} ${reason(error)}.`);
  }
}

function isInside(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '' && relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

function unreadable(message: string): Refused {
  return { refused: 'unreadable', message };
}

function reason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'does not exist';
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'is not UTF-8 text';
  return `cannot be read (${code || String(error)})`;
}
