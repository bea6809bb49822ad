/** The faults command: selects the faults, and prints their outcome. */

import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { addHelpTable, createCommand, namesIn, wholeNumber } from '../../../shared/cli/command.ts';
import { type Output, PROCESS_OUTPUT } from '../../../shared/cli/output.ts';
import { FailureError } from '../../../shared/cli/run.ts';
import { toMarkdown, toText } from '../table.ts';
import { findObstacles, whyNoNamespaces } from './abilities.ts';
import { FAULTS } from './catalogue.ts';
import type { Fault } from './fault.ts';
import { folderFromOutside, isIsolated, onInterrupt, runIsolated } from './isolate.ts';
import type { Check } from './ledger/judge.ts';
import { CHECKS } from './ledger/judge.ts';
import type { Row } from './run.ts';
import { openTheatre, strike } from './run.ts';
import { openStage, STORES } from './stage/index.ts';

/** The exit code that shells report for a program stopped with Ctrl-C. */
const INTERRUPTED = 130;

interface FaultsOptions {
  readonly only?: readonly string[];
  readonly seed?: number;
  readonly markdown?: boolean;
  readonly keep?: boolean;
}

/** `npm run lab -- faults`: tests what three gateways do while things around them fail. */
export function createFaultsCommand(output = PROCESS_OUTPUT): Command {
  const command = createCommand('faults', output)
    .summary('break things around three gateways, and check what they promised')
    .description(
      'Starts three gateways, a PostgreSQL server and upstreams of its own, uses them as users, clients and partners do, and breaks ' +
        'things around them. docs/explanations/reliability.md says what is promised. Namespaces, full disks and a cut network need root; what ' +
        'cannot run is named, and is a failure where CI or FULL_CHECKS is set.',
    )
    .option('--only <name,...>', 'faults; default: all', names)
    .option('--seed <n>', 'of the random choices; default: a new one', wholeNumber(0, 2 ** 32 - 1))
    .option('--markdown', 'print the result as a Markdown table')
    .option('--keep', 'keep the folder with the logs of nodes and PostgreSQL, and print its name')
    .action((options: FaultsOptions) => runFaults(options, output));
  addHelpTable(command, 'Faults', Object.fromEntries(FAULTS.map(({ name, title }) => [name, title])));
  return addHelpTable(command, 'Checks after each', CHECKS);
}

function names(text: string): string[] {
  const asked = namesIn(text);
  const unknown = asked.filter((name) => FAULTS.every((fault) => fault.name !== name));
  if (unknown.length === 0) return asked;
  throw new InvalidArgumentError(`There is no fault ${unknown.join(', ')}.`);
}

async function runFaults(options: FaultsOptions, output: Output): Promise<void> {
  try {
    await (isIsolated() ? runHere(options, folderFromOutside(), output) : runOutside(options, output));
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
    // The load is still running.
    process.exit(INTERRUPTED);
  }
}

async function runOutside(options: FaultsOptions, output: Output): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gateway-faults-'));
  // PostgreSQL runs under its own account.
  await chmod(folder, 0o711);
  try {
    if (whyNoNamespaces() !== null) return await runHere(options, folder, output);
    const code = await runIsolated(process.argv.slice(2), folder);
    if (code === INTERRUPTED) throw new InterruptedError();
    if (code !== 0) throw new FailureError();
  } finally {
    if (options.keep === true) output.err(`Logs: ${folder}\n`);
    else await rm(folder, { recursive: true, force: true });
  }
}

async function runHere(options: FaultsOptions, folder: string, output: Output): Promise<void> {
  const { only = [], seed = Math.floor(Math.random() * 2 ** 32) } = options;
  const { promise: interrupted, reject } = Promise.withResolvers<never>();
  interrupted.catch(() => {});
  const stopListening = onInterrupt(() => reject(new InterruptedError()));
  const asked = FAULTS.filter(({ name }) => only.length === 0 || only.includes(name));
  try {
    const runnable = await leaveOut(asked, output);
    output.err(`Seed ${seed}\n`);
    const rows: Row[] = [];
    for (const store of STORES) {
      const own = runnable.filter((fault) => fault.store === store);
      if (own.length > 0) rows.push(...(await runStage(own, { store, folder, seed, interrupted, output })));
    }
    print(rows, options, output);
  } finally {
    stopListening();
  }
}

/** SIGINT or SIGTERM arrived: everything that was started has been stopped and removed. */
class InterruptedError extends Error {}

/** @throws {FailureError} if a fault cannot run and none may be left out. */
async function leaveOut(asked: readonly Fault[], output: Output): Promise<Fault[]> {
  const obstacles = await findObstacles(isIsolated());
  const why = ({ needs }: Fault): string[] => needs.flatMap((need) => obstacles[need] ?? []);
  const left = asked.filter((fault) => why(fault).length > 0);
  for (const fault of left) output.err(`${fault.name} cannot run: ${why(fault).join('; ')}\n`);
  const isStrict = process.env.CI !== undefined || process.env.FULL_CHECKS === '1';
  if (left.length > 0 && isStrict) throw new FailureError('Nothing may be left out where CI or FULL_CHECKS is set.');
  return asked.filter((fault) => !left.includes(fault));
}

async function runStage(
  faults: readonly Fault[],
  on: {
    readonly store: Fault['store'];
    readonly folder: string;
    readonly seed: number;
    readonly interrupted: Promise<never>;
    readonly output: Output;
  },
): Promise<Row[]> {
  const { store, folder, seed, interrupted, output } = on;
  const opening = openStage({ store, folder, isolated: isIsolated() });
  try {
    const stage = await Promise.race([opening, interrupted]);
    const theatre = await Promise.race([openTheatre(stage, seed), interrupted]);
    const rows: Row[] = [];
    for (const fault of faults) {
      output.err(`${fault.name} ...`);
      const row = await Promise.race([strike(theatre, fault), interrupted]);
      rows.push(row);
      const statuses = Object.entries(row.statuses).map(([status, count]) => `${status}: ${count}`);
      output.err(` ${row.violations.length === 0 ? 'all held' : 'BROKEN'} (${statuses.join(', ')})\n`);
      for (const { check, text } of row.violations) output.err(`  ${check}: ${text}\n`);
    }
    return rows;
  } finally {
    await (await opening.catch(() => null))?.close();
  }
}

function print(rows: readonly Row[], options: FaultsOptions, { out }: Output): void {
  const table = toRows(rows);
  out(`\n${options.markdown === true ? toMarkdown(table) : toText(table)}\n`);
  if (rows.some(({ violations }) => violations.length > 0)) throw new FailureError();
}

const HEADS = ['fault', 'requests', 'failed during it', 'sessions lost', 'well after', 'checks'];

/** One row per fault. */
export function toRows(rows: readonly Row[]): string[][] {
  return [
    HEADS,
    ...rows.map((row) => [
      row.title,
      String(row.requests),
      String(row.failures),
      String(row.sessionsLost),
      row.wellAfter === null ? 'not in 10 s' : `${(row.wellAfter / 1000).toFixed(1)} s`,
      toVerdict(row),
    ]),
  ];
}

function toVerdict({ violations }: Row): string {
  const broken = new Set<Check>(violations.map(({ check }) => check));
  return broken.size === 0 ? 'all held' : `BROKEN: ${[...broken].join(', ')}`;
}
