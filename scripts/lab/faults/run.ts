/** Runs faults one after another on a stage under load, and judges the result of each. */

import { setTimeout as delay } from 'node:timers/promises';
import { type Fault, hasFailed } from './faults.ts';
import { judge, type Violation } from './ledger/judge.ts';
import { populate, startLoad } from './load/load.ts';
import { checkTokens, waitUntilHealthy } from './load/probes.ts';
import type { Exchange } from './load/visitor.ts';
import { createWorld } from './load/world.ts';
import type { Stage } from './stage/index.ts';
import { observe } from './stage/observe.ts';

interface Report {
  /** Requests from before the fault until everything worked again. */
  readonly requests: number;
  /** Those that began before everything worked again, and failed. */
  readonly failures: number;
  /** From the end of the fault until every kind of request had succeeded on every node. */
  readonly recoverySeconds: number;
  readonly violations: readonly Violation[];
}

const USERS = 8;
const QUIET_MS = 1_000;
const LASTING_MS = 5_000;
const WELL_WITHIN_MS = 10_000;
/** By then, call records are written. */
const SETTLE_MS = 1_500;
/** Of one check. */
const MAX_TEXTS = 5;

/** Runs the faults that share a stage. */
export async function runFaults(
  stage: Stage,
  faults: readonly Fault[],
  onReport: (fault: Fault, report: Report) => void,
): Promise<void> {
  const world = createWorld(stage);
  await populate(world, USERS);
  /** A lost write must not be blamed on later faults. */
  const reported = new Set<string>();
  for (const fault of faults) {
    await fault.prepare?.(stage);
    world.exchanges = [];
    world.problems = [];
    const killsBefore = world.ledger.kills.length;
    const stopLoad = startLoad(world);
    await delay(QUIET_MS);

    const struckAt = performance.now();
    await fault.strike?.(stage, world);
    await delay(fault.lastsMs ?? LASTING_MS);
    const healing = Promise.resolve(fault.heal?.(stage, world));
    healing.catch(() => {});
    const endedAt = performance.now();
    const missing = await waitUntilHealthy(world, WELL_WITHIN_MS);
    const recoverySeconds = (performance.now() - endedAt) / 1000;
    await healing;
    const wellAt = performance.now();
    await delay(QUIET_MS);
    await stopLoad();

    const loaded = world.exchanges;
    world.exchanges = [];
    const struck = loaded.filter((exchange) => exchange.endedAt >= struckAt && exchange.startedAt <= wellAt);
    const killed = new Set(world.ledger.kills.slice(killsBefore).map(({ node }) => node));
    const violations = [
      ...((await fault.check?.(stage, world, struck)) ?? []),
      ...missing.map((probe): Violation => ({ check: 'well', text: `${probe}: not within ten seconds` })),
      ...judgeExchanges(loaded, { killed, struckAt, wellAt, isWell: missing.length === 0 }),
    ];
    for (const [index, node] of stage.nodes.entries()) {
      if (!node.hasCrashed()) continue;
      violations.push({ check: 'well', text: `node ${index + 1} ended by itself` });
      await node.start();
    }
    violations.push(...(await checkTokens(world)), ...world.problems);
    await delay(SETTLE_MS);
    const judged = judge(world.ledger, await observe(stage)).filter(({ text }) => !reported.has(text));
    for (const { text } of judged) reported.add(text);
    violations.push(...judged);
    await fault.tidy?.(stage);
    onReport(fault, {
      requests: loaded.length,
      failures: struck.filter(hasFailed).length,
      recoverySeconds,
      violations: summarize(violations),
    });
  }
}

/** Times are from `performance.now()`. */
interface Course {
  /** Nodes that were killed. */
  readonly killed: ReadonlySet<number>;
  readonly struckAt: number;
  readonly wellAt: number;
  readonly isWell: boolean;
}

/** Judges requests by themselves: when they failed, and how. A documented error is not a violation while the fault lasts. */
export function judgeExchanges(exchanges: readonly Exchange[], course: Course): Violation[] {
  const { killed, struckAt, wellAt, isWell } = course;
  return exchanges.flatMap((exchange): Violation[] => {
    const { node, name, formProblem, failure, status, startedAt, endedAt } = exchange;
    const request = `${name} on node ${node + 1}`;
    if (formProblem !== null) return [{ check: 'form', text: `${request}: ${formProblem}` }];
    const isOutside = endedAt < struckAt || (isWell && startedAt > wellAt);
    if (isOutside && hasFailed(exchange)) {
      return [{ check: 'well', text: `${request} failed although nothing was wrong: ${failure ?? status}` }];
    }
    if (status !== null || killed.has(node)) return [];
    const seconds = ((endedAt - startedAt) / 1000).toFixed(1);
    return [{ check: 'form', text: `${request} got no answer: ${failure} after ${seconds} s` }];
  });
}

/** Lists each text once with its count, and only the first few texts of each check. */
function summarize(violations: readonly Violation[]): Violation[] {
  return [...Map.groupBy(violations, ({ check }) => check)].flatMap(([check, group]) => {
    const counts = [...Map.groupBy(group, ({ text }) => text)];
    const texts = counts.map(([text, { length }]) => (length === 1 ? text : `${text} (${length} times)`));
    if (texts.length > MAX_TEXTS) texts.splice(MAX_TEXTS, Infinity, `and ${texts.length - MAX_TEXTS} more`);
    return texts.map((text) => ({ check, text }));
  });
}
