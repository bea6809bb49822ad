/** The bench command: selects what is measured. */

import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Argument, type Command, InvalidArgumentError } from 'commander';
import { addHelpTable, createCommand, namesIn, wholeNumber } from '../../../shared/cli/command.ts';
import { PROCESS_OUTPUT } from '../../../shared/cli/output.ts';
import { FailureError } from '../../../shared/cli/run.ts';
import { benchCodegen } from './codegen/index.ts';
import { formatGoals, isMissed, judgeGoals } from './gateway/goals.ts';
import { benchGateway, type GatewayFigures } from './gateway/index.ts';
import { measureManyTools, toManyToolsSection } from './gateway/many-tools.ts';
import type { Series } from './gateway/measure.ts';
import { type MemoryFigure, measureMemory, toMemorySection } from './gateway/memory.ts';
import { createPrint, type Print } from './gateway/report.ts';
import { InterruptedError } from './gateway/stage.ts';
import { SUBJECTS } from './gateway/subjects.ts';
import { WORKLOADS } from './gateway/workloads.ts';
import { type MeasuredPart, measureHanging, toHangingRatio, toHangingSection } from './pressure/index.ts';
import { measureTelemetry, toSampledRatio, toTelemetrySection } from './telemetry.ts';
import { benchTokens } from './tokens.ts';

const PARTS = {
  gateway:
    'requests a second, latencies, CPU time and memory of this gateway next to a bare server, the MCP SDKs and another OpenAPI server, each a process of its own, in turn, against one upstream; then its start',
  'gateway-memory': 'its memory after 20,000 and after 200,000 calls by 1,000 users',
  list: 'start, memory after 1,000 lists, and a name that no tool has, on a gateway of 5,000 tools',
  hanging: 'p99 of the calls of one service while the upstream of another accepts requests but never answers',
  telemetry:
    'CPU time of a call with metrics and traces off, with metrics, with 1 % of traces and with all, in turn, on gateways of their own',
  tokens: 'what the lists of our tools and of published descriptors cost a model, by mode and by part',
  codegen:
    "time, CPU time and peak memory of whole processes on GitHub's descriptor and on a synthetic one: openapi-typescript and codegen, in turn",
};
const ROWS = [...SUBJECTS, ...WORKLOADS].map(({ name }) => name);
/** The exit code that shells report for a program stopped with Ctrl-C. */
const INTERRUPTED = 130;
/** A server's CPU time falls from round to round until the JIT compiler has seen its code run. */
const WARM_UP_MS = 3_000;
const TELEMETRY_WARM_UP_CALLS = 6_000;
const MEMORY_PLAN = { users: 1000, calls: [20_000, 200_000] };
const HANGING_PLAN = { quietMilliseconds: 15_000, timeoutMilliseconds: 15_000, refusedMilliseconds: 15_000 };
const QUICK_HANGING_PLAN = { quietMilliseconds: 3_000, timeoutMilliseconds: 4_000, refusedMilliseconds: 3_000 };
const LIST_PLAN = { tools: 5000, lists: 1000, unknownNames: 100 };
const QUICK_LIST_PLAN = { tools: 500, lists: 20, unknownNames: 5 };
const QUICK_MEMORY_PLAN = { users: 50, calls: [200, 2000] };

interface BenchOptions {
  readonly runs?: number;
  readonly rounds?: number;
  readonly seconds?: number;
  readonly clients?: readonly number[];
  readonly quick?: boolean;
  readonly only?: readonly string[];
  readonly postgresUrl?: string;
  readonly profile?: boolean;
  readonly checkGoals?: boolean;
  readonly markdown?: boolean;
}

/** What is measured, and for how long. */
interface Plan {
  readonly parts: readonly string[];
  readonly runs: number;
  readonly rounds: number;
  readonly milliseconds: number;
  readonly clients: readonly number[];
  readonly quick: boolean;
  readonly only: readonly string[];
  readonly postgresUrl: string | null;
  readonly profile: boolean;
  readonly checkGoals: boolean;
  readonly print: Print;
}

