/** Judges requests by themselves: when they failed, and how. */

import type { Violation } from '../ledger/judge.ts';
import type { Exchange } from './wire.ts';

/** How often a repeated problem is reported. */
const MAX_SAID = 5;
const TOO_MANY = 429;
const UNAVAILABLE = 503;

/** Times are from `performance.now()`. */
interface Course {
  /** Nodes that were killed. */
  readonly killed: ReadonlySet<number>;
  readonly struckAt: number;
  readonly wellAt: number;
  readonly isWell: boolean;
}

/** A documented error is not a violation while the fault lasts. */
export function judgeExchanges(
  exchanges: readonly Exchange[],
  { killed, struckAt, wellAt, isWell }: Course,
): Violation[] {
  return exchanges.flatMap((exchange): Violation[] => {
    const { node, name, fault, failure, status, startedAt, endedAt } = exchange;
    const who = `${name} on node ${node + 1}`;
    if (fault !== null) return [{ check: 'form', text: `${who}: ${fault}` }];
    const isOutside = endedAt < struckAt || (isWell && startedAt > wellAt);
    if (isOutside && hasFailed(exchange)) {
      return [{ check: 'well', text: `${who} failed although nothing was wrong: ${failure ?? status}` }];
    }
    if (status !== null || killed.has(node)) return [];
    const seconds = ((endedAt - startedAt) / 1000).toFixed(1);
    return [{ check: 'form', text: `${who} got no answer: ${failure} after ${seconds} s` }];
  });
}

/** True for a request that did not get what it asked for. */
export function hasFailed({ status, failure }: Exchange): boolean {
  return failure !== null || status === null || status >= UNAVAILABLE || status === TOO_MANY;
}

/** Lists each text once with its count, and only the first few texts of each check. */
export function sayOnce(violations: readonly Violation[]): Violation[] {
  const byText = Map.groupBy(violations, ({ check, text }) => `${check} ${text}`);
  const said = [...byText.values()].flatMap((equal) => {
    const [first] = equal;
    if (first === undefined) return [];
    return [equal.length === 1 ? first : { ...first, text: `${first.text} (${equal.length} times)` }];
  });
  return [...Map.groupBy(said, ({ check }) => check).values()].flatMap((each) =>
    each.length <= MAX_SAID
      ? each
      : [
          ...each.slice(0, MAX_SAID),
          ...each.slice(0, 1).map((one) => ({ ...one, text: `and ${each.length - MAX_SAID} more` })),
        ],
  );
}
