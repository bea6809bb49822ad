/**
 * `npm run lab -- siege` and `bench hanging`: what users who call a tool at a fixed rate notice while others cause trouble.
 *
 * Each round begins with a quiet part, which the others are compared with, so that all meet the same load of the machine.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { ARGUMENTS, TOOL_NAME } from '../gateway/call.ts';
import {
  createSqliteDatabase,
  type EmptyDatabase,
  MCP_PATH,
  PUBLIC_URL,
  SHIPPED_TOOLS,
  seedUsers,
  startGatewayProcess,
} from '../gateway/gateway-process.ts';
import { median, quantile, type Section, withRange } from '../gateway/report.ts';
import { type ServerProcess, startServer } from '../gateway/server-process.ts';
import { onStage, runChild, type Stage } from '../gateway/stage.ts';
import type { MadeCall, Orders } from './callers.ts';
import type { Statuses } from './liars.ts';

/** The users' calls in one part of a round. */
export interface MeasuredPart {
  readonly calls: readonly MadeCall[];
  /** CPU time of the gateway, in milliseconds per second. */
  readonly cpu: number;
}

interface Part {
  readonly milliseconds: number;
  /** Milliseconds to wait before it. Default: none. */
  readonly wait?: number;
  /** Starts the trouble of this part. What it returns is awaited at the end of the round. */
  readonly begin?: () => Promise<unknown>;
}

const CALLS_PER_SECOND = 50;
/** Users who call in turn: enough that none reaches the limit of the tool's service. */
const USERS = 20;
const { host } = new URL(PUBLIC_URL);
export const WARM_UP_MS = 5_000;

interface PressedPlan {
  readonly settings?: Readonly<Record<string, string>>;
  /** Default: those that ship with it. */
  readonly tools?: number;
  /** Users of the same partner who do not call. Default: none. */
  readonly others?: number;
}

/** A gateway on a new database, and calls of its users. */
export async function startPressed(
  { upstream, atEnd }: Stage,
  { url, remove }: EmptyDatabase,
  { settings = {}, tools = SHIPPED_TOOLS, others = 0 }: PressedPlan,
) {
  atEnd(remove);
  const tokens = await seedUsers({ databaseUrl: url, publicUrl: PUBLIC_URL, count: USERS + others });
  const plan = { upstream, tools, profileFile: null };
  const server = await startGatewayProcess(url, plan, { LOG_LEVEL: 'silent', ...settings });
  atEnd(() => server.stop());
  const target = { url: server.origin + MCP_PATH, host };
  const call = (milliseconds: number, own: Partial<Orders> = {}) =>
    runChild<MadeCall[]>('pressure/callers.ts', {
      ...{ ...target, tokens: tokens.slice(0, USERS), tool: TOOL_NAME, arguments: ARGUMENTS },
      ...{ callsPerSecond: CALLS_PER_SECOND, milliseconds, ...own },
    });
  return { server, call, target, others: tokens.slice(USERS) };
}

/** Sends invalid requests to a gateway. */
export function lieTo(
  { server }: { readonly server: ServerProcess },
  milliseconds: number,
  requestsPerSecond: number,
): Promise<Statuses> {
  const orders = { origin: server.origin, host, addresses: ADDRESSES, milliseconds, requestsPerSecond };
  return runChild<Statuses>('pressure/liars.ts', orders);
}

export async function measureRound(
  { server, call }: { readonly server: ServerProcess; call(milliseconds: number): Promise<readonly MadeCall[]> },
  parts: readonly Part[],
): Promise<MeasuredPart[]> {
  const measured: MeasuredPart[] = [];
  const troubles: Promise<unknown>[] = [];
  for (const { milliseconds, wait = 0, begin } of parts) {
    await delay(wait);
    if (begin !== undefined) troubles.push(begin());
    const before = await server.usage();
    const startedAt = performance.now();
    const calls = await call(milliseconds);
    const elapsed = performance.now() - startedAt;
    const after = await server.usage();
    measured.push({ calls, cpu: (after.cpuMicroseconds - before.cpuMicroseconds) / elapsed });
  }
  await Promise.all(troubles);
  return measured;
}

export const LIES_PER_SECOND = 500;
const ADDRESSES = Array.from({ length: 8 }, (_, index) => `127.0.1.${index + 1}`);

