/** The module command: lists the modules of a gateway, and erases the rows of a module that the gateway no longer has. */

import type { Command } from 'commander';
import { eraseModule, hasTable } from '../../server/base/store/tables/table-set.ts';
import { withStore } from '../../server/cli/with-store.ts';
import { tableSetsOf } from '../../server/module.ts';
import { loadModules, TABLES_OF_REMOVED_MODULES } from '../../server/modules/index.ts';
import { createCommand } from '../../shared/cli/command.ts';
import { PROCESS_OUTPUT } from '../../shared/cli/output.ts';
import { FailureError, UsageError } from '../../shared/cli/run.ts';
import { loadSettings } from '../store/settings.ts';

/** `utg module`. */
export function createModuleCommand(output = PROCESS_OUTPUT): Command {
  const command = createCommand('module', output)
    .usage('<command>')
    .summary('list the modules of the gateway, or erase the rows of one')
    .description('Lists the modules of the gateway, or erases the rows of one. The database is that of DATABASE_URL.');
  command
    .command('list')
    .description('Print every module, and what it is for')
    .action(() => {
      for (const { name, summary } of loadModules()) output.out(`${name}  ${summary}\n`);
    });
  command
    .command('erase <name>')
    .description('Remove the tables of a module with all their rows. Stop every gateway that has the module first')
    .option('--yes', 'erase them; without it, only say what would be erased')
    .action((name: string, { yes }: { readonly yes?: true }) => erase(name, yes === true, output));
  return command;
}

async function erase(name: string, isSure: boolean, { out }: typeof PROCESS_OUTPUT): Promise<void> {
  const present = tableSetsOf(loadModules()).map(({ owner, tables }) => ({ owner, tables: Object.keys(tables) }));
  const sets = [...present, ...TABLES_OF_REMOVED_MODULES].filter(({ owner }) => owner !== 'core');
  const set = sets.find(({ owner }) => owner === name);
  if (set === undefined) {
    const owners = sets.map(({ owner }) => owner).join(', ');
    throw new UsageError(`No module ${name} has tables. Those that have some: ${owners}.`);
  }
  await withStore(loadSettings(), async ({ db }) => {
    for (const table of set.tables) {
      if (!(await hasTable(db, table))) {
        out(`${table}: not in this database\n`);
        continue;
      }
      const { rows } = await db
        .selectFrom(table as 'users')
        .select(({ fn }) => fn.countAll<number | string>().as('rows'))
        .executeTakeFirstOrThrow();
      out(`${table}: ${Number(rows)} rows\n`);
    }
    if (!isSure) throw new FailureError(`Nothing was erased. To erase these tables: utg module erase ${name} --yes`);
    await eraseModule(db, name, set.tables);
    out('Erased.\n');
  });
}
