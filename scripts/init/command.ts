/** The init command: creates a project with an example service in an empty folder. */

import path from 'node:path';
import type { Command } from 'commander';
import { addHelpTable, createCommand } from '../../shared/cli/command.ts';
import { PROCESS_OUTPUT } from '../../shared/cli/output.ts';
import { FailureError, UsageError } from '../../shared/cli/run.ts';
import { toPackageName } from './manifest.ts';
import { findInTheWay, writeProject } from './write-project.ts';

/** `utg init`. */
export function createInitCommand(output = PROCESS_OUTPUT): Command {
  const command = createCommand('init', output)
    .summary('create a project with an example service')
    .description(
      'Writes a project: an example in specs/, package.json, settings, workflows for pull requests. Overwrites nothing.',
    )
    .argument('[folder]', 'folder of the project; created if it does not exist', '.')
    .action(async (given: string) => {
      const folder = path.resolve(given);
      const name = toPackageName(path.basename(folder));
      if (name === null) throw new UsageError(`${path.basename(folder)} cannot be the name of a package.`);
      const inTheWay = findInTheWay(folder);
      if (inTheWay.length > 0) {
        throw new FailureError(`${given} has ${inTheWay.join(', ')} already. Choose another folder, or remove these.`);
      }
      const files = await writeProject(folder, name);
      output.out(`Wrote ${files.length} files to ${folder}. Next:\n`);
      const enter = folder === process.cwd() ? [] : [`cd ${path.relative(process.cwd(), folder)}`];
      for (const line of [...enter, 'npm install', 'npm run codegen', 'npm run demo']) output.out(`  ${line}\n`);
    });
  return addHelpTable(command, 'Examples', { 'npx unified-tool-gateway init my-gateway': 'in a new folder' });
}
