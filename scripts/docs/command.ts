/** The command that keeps the reference pages consistent with the code. */

import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { createCommand } from '../../shared/cli/command.ts';
import { PROCESS_OUTPUT } from '../../shared/cli/output.ts';
import { FailureError } from '../../shared/cli/run.ts';
import { PAGES } from './pages.ts';

const ROOT = path.join(import.meta.dirname, '../..');

/** `npm run docs`. */
export function createDocsCommand(output = PROCESS_OUTPUT): Command {
  return createCommand('docs', output)
    .summary('write the reference pages that are made from code')
    .description('Writes the pages of docs/reference/ that are made from code, and the JSON Schema of connector.yaml.')
    .option('--check', 'only compare: fail where a file is not up to date')
    .action(async ({ check = false }: { check?: boolean }) => {
      const stale: string[] = [];
      for (const [name, emit] of Object.entries(PAGES)) {
        const file = path.join(ROOT, name);
        const text = await emit();
        if ((await readFile(file, 'utf8').catch(() => '')) === text) continue;
        stale.push(name);
        if (!check) await writeFile(file, text);
      }
      if (check && stale.length > 0) {
        throw new FailureError(`Not up to date: ${stale.join(', ')}. Run \`npm run docs\` and commit what it writes.`);
      }
      output.out(stale.length === 0 ? 'Every page is up to date.\n' : `Wrote ${stale.join(', ')}.\n`);
    });
}
