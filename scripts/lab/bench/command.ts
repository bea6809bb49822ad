/** The bench command: measures this gateway and other MCP servers in one run against one upstream. */

import { type Command, InvalidArgumentError } from 'commander';
import { addHelpTable, createCommand, namesIn, wholeNumber } from '../../../shared/cli/command.ts';
import { PROCESS_OUTPUT } from '../../../shared/cli/output.ts';
import { toMarkdown, toText } from '../table.ts';
import { createDatabase, GATEWAY_ENDPOINT, SHIPPED_TOOLS, startGatewayProcess } from './gateway-process.ts';
import { measureWorkload, type Plan, type Series, toWorkloadSection } from './measure.ts';
import { type Section, withRange } from './report.ts';
import type { RunningSubject } from './server-process.ts';
import { InterruptedError, onStage, type Stage } from './stage.ts';
import { BARE, SUBJECTS, type Subject } from './subjects.ts';
import { askForList, WORKLOADS, type Workload, writeToolList } from './workloads.ts';

const ROWS = [...SUBJECTS, ...WORKLOADS].map(({ name }) => name);
/** The exit code that shells report for a program stopped with Ctrl-C. */
const INTERRUPTED = 130;
/** A server's CPU time falls from round to round until the JIT compiler has seen its code run. */
const WARM_UP_MS = 3_000;

interface BenchOptions {
  readonly rounds?: number;
  readonly seconds?: number;
  readonly quick?: boolean;
  readonly only?: readonly string[];
  readonly markdown?: boolean;
}

/** What is measured, and for how long. */
interface BenchPlan extends Plan {
  /** Names of servers and workloads; empty: all. */
  readonly only: readonly string[];
  readonly postgresUrl: string | null;
  readonly print: (section: Section) => void;
}

/** `npm run lab -- bench`. */
export function createBenchCommand(output = PROCESS_OUTPUT): Command {
  const command = createCommand('bench', output)
    .summary('measure the gateway next to other MCP servers')
    .description(
      'Measures requests a second, latencies, CPU time and memory of this gateway next to a bare server and the MCP SDKs, each a process of ' +
        'its own, in turn, against one upstream; then its start. Read the ratios: machines are noisy. ' +
        'docs/explanations/performance.md says what each figure means.',
    )
    .option('--rounds <n>', 'how often each row is measured; default: 5', wholeNumber(1))
    .option('--seconds <n>', 'how long a row takes in a round, after 3 s to warm up; default: 2', seconds)
    .option('--quick', 'a short run: 16 clients, 1 round of 0.3 s')
    .option('--only <name,...>', 'servers (the bare one always takes part) and requests', rows)
    .option('--markdown', 'print the tables as docs/explanations/performance.md has them')
    .action((options: BenchOptions) => bench(toPlan(options)));
  return addHelpTable(command, 'Rows', {
    servers: SUBJECTS.map(({ name }) => name).join(', '),
    requests: WORKLOADS.map(({ name }) => name).join(', '),
  });
}

function seconds(text: string): number {
  if (Number(text) > 0) return Number(text);
  throw new InvalidArgumentError('Use a number above 0.');
}

function rows(text: string): string[] {
  const names = namesIn(text);
  const unknown = names.filter((name) => !ROWS.includes(name));
  if (unknown.length === 0) return names;
  throw new InvalidArgumentError(`There is no row ${unknown.join(', ')}.`);
}

function toPlan(options: BenchOptions): BenchPlan {
  const { quick = false, markdown = false } = options;
  const postgresUrl = process.env.TEST_DATABASE_URL ?? '';
  const milliseconds = (options.seconds ?? (quick ? 0.3 : 2)) * 1000;
  return {
    rounds: options.rounds ?? (quick ? 1 : 5),
    milliseconds,
    warmUpMilliseconds: quick ? milliseconds : WARM_UP_MS,
    clients: quick ? [16] : [1, 16, 128],
    only: options.only ?? [],
    postgresUrl: postgresUrl === '' ? null : postgresUrl,
    print: markdown ? printMarkdown : printText,
  };
}

function printText({ title, table, note }: Section): void {
  process.stdout.write(`\n${title}\n${toText(table)}\n${note === undefined ? '' : `${note}\n`}`);
}

/** Prints a table with the documentation's markers around it. */
function printMarkdown({ name, title, table, note }: Section): void {
  const text = [`${title}:`, toMarkdown(table), ...(note === undefined ? [] : [note])].join('\n\n');
  process.stdout.write(`\n<!-- bench:${name} -->\n\n${text}\n\n<!-- /bench:${name} -->\n`);
}

async function bench(plan: BenchPlan): Promise<void> {
  try {
    await measure(plan);
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
    process.exit(INTERRUPTED);
  }
}

/** Measures one workload after another, each on its own servers, and prints a table for each. */
async function measure(plan: BenchPlan): Promise<void> {
  const { subjects, workloads } = choose(plan);
  for (const workload of workloads) {
    const series = await onStage((stage) => benchWorkload(stage, workload, subjects, plan));
    plan.print(toWorkloadSection(workload, series, plan.rounds));
  }
  plan.print(toStartSection(await onStage((stage) => measureStarts(stage, plan.rounds))));
}

function choose({ only, postgresUrl }: BenchPlan): { subjects: Subject[]; workloads: readonly Workload[] } {
  const named = SUBJECTS.filter(({ name }) => only.includes(name));
  const wanted = named.length === 0 ? SUBJECTS : SUBJECTS.filter(({ name }) => name === BARE || only.includes(name));
  const subjects = wanted.filter((subject) => {
    if (!subject.needsPostgres || postgresUrl !== null) return true;
    const why = 'there is no PostgreSQL server (TEST_DATABASE_URL)';
    process.stdout.write(`${subject.title}: skipped, because ${why}\n`);
    return false;
  });
  const workloads = WORKLOADS.filter(({ name }) => only.includes(name));
  return { subjects, workloads: workloads.length === 0 ? WORKLOADS : workloads };
}

async function benchWorkload(
  { upstream, load, folder, atEnd }: Stage,
  workload: Workload,
  subjects: readonly Subject[],
  plan: BenchPlan,
): Promise<Series[]> {
  const surroundings = {
    upstream,
    folder,
    tools: workload.tools,
    users: Math.max(...plan.clients),
    postgresUrl: plan.postgresUrl,
  };
  const listFile = await writeToolList(surroundings);
  const running = new Map<Subject, RunningSubject>();
  for (const subject of subjects.filter(({ revisions }) => revisions.includes(workload.revision))) {
    const server = await subject.start({ ...surroundings, listFile });
    atEnd(() => server.stop());
    running.set(subject, server);
  }
  return measureWorkload(load, workload, running, plan);
}

/** @returns milliseconds from the start of the process to the end of its first `tools/list`, one value per start. */
async function measureStarts({ upstream, folder }: Stage, starts: number): Promise<number[]> {
  const { url, credentials } = await createDatabase({ folder, users: 1, postgresUrl: null });
  const times: number[] = [];
  for (let start = 0; start < starts; start += 1) {
    const server = await startGatewayProcess(url, { upstream, tools: SHIPPED_TOOLS });
    await askForList({ ...GATEWAY_ENDPOINT, origin: server.origin, credentials });
    times.push(performance.now() - server.startedAt);
    await server.stop();
  }
  return times;
}

function toStartSection(starts: readonly number[]): Section {
  return {
    name: 'start',
    title: 'From the start of the process to its first answer',
    table: [
      ['tools', 'ms'],
      [String(SHIPPED_TOOLS), withRange(starts, 0)],
    ],
  };
}
