/** Runs the commands in a document, so that they are known to work. */

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { blocksOf } from './documented-blocks.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/**
 * The shell block of a document that contains a text.
 *
 * @throws {Error} if no block or several contain it.
 */
export async function findCommands(document: string, holding: string): Promise<string> {
  const blocks = blocksOf(document, await readFile(resolve(ROOT, document), 'utf8'));
  const [found, ...others] = blocks.filter(({ language, text }) => language === 'sh' && text.includes(holding));
  if (found === undefined || others.length > 0) throw new Error(`${document} has no one block with "${holding}"`);
  return found.text;
}

/** Runs commands in this project with a shell, and stops at the first that fails. @returns their output. */
export async function runCommands(commands: string, env: Readonly<Record<string, string>>): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', commands], {
    cwd: ROOT,
    env: { ...process.env, NODE_OPTIONS: '', ...env },
  });
  return stdout + stderr;
}
