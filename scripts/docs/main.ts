/** Runs `npm run docs`, which keeps what is made from code consistent with the code. */

import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createCommand } from '../../shared/cli/command.ts';
import { PROCESS_OUTPUT } from '../../shared/cli/output.ts';
import { FailureError, runCommand } from '../../shared/cli/run.ts';
import { PAGES } from './pages.ts';

const ROOT = path.join(import.meta.dirname, '../..');

const command = createCommand('docs')
  .description(
    'Writes what is made from code: pages of docs/reference/, the JSON Schema of connector.yaml, the types of the partner client.',
  )
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
    PROCESS_OUTPUT.out(stale.length === 0 ? 'Every page is up to date.\n' : `Wrote ${stale.join(', ')}.\n`);
  });

process.exitCode = await runCommand(command, process.argv.slice(2), 'npm run');