/** `npm run lab -- bench`: measures requests and codegen in one run together with other software. */
export function createBenchCommand(output = PROCESS_OUTPUT): Command {
  const command = createCommand('bench', output)
    .summary('measure the gateway and codegen next to other software')
    .description(
      'Measures the gateway and codegen next to other software, in one run. Read the ratios: machines are noisy. ' +
        'docs/explanations/performance.md says what each figure means. What is not installed is skipped, with the reason: ' +
        '`npm ci --prefix .ci/tools` installs it.',
    )
    .addArgument(new Argument('[parts...]', 'what to measure; default: all').choices(Object.keys(PARTS)))
    .option('--rounds <n>', 'how often each row is measured; default: 5', wholeNumber(1))
    .option('--runs <n>', 'how often gateway is measured, by new processes each time; default: 1', wholeNumber(1))
    .option('--seconds <n>', 'how long a row of gateway takes in a round, after 3 s to warm up; default: 2', seconds)
    .option('--clients <n,...>', 'clients of gateway that call at once; default: 1,16,128', clients)
    .option('--quick', 'a short run: 16 clients, 1 round of 0.3 s, and 2,000 calls by 50 users')
    .option('--only <name,...>', 'rows of gateway: servers (the bare one always takes part) and requests', rows)
    .option('--postgres-url <url>', 'a PostgreSQL server, for databases of its own; default: TEST_DATABASE_URL')
    .option('--profile', 'leave CPU profiles of the gateway for the developer tools of a browser')
    .option('--check-goals', 'print which goals this run met, and fail where it missed one')
    .option('--markdown', 'print the tables as docs/explanations/performance.md has them')
    .action((parts: readonly string[], options: BenchOptions) => bench(toPlan(parts, options)));
  addHelpTable(command, 'Parts', PARTS);
  return addHelpTable(command, 'Rows', {
    servers: SUBJECTS.map(({ name }) => name).join(', '),
    requests: WORKLOADS.map(({ name }) => name).join(', '),
  });
}

function seconds(text: string): number {
  if (Number(text) > 0) return Number(text);
  throw new InvalidArgumentError('Use a number above 0.');
}

function clients(text: string): number[] {
  return namesIn(text).map(wholeNumber(1));
}

function rows(text: string): string[] {
  const names = namesIn(text);
  const unknown = names.filter((name) => !ROWS.includes(name));
  if (unknown.length === 0) return names;
  throw new InvalidArgumentError(`There is no row ${unknown.join(', ')}.`);
}

function toPlan(parts: readonly string[], options: BenchOptions): Plan {
  const { quick = false, postgresUrl = process.env.TEST_DATABASE_URL ?? '' } = options;
  return {
    parts: parts.length === 0 ? Object.keys(PARTS) : parts,
    runs: options.runs ?? 1,
    rounds: options.rounds ?? (quick ? 1 : 5),
    milliseconds: (options.seconds ?? (quick ? 0.3 : 2)) * 1000,
    clients: options.clients ?? (quick ? [16] : [1, 16, 128]),
    quick,
    only: options.only ?? [],
    postgresUrl: postgresUrl === '' ? null : postgresUrl,
    profile: options.profile ?? false,
    checkGoals: options.checkGoals ?? false,
    print: createPrint(options.markdown ?? false),
  };
}

async function bench(plan: Plan): Promise<void> {
  try {
    await measure(plan);
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
    process.exit(INTERRUPTED);
  }
}

async function measure(plan: Plan): Promise<void> {
  const { parts, rounds, milliseconds, print } = plan;
  const { series, starts } = parts.includes('gateway') ? await runGateway(plan) : { series: [], starts: [] };
  const telemetry: Series[] = [];
  const hanging: (readonly MeasuredPart[])[] = [];
  const memory = parts.includes('gateway-memory') ? await runMemory(plan) : [];
  if (parts.includes('list')) {
    print(toManyToolsSection(await measureManyTools(plan.quick ? QUICK_LIST_PLAN : LIST_PLAN)));
  }
  if (parts.includes('hanging')) {
    hanging.push(...(await measureHanging({ ...(plan.quick ? QUICK_HANGING_PLAN : HANGING_PLAN), rounds })));
    print(toHangingSection(hanging));
  }
  if (parts.includes('telemetry')) {
    const warmUpCalls = plan.quick ? 100 : TELEMETRY_WARM_UP_CALLS;
    telemetry.push(...(await measureTelemetry({ rounds, milliseconds, warmUpCalls })));
    print(toTelemetrySection(telemetry));
  }
  if (parts.includes('tokens')) await benchTokens(print);
  if (parts.includes('codegen')) await benchCodegen({ rounds });
  if (!plan.checkGoals) return;
  const goals = judgeGoals({
    series,
    starts,
    memory,
    sampled: toSampledRatio(telemetry),
    hanging: toHangingRatio(hanging),
  });
  process.stdout.write(`\n${formatGoals(goals)}\n`);
  if (goals.some(isMissed)) throw new FailureError('A goal was missed.');
}

async function runGateway(plan: Plan): Promise<GatewayFigures> {
  const profileFolder = plan.profile ? await mkdtemp(path.join(tmpdir(), 'gateway-profile-')) : null;
  const warmUpMilliseconds = plan.quick ? plan.milliseconds : WARM_UP_MS;
  return benchGateway({ ...plan, warmUpMilliseconds, profileFolder }, plan.print);
}

async function runMemory({ quick, print }: Plan): Promise<readonly MemoryFigure[]> {
  const memoryPlan = quick ? QUICK_MEMORY_PLAN : MEMORY_PLAN;
  const memory = await measureMemory(memoryPlan);
  print(toMemorySection(memory, memoryPlan.users));
  return memory;
}
