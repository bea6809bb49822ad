/** Narrows, sorts and cuts the records of a list as the parameters of a request ask, or says which of them it cannot honour. */

import type { SandboxOperation } from '../descriptor/operations.ts';
import { isObject, type JsonObject, valueAt } from '../json.ts';
import type { Series } from './series.ts';
import { findIndex, type Table, toRecords } from './tables.ts';
import { listOf, type Records } from './values.ts';

/** The rule of `world.yaml` about one parameter of lists whose name does not say what it does. */
export interface ParameterRule {
  /** The parameter changes nothing here. */
  readonly ignore?: boolean;
  /** The member that is compared, such as `customer.id`; `test` says how. Default: equal. */
  readonly member?: string;
  readonly test?: Test;
  /** The parameter does not narrow if the record that it names, in this list, has this member. */
  readonly unless?: { readonly list: string; readonly member: string };
  /** Records have this member only with true; `also`: with true too. */
  readonly only?: string;
  readonly also?: string;
  /** The member by which the value sorts: ascending, unless it ends in `desc`. */
  readonly order?: string;
  /** An array of which those items stay whose member `by` the parameter names. */
  readonly select?: string;
  readonly by?: string;
  /** An array that loses the items with these values, if the parameter is true. */
  readonly without?: string;
  readonly where?: JsonObject;
  /** The member that the value, a filter in JSON with operators such as `$in`, is about. */
  readonly json?: string;
  /** The parameter names the columns of rows. */
  readonly columns?: boolean;
  /** The only value there is. */
  readonly is?: string;
}

type Test = 'eq' | 'gt' | 'gte' | 'lt' | 'lte' | 'has';

/** A parameter that this list does not honour. */
interface Unhonoured {
  readonly name: string;
  readonly why: string;
}

interface Asked {
  readonly operation: SandboxOperation;
  /** Decoded values of query and header parameters, by name. */
  readonly values: JsonObject;
  readonly rules: Readonly<Record<string, ParameterRule>>;
  /** Parameters of paging. */
  readonly paging: (name: string) => boolean;
  /** Opens another list with the path of this one. */
  refer(list: string): Records;
}

/** @returns the records that the request asks for, or the first parameter that cannot be honoured. */
export function honour(table: Table, asked: Asked): Records | Unhonoured {
  let { records } = table;
  const { rules, paging, operation } = asked;
  const members = membersOf(table);
  for (const parameter of operation.parameters) {
    const value = asked.values[parameter.name];
    const rule = rules[parameter.name] ?? {};
    const isHere = parameter.in === 'query' || parameter.in === 'header';
    if (!isHere || paging(parameter.name) || rule.ignore === true || rule.columns === true) continue;
    if (value === undefined && rule.only === undefined && rule.also === undefined && rule.select === undefined)
      continue;
    const said =
      isObject(value) && !members.has(parameter.name) ? Object.entries(value) : [[parameter.name, value] as const];
    if ('only' in records) {
      const rows = narrow(records as Series, said);
      if ('why' in rows) return rows;
      records = rows;
      continue;
    }
    for (const [name, one] of said) {
      const next = applyOne(records, { name, value: one, rule: rules[name] ?? rule }, members, asked);
      if ('why' in next) return next;
      records = next;
    }
  }
  return records;
}

function applyOne(
  records: Records,
  { name, value, rule }: { readonly name: string; readonly value: unknown; readonly rule: ParameterRule },
  members: ReadonlySet<string>,
  asked: Asked,
): Records | Unhonoured {
  const filter = (keep: (record: JsonObject) => boolean): Records => toRecords(listOf(records).filter(keep));
  const { only, also, order, select, without, json } = rule;
  const isTrue = String(value) === 'true';
  if (rule.is !== undefined) return String(value) === rule.is ? records : { name, why: `can only be ${rule.is} here` };
  if (only !== undefined) return filter((record) => isTrue === ((record[only] ?? null) !== null));
  if (also !== undefined) return isTrue ? records : filter((record) => (record[also] ?? null) === null);
  if (order !== undefined) return sort(records, order, /desc$/i.test(String(value)));
  const keep = (member: string, passes: (item: JsonObject) => boolean): Records =>
    toRecords(listOf(records).map((record) => keepItems(record, member, passes)));
  if (select !== undefined) return keep(select, (item) => isSelected(item, select, asked));
  if (without !== undefined) return isTrue ? keep(without, (item) => !matches(item, rule.where)) : records;
  if (json !== undefined) {
    try {
      const wanted: unknown = JSON.parse(String(value));
      return filter((record) => matches(record[json], wanted));
    } catch (error) {
      return { name, why: error instanceof RangeError ? error.message : 'is not JSON' };
    }
  }
  const test = rule.member === undefined ? findTest(name, members) : { member: rule.member, test: rule.test ?? 'eq' };
  if (test === null)
    return orderByName(records, name, value, members) ?? { name, why: 'is not honoured by this sandbox' };
  if (rule.unless !== undefined) {
    const { list, member } = rule.unless;
    const others = asked.refer(list);
    const index = findIndex(others, value);
    if (index >= 0 && others.at(index)[member] === true) return records;
  }
  return filter((record) => holds(valueAt(record, test.member), test.test, value));
}

