/** The bench command: measures this gateway and other MCP servers in one run against one upstream. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { markdownTable } from '../../../codegen/emit/markdown.ts';
import { addHelpTable, createCommand, wholeNumber } from '../../../shared/cli/command.ts';
import { PROCESS_OUTPUT } from '../../../shared/cli/output.ts';
import { INTERRUPTED, namesAmong } from '../options.ts';
import { startLoadGenerator } from './load-generator.ts';
import { measureStarts, measureWorkload, type Plan, type Sample, type Series, WORKLOADS } from './measure.ts';
import { measureRecords } from './records.ts';
import { startServer } from './server-process.ts';
import { BARE, SHIPPED_TOOLS, SUBJECTS } from './subjects.ts';

/** A server's CPU time falls from round to round until the JIT compiler has seen its code run. */
const WARM_UP_REQUESTS = 8_000;
const QUICK_WARM_UP_REQUESTS = 250;
/** Of a core. Above it, rates are those of the load generator. */
const MAX_GENERATOR_SHARE = 0.9;

interface BenchOptions {
  readonly rounds?: number;
  readonly seconds?: number;
  readonly quick?: boolean;
  readonly only?: readonly string[];
  readonly records?: number;
}

/** `npm run lab -- bench`. */
export function createBenchCommand(output = PROCESS_OUTPUT): Command {
  const subjects = SUBJECTS.map(({ name }) => name);
  const workloads = WORKLOADS.map(({ name }) => name);
  const command = createCommand('bench', output)
    .summary('measure the gateway next to other MCP servers')
    .description(
      'Measures requests a second, latencies, CPU time and memory of this gateway next to a bare server and the MCP SDKs, each a process of ' +
        'its own, in turn, against one upstream; then its start. Prints Markdown tables. Read the ratios: machines are noisy. ' +
        'docs/explanations/performance.md says what each figure means.',
    )
    .option('--rounds <n>', 'how often each row is measured; default: 5', wholeNumber(1))
    .option('--seconds <n>', 'how long a row takes in a round, after 8,000 requests to warm up; default: 2', seconds)
    .option('--quick', 'a short run: 16 clients, 1 round of 0.3 s')
    .option(
      '--only <name,...>',
      'servers (the bare one always takes part) and requests',
      namesAmong([...subjects, ...workloads], 'row'),
    )
    .option('--records <n>', 'instead of servers, measure what so many call records cost on SQLite', wholeNumber(1))
    .action((options: BenchOptions) => bench(options, output.out));
  return addHelpTable(command, 'Rows', { servers: subjects.join(', '), requests: workloads.join(', ') });
}

function seconds(text: string): number {
  if (Number(text) > 0) return Number(text);
  throw new InvalidArgumentError('Use a number above 0.');
}

/** Measures one workload after another, each on its own servers, and prints a table for each. */
async function bench(options: BenchOptions, out: (text: string) => void): Promise<void> {
  const { quick = false, only = [] } = options;
  if (options.records !== undefined) return benchRecords(options.records, out);
  const milliseconds = (options.seconds ?? (quick ? 0.3 : 2)) * 1000;
  const plan: Plan = {
    rounds: options.rounds ?? (quick ? 1 : 5),
    milliseconds,
    warmUpRequests: quick ? QUICK_WARM_UP_REQUESTS : WARM_UP_REQUESTS,
    clients: quick ? [16] : [1, 16, 128],
  };
  const postgresUrl = process.env.TEST_DATABASE_URL || undefined;
  const isNamed = ({ name }: { readonly name: string }): boolean => only.includes(name);
  const workloads = WORKLOADS.some(isNamed) ? WORKLOADS.filter(isNamed) : WORKLOADS;
  const chosenSubjects = SUBJECTS.some(isNamed)
    ? SUBJECTS.filter((subject) => subject.name === BARE || isNamed(subject))
    : SUBJECTS;
  const subjects = chosenSubjects.filter(({ needsPostgres }) => !needsPostgres || postgresUrl !== undefined);
  for (const { title } of chosenSubjects.filter((subject) => !subjects.includes(subject)))
    out(`${title}: skipped, because there is no PostgreSQL server (TEST_DATABASE_URL)\n`);

  const users = Math.max(...plan.clients);
  for (const workload of workloads) {
    await withUpstream(async (upstream, folder, stack) => {
      const load = startLoadGenerator();
      stack.defer(() => load.stop());
      const surroundings = { upstream, folder, tools: workload.tools, users, postgresUrl };
      const series = await measureWorkload(workload, subjects, surroundings, { load, plan, stack });
      const { name, method, revision, tools } = workload;
      out(`\n${name}: ${method}, ${revision}, ${tools} tools, ${plan.rounds} rounds:\n\n`);
      out(`${toTable(series)}\n\n${toNote(series)}\n`);
    });
  }
  await withUpstream(async (upstream, folder) => {
    const surroundings = { upstream, folder, tools: SHIPPED_TOOLS, users, postgresUrl };
    const starts = await measureStarts(surroundings, plan.rounds);
    out(`\nFrom the start of the process to its first list of ${SHIPPED_TOOLS} tools: ${withRange(starts, 0)} ms\n`);
  });
}

