/**
 * `npm run lab -- bench siege`: measures latency for honest users, and growth, while attackers send requests without pause.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { openStore, type Store } from '../../../../server/base/store/index.ts';
import { ARGUMENTS, TOOL_NAME } from '../gateway/call.ts';
import type { MadeCall } from '../gateway/callers.ts';
import {
  createPostgresDatabase,
  createSqliteDatabase,
  type EmptyDatabase,
  MCP_PATH,
  PUBLIC_URL,
  SHIPPED_TOOLS,
  seedUsers,
  startGatewayProcess,
} from '../gateway/gateway-process.ts';
import { median, quantile, type Section } from '../gateway/report.ts';
import type { ServerProcess } from '../gateway/server-process.ts';
import { onStage, runChild, type Stage } from '../gateway/stage.ts';
import type { Outcome } from './liars.ts';

interface SiegePlan {
  /** Each round has a quiet part directly followed by a siege, so that both meet the same machine load. */
  readonly rounds: number;
  /** Length of the quiet part of a round. */
  readonly idleMilliseconds: number;
  /** Length of the siege of a round. */
  readonly siegeMilliseconds: number;
  /** A server for the benchmark's own database; null: SQLite only. */
  readonly postgresUrl: string | null;
}

/** The result of one store. */
interface SiegeSample {
  readonly store: string;
  /** Median of the rounds. */
  readonly idle: Latencies;
  /** Median of the rounds. */
  readonly siege: Latencies;
  /** p99 with attackers relative to p99 without: median, minimum and maximum of the rounds. */
  readonly ratios: Readonly<Record<'median' | 'least' | 'most', number>>;
  readonly outcome: Outcome;
  /** Growth of the live heap after a garbage collection, in bytes. */
  readonly heapGrowth: number;
  /** Rows that the attackers left, by table. Tables without any are omitted. */
  readonly rows: Readonly<Record<string, number>>;
}

/** Milliseconds of the honest users' calls. */
interface Latencies {
  readonly p50: number;
  readonly p99: number;
  readonly failed: number;
}

const LIES_PER_SECOND = 500;
const HONEST_CALLS_PER_SECOND = 50;
/** Users who call in turn: enough that none reaches the limit of the tool's service. */
const HONEST_USERS = 20;
const { host } = new URL(PUBLIC_URL);
const ADDRESSES = Array.from({ length: 8 }, (_, index) => `127.0.1.${index + 1}`);
const WARM_UP_MS = 3_000;
const SETTLE_MS = 2_000;

/** Runs the siege on a gateway with each store. */
export async function measureSiege(plan: SiegePlan): Promise<SiegeSample[]> {
  const { postgresUrl } = plan;
  const samples = [await onStage((stage) => besiege(stage, plan, 'SQLite', createSqliteDatabase(stage.folder)))];
  if (postgresUrl === null) return samples;
  const besieged = onStage(async (stage) =>
    besiege(stage, plan, 'PostgreSQL', await createPostgresDatabase(postgresUrl)),
  );
  return [...samples, await besieged];
}

async function besiege(
  { upstream, atEnd }: Stage,
  { rounds, idleMilliseconds, siegeMilliseconds }: SiegePlan,
  title: string,
  { url, remove }: EmptyDatabase,
): Promise<SiegeSample> {
  atEnd(remove);
  const tokens = await seedUsers({ databaseUrl: url, publicUrl: PUBLIC_URL, count: HONEST_USERS });
  const server = await startGatewayProcess(
    url,
    { upstream, tools: SHIPPED_TOOLS, profileFile: null },
    { LOG_LEVEL: 'silent' },
  );
  atEnd(() => server.stop());
  const store = await openStore({ url });
  atEnd(() => store.close());

  const orders = { origin: server.origin, host, requestsPerSecond: LIES_PER_SECOND, addresses: ADDRESSES };
  // The first request for a page loads modules that a gateway in use has already loaded.
  await runChild<Outcome>('siege/liars.ts', { ...orders, requestsPerSecond: 50, milliseconds: 1000 });
  await callAtPace(server, tokens, WARM_UP_MS);
  const before = { heap: await server.liveHeap(), rows: await countRows(store) };
  const quiet: Latencies[] = [];
  const besieged: Latencies[] = [];
  const outcomes: Outcome[] = [];
  for (let round = 0; round < rounds; round += 1) {
    quiet.push(await callAtPace(server, tokens, idleMilliseconds));
    const [outcome, siege] = await Promise.all([
      runChild<Outcome>('siege/liars.ts', { ...orders, milliseconds: siegeMilliseconds }),
      callAtPace(server, tokens, siegeMilliseconds),
    ]);
    besieged.push(siege);
    outcomes.push(outcome);
  }
  await delay(SETTLE_MS);
  const heapGrowth = (await server.liveHeap()) - before.heap;
  const after = Object.entries(await countRows(store));
  const rows = after.map(([table, count]): [string, number] => [table, count - (before.rows[table] ?? 0)]);
  return {
    store: title,
    idle: medianOf(quiet),
    siege: medianOf(besieged),
    ratios: ratiosOf(quiet, besieged),
    outcome: sumOf(outcomes),
    heapGrowth,
    rows: Object.fromEntries(rows.filter(([, left]) => left > 0)),
  };
}

