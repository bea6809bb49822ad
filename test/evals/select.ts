/** Asks records one question, in the same way of the world and of what a model has read. */

/** A value that a member has, or tests of it. */
type Condition =
  | string
  | number
  | boolean
  | null
  | Readonly<Partial<Record<'gt' | 'gte' | 'lt' | 'lte' | 'contains' | 'starts' | 'ends' | 'ne' | 'in', unknown>>>;

export interface Query {
  /** Conditions by path, all of which hold. */
  readonly where?: Readonly<Record<string, Condition>>;
  /** The path whose different values are the answer. */
  readonly take?: string;
  readonly count?: boolean;
  readonly max?: string;
  readonly min?: string;
  readonly sum?: string;
  readonly average?: string;
  /** With `max`, `sum` or `average`: one for each value of this path, cut to as many characters, such as `date 4`. */
  readonly by?: string;
}

/**
 * The values at a path. Names are joined by dots and lead through arrays, of which `fields[name=Stage]` takes the items with that member.
 */
function valuesAt(value: unknown, path: string): unknown[] {
  const steps = path.match(/[^.[\]]+(\[[^\]]+\])?/g) ?? [];
  return steps.reduce<unknown[]>(
    (values, step) => {
      const [, name = '', key, wanted] = /^([^[]+)(?:\[(\w+)=(.+)\])?$/.exec(step) ?? [];
      const found = values.flat().map((one) => (one as Record<string, unknown> | null | undefined)?.[name]);
      const known = found.flat().filter((one) => one !== undefined);
      return key === undefined ? known : known.filter((one) => (one as Record<string, unknown>)[key] === wanted);
    },
    [value],
  );
}

function holds(own: unknown, condition: Condition): boolean {
  if (typeof condition !== 'object' || condition === null) return own === condition;
  const text = String(own);
  const comparable = own as number;
  return Object.entries(condition).every(([test, wanted]) => {
    if (test === 'contains') return text.includes(String(wanted));
    if (test === 'starts') return text.startsWith(String(wanted));
    if (test === 'ends') return text.endsWith(String(wanted));
    if (test === 'ne') return own !== wanted;
    if (test === 'in') return (wanted as unknown[]).includes(own);
    if (own === null) return false;
    if (test === 'gt') return comparable > (wanted as number);
    if (test === 'gte') return comparable >= (wanted as number);
    return test === 'lt' ? comparable < (wanted as number) : comparable <= (wanted as number);
  });
}

/** @returns the records, or what the query takes of them: sorted values, a number, or numbers by group. */
export function select(records: readonly unknown[], query: Query): unknown {
  const { where = {}, take, count, by } = query;
  const found = records.filter((record) =>
    Object.entries(where).every(([path, condition]) => {
      const values = valuesAt(record, path);
      return values.some((value) => holds(value, condition)) || (values.length === 0 && condition === null);
    }),
  );
  const measure = (['max', 'min', 'sum', 'average'] as const).find((name) => query[name] !== undefined);
  if (measure !== undefined) {
    const path = query[measure] ?? '';
    if (by === undefined) return measureOf(measure, found, path);
    const [group = '', length = '99'] = by.split(' ');
    const groups = Map.groupBy(found, (record) => String(valuesAt(record, group)[0]).slice(0, Number(length)));
    return [...groups].map(([name, own]) => [name, measureOf(measure, own, path)]).sort();
  }
  if (count === true) return found.length;
  if (take === undefined) return found;
  return [...new Map(found.flatMap((record) => valuesAt(record, take)).map((value) => [JSON.stringify(value), value]))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, value]) => value);
}

function measureOf(name: 'max' | 'min' | 'sum' | 'average', records: readonly unknown[], path: string): unknown {
  const values = records.flatMap((record) => valuesAt(record, path)).filter((value) => value !== null) as number[];
  const sum = values.reduce((total, value) => total + value, 0);
  if (name === 'sum') return Math.round(sum * 100) / 100;
  if (name === 'average') return Math.round((sum / values.length) * 100) / 100;
  return values.toSorted((a, b) => (a < b ? -1 : 1)).at(name === 'max' ? -1 : 0) ?? null;
}

/** The items of an answer: the groups or figures of an aggregate, those of its first list, or the answer itself if it has none. */
export function itemsIn(answer: unknown): readonly unknown[] {
  const { aggregate } = answer as { readonly aggregate?: { readonly groups?: readonly unknown[] } };
  if (aggregate !== undefined) return aggregate.groups ?? [aggregate];
  const members = Object.entries(answer as object).filter(([name]) => name !== 'page' && name !== 'pagination');
  const inner = members.flatMap(([, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [],
  );
  const lists = [...members, ...inner].filter(
    ([name, value]) =>
      Array.isArray(value) && /^(data|documents|chunks|scored_chunks|partitions|connections)$/.test(name),
  );
  if (lists[0] !== undefined) return lists[0][1] as readonly unknown[];
  const whole = members.length === 1 ? members[0]?.[1] : undefined;
  return [typeof whole === 'object' && whole !== null ? whole : answer];
}
