/** `npm run bench`: chooses what is measured. */

import { mkdtemp } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { benchCodegen } from './codegen.ts';
import { formatGoals, isMissed, judgeGoals } from './gateway/goals.ts';
import { benchGateway, type GatewayFigures } from './gateway/index.ts';
import { type MemoryFigure, measureMemory } from './gateway/memory.ts';
import { createPrint, type Print, toMemorySection, toScaleSection } from './gateway/report.ts';
import { measureScale } from './gateway/scale.ts';
import { InterruptedError } from './gateway/stage.ts';
import { SUBJECTS } from './gateway/subjects.ts';
import { WORKLOADS } from './gateway/workloads.ts';

const HELP = `npm run bench [-- [gateway] [gateway-memory] [gateway-scale] [codegen] [options]]

Without names: all. Read the ratios: machines are noisy. docs/performance.md says what each figure means.

  gateway         requests a second, latencies, CPU time and memory of this gateway beside a bare server, the MCP SDKs and
                  another OpenAPI server, each a process of its own, in turn, against one upstream; then its start
  gateway-memory  its memory after 20,000 and after 200,000 calls by 1,000 users
  gateway-scale   calls a second of one, two and four gateways on one PostgreSQL server
  codegen         time, CPU time and peak memory of whole processes on GitHub's descriptor: openapi-typescript (types),
                  @hey-api/openapi-ts (types, client, SDK) and codegen (types, client, tools, report), in turn;
                  codegen as on a fresh clone (--no-cache), with the code that Node keeps compiled, and with nothing to do

  --rounds <n>          how often each row is measured (default: 5)
  --seconds <n>         how long each row of a gateway is measured in a round (default: 2), after 3 seconds to warm up
  --clients <n,...>     clients of gateway that call at once (default: 1,16,128)
  --quick               a short run: 16 clients, 1 round, 0.3 seconds after as much to warm up, 2,000 calls by 50 users
  --only <name,...>     rows of gateway: servers (the bare one always takes part) and kinds of requests
                        servers: ${SUBJECTS.map(({ name }) => name).join(', ')}
                        requests: ${WORKLOADS.map(({ name }) => name).join(', ')}
  --postgres-url <url>  a PostgreSQL server; databases are made there, and removed (default: TEST_DATABASE_URL)
  --profile             leaves CPU profiles of the gateway, and prints where its time goes
  --check-goals         prints which goals this run met; exit code 1 where it missed one
  --markdown            prints the tables as docs/performance.md has them
  --help                print this

What is not installed is skipped, with the reason: \`npm ci --prefix .ci/tools\` installs it.
`;

const PARTS = ['gateway', 'gateway-memory', 'gateway-scale', 'codegen'];
/** The exit code that shells give a program that Ctrl-C ended. */
const INTERRUPTED = 130;
const ROWS = [...SUBJECTS, ...WORKLOADS].map(({ name }) => name);
/** Until the compiler has seen what a server does, its CPU time falls from round to round. */
const WARM_UP_MS = 3_000;
const MEMORY_PLAN = { users: 1000, calls: [20_000, 200_000] };
const QUICK_MEMORY_PLAN = { users: 50, calls: [200, 2000] };

const options = {
  rounds: { type: 'string' },
  seconds: { type: 'string' },
  clients: { type: 'string' },
  quick: { type: 'boolean', default: false },
  only: { type: 'string', default: '' },
  'postgres-url': { type: 'string', default: process.env.TEST_DATABASE_URL ?? '' },
  profile: { type: 'boolean', default: false },
  'check-goals': { type: 'boolean', default: false },
  markdown: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** The options, checked. */
interface Plan {
  readonly parts: readonly string[];
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

process.exitCode = await main();

async function main(): Promise<number> {
  let given: ReturnType<typeof readArguments>;
  try {
    given = readArguments();
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
  const { values, positionals } = given;
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const plan: Plan = {
    parts: positionals.length === 0 ? PARTS : positionals,
    rounds: Math.ceil(Number(values.rounds ?? (values.quick ? 1 : 5))),
    milliseconds: Number(values.seconds ?? (values.quick ? 0.3 : 2)) * 1000,
    clients: (values.clients ?? (values.quick ? '16' : '1,16,128')).split(',').map(Number),
    quick: values.quick,
    only: values.only.split(',').filter((name) => name !== ''),
    postgresUrl: values['postgres-url'] === '' ? null : values['postgres-url'],
    profile: values.profile,
    checkGoals: values['check-goals'],
    print: createPrint(values.markdown),
  };
  const problem = findProblem(plan);
  if (problem !== null) return refuse(problem);
  try {
    return await run(plan);
  } catch (error) {
    if (error instanceof InterruptedError) return INTERRUPTED;
    throw error;
  }
}

function readArguments() {
  return parseArgs({ options, allowPositionals: true });
}

function refuse(problem: string): number {
  process.stderr.write(`${problem}\nTry: npm run bench -- --help\n`);
  return 2;
}

function findProblem({ parts, only, rounds, milliseconds, clients }: Plan): string | null {
  const unknownParts = parts.filter((name) => !PARTS.includes(name));
  if (unknownParts.length > 0) return `There is no part ${unknownParts.join(', ')}.`;
  const unknownRows = only.filter((name) => !ROWS.includes(name));
  if (unknownRows.length > 0) return `There is no row ${unknownRows.join(', ')}.`;
  const numbers = [rounds, milliseconds, ...clients];
  return numbers.some((number) => !(number > 0)) ? 'Options take numbers above 0.' : null;
}

async function run(plan: Plan): Promise<number> {
  const { parts, rounds, milliseconds, postgresUrl, print } = plan;
  const { series, starts } = parts.includes('gateway') ? await runGateway(plan) : { series: [], starts: [] };
  const memory = parts.includes('gateway-memory') ? await runMemory(plan) : [];
  if (parts.includes('gateway-scale')) {
    if (postgresUrl === null) {
      process.stdout.write('\ngateway-scale: skipped, because there is no PostgreSQL server (--postgres-url)\n');
    } else {
      const samples = await measureScale({ postgresUrl, rounds, milliseconds });
      print(toScaleSection(samples, availableParallelism()));
    }
  }
  if (parts.includes('codegen')) await benchCodegen({ rounds });
  if (!plan.checkGoals) return 0;
  const goals = judgeGoals({ series, starts, memory });
  process.stdout.write(`\n${formatGoals(goals)}\n`);
  return goals.some(isMissed) ? 1 : 0;
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
