/** Reads a secret that must not be on a command line: from a file, from standard input, or typed without echo. */

import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { UsageError } from '../../shared/cli/run.ts';

/** Removes the line ending. @throws {UsageError} for a file that cannot be read. */
export async function readSecret({ secretFile }: { readonly secretFile?: string }): Promise<string> {
  if (secretFile !== undefined) {
    return trimmed(
      await readFile(secretFile, 'utf8').catch(() => {
        throw new UsageError(`--secret-file cannot be read: ${secretFile}`);
      }),
    );
  }
  return trimmed(process.stdin.isTTY ? await ask() : await text(process.stdin));
}

function trimmed(secret: string): string {
  return secret.replace(/\r?\n$/, '');
}

async function ask(): Promise<string> {
  process.stderr.write('Client secret (not shown): ');
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    return await terminal.question('');
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}
