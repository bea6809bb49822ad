/** `npm run lab -- siege`: what users notice, and how much memory a small gateway takes, while everybody else attacks it. */

import type { Command } from 'commander';
import { request } from 'undici';
import { createCommand } from '../../shared/cli/command.ts';
import { PROCESS_OUTPUT } from '../../shared/cli/output.ts';
import { FailureError } from '../../shared/cli/run.ts';
import { createSqliteDatabase, FILE_TOOL, SHIPPED_TOOLS } from './bench/gateway/gateway-process.ts';
import { createPrint } from './bench/gateway/report.ts';
import { startServer } from './bench/gateway/server-process.ts';
import { onStage, runChild, type Stage } from './bench/gateway/stage.ts';
import { createPostgresDatabase } from './bench/postgres-database.ts';
import {
  HEADS,
  LIES_PER_SECOND,
  lieTo,
  measureRound,
  quantileOf,
  startPressed,
  toRows,
  WARM_UP_MS,
} from './bench/pressure/index.ts';
import type { Statuses } from './bench/pressure/liars.ts';

const MEBIBYTE = 1024 ** 2;
/** What the process may take, and the half of it that V8 takes as its heap in a container of that size. */
const MEMORY_MIB = 512;
const HEAP_MIB = MEMORY_MIB / 2;
const HOLDERS = 64;
const REQUESTS_PER_HOLDER = 2;
/** The default of `MAX_BODY_BYTES`. */
const BODY_BYTES = 4 * MEBIBYTE;
const QUIET_MS = 10_000;
/** The attackers start here: what their own start takes from this machine is no fault of the gateway. */
const RAMP_MS = 5_000;
const SIEGE_MS = 20_000;
const MAX_RATIO = 5;
/** A shorter p99 before the siege counts as this: below it, what the machine's neighbours do decides the ratio. */
const QUIET_FLOOR_MS = 40;

interface SiegeOptions {
  readonly postgresUrl?: string;
}

/** Besieges a gateway, prints what was measured, and fails where a promise was not kept. */
export function createSiegeCommand(output = PROCESS_OUTPUT): Command {
  return createCommand('siege', output)
    .summary('attack a gateway of 512 MB, and check what its users notice')
    .description(
      `Sends ${LIES_PER_SECOND} invalid requests a second to a gateway, while ${HOLDERS} users each hold ${REQUESTS_PER_HOLDER} of the largest ` +
        `bodies open. Fails if the process takes more than ${MEMORY_MIB} MiB, ends, or answers other users wrongly, or if their p99 is more than ` +
        `${MAX_RATIO} times that before the siege (at least ${QUIET_FLOOR_MS} ms). Takes about a minute.`,
    )
    .option('--postgres-url <url>', 'a PostgreSQL server, for a database of its own; default: SQLite')
    .action((options: SiegeOptions) => onStage((stage) => besiege(stage, options)));
}

async function besiege(stage: Stage, { postgresUrl }: SiegeOptions): Promise<void> {
  const hanging = await startServer({ file: 'scripts/lab/bench/pressure/hanging-upstream.ts' });
  stage.atEnd(() => hanging.stop());
  await (await request(`${hanging.origin}/hang`, { method: 'POST' })).body.dump();
  const database =
    postgresUrl === undefined ? createSqliteDatabase(stage.folder) : await createPostgresDatabase(postgresUrl);
  const pressed = await startPressed(stage, database, {
    settings: { NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}`, RETRIEVAL_BASE_URL: hanging.origin },
    tools: SHIPPED_TOOLS + 1,
    others: HOLDERS,
  });
  const hold = async (): Promise<Statuses> =>
    runChild('pressure/holders.ts', {
      ...{ ...pressed.target, tokens: pressed.others, tool: FILE_TOOL, bytes: BODY_BYTES },
      ...{ requestsPerUser: REQUESTS_PER_HOLDER, milliseconds: RAMP_MS + SIEGE_MS },
    });
  await lieTo(pressed, 1000, 50);
  await pressed.call(WARM_UP_MS);
  let statuses: readonly Statuses[] = [];
  const begin = async (): Promise<void> => {
    statuses = await Promise.all([lieTo(pressed, RAMP_MS + SIEGE_MS, LIES_PER_SECOND), hold()]);
  };
  const parts = [{ milliseconds: QUIET_MS }, { milliseconds: RAMP_MS, begin }, { milliseconds: SIEGE_MS }];
  const measured = await measureRound(pressed, parts);
  const after = await pressed.call(1000);
  const { peakBytes } = await pressed.server.usage();
  const [lies, bodies] = statuses.map((counts) => JSON.stringify(counts));
  createPrint(false)({
    name: 'siege',
    title: `${LIES_PER_SECOND} invalid requests a second, ${HOLDERS * REQUESTS_PER_HOLDER} bodies of ${BODY_BYTES} bytes held open`,
    table: [HEADS, ...toRows([measured], ['quiet', 'the siege begins', 'under siege'])],
    note: `Peak memory: ${Math.ceil(peakBytes / MEBIBYTE)} MiB. Answers to invalid requests: ${lies}; to large bodies: ${bodies}.`,
  });
  const [quiet, , siege] = measured.map((part) => quantileOf(part, 0.99));
  const failed = [...measured.flatMap(({ calls }) => calls), ...after].filter(({ outcome }) => outcome !== 'ok').length;
  if (failed > 0) throw new FailureError(`${failed} calls of other users failed.`);
  if (peakBytes > MEMORY_MIB * MEBIBYTE) throw new FailureError(`The gateway took more than ${MEMORY_MIB} MiB.`);
  if ((siege ?? 0) > MAX_RATIO * Math.max(quiet ?? 0, QUIET_FLOOR_MS))
    throw new FailureError(`p99 is more than ${MAX_RATIO} times as long.`);
}
