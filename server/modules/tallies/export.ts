/** Builds the usage file from the counts of the gateway: names of the published schema, and no small numbers. */

import { USAGE_FILE, type UsageFile } from '../../../shared/usage-file.ts';
import type { Executor } from '../../base/store/schema.ts';
import { USAGE_DEPTH } from './argument-tree.ts';
import { sumTallies } from './table.ts';

const DAY_MS = 86_400_000;

interface ExportOptions {
  /** Number of days, up to and including that of `now`. */
  readonly days: number;
  /** Entries with fewer calls are left out. */
  readonly threshold: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

type Facets = Map<string, number>;
type FacetsByArgument = Map<string, Facets>;

/** Returns undefined if nothing was counted in these days. */
export async function buildUsageFile(db: Executor, options: ExportOptions): Promise<UsageFile | undefined> {
  const { days, threshold, now } = options;
  const last = now - (now % DAY_MS);
  const first = last - (days - 1) * DAY_MS;
  const tools = new Map<string, FacetsByArgument>();
  for (const { key, count } of await sumTallies(db, 'usage', { since: first, until: last + DAY_MS })) {
    const [tool = '', place = '', facet = ''] = key.split('\t');
    const facetsByArgument = getOr(tools, tool, (): FacetsByArgument => new Map());
    getOr(facetsByArgument, place, (): Facets => new Map()).set(facet, count);
  }
  if (tools.size === 0) return undefined;
  return USAGE_FILE.parse({
    version: 2,
    from: toDate(first),
    to: toDate(last),
    days,
    threshold,
    depth: USAGE_DEPTH,
    tools: Object.fromEntries(
      sorted(tools).flatMap(([name, facetsByArgument]) => toTool(name, facetsByArgument, threshold)),
    ),
  });
}

function toTool(name: string, facetsByArgument: FacetsByArgument, threshold: number): [string, object][] {
  const toolFacets = facetsByArgument.get('') ?? new Map();
  const calls = toolFacets.get('calls') ?? 0;
  if (calls < threshold) return [];
  const argumentFacets = sorted(facetsByArgument).filter(([place]) => place !== '');
  const args = argumentFacets.flatMap(([place, facets]) => toArgument(place, facets, threshold));
  return [
    [name, { calls, outcomes: toCounts(toolFacets, 'outcome:', threshold), arguments: Object.fromEntries(args) }],
  ];
}

function toArgument(place: string, facets: Facets, threshold: number): [string, object][] {
  const calls = facets.get('calls') ?? 0;
  if (calls < threshold) return [];
  const argument = { calls, classes: toCounts(facets, 'class:', threshold) };
  const hasMembers = [...facets.keys()].some((facet) => facet.startsWith('member:'));
  return [[place, hasMembers ? { ...argument, members: toCounts(facets, 'member:', threshold) } : argument]];
}

function toCounts(facets: Facets, prefix: string, threshold: number): Record<string, number> {
  const counts = sorted(facets).filter(([facet, calls]) => facet.startsWith(prefix) && calls >= threshold);
  return Object.fromEntries(counts.map(([facet, calls]) => [facet.slice(prefix.length), calls]));
}

function getOr<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const existing = map.get(key);
  if (existing !== undefined) return existing;
  const created = make();
  map.set(key, created);
  return created;
}

function sorted<Value>(map: ReadonlyMap<string, Value>): [string, Value][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}

function toDate(day: number): string {
  return new Date(day).toISOString().slice(0, 10);
}