/** Columns that are no filters of the table are refused. A series is narrowed by its key before rows are made. */
function narrow(series: Series, filters: readonly (readonly [string, unknown])[]): Records | Unhonoured {
  const tests: { readonly column: string; readonly test: Test; readonly value: unknown }[] = [];
  let narrowed = series;
  for (const [name, value] of filters) {
    const [, column = '', test = 'eq'] = /^(.*?)(?:\.(gte?|lte?|eq))?$/.exec(name) ?? [];
    const made = series.rule.columns[column];
    if (made === undefined || !series.rule.filters.includes(column)) {
      return { name, why: `is no filter of this table; there are ${series.rule.filters.join(', ')}` };
    }
    if (made.is === 'key' && test === 'eq') narrowed = narrowed.only(String(value).split(','));
    else if (made.is === 'date') narrowed = narrowed.when((day) => holds(day, test as Test, value));
    else tests.push({ column, test: test as Test, value });
  }
  if (tests.length === 0) return narrowed;
  return toRecords(
    listOf(narrowed).filter((row) => tests.every(({ column, test, value }) => holds(row[column], test, value))),
  );
}

/** Names of the members of a list's records, and of the objects in them, with dots. */
function membersOf({ records, resource }: Table): ReadonlySet<string> {
  const first = { length: Math.min(20, records.length), at: (index: number) => records.at(index) };
  const members = [...resource.samples, ...listOf(first)].flatMap((record) => Object.entries(record));
  const inner = members.flatMap(([name, value]) =>
    isObject(value) ? Object.keys(value).map((member) => `${name}.${member}`) : [],
  );
  return new Set([...members.map(([name]) => name), ...inner]);
}

const ENDINGS: readonly (readonly [ending: RegExp, test: Test])[] = [
  [/^(gt|after)$/i, 'gt'],
  [/^(gte|since|from|min)$/i, 'gte'],
  [/^(lt|before)$/i, 'lt'],
  [/^(lte|until|to|max)$/i, 'lte'],
];

/**
 * Returns the test of a parameter, by its name: `status`, `ids`, `list_id` of `list_ids`, `customer_ids`, `created_after`, `price.gte`, `min_price`.
 */
function findTest(name: string, members: ReadonlySet<string>): { readonly member: string; readonly test: Test } | null {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  const find = (wanted: string): string | undefined =>
    [...members].find((member) => plain(member) === plain(wanted)) ??
    [...members].find((member) => plain(member.slice(member.indexOf('.') + 1)) === plain(wanted));
  const same = find(name);
  if (same !== undefined) return { member: same, test: 'eq' };
  const many = find(`${name}s`) ?? find(`${name}es`);
  if (many !== undefined) return { member: many, test: 'has' };
  const one = find(name.replace(/e?s$/, ''));
  if (one !== undefined) return { member: one, test: 'eq' };
  const [, start = '', end = ''] =
    /^(.+?)[._-]?([a-z]+)$/i.exec(name.replace(/^(min|max)_(.+)$/i, '$2_$1').replace(/([a-z])([A-Z])/g, '$1_$2')) ?? [];
  const [, test] = ENDINGS.find(([ending]) => ending.test(end)) ?? [];
  const compared = find(start) ?? find(`${start}_at`);
  if (compared !== undefined && test !== undefined) return { member: compared, test };
  // `customer_ids` of a list of customers.
  return /ids$/i.test(name) && members.has('id') ? { member: 'id', test: 'eq' } : null;
}