function medianOf(rounds: readonly Latencies[]): Latencies {
  const failed = rounds.reduce((sum, round) => sum + round.failed, 0);
  return { p50: median(rounds.map(({ p50 }) => p50)), p99: median(rounds.map(({ p99 }) => p99)), failed };
}

function ratiosOf(quiet: readonly Latencies[], besieged: readonly Latencies[]): SiegeSample['ratios'] {
  const ratios = besieged.map(({ p99 }, round) => p99 / (quiet[round]?.p99 ?? Number.NaN));
  return { median: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) };
}

function sumOf(outcomes: readonly Outcome[]): Outcome {
  const statuses: Record<string, number> = {};
  for (const [status, count] of outcomes.flatMap((outcome) => Object.entries(outcome.statuses))) {
    statuses[status] = (statuses[status] ?? 0) + count;
  }
  const total = (of: (outcome: Outcome) => number) => outcomes.reduce((sum, outcome) => sum + of(outcome), 0);
  return { sent: total(({ sent }) => sent), held: total(({ held }) => held), statuses };
}

/** Calls of honest users at a fixed rate, whether or not they are answered. */
async function callAtPace(
  { origin }: ServerProcess,
  tokens: readonly string[],
  milliseconds: number,
): Promise<Latencies> {
  const calls = await runChild<MadeCall[]>('gateway/callers.ts', {
    ...{ url: origin + MCP_PATH, host, tokens, tool: TOOL_NAME, arguments: ARGUMENTS },
    ...{ callsPerSecond: HONEST_CALLS_PER_SECOND, milliseconds },
  });
  const times = calls.map((call) => call.milliseconds);
  const failed = calls.filter(({ outcome }) => outcome !== 'ok').length;
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99), failed };
}

/** Row count of every gateway table. */
async function countRows({ db }: Store): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { name } of await db.introspection.getTables()) {
    const { rows } = await sql<{ count: number | string }>`select count(*) as count from ${sql.table(name)}`.execute(
      db,
    );
    counts[name] = Number(rows[0]?.count ?? 0);
  }
  return counts;
}

/** The table in `docs/explanations/performance.md`. */
export function toSiegeSection(samples: readonly SiegeSample[]): Section {
  const list = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .map(([name, count]) => `${name}: ${count}`)
      .join(', ');
  return {
    name: 'siege',
    title: `Calls of ${HONEST_USERS} users next to ${LIES_PER_SECOND} invalid requests a second from ${ADDRESSES.length} addresses`,
    table: [
      ['store', 'p50 ms idle', 'p50 ms', 'p99 ms idle', 'p99 ms', 'x idle', 'calls failed', 'heap MB', 'rows left'],
      ...samples.map(({ store, idle, siege, ratios, heapGrowth, rows }) => [
        store,
        idle.p50.toFixed(1),
        siege.p50.toFixed(1),
        idle.p99.toFixed(1),
        siege.p99.toFixed(1),
        `${ratios.median.toFixed(1)} (${ratios.least.toFixed(1)} to ${ratios.most.toFixed(1)})`,
        String(siege.failed),
        `${heapGrowth < 0 ? '' : '+'}${(heapGrowth / 1e6).toFixed(1)}`,
        list(rows),
      ]),
    ],
    note: samples
      .map(
        ({ store, outcome }) =>
          `${store}: ${outcome.sent} invalid requests sent, ${outcome.held} held back; answers: ${list(outcome.statuses)}.`,
      )
      .join(' '),
  };
}
