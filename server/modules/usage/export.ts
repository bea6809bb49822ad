/** Builds the usage file from what the gateway counted: names of the published schema, and no small numbers. */

import { USAGE_FILE, type UsageCount, type UsageFile } from '../../../shared/usage-file.ts';
import type { Executor } from '../../base/store/schema.ts';
import { USAGE_DEPTH } from './places.ts';
import { bitsOf, estimatePartners, listUsage, type PartnerSketch } from './tallies.ts';

const DAY_MS = 86_400_000;

/** Smaller counts of partners are not shown: one or two could be identified. */
const MIN_PARTNERS = 3;

interface ExportOptions {
  /** Number of days, up to and including that of `now`. */
  readonly days: number;
  /** Entries with fewer calls are left out. */
  readonly threshold: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

interface Sum {
  calls: number;
  readonly sketches: PartnerSketch[];
}

type Facets = Map<string, Sum>;
type Places = Map<string, Facets>;

/** Reads day by day. @returns null if nothing was counted in these days. */
export async function buildUsageFile(db: Executor, options: ExportOptions): Promise<UsageFile | null> {
  const { days, threshold, now } = options;
  const last = now - (now % DAY_MS);
  const first = last - (days - 1) * DAY_MS;
  const tools = new Map<string, Places>();
  for (let day = first; day <= last; day += DAY_MS) {
    for (const { tool, place, facet, calls, partners } of await listUsage(db, day)) {
      const facets = getOr(
        getOr(tools, tool, (): Places => new Map()),
        place,
        (): Facets => new Map(),
      );
      const sum = getOr(facets, facet, (): Sum => ({ calls: 0, sketches: [] }));
      sum.calls += calls;
      sum.sketches.push(partners);
    }
  }
  if (tools.size === 0) return null;
  return USAGE_FILE.parse({
    version: 1,
    from: toDate(first),
    to: toDate(last),
    days,
    threshold,
    depth: USAGE_DEPTH,
    tools: Object.fromEntries(sorted(tools).flatMap(([name, places]) => toTool(name, places, threshold))),
  });
}

function toTool(name: string, places: Places, threshold: number): [string, object][] {
  const whole = places.get('') ?? new Map();
  const count = toCount(whole.get('calls'), threshold);
  if (count === null) return [];
  const own = sorted(places).filter(([place]) => place !== '');
  const args = own.flatMap(([place, facets]) => toArgument(place, facets, threshold));
  return [[name, { ...count, outcomes: toCounts(whole, 'outcome:', threshold), arguments: Object.fromEntries(args) }]];
}

function toArgument(place: string, facets: Facets, threshold: number): [string, object][] {
  const count = toCount(facets.get('calls'), threshold);
  if (count === null) return [];
  const members = toCounts(facets, 'member:', threshold);
  const hasMembers = [...facets.keys()].some((facet) => facet.startsWith('member:'));
  return [[place, { ...count, classes: toCounts(facets, 'class:', threshold), ...(hasMembers ? { members } : {}) }]];
}

function toCounts(facets: Facets, prefix: string, threshold: number): Record<string, UsageCount> {
  const counts = sorted(facets).flatMap(([facet, sum]): [string, UsageCount][] => {
    const count = facet.startsWith(prefix) ? toCount(sum, threshold) : null;
    return count === null ? [] : [[facet.slice(prefix.length), count]];
  });
  return Object.fromEntries(counts);
}

function toCount(sum: Sum | undefined, threshold: number): UsageCount | null {
  if (sum === undefined || sum.calls < threshold) return null;
  const partners = estimatePartners(bitsOf(sum.sketches).size);
  return { calls: sum.calls, partners: partners < MIN_PARTNERS ? null : partners };
}

function getOr<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

function sorted<Value>(map: ReadonlyMap<string, Value>): [string, Value][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}

function toDate(day: number): string {
  return new Date(day).toISOString().slice(0, 10);
}
