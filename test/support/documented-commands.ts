/** Runs the commands of a document, so that what it says works. */

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

const ROOT = resolve(import.meta.dirname, '../..');

/**
 * The shell block of a document that holds a text.
 *
 * @throws {Error} where none or several do.
 */
export async function findCommands(document: string, holding: string): Promise<string> {
  const text = await readFile(resolve(ROOT, document), 'utf8');
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
  const [found, ...others] = blocks.filter((block) => block.includes(holding));
  if (found === undefined || others.length > 0) throw new Error(`${document} has no one block with "${holding}"`);
  return found;
}

/** Runs commands in this project as a shell does, and stops at the first that fails. @returns what they print. */
export async function runCommands(commands: string, env: Readonly<Record<string, string>>): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', commands], {
    cwd: ROOT,
    env: { ...process.env, NODE_OPTIONS: '', ...env },
  });
  return stdout + stderr;
}