/** Prints what a call record costs in batches of a quiet and a busy gateway. */
async function benchRecords(count: number, out: (text: string) => void): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-'));
  try {
    for (const batchSize of [200, 1000]) {
      const { cpuMicroseconds, bytes } = await measureRecords(folder, count, batchSize);
      out(`batches of ${batchSize}: ${cpuMicroseconds.toFixed(1)} µs of CPU and ${bytes.toFixed(0)} bytes a record\n`);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Runs the work with an upstream and a folder for files; after it, and after Ctrl-C, everything is stopped and removed. */
async function withUpstream(
  work: (upstream: string, folder: string, stack: AsyncDisposableStack) => Promise<void>,
): Promise<void> {
  const stack = new AsyncDisposableStack();
  const interrupt = (): void => void stack.disposeAsync().finally(() => process.exit(INTERRUPTED));
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  try {
    const folder = await mkdtemp(path.join(tmpdir(), 'bench-'));
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    const upstream = await startServer(['scripts/lab/bench/servers/upstream.ts']);
    stack.defer(() => upstream.stop());
    await work(upstream.origin, folder, stack);
  } finally {
    await stack.disposeAsync();
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

const HEADINGS = [
  'server',
  'clients',
  'requests/s',
  'p50 ms',
  'p99 ms',
  'p99 x bare',
  'longest stop ms',
  'stop p99.9 ms',
  'CPU µs',
  'x bare',
  'first 250 x bare',
  'rate x bare',
  'KB allocated',
  'memory MB',
  'answer KB',
];

/** One row per server and client count: medians of the rounds, with minimum and maximum where they matter. */
function toTable(series: readonly Series[]): string {
  const rows = series.map(({ subject, clients, firstCpu, samples }) => {
    const bareSeries = series.find((other) => other.subject.name === BARE && other.clients === clients);
    const bare = bareSeries?.samples ?? [];
    const valuesOf = (figure: keyof Sample): number[] => samples.map((sample) => sample[figure]);
    const ratio = (figure: keyof Sample): string =>
      median(samples.map((sample, round) => sample[figure] / (bare[round]?.[figure] ?? Number.NaN))).toFixed(2);
    return [
      subject.title,
      String(clients),
      withRange(valuesOf('rate'), 0),
      median(valuesOf('p50')).toFixed(2),
      withRange(valuesOf('p99'), 2),
      ratio('p99'),
      withRange(valuesOf('loopMax'), 1),
      withRange(valuesOf('loopP999'), 1),
      withRange(valuesOf('cpu'), 0),
      ratio('cpu'),
      (firstCpu / (bareSeries?.firstCpu ?? Number.NaN)).toFixed(2),
      ratio('rate'),
      (median(valuesOf('allocated')) / 1e3).toFixed(0),
      (median(valuesOf('resident')) / 1e6).toFixed(0),
      (median(valuesOf('answerBytes')) / 1e3).toFixed(1),
    ];
  });
  return markdownTable(HEADINGS, rows);
}

function toNote(series: readonly Series[]): string {
  const shares = series.map(({ samples }) => median(samples.map(({ generatorShare }) => generatorShare)));
  const busiest = Math.max(...shares);
  const note = `The load generator used at most ${(busiest * 100).toFixed(0)} % of a core.`;
  return busiest <= MAX_GENERATOR_SHARE
    ? note
    : `${note} Rates and latencies are those of the generator: compare CPU times.`;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** Returns the median with minimum and maximum, such as `24 (22-31)`. */
function withRange(values: readonly number[], digits: number): string {
  const middle = median(values).toFixed(digits);
  if (values.length < 2) return middle;
  return `${middle} (${Math.min(...values).toFixed(digits)}-${Math.max(...values).toFixed(digits)})`;
}
