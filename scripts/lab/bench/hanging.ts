/**
 * `npm run lab -- bench hanging`: measures how the calls of one service are affected while the upstream of another hangs.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { ARGUMENTS, TOOL_NAME } from './gateway/call.ts';
import type { MadeCall } from './gateway/callers.ts';
import {
  createSqliteDatabase,
  MCP_PATH,
  PUBLIC_URL,
  SHIPPED_TOOLS,
  seedUsers,
  startGatewayProcess,
} from './gateway/gateway-process.ts';
import { median, quantile, type Section } from './gateway/report.ts';
import { startServer, type Usage } from './gateway/server-process.ts';
import { onStage, runChild } from './gateway/stage.ts';

interface HangingPlan {
  readonly rounds: number;
  /** Length of the part of a round in which no upstream hangs. */
  readonly quietMilliseconds: number;
  /** The gateway's upstream timeout: only after it does the gateway know that an upstream hangs. */
  readonly timeoutMilliseconds: number;
  /** Length of the part after the timeout, in which calls are refused. */
  readonly refusedMilliseconds: number;
}

/** Parts of a round, in order. */
const PARTS = ['all is well', 'it hangs', 'its calls are refused'] as const;

/** One round. */
export interface Round {
  /** Calls of the other service, by part. */
  readonly calls: readonly (readonly MadeCall[])[];
  /** Calls of the hanging service, by part; the first part has none. */
  readonly hanging: readonly (readonly MadeCall[])[];
  /** CPU time of the gateway, in milliseconds per second, by part. */
  readonly cpu: readonly number[];
  /** Growth of the process while the upstream hung, in bytes. */
  readonly growth: number;
}

const CALLS_PER_SECOND = 50;
const HANGING_CALLS_PER_SECOND = 60;
/** Several accounts, so that no connector limit is reached. */
const USERS = 10;
const WARM_UP_MS = 5_000;
const OPENING_MS = 1_000;

/** Measures the rounds on one gateway, on SQLite. */
export function measureHanging(plan: HangingPlan): Promise<readonly Round[]> {
  return onStage(async ({ upstream, folder, atEnd }) => {
    const { url, remove } = createSqliteDatabase(folder);
    atEnd(remove);
    const tokens = await seedUsers({ databaseUrl: url, publicUrl: PUBLIC_URL, count: USERS });
    const hanging = await startServer({ file: 'scripts/lab/bench/gateway/servers/hanging.ts' });
    atEnd(() => hanging.stop());
    const server = await startGatewayProcess(
      url,
      { upstream, tools: SHIPPED_TOOLS, profileFile: null },
      {
        CRM_BASE_URL: hanging.origin,
        LOG_LEVEL: 'silent',
        UPSTREAM_TIMEOUT_MS: String(plan.timeoutMilliseconds),
      },
    );
    atEnd(() => server.stop());
    const shared = { url: server.origin + MCP_PATH, host: new URL(PUBLIC_URL).host, tokens };
    const callOthers = (milliseconds: number) =>
      runChild<MadeCall[]>('gateway/callers.ts', {
        ...{ ...shared, tool: TOOL_NAME, arguments: ARGUMENTS },
        ...{ callsPerSecond: CALLS_PER_SECOND, milliseconds },
      });
    const callHanging = (milliseconds: number) =>
      runChild<MadeCall[]>('gateway/callers.ts', {
        ...{ ...shared, tool: 'crm_list_lists', arguments: {} },
        ...{ callsPerSecond: HANGING_CALLS_PER_SECOND, milliseconds },
      });
    const tell = async (what: 'hang' | 'answer') =>
      (await request(`${hanging.origin}/${what}`, { method: 'POST' })).body.dump();

    await Promise.all([callOthers(WARM_UP_MS), callHanging(WARM_UP_MS)]);
    const rounds: Round[] = [];
    for (let round = 0; round < plan.rounds; round += 1) {
      const first = await server.usage();
      const [well] = await Promise.all([callOthers(plan.quietMilliseconds), callHanging(plan.quietMilliseconds)]);
      const before = await server.usage();
      await tell('hang');
      const milliseconds = plan.timeoutMilliseconds + plan.refusedMilliseconds;
      const readings = [plan.timeoutMilliseconds, milliseconds].map((ms) => delay(ms).then(() => server.usage()));
      const [during, refused] = await Promise.all([callOthers(milliseconds), callHanging(milliseconds)]);
      const [timeout = before, last = before] = await Promise.all(readings);
      const cpuOf = (from: Usage, to: Usage, ms: number) => (to.cpuMicroseconds - from.cpuMicroseconds) / ms;
      const parts = (calls: readonly MadeCall[]) => split(calls, plan.timeoutMilliseconds);
      rounds.push({
        calls: [well, ...parts(during)],
        hanging: [[], ...parts(refused)],
        cpu: [
          cpuOf(first, before, plan.quietMilliseconds),
          cpuOf(before, timeout, plan.timeoutMilliseconds),
          cpuOf(timeout, last, plan.refusedMilliseconds),
        ],
        growth: timeout.residentBytes - before.residentBytes,
      });
      await tell('answer');
      await untilAnswered(callHanging);
    }
    return rounds;
  });
}

