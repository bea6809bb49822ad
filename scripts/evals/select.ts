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
const TESTS: Readonly<Record<string, (actual: never, expected: never) => boolean>> = {
  contains: (actual: unknown, expected: string) => String(actual).includes(expected),
  starts: (actual: unknown, expected: string) => String(actual).startsWith(expected),
  ends: (actual: unknown, expected: string) => String(actual).endsWith(expected),
  ne: (actual: unknown, expected: unknown) => actual !== expected,
  in: (actual: unknown, expected: readonly unknown[]) => expected.includes(actual),
  gt: (actual: number | null, expected: number) => actual !== null && actual > expected,
  gte: (actual: number | null, expected: number) => actual !== null && actual >= expected,
  lt: (actual: number | null, expected: number) => actual !== null && actual < expected,
  lte: (actual: number | null, expected: number) => actual !== null && actual <= expected,
};

export const TEST_NAMES = Object.keys(TESTS);

/** @returns the records, or what the query takes of them: sorted values, a number, or pairs of a group and its number. */
export function select(records: readonly unknown[], query: Query): unknown {
  const { where = {}, take, count, by, max, min, sum, average } = query;
  const matches = records.filter((record) => Object.entries(where).every((each) => holds(record, ...each)));
  const [measure] = Object.entries({ max, min, sum, average }).filter(([, path]) => path !== undefined);
  if (measure !== undefined && by !== undefined) {
    const [group = '', length = '99'] = by.split(' ');
    const groups = Map.groupBy(matches, (record) => String(valuesAt(record, group)[0]).slice(0, Number(length)));
    return [...groups].map(([name, groupRecords]) => [name, measureOf(groupRecords, ...measure)]).sort();
  }
  if (measure !== undefined) return measureOf(matches, ...measure);
  if (count === true) return matches.length;
  if (take === undefined) return matches;
  const values = matches
    .flatMap((record) => valuesAt(record, take))
    .map((value) => [JSON.stringify(value), value] as const);
  return [...new Map(values)].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
}

/** Returns the values at a path. Names are joined by dots and lead through arrays, of which `fields[name=Stage]` takes the items with that member. */
function valuesAt(value: unknown, path: string): unknown[] {
  let values: unknown[] = [value];
  for (const step of path.match(/[^.[\]]+(\[[^\]]+\])?/g) ?? []) {
    const [, name = '', key, expected] = /^([^[]+)(?:\[(\w+)=(.+)\])?$/.exec(step) ?? [];
    const members = values.flat().flatMap((item) => (item as Record<string, unknown> | null | undefined)?.[name]);
    values = members.filter((item) => item !== undefined);
    if (key !== undefined) values = values.filter((item) => (item as Record<string, unknown>)[key] === expected);
  }
  return values;
}

function holds(record: unknown, path: string, condition: unknown): boolean {
  const values = valuesAt(record, path);
  if (typeof condition !== 'object' || condition === null)
    return values.includes(condition) || (values.length === 0 && condition === null);
  const tests = Object.entries(condition);
  return values.some((actual) =>
    tests.every(([test, expected]) => TESTS[test]?.(actual as never, expected as never) === true),
  );
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
