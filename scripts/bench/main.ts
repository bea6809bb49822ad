/** `npm run bench`: chooses what is measured. */

import { parseArgs } from 'node:util';
import { benchCodegen } from './codegen.ts';
import { benchGateway } from './gateway.ts';

const HELP = `npm run bench [-- [gateway] [codegen] [options]]

Without names: both. Read the ratios: machines are noisy.

  gateway   requests per second and latencies through the gateway, and through a bare relay that authenticates nobody
            and checks nothing, both in one other process against an upstream that answers at once
  codegen   time, CPU time and peak memory of whole processes on GitHub's descriptor: openapi-typescript (types),
            @hey-api/openapi-ts (types, client, SDK) and codegen (types, client, tools, report), in turn;
            codegen as on a fresh clone (--no-cache), with the code that Node keeps compiled, and with nothing to do

  --seconds <n>   how long each row of gateway is measured (default: 4)
  --clients <n>   clients that call at once (default: 16)
  --rounds <n>    how often each row of codegen is measured (default: 5)
  --help          print this

codegen needs what \`npm ci --prefix .ci/tools\` installs; what is missing is skipped, with the reason.
`;

const PARTS = ['gateway', 'codegen'];

const options = {
  seconds: { type: 'string', default: '4' },
  clients: { type: 'string', default: '16' },
  rounds: { type: 'string', default: '5' },
  help: { type: 'boolean', default: false },
} as const;

process.exitCode = await main();

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const unknown = positionals.filter((name) => !PARTS.includes(name));
  const numbers = [values.seconds, values.clients, values.rounds].map(Number);
  if (unknown.length > 0 || numbers.some((number) => !(number > 0))) {
    const problem = unknown.length > 0 ? `There is no part ${unknown.join(', ')}.` : 'Options take numbers above 0.';
    process.stderr.write(`${problem}\n\n${HELP}`);
    return 2;
  }
  const [seconds = 0, clients = 0, rounds = 0] = numbers;
  const isWanted = (part: string): boolean => positionals.length === 0 || positionals.includes(part);
  if (isWanted('gateway')) await benchGateway({ milliseconds: seconds * 1000, clients });
  if (isWanted('codegen')) await benchCodegen({ rounds: Math.ceil(rounds) });
  return 0;
}
