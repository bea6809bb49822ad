/** The two sides of a comparison: a folder, or a commit of the folder's repository. */

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { type FileTexts, isReportFile } from '../../codegen/report/index.ts';
import { listTree, readBlobs } from './git.ts';

/** Files of `generated/` in a folder that the report reads. */
export async function readFolder(root: string): Promise<FileTexts> {
  const names = await readdir(path.join(root, 'generated'), { recursive: true }).catch(() => []);
  const files = names.map((name) => `generated/${name.replaceAll('\\', '/')}`).filter(isReportFile);
  const texts = await Promise.all(
    files.sort().map(async (file): Promise<[string, string]> => [file, await readFile(path.join(root, file), 'utf8')]),
  );
  return new Map(texts);
}

/** The same files of a commit. Unchanged ones are taken from the folder. */
export async function readCommit(root: string, commit: string, folder: FileTexts): Promise<FileTexts> {
  const tree = (await listTree(root, commit, 'generated')).filter(({ path: file }) => isReportFile(file));
  const texts = new Map<string, string>();
  const missing: typeof tree = [];
  for (const file of tree) {
    const text = folder.get(file.path);
    if (text !== undefined && objectName(text, file.blob.length) === file.blob) texts.set(file.path, text);
    else missing.push(file);
  }
  const blobs = await readBlobs(root, [...new Set(missing.map(({ blob }) => blob))]);
  for (const { path: file, blob } of missing) texts.set(file, blobs.get(blob) ?? '');
  return texts;
}

/** Git's name of a blob: SHA-1, or SHA-256 in repositories that use it. */
function objectName(text: string, length: number): string {
  const content = Buffer.from(text, 'utf8');
  const hash = createHash(length === 64 ? 'sha256' : 'sha1');
  return hash.update(`blob ${content.length}\0`).update(content).digest('hex');
}
