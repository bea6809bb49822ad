/**
 * The only writer of `generated/`: it writes changed files, removes orphans, and leaves everything else alone.
 *
 * Files are read and written synchronously: for a thousand small ones, waiting for each costs more than the work.
 */

import { hash } from 'node:crypto';
import {
  type Dirent,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { HEADER_MARK } from './emit/header.ts';
import type { EmittedFile } from './emit/types.ts';

/** A file of `generated/` that differs from what codegen would write. */
export interface Change {
  /** Path relative to the project's root, with `/`. */
  readonly path: string;
  /** Null for a missing file. */
  readonly before: string | null;
  /** Null for an orphan. */
  readonly after: string | null;
}

interface CompareOptions {
  readonly root: string;
  readonly files: readonly EmittedFile[];
  /** Paths of files that are known to be up to date. */
  readonly unchangedFiles?: readonly string[];
  /** Services whose files are all in `files` and `unchangedFiles`: any other file in their folders is an orphan. */
  readonly services: readonly string[];
  /** All folders of `specs/`. */
  readonly allServices: readonly string[];
}

/** Thrown if files may not be written because a link leads outside `generated/`. */
export class WriteError extends Error {
  override name = 'WriteError';
}

/**
 * The differences between `generated/` and these files, sorted by path.
 *
 * An orphan is a file in the folder of a generated service that was not emitted, or a file with our header in a folder
 * that belongs to no service of `specs/`. Folders of known services that were not generated in this run are left alone.
 */
export async function compareGenerated({
  root,
  files,
  unchangedFiles = [],
  services,
  allServices,
}: CompareOptions): Promise<Change[]> {
  const changes: Change[] = [];
  for (const file of files) {
    const before = readText(root, file.path);
    if (before !== file.text) changes.push({ path: file.path, before, after: file.text });
  }
  const emitted = new Set([...unchangedFiles, ...files.map((file) => file.path)]);
  const orphans = listFiles(root, 'generated').filter((file) => !emitted.has(file));
  for (const orphan of orphans) {
    const [, folder = '', ...rest] = orphan.split('/');
    const isInGeneratedService = rest.length > 0 && services.includes(folder);
    if (!isInGeneratedService && rest.length > 0 && allServices.includes(folder)) continue;
    const before = readText(root, orphan) ?? '';
    if (isInGeneratedService || before.slice(0, 200).includes(HEADER_MARK)) {
      changes.push({ path: orphan, before, after: null });
    }
  }
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * Applies the changes to `generated/`, and removes folders that become empty. A file that is a symbolic link is
 * replaced; the target of the link stays unchanged.
 *
 * @throws {WriteError} for a path outside `generated/` or behind a symbolic link; nothing is written then.
 */
export async function writeChanges(root: string, changes: readonly Change[]): Promise<void> {
  const folders = new Set(changes.map((change) => generatedFolderOf(change.path)));
  for (const folder of folders) assertNoLink(root, folder);
  const createdFolders = new Set<string>();
  for (const { path: file, after } of changes) {
    const target = path.join(root, file);
    const folder = path.posix.dirname(file);
    if (after === null) {
      rmSync(target);
      removeEmptyFolders(root, folder);
      createdFolders.clear();
    } else {
      if (!createdFolders.has(folder)) mkdirSync(path.dirname(target), { recursive: true });
      createdFolders.add(folder);
      if (entryAt(target)?.isSymbolicLink()) rmSync(target);
      writeFileSync(target, after);
    }
  }
}

/** True if these are the only files of a folder, each a regular file with this SHA-256. */
export function isAsEmitted(root: string, folder: string, files: Readonly<Record<string, string>>): boolean {
  const present = listFiles(root, folder);
  return present.length === Object.keys(files).length && present.every((file) => hasHash(root, file, files[file]));
}

/** True for a regular file with this SHA-256. */
export function hasHash(root: string, file: string, sha256: string | undefined): boolean {
  const target = path.join(root, file);
  return entryAt(target)?.isFile() === true && hash('sha256', readFileSync(target)) === sha256;
}

/** Names of the folders in `generated/` that hold a connector. */
export async function listGenerated(root: string): Promise<string[]> {
  const files = listFiles(root, 'generated', 2);
  return files.flatMap((file) => /^generated\/([^/]+)\/index\.ts$/.exec(file)?.[1] ?? []);
}

/** Null if there is no regular file; links are not read. */
function readText(root: string, file: string): string | null {
  const target = path.join(root, file);
  const entry = entryAt(target);
  return entry?.isFile() ? readFileSync(target, 'utf8') : null;
}

function entryAt(file: string): Stats | null {
  try {
    return lstatSync(file);
  } catch {
    return null;
  }
}

/** Paths of the files below a folder; links count as files and are never followed. */
function listFiles(root: string, folder: string, depth = 8): string[] {
  const files: string[] = [];
  for (const entry of readFolder(path.join(root, folder))) {
    const child = `${folder}/${entry.name}`;
    if (!entry.isDirectory()) files.push(child);
    else if (depth > 1) files.push(...listFiles(root, child, depth - 1));
  }
  return files;
}

function readFolder(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function generatedFolderOf(file: string): string {
  const segments = file.split('/');
  if (
    segments[0] !== 'generated' ||
    segments.length < 2 ||
    segments.some((segment) => segment === '' || segment === '.' || segment === '..')
  ) {
    throw new WriteError(`${file} does not lie in generated/.`);
  }
  return path.posix.dirname(file);
}

function assertNoLink(root: string, folder: string): void {
  const segments = folder.split('/');
  for (let length = 1; length <= segments.length; length++) {
    const ancestor = segments.slice(0, length).join('/');
    if (entryAt(path.join(root, ancestor))?.isSymbolicLink())
      throw new WriteError(`${ancestor} is a symbolic link; codegen does not write through it.`);
  }
}

function removeEmptyFolders(root: string, folder: string): void {
  if (folder === 'generated' || folder === '.') return;
  try {
    rmdirSync(path.join(root, folder));
  } catch {
    return;
  }
  removeEmptyFolders(root, path.posix.dirname(folder));
}
