/** The usage command: prints the use of tools, also as the file for `npm run tools:diff -- --usage`, and the places where answers differ. */

import type { Command } from 'commander';
import { addHelpTable, createCommand, wholeNumber } from '../../../shared/cli/command.ts';
import { PROCESS_OUTPUT } from '../../../shared/cli/output.ts';
import { FailureError } from '../../../shared/cli/run.ts';
import type { UsageFile } from '../../../shared/usage-file.ts';
import { loadSettings, withStore } from '../../cli/with-store.ts';
import type { AnyModule } from '../../module.ts';
import { type DriftSum, listDrift } from './drift.ts';
import { buildUsageFile } from './export.ts';

/** Days for which the gateway keeps its counts. */
const MAX_DAYS = 40;
const DAY_MS = 86_400_000;

interface UsageOptions {
  readonly days: number;
  readonly threshold: number;
  readonly json?: true;
}

/** `utg usage`. @param now milliseconds since 1970. */
export function createUsageCommand(modules: readonly AnyModule[], output = PROCESS_OUTPUT, now = Date.now): Command {
  const command = createCommand('usage', output)
    .summary('how tools are called, and where answers differ')
    .description(
      'Prints how often tools were called, as a gateway with COUNT_USAGE=on counted it, and where services answer ' +
        'differently than their descriptors say. The gateway may be running: its counts are written every minute. The ' +
        'database is that of the gateway: DATABASE_URL (see npm start -- --help).',
    )
    .option('--days <n>', `number of days up to today, 1 to ${MAX_DAYS}`, wholeNumber(1, MAX_DAYS), 30)
    .option('--threshold <n>', 'leave out what has fewer calls', wholeNumber(1), 10)
    .option('--json', 'print the usage file for tools:diff: calls by tool, published argument and class of value')
    .action(({ days, threshold, json }: UsageOptions) =>
      withStore(loadSettings(modules), async ({ db }) => {
        const until = now();
        const file = await buildUsageFile(db, { days, threshold, now: until });
        if (json) {
          if (file === undefined) throw new FailureError(NOTHING_COUNTED);
          output.out(`${JSON.stringify(file, null, 2)}\n`);
          return;
        }
        output.out(file === undefined ? `${NOTHING_COUNTED}\n` : formatCalls(file));
        const since = until - (until % DAY_MS) - (days - 1) * DAY_MS;
        const drifts = await listDrift(db, { since, until });
        output.out(drifts.length === 0 ? 'Every answer matched its descriptor.\n' : 'Answers that differ:\n');
        for (const drift of drifts) output.out(toLine(drift));
      }),
    );
  return addHelpTable(command, 'Examples', {
    'utg usage --days 7': 'the last week',
    'utg usage --json > usage.json': 'the usage file of the last 30 days',
    'utg tools:diff --usage usage.json': 'what a change would have refused',
  });
}

const NOTHING_COUNTED = 'No calls were counted in these days. Start the gateway with COUNT_USAGE=on.';

function formatCalls({ from, to, threshold, tools }: UsageFile): string {
  const lines = Object.entries(tools).map(([name, { calls, outcomes }]) => {
    const outcomeCounts = Object.entries(outcomes).map(([outcome, count]) => `${count} ${outcome}`);
    return `${name}  ${calls} calls: ${outcomeCounts.join(', ')}\n`;
  });
  return `Calls from ${from} to ${to}, of tools with at least ${threshold}:\n${lines.join('')}`;
}

function toLine({ tool, pointer, actualType, answers, lastDay }: DriftSum): string {
  const last = new Date(lastDay).toISOString().slice(0, 10);
  return `${tool}  ${pointer === '' ? 'the whole answer' : pointer}  ${actualType}  ${answers} answers, last on ${last}\n`;
}