/** Splits calls into those before the first timeouts and those after the breaker has had time to open. */
function split(calls: readonly MadeCall[], timeoutMilliseconds: number): [MadeCall[], MadeCall[]] {
  const opened = timeoutMilliseconds + OPENING_MS;
  return [calls.filter(({ at }) => at < timeoutMilliseconds), calls.filter(({ at }) => at >= opened)];
}

async function untilAnswered(call: (milliseconds: number) => Promise<readonly MadeCall[]>): Promise<void> {
  for (;;) if ((await call(500)).at(-1)?.outcome === 'ok') return;
}

const quantileOf = (calls: readonly MadeCall[], share: number): number =>
  quantile(
    calls.map(({ milliseconds }) => milliseconds),
    share,
  );

/** p99 of a part relative to the round's quiet part, for every round. */
function ratiosOf(rounds: readonly Round[], part: number): number[] {
  return rounds.map(({ calls }) => quantileOf(calls[part] ?? [], 0.99) / quantileOf(calls[0] ?? [], 0.99));
}

/**
 * p99 of the other service with a hanging upstream, relative to p99 without: median of the rounds; null: not measured.
 */
export function toHangingRatio(rounds: readonly Round[]): number | null {
  return rounds.length === 0 ? null : Math.max(median(ratiosOf(rounds, 1)), median(ratiosOf(rounds, 2)));
}

/** The table in `docs/explanations/performance.md`. */
export function toHangingSection(rounds: readonly Round[]): Section {
  const row = (part: number): string[] => {
    const of = (share: number) => median(rounds.map(({ calls }) => quantileOf(calls[part] ?? [], share))).toFixed(1);
    const ratios = ratiosOf(rounds, part).sort((a, b) => a - b);
    const ratio = `${median(ratios).toFixed(2)} (${ratios.at(0)?.toFixed(2)} to ${ratios.at(-1)?.toFixed(2)})`;
    const failed = rounds.flatMap(({ calls }) => calls[part] ?? []).filter(({ outcome }) => outcome !== 'ok').length;
    const hanging = rounds.flatMap((round) => round.hanging[part] ?? []);
    const cpu = median(rounds.map((round) => round.cpu[part] ?? Number.NaN)).toFixed(0);
    return [PARTS[part] ?? '', of(0.5), of(0.99), part === 0 ? '1' : ratio, cpu, String(failed), toCounts(hanging)];
  };
  return {
    name: 'hanging',
    title: `${CALLS_PER_SECOND} calls a second of one service next to ${HANGING_CALLS_PER_SECOND} of another, ${rounds.length} rounds`,
    table: [
      ['the other upstream', 'p50 ms', 'p99 ms', 'x well', 'CPU ms/s', 'calls failed', 'calls of the other'],
      ...PARTS.map((_, part) => row(part)),
    ],
    note: `While it hangs, the process takes ${(median(rounds.map(({ growth }) => growth)) / 1e6).toFixed(0)} MB more.`,
  };
}

function toCounts(calls: readonly MadeCall[]): string {
  const counts = Map.groupBy(calls, ({ outcome }) => outcome);
  return [...counts].map(([outcome, made]) => `${outcome}: ${made.length}`).join(', ');
}
