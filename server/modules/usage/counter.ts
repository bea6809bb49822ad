/** Counts tool usage by tool, outcome, published argument and class of value. */

import { type BackgroundTally, createBackgroundTally } from '../../base/background-tally.ts';
import type { EndedCall } from '../../call/tools/call/call.ts';
import type { Ending } from '../../call/tools/call/ending.ts';
import type { AnyTool } from '../../call/tools/catalogue/permitted.ts';
import { observe } from './observe.ts';
import { readPlaces, type UsagePlace } from './places.ts';
import { NO_PARTNERS, type UsageTally, withPartner } from './tallies.ts';

/** Counts calls that have ended. */
export interface UsageCounter extends Pick<BackgroundTally<UsageTally>, 'flush' | 'stop'> {
  /** Never waits, never throws. */
  count(calls: readonly EndedCall[]): void;
}

interface UsageCounterOptions {
  readonly write: (rows: readonly UsageTally[]) => Promise<void>;
  readonly intervalMs?: number;
  readonly onProblem: (problem: { readonly lost: number; readonly error?: unknown }) => void;
}

const DAY_MS = 86_400_000;

/** Creates the counter. */
export function createUsageCounter(options: UsageCounterOptions): UsageCounter {
  const tally = createBackgroundTally({
    ...options,
    merge: (sum: UsageTally, more) => ({
      ...sum,
      calls: sum.calls + more.calls,
      partners: sum.partners.map((word, index) => union(word, more.partners[index] ?? 0)),
    }),
  });
  const placesOf = new WeakMap<AnyTool, UsagePlace>();
  return {
    ...tally,
    count(calls) {
      for (const { call, ending } of calls) {
        const { entry, principal, given, calledAs: tool, startedAt } = call;
        const places = placesOf.get(entry.tool) ?? readPlaces(entry.tool.inputSchema);
        placesOf.set(entry.tool, places);
        const day = startedAt - (startedAt % DAY_MS);
        const partners = withPartner(NO_PARTNERS, principal.partnerId);
        for (const seen of ['\tcalls', `\toutcome:${toOutcome(ending.outcome)}`, ...observe(places, given)]) {
          const [place = '', facet = ''] = seen.split('\t');
          tally.add({ key: `${day}\t${tool}\t${seen}`, day, tool, place, facet, calls: 1, partners });
        }
      }
    },
  };
}

/** `refused`: the gateway sent nothing, because the arguments were wrong. */
function toOutcome(outcome: Ending['outcome']): 'ok' | 'refused' | 'failed' {
  return outcome === 'ok' ? 'ok' : outcome === 'invalid_arguments' ? 'refused' : 'failed';
}

/** Bitwise or of 52 bits; JavaScript's operators truncate to 32. */
function union(a: number, b: number): number {
  const high = 2 ** 26;
  return (Math.floor(a / high) | Math.floor(b / high)) * high + ((a % high) | (b % high));
}
