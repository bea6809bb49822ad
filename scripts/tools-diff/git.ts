/** Reads from a git repository for the report: commits, the files of one, and their texts in a single process. */

import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { FailureError, UsageError } from '../../shared/cli/run.ts';

const run = promisify(execFile);
const MAX_BYTES = 512 * 1024 * 1024;

/** A commit, and a readable name for it. */
interface Revision {
  readonly commit: string;
  readonly label: string;
}

/** One file of a commit. */
interface TreeFile {
  readonly path: string;
  /** Git's object name of the content. */
  readonly blob: string;
}

/** @throws {UsageError} if there is no such revision. */
export async function findRevision(root: string, name: string): Promise<Revision> {
  const commit = await git(root, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]);
  if (commit === null || commit === '') throw new UsageError(`There is no revision ${JSON.stringify(name)}.`);
  return { commit, label: commit.startsWith(name) ? name : `${name} (${commit.slice(0, 7)})` };
}

/**
 * Returns the commit at which this branch left the main line: the merge base with `origin/main`, otherwise with `main`. For a branch without its own
 * commits, that is `HEAD`. The main line itself, and a commit on it that no branch names, is compared with the previous commit.
 *
 * @throws {UsageError} if there is no commit at all.
 */
export async function findDefaultBase(root: string): Promise<Revision> {
  const head = await git(root, ['rev-parse', '--verify', '--quiet', 'HEAD']);
  const branch = await git(root, ['symbolic-ref', '--quiet', '--short', 'HEAD']);
  const isBranch = branch !== null && branch !== 'main';
  const bases: { commit: string; main: string }[] = [];
  for (const main of ['origin/main', 'main']) {
    const commit = await git(root, ['merge-base', main, 'HEAD']);
    if (commit !== null && commit !== '' && (commit !== head || isBranch)) bases.push({ commit, main });
  }
  const base = bases.find(({ commit }) => commit !== head) ?? bases[0];
  if (base !== undefined)
    return { commit: base.commit, label: `merge base with ${base.main} (${base.commit.slice(0, 7)})` };
  if (head === null) throw new UsageError('There is no commit to compare with; name two folders.');
  const before = await git(root, ['rev-parse', '--verify', '--quiet', 'HEAD~1']);
  if (before === null || before === '') return { commit: head, label: `HEAD (${head.slice(0, 7)})` };
  return { commit: before, label: `HEAD~1 (${before.slice(0, 7)})` };
}

/** Returns the regular files in a folder of a commit and its subfolders. */
export async function listTree(root: string, commit: string, folder: string): Promise<TreeFile[]> {
  const listing = await git(root, ['ls-tree', '-r', '-z', commit, '--', folder]);
  return (listing ?? '').split('\0').flatMap((line) => {
    const [, mode, blob, path] = /^(\d+) blob ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
    return mode === undefined || blob === undefined || path === undefined || mode === '120000' ? [] : [{ path, blob }];
  });
}

/**
 * Texts of these objects, by name: one `git cat-file --batch` for all of them.
 *
 * @throws {FailureError} if git cannot read one.
 */
export async function readBlobs(root: string, blobs: readonly string[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  if (blobs.length === 0) return texts;
  const output = await batch(root, blobs);
  let at = 0;
  for (const blob of blobs) {
    const end = output.indexOf(10, at);
    const [, type, size] = output.toString('latin1', at, end).split(' ');
    if (type !== 'blob' || end < 0) throw new FailureError(`git has no object ${blob}.`);
    const start = end + 1;
    texts.set(blob, output.toString('utf8', start, start + Number(size)));
    at = start + Number(size) + 1;
  }
  return texts;
}

function batch(root: string, names: readonly string[]): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', ['-C', root, 'cat-file', '--batch'], { stdio: ['pipe', 'pipe', 'pipe'] });
    const chunks: Buffer[] = [];
    let errors = '';
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => {
      errors += chunk.toString('utf8');
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(Buffer.concat(chunks));
      else reject(new FailureError(`git cat-file failed: ${errors.trim()}`));
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(names.map((name) => `${name}\n`).join(''));
  });
}

/** Returns git's trimmed output. Null if git fails. */
async function git(root: string, args: readonly string[]): Promise<string | null> {
  try {
    const { stdout } = await run('git', ['-C', root, ...args], { maxBuffer: MAX_BYTES });
    return stdout.replace(/\n$/, '');
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') throw new FailureError('git is not installed.');
    return null;
  }
}
