/** Asks records one question, with code that shares nothing with the gateway's `where` and `aggregate`: it judges them. */

/** Conditions by path, all of which hold: a value that the member has, or tests of it. */
type Where = Readonly<Record<string, unknown>>;

/** A question about records, with at most one of `take` and the five measures. By default the answer is the records themselves. */
export interface Query {
  readonly where?: Where | undefined;
  /** The path whose different values are the answer. */
  readonly take?: string | undefined;
  readonly count?: boolean | undefined;
  readonly max?: string | undefined;
  readonly min?: string | undefined;
  readonly sum?: string | undefined;
  readonly average?: string | undefined;
  /** With a measure but `count`: one for each value of this path, cut to as many characters, such as `date 4`. */
  readonly by?: string | undefined;
}

/** Numbers, or texts that are ordered like what they say, such as dates. */
const TESTS: Readonly<Record<string, (own: never, wanted: never) => boolean>> = {
  contains: (own: unknown, wanted: string) => String(own).includes(wanted),
  starts: (own: unknown, wanted: string) => String(own).startsWith(wanted),
  ends: (own: unknown, wanted: string) => String(own).endsWith(wanted),
  ne: (own: unknown, wanted: unknown) => own !== wanted,
  in: (own: unknown, wanted: readonly unknown[]) => wanted.includes(own),
  gt: (own: number | null, wanted: number) => own !== null && own > wanted,
  gte: (own: number | null, wanted: number) => own !== null && own >= wanted,
  lt: (own: number | null, wanted: number) => own !== null && own < wanted,
  lte: (own: number | null, wanted: number) => own !== null && own <= wanted,
};

export const TEST_NAMES = Object.keys(TESTS);

/** @returns the records, or what the query takes of them: sorted values, a number, or pairs of a group and its number. */
export function select(records: readonly unknown[], query: Query): unknown {
  const { where = {}, take, count, by, max, min, sum, average } = query;
  const found = records.filter((record) => Object.entries(where).every((each) => holds(record, ...each)));
  const [measure] = Object.entries({ max, min, sum, average }).filter(([, path]) => path !== undefined);
  if (measure !== undefined && by !== undefined) {
    const [group = '', length = '99'] = by.split(' ');
    const groups = Map.groupBy(found, (record) => String(valuesAt(record, group)[0]).slice(0, Number(length)));
    return [...groups].map(([name, own]) => [name, measureOf(own, ...measure)]).sort();
  }
  if (measure !== undefined) return measureOf(found, ...measure);
  if (count === true) return found.length;
  if (take === undefined) return found;
  const values = found
    .flatMap((record) => valuesAt(record, take))
    .map((value) => [JSON.stringify(value), value] as const);
  return [...new Map(values)].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
}

/** Returns the values at a path. Names are joined by dots and lead through arrays, of which `fields[name=Stage]` takes the items with that member. */
function valuesAt(value: unknown, path: string): unknown[] {
  let values: unknown[] = [value];
  for (const step of path.match(/[^.[\]]+(\[[^\]]+\])?/g) ?? []) {
    const [, name = '', key, wanted] = /^([^[]+)(?:\[(\w+)=(.+)\])?$/.exec(step) ?? [];
    const found = values.flat().flatMap((one) => (one as Record<string, unknown> | null | undefined)?.[name]);
    values = found.filter((one) => one !== undefined);
    if (key !== undefined) values = values.filter((one) => (one as Record<string, unknown>)[key] === wanted);
  }
  return values;
}

function holds(record: unknown, path: string, condition: unknown): boolean {
  const values = valuesAt(record, path);
  if (typeof condition !== 'object' || condition === null)
    return values.includes(condition) || (values.length === 0 && condition === null);
  const tests = Object.entries(condition);
  return values.some((own) => tests.every(([test, wanted]) => TESTS[test]?.(own as never, wanted as never) === true));
}

function measureOf(records: readonly unknown[], name: string, path: unknown): unknown {
  const values = records
    .flatMap((record) => valuesAt(record, String(path)))
    .filter((value) => value !== null) as number[];
  const sum = values.reduce((total, value) => total + value, 0);
  if (name === 'sum') return Math.round(sum * 100) / 100;
  if (name === 'average') return Math.round((sum / values.length) * 100) / 100;
  return values.toSorted((a, b) => (a < b ? -1 : 1)).at(name === 'max' ? -1 : 0) ?? null;
}