/** A parameter such as `sort` or `order_by` whose value names a member: `name`, `-name`, `name_desc`, `name:desc`, `name desc`. */
function orderByName(records: Records, name: string, value: unknown, members: ReadonlySet<string>): Records | null {
  if (!/^(sort|order)([._-]?by)?$/i.test(name)) return null;
  const [, minus = '', member = '', direction = ''] = /^([-+]?)(.+?)(?:[\s:_]+(asc|desc))?$/i.exec(String(value)) ?? [];
  return members.has(member) ? sort(records, member, minus === '-' || /desc/i.test(direction)) : null;
}

function sort(records: Records, member: string, isDown: boolean): Records {
  const sorted = listOf(records).toSorted((a, b) => {
    const [left, right] = [valueAt(a, member), valueAt(b, member)];
    if (left === undefined || left === null) return right === undefined || right === null ? 0 : 1;
    if (right === undefined || right === null) return -1;
    return compare(left, right) * (isDown ? -1 : 1);
  });
  return toRecords(sorted);
}

/** Several wanted values are alternatives; a list holds if one of its items does. */
function holds(own: unknown, test: Test, wanted: unknown): boolean {
  if (Array.isArray(own)) return own.some((item) => holds(item, test === 'has' ? 'eq' : test, wanted));
  if (own === undefined || own === null) return false;
  const values = Array.isArray(wanted) ? wanted : String(wanted).split(',');
  if (test === 'eq' || test === 'has') return values.some((value) => compare(own, value) === 0);
  const order = compare(own, wanted);
  return order === 0 ? test.endsWith('e') : test.startsWith('g') === order > 0;
}

const TIME = /^\d{4}-\d\d-\d\d(T|$)/;

/** Numbers as numbers, times as times, anything else as text. */
function compare(own: unknown, wanted: unknown): number {
  if (typeof own === 'number') {
    const other = TIME.test(String(wanted)) ? Date.parse(String(wanted)) / 1000 : Number(wanted);
    return Number.isNaN(other) ? 1 : own - other;
  }
  const [left, right] = [String(own), String(wanted)];
  if (TIME.test(left) && TIME.test(right)) return Date.parse(left) - Date.parse(right);
  return left === right ? 0 : left < right ? -1 : 1;
}

/** Returns true if a parameter with the same `select` names the item. */
function isSelected(item: JsonObject, member: string, { rules, values }: Asked): boolean {
  return Object.entries(rules).some(([name, { select, by = 'id' }]) => {
    const wanted = [values[name] ?? []].flat().map(String);
    return select === member && wanted.includes(String(item[by]));
  });
}

/** The member may be of the record, or of an object in it. */
function keepItems(record: JsonObject, member: string, keep: (item: JsonObject) => boolean): JsonObject {
  const entries = Object.entries(record).map(([name, value]) => {
    if (isObject(value) && Array.isArray(value[member])) return [name, keepItems(value, member, keep)];
    return [
      name,
      name === member && Array.isArray(value) ? value.filter((item) => isObject(item) && keep(item)) : value,
    ];
  });
  return Object.fromEntries(entries);
}

/** A filter on metadata: `{"a": 1}`, `{"a": {"$in": [1, 2]}}`, `$and`, `$or`. @throws {RangeError} naming an unknown operator. */
export function matches(own: unknown, wanted: unknown): boolean {
  if (!isObject(wanted)) return Array.isArray(own) ? own.includes(wanted) : own === wanted;
  return Object.entries(wanted).every(([name, value]) => {
    if (name === '$and') return (value as unknown[]).every((each) => matches(own, each));
    if (name === '$or') return (value as unknown[]).some((each) => matches(own, each));
    if (!name.startsWith('$')) return matches(isObject(own) ? own[name] : undefined, value);
    const list = [value].flat();
    if (name === '$eq') return matches(own, value);
    if (name === '$ne') return !matches(own, value);
    if (name === '$in') return list.some((each) => matches(own, each));
    if (name === '$nin') return !list.some((each) => matches(own, each));
    const test = name.slice(1) as Test;
    if (!['gt', 'gte', 'lt', 'lte'].includes(test)) throw new RangeError(`has the unknown operator ${name}`);
    return own !== undefined && holds(own, test, value);
  });
}
