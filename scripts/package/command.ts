/** The package command: builds the published package from the sources. */

import path from 'node:path';
import type { Command } from 'commander';
import { createCommand } from '../../shared/cli/command.ts';
import { PROCESS_OUTPUT } from '../../shared/cli/output.ts';
import { buildPackage } from './build.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** `npm run package`. */
export function createPackageCommand(output = PROCESS_OUTPUT): Command {
  return createCommand('package', output)
    .summary('build the package that is published')
    .description('Compiles what runs to JavaScript with its types, and packs it. Prints the path of the archive.')
    .option('--out <dir>', 'where the archive goes', '.cache')
    .action(async ({ out }: { readonly out: string }) => {
      output.out(`${await buildPackage(ROOT, path.resolve(out))}\n`);
    });
}
