/** The usage command: exports how tools are called, for `npm run tools:diff -- --usage`. */

import type { Command } from 'commander';
import { addHelpTable, createCommand, wholeNumber } from '../../../shared/cli/command.ts';
import { PROCESS_OUTPUT } from '../../../shared/cli/output.ts';
import { FailureError } from '../../../shared/cli/run.ts';
import { loadSettings, withStore } from '../../cli/with-store.ts';
import type { AnyModule } from '../../module.ts';
import { buildUsageFile } from './export.ts';

/** The gateway keeps its sums for this long. */
const MAX_DAYS = 40;

interface UsageOptions {
  readonly days: number;
  readonly threshold: number;
}

/** `utg usage`. @param now milliseconds since 1970. */
export function createUsageCommand(modules: readonly AnyModule[], output = PROCESS_OUTPUT, now = Date.now): Command {
  const command = createCommand('usage', output)
    .usage('<command> [options]')
    .summary('export how tools are called')
    .description(
      'Exports how tools are called, as a gateway with COUNT_USAGE=on counted it. The gateway may be running: its counts are ' +
        'written every minute. The database is that of the gateway: DATABASE_URL (see npm start -- --help).',
    );
  command
    .command('export')
    .description('Print the usage file: calls and numbers of partners by tool, published argument and class of value')
    .option('--days <n>', `number of days up to today, 1 to ${MAX_DAYS}`, wholeNumber(1, MAX_DAYS), 30)
    .option('--threshold <n>', 'leave out what has fewer calls', wholeNumber(1), 10)
    .action(({ days, threshold }: UsageOptions) =>
      withStore(loadSettings(modules), async ({ db }) => {
        const file = await buildUsageFile(db, { days, threshold, now: now() });
        if (file === null)
          throw new FailureError('Nothing was counted in these days. Start the gateway with COUNT_USAGE=on.');
        output.out(`${JSON.stringify(file, null, 2)}\n`);
      }),
    );
  return addHelpTable(command, 'Examples', {
    'utg usage export > usage.json': 'the last 30 days',
    'utg tools:diff --usage usage.json': 'what a change would have refused',
  });
}