interface HangingPlan {
  readonly rounds: number;
  /** Length of the part of a round in which no upstream hangs. */
  readonly quietMilliseconds: number;
  /** The gateway's upstream timeout: only after it does the gateway know that an upstream hangs. */
  readonly timeoutMilliseconds: number;
  /** Length of the part after the timeout, in which calls are refused. */
  readonly refusedMilliseconds: number;
}

const HANGING_CALLS_PER_SECOND = 60;
/** The breaker opens some time after the first timeouts. */
const OPENING_MS = 1_000;

/** Measures the calls of one service while the upstream of another hangs, on one gateway, on SQLite. */
export function measureHanging(plan: HangingPlan): Promise<readonly (readonly MeasuredPart[])[]> {
  const { quietMilliseconds, timeoutMilliseconds, refusedMilliseconds } = plan;
  return onStage(async (stage) => {
    const hanging = await startServer({ file: 'scripts/lab/bench/pressure/hanging-upstream.ts' });
    stage.atEnd(() => hanging.stop());
    const settings = { CRM_BASE_URL: hanging.origin, UPSTREAM_TIMEOUT_MS: String(timeoutMilliseconds) };
    const pressed = await startPressed(stage, createSqliteDatabase(stage.folder), { settings });
    const tell = async (what: 'hang' | 'answer') =>
      (await request(`${hanging.origin}/${what}`, { method: 'POST' })).body.dump();
    const callOther = (milliseconds: number) =>
      pressed.call(milliseconds, {
        tool: 'crm_list_lists',
        arguments: {},
        callsPerSecond: HANGING_CALLS_PER_SECOND,
      });
    await Promise.all([pressed.call(WARM_UP_MS), callOther(WARM_UP_MS)]);
    const rounds: MeasuredPart[][] = [];
    while (rounds.length < plan.rounds) {
      const hang = async (): Promise<void> => {
        await tell('hang');
        await callOther(timeoutMilliseconds + OPENING_MS + refusedMilliseconds);
      };
      const parts = [
        { milliseconds: quietMilliseconds, begin: () => callOther(quietMilliseconds) },
        { milliseconds: timeoutMilliseconds, begin: hang },
        { milliseconds: refusedMilliseconds, wait: OPENING_MS },
      ];
      rounds.push(await measureRound(pressed, parts));
      await tell('answer');
      while ((await callOther(500)).at(-1)?.outcome !== 'ok');
    }
    return rounds;
  });
}

/** p99 while the upstream of another service hangs, relative to p99 before: median of the rounds; null: not measured. */
export function toHangingRatio(rounds: readonly (readonly MeasuredPart[])[]): number | null {
  return rounds.length === 0 ? null : Math.max(median(ratiosOf(rounds, 1)), median(ratiosOf(rounds, 2)));
}

export function toHangingSection(rounds: readonly (readonly MeasuredPart[])[]): Section {
  return {
    name: 'hanging',
    title: `${CALLS_PER_SECOND} calls a second of one service next to ${HANGING_CALLS_PER_SECOND} of another, ${rounds.length} rounds`,
    table: [HEADS, ...toRows(rounds, ['all is well', 'the other upstream hangs', 'its calls are refused'])],
  };
}

export const HEADS = ['', 'p50 ms', 'p99 ms', 'x quiet', 'CPU ms/s', 'calls failed'];

/** One row for each part of the rounds: medians, and for ratios minimum and maximum too. */
export function toRows(rounds: readonly (readonly MeasuredPart[])[], titles: readonly string[]): string[][] {
  return titles.map((title, part) => {
    const measured = rounds.flatMap((round) => round[part] ?? []);
    const of = (share: number) => median(measured.map((one) => quantileOf(one, share))).toFixed(1);
    const failed = measured.flatMap(({ calls }) => calls).filter(({ outcome }) => outcome !== 'ok').length;
    const cpu = median(measured.map((one) => one.cpu)).toFixed(0);
    return [title, of(0.5), of(0.99), withRange(ratiosOf(rounds, part), 2), cpu, String(failed)];
  });
}

/** p99 of a part relative to the quiet part of the same round, for every round. */
function ratiosOf(rounds: readonly (readonly MeasuredPart[])[], part: number): number[] {
  return rounds.map((round) => quantileOf(round[part], 0.99) / quantileOf(round[0], 0.99));
}

export function quantileOf(measured: MeasuredPart | undefined, share: number): number {
  const times = measured?.calls.map(({ milliseconds }) => milliseconds) ?? [];
  return quantile(times, share);
}
