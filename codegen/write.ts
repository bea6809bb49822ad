/** The only writer of `generated/`: changed files are written, orphans are removed, everything else is left alone. */

import { lstat, mkdir, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createTwoFilesPatch } from 'diff';
import { type EmittedFile, HEADER_MARK } from './emit/index.ts';

/** A file of `generated/` that is not as codegen would leave it. */
export interface Change {
  /** Path relative to the project's root, with `/`. */
  readonly path: string;
  /** Null for a file that is missing. */
  readonly before: string | null;
  /** Null for an orphan. */
  readonly after: string | null;
}

export interface CompareOptions {
  readonly root: string;
  readonly files: readonly EmittedFile[];
  /** Services that `files` holds completely: anything else in their folders is an orphan. */
  readonly services: readonly string[];
  /** All folders of `specs/`. */
  readonly known: readonly string[];
}

/** The place where files may not be written, because a link in it leads elsewhere. */
export class WriteError extends Error {
  override name = 'WriteError';
}

/** A line that no machine should have to compare for longer than this, in milliseconds. */
const DIFF_TIMEOUT_MS = 2000;

/**
 * What differs between `generated/` and these files, sorted by path.
 *
 * An orphan is a file in the folder of a generated service that was not emitted, or a file with our header in a folder
 * that belongs to no service of `specs/`. Folders of known services that were not generated now are left alone.
 */
export async function compareGenerated({ root, files, services, known }: CompareOptions): Promise<Change[]> {
  const changes: Change[] = [];
  for (const file of files) {
    const before = await readText(root, file.path);
    if (before !== file.text) changes.push({ path: file.path, before, after: file.text });
  }
  const emitted = new Set(files.map((file) => file.path));
  const orphans = (await listFiles(root, 'generated')).filter((file) => !emitted.has(file));
  for (const orphan of orphans) {
    const [, folder = '', ...rest] = orphan.split('/');
    const isOfGenerated = rest.length > 0 && services.includes(folder);
    if (!isOfGenerated && rest.length > 0 && known.includes(folder)) continue;
    const before = (await readText(root, orphan)) ?? '';
    if (isOfGenerated || before.slice(0, 200).includes(HEADER_MARK)) {
      changes.push({ path: orphan, before, after: null });
    }
  }
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * Makes `generated/` as the changes say, and removes folders that are empty afterwards.
 *
 * @throws {WriteError} for a path outside `generated/` or behind a symbolic link; nothing is written then.
 */
export async function writeChanges(root: string, changes: readonly Change[]): Promise<void> {
  for (const change of changes) await assertOurs(root, change.path);
  for (const { path: file, after } of changes) {
    const target = path.join(root, file);
    if (after === null) {
      await rm(target);
      await removeEmptyFolders(root, path.posix.dirname(file));
    } else {
      await mkdir(path.dirname(target), { recursive: true });
      await writeFile(target, after);
    }
  }
}

/** A unified diff of one change, as `git diff` would label it. */
export function toUnifiedDiff({ path: file, before, after }: Change): string {
  const from = before === null ? '/dev/null' : `a/${file}`;
  const to = after === null ? '/dev/null' : `b/${file}`;
  const patch = createTwoFilesPatch(from, to, before ?? '', after ?? '', undefined, undefined, {
    context: 3,
    timeout: DIFF_TIMEOUT_MS,
  });
  return patch?.replace(/^=+\n/, '') ?? `--- ${from}\n+++ ${to}\n(too different to compare line by line)\n`;
}

/** Names of the folders in `generated/` that hold a connector. */
export async function listGenerated(root: string): Promise<string[]> {
  const files = await listFiles(root, 'generated', 2);
  return files.flatMap((file) => /^generated\/([^/]+)\/index\.ts$/.exec(file)?.[1] ?? []);
}

/** Null where there is no regular file; a link is not read. */
async function readText(root: string, file: string): Promise<string | null> {
  const target = path.join(root, file);
  const found = await lstat(target).catch(() => null);
  return found?.isFile() ? readFile(target, 'utf8') : null;
}

/** Paths of the files below a folder, links counted as files and never followed. */
async function listFiles(root: string, folder: string, depth = 8): Promise<string[]> {
  const entries = await readdir(path.join(root, folder), { withFileTypes: true }).catch(() => []);
  const files: string[] = [];
  for (const entry of entries) {
    const child = `${folder}/${entry.name}`;
    if (!entry.isDirectory()) files.push(child);
    else if (depth > 1) files.push(...(await listFiles(root, child, depth - 1)));
  }
  return files;
}

async function assertOurs(root: string, file: string): Promise<void> {
  const parts = file.split('/');
  if (
    parts[0] !== 'generated' ||
    parts.length < 2 ||
    parts.some((part) => part === '' || part === '.' || part === '..')
  ) {
    throw new WriteError(`${file} does not lie in generated/.`);
  }
  for (let length = 1; length < parts.length; length++) {
    const folder = parts.slice(0, length).join('/');
    const found = await lstat(path.join(root, folder)).catch(() => null);
    if (found?.isSymbolicLink())
      throw new WriteError(`${folder} is a symbolic link; codegen does not write through it.`);
  }
}

async function removeEmptyFolders(root: string, folder: string): Promise<void> {
  if (folder === 'generated' || folder === '.') return;
  try {
    await rmdir(path.join(root, folder));
  } catch {
    return;
  }
  await removeEmptyFolders(root, path.posix.dirname(folder));
}
