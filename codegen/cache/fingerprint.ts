/** Hashes everything that decides the output of codegen: its sources and libraries, and the files of one service. */

import { hash } from 'node:crypto';
import { type Dirent, existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { CONTRACT_MODULE } from '../contract-module.ts';

/** A folder with more files than this is not hashed. */
const MAX_FILES = 2000;
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * Hash of everything except `specs/` that decides the output: every file of codegen and of `shared/`, the packages that npm
 * installed, the name of this one, and the version of Node.
 *
 * Null if that is unknown: npm's list of installed packages is missing, or one of the packages is a link to a folder.
 *
 * @param codegen Folder of codegen's sources; `shared/` is next to it, and `node_modules/` there or in a folder above it.
 * @param more Other folders next to it. Default: none.
 */
export function fingerprintGenerator(codegen: string, more: readonly string[] = []): string | null {
  const installed = readInstalled(path.dirname(codegen));
  const others = ['shared', ...more].map((name) => path.join(path.dirname(codegen), name));
  const folders = [codegen, ...others].filter((folder) => existsSync(folder));
  const sources = folders.map(fingerprintFolder);
  if (installed === null || sources.includes(null)) return null;
  return toHash([
    process.version,
    process.platform,
    process.arch,
    CONTRACT_MODULE,
    hash('sha256', installed),
    ...sources,
  ]);
}

/**
 * Hash of all files of `specs/<service>/`, whether or not the descriptor refers to them.
 *
 * Null for a folder that cannot be read, is too large, is a link, or contains links, which could lead anywhere.
 */
export function fingerprintService(root: string, service: string): string | null {
  return fingerprintFolder(path.join(root, 'specs', service));
}

/** Equal parts give equal hashes; different parts give different ones. */
export function toHash(parts: readonly (string | null)[]): string {
  return hash('sha256', JSON.stringify(parts));
}

/**
 * npm lists each package that it installed in this file, with its version and the hash of its archive. The list is in the outermost `node_modules/` of
 * a project; other package managers write none.
 */
function readInstalled(folder: string): string | null {
  const modules = path.join(folder, 'node_modules');
  try {
    const text = readFileSync(path.join(modules, '.package-lock.json'), 'utf8');
    return text.includes('"link": true') ? null : text;
  } catch {
    const parent = path.dirname(folder);
    const isOutermost = existsSync(modules) && !folder.split(path.sep).includes('node_modules');
    return isOutermost || parent === folder ? null : readInstalled(parent);
  }
}

function fingerprintFolder(folder: string): string | null {
  const paths: string[] = [];
  let bytes = 0;
  const visit = (relative: string): boolean => {
    const entries = readdirSync(path.join(folder, relative), { withFileTypes: true });
    return entries.sort(byName).every((entry) => visitEntry(entry, relative));
  };
  const visitEntry = (entry: Dirent, parent: string): boolean => {
    const relative = `${parent}/${entry.name}`;
    if (entry.isDirectory()) return visit(relative);
    const file = path.join(folder, relative);
    if (!entry.isFile() || paths.length >= MAX_FILES) return false;
    bytes += statSync(file).size;
    if (bytes > MAX_BYTES) return false;
    paths.push(`${hash('sha256', readFileSync(file))} ${relative}`);
    return true;
  };
  try {
    return lstatSync(folder).isDirectory() && visit('') ? toHash(paths) : null;
  } catch {
    return null;
  }
}

function byName(left: Dirent, right: Dirent): number {
  return left.name < right.name ? -1 : 1;
}
