/** `npm run bench`: chooses what is measured. */

import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { benchCodegen } from './codegen.ts';
import { benchGateway } from './gateway/index.ts';
import { SUBJECTS } from './gateway/subjects.ts';
import { WORKLOADS } from './gateway/workloads.ts';

const HELP = `npm run bench [-- [gateway] [codegen] [options]]

Without names: all. Read the ratios: machines are noisy.

  gateway         requests a second, latencies, CPU time and memory of this gateway, beside a bare server, the MCP SDKs and
                  another gateway, each a process of its own, in turn, against one upstream
  codegen         time, CPU time and peak memory of whole processes on GitHub's descriptor: openapi-typescript (types),
                  @hey-api/openapi-ts (types, client, SDK) and codegen (types, client, tools, report), in turn;
                  codegen as on a fresh clone (--no-cache), with the code that Node keeps compiled, and with nothing to do

  --rounds <n>          how often each row is measured (default: 5)
  --seconds <n>         how long each row of gateway is measured in a round (default: 2)
  --clients <n,...>     clients of gateway that call at once (default: 1,16,128)
  --quick               a short run of gateway: 16 clients, 1 round, 0.5 seconds
  --only <name,...>     rows of gateway: servers (the bare one always takes part) and kinds of requests
                        servers: ${SUBJECTS.map(({ name }) => name).join(', ')}
                        requests: ${WORKLOADS.map(({ name }) => name).join(', ')}
  --postgres-url <url>  a PostgreSQL server; databases are made there, and removed (default: TEST_DATABASE_URL)
  --profile             leaves CPU profiles of the gateway
  --help                print this

What is not installed is skipped, with the reason: \`npm ci --prefix .ci/tools\` installs it.
`;

const PARTS = ['gateway', 'codegen'];
const ROWS = [...SUBJECTS, ...WORKLOADS].map(({ name }) => name);

const options = {
  rounds: { type: 'string' },
  seconds: { type: 'string' },
  clients: { type: 'string' },
  quick: { type: 'boolean', default: false },
  only: { type: 'string', default: '' },
  'postgres-url': { type: 'string', default: process.env.TEST_DATABASE_URL ?? '' },
  profile: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

process.exitCode = await main();

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const only = values.only.split(',').filter((name) => name !== '');
  const rounds = Number(values.rounds ?? (values.quick ? 1 : 5));
  const seconds = Number(values.seconds ?? (values.quick ? 0.5 : 2));
  const clients = (values.clients ?? (values.quick ? '16' : '1,16,128')).split(',').map(Number);
  const problem = findProblem({ parts: positionals, only, numbers: [rounds, seconds, ...clients] });
  if (problem !== null) {
    process.stderr.write(`${problem}\n\n${HELP}`);
    return 2;
  }
  const isWanted = (part: string): boolean => positionals.length === 0 || positionals.includes(part);
  if (isWanted('gateway')) {
    const profileFolder = values.profile ? await mkdtemp(path.join(tmpdir(), 'gateway-profile-')) : null;
    await benchGateway({
      rounds: Math.ceil(rounds),
      milliseconds: seconds * 1000,
      warmUpMilliseconds: Math.min(seconds, 1) * 1000,
      clients,
      only,
      postgresUrl: values['postgres-url'] === '' ? null : values['postgres-url'],
      profileFolder,
    });
    if (profileFolder !== null) process.stdout.write(`\nCPU profiles of the gateway: ${profileFolder}\n`);
  }
  if (isWanted('codegen')) await benchCodegen({ rounds: Math.ceil(rounds) });
  return 0;
}

function findProblem(given: { parts: string[]; only: string[]; numbers: number[] }): string | null {
  const parts = given.parts.filter((name) => !PARTS.includes(name));
  if (parts.length > 0) return `There is no part ${parts.join(', ')}.`;
  const rows = given.only.filter((name) => !ROWS.includes(name));
  if (rows.length > 0) return `There is no row ${rows.join(', ')}.`;
  return given.numbers.some((number) => !(number > 0)) ? 'Options take numbers above 0.' : null;
}
