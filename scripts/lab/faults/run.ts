/** Runs faults one after another on a stage under load, and judges the result of each. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Fault } from './fault.ts';
import { judge, type Violation } from './ledger/judge.ts';
import { createLedger } from './ledger/ledger.ts';
import { observe } from './ledger/observe.ts';
import { hasFailed, judgeExchanges, sayOnce } from './load/course.ts';
import { populate, startLoad } from './load/load.ts';
import { sweep, waitUntilWell } from './load/probes.ts';
import { createWire, type Exchange } from './load/wire.ts';
import type { World } from './load/world.ts';
import { createRandom } from './random.ts';
import type { Stage } from './stage/index.ts';

/** One fault and its outcome. */
export interface Row {
  readonly fault: string;
  readonly title: string;
  /** From before the fault until everything worked again. */
  readonly requests: number;
  /** Requests without the expected response that began during the fault or before everything worked again. */
  readonly failures: number;
  /** Number of responses by status; `none`: no response. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Sessions whose users have to sign in again because a response was lost. */
  readonly sessionsLost: number;
  /** Milliseconds from the end of the fault until every kind of request had succeeded on every node; null: not in time. */
  readonly wellAfter: number | null;
  readonly violations: readonly Violation[];
}

const USERS = 8;
const QUIET_MS = 1_000;
const WELL_WITHIN_MS = 10_000;
/** By then, call records are written. */
const SETTLE_MS = 1_500;

/** What all faults of a stage share. */
interface Theatre {
  readonly stage: Stage;
  readonly world: World;
  /** Every request since the list was last emptied. */
  readonly exchanges: Exchange[];
  /** Earlier findings of the judge: a lost write must not be blamed on later faults. */
  readonly said: Set<string>;
}

/** Adds users and sessions to a stage. */
export async function openTheatre(stage: Stage, seed: number): Promise<Theatre> {
  const exchanges: Exchange[] = [];
  const ports = stage.nodes.map(({ port }) => port);
  const world: World = {
    wire: createWire(ports, (exchange) => exchanges.push(exchange)),
    random: createRandom(seed),
    partners: stage.partners,
    ledger: createLedger(),
    nodes: ports.length,
    users: [],
    sessions: [],
    revoked: [],
    lost: 0,
    clockIsWrong: false,
    problems: [],
    nextCaller: 0,
  };
  await populate(world, USERS);
  return { stage, world, exchanges, said: new Set() };
}

/** Runs one fault. */
export async function strike({ stage, world, exchanges, said }: Theatre, fault: Fault): Promise<Row> {
  await fault.prepare?.(stage);
  exchanges.length = 0;
  world.problems.length = 0;
  world.lost = 0;
  const killsBefore = world.ledger.kills.length;
  const load = startLoad(world);
  await delay(QUIET_MS);
  const struckAt = performance.now();
  const heal = await fault.strike(stage, world);
  const healing = heal();
  healing.catch(() => {});
  const { wellAfter, missing } = await waitUntilWell(world, WELL_WITHIN_MS);
  await healing;
  const wellAt = performance.now();
  await delay(QUIET_MS);
  await load.stop();
  const violations: Violation[] = [];
  const during = exchanges.filter(({ endedAt, startedAt }) => endedAt >= struckAt && startedAt <= wellAt);
  const loaded = [...exchanges];
  violations.push(...((await fault.check?.(stage, world, during)) ?? []));
  violations.push(...missing.map((what): Violation => ({ check: 'well', text: `${what}: not within ten seconds` })));
  const killed = new Set(world.ledger.kills.slice(killsBefore).map(({ node }) => node));
  violations.push(...judgeExchanges(loaded, { killed, struckAt, wellAt, isWell: wellAfter !== null }));
  for (const [index, node] of stage.nodes.entries()) {
    if (!node.hasEndedByItself()) continue;
    violations.push({ check: 'well', text: `node ${index + 1} ended by itself` });
    await node.start();
  }
  violations.push(...(await sweep(world)).map((text): Violation => ({ check: 'writes', text })));
  violations.push(...world.problems);
  await delay(SETTLE_MS);
  const judged = judge(world.ledger, await observe(stage)).filter(({ text }) => !said.has(text));
  for (const { text } of judged) said.add(text);
  violations.push(...judged);
  await fault.tidy?.(stage);
  return {
    fault: fault.name,
    title: fault.title,
    requests: loaded.length,
    failures: during.filter(hasFailed).length,
    statuses: countStatuses(during),
    sessionsLost: world.lost,
    wellAfter,
    violations: sayOnce(violations),
  };
}

function countStatuses(exchanges: readonly Exchange[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of exchanges) counts[status ?? 'none'] = (counts[status ?? 'none'] ?? 0) + 1;
  return counts;
}
