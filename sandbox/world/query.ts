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
  /** The value true keeps the records with this member, false those without. `also`: records with it are left out unless the value is true. */
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
interface UnsupportedParameter {
  readonly name: string;
  readonly why: string;
}

interface ListRequest {
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
export function applyParameters(table: Table, request: ListRequest): Records | UnsupportedParameter {
  let { records } = table;
  const { rules, paging, operation } = request;
  const members = membersOf(table);
  for (const parameter of operation.parameters) {
    const value = request.values[parameter.name];
    const rule = rules[parameter.name] ?? {};
    const isQueryOrHeader = parameter.in === 'query' || parameter.in === 'header';
    if (!isQueryOrHeader || paging(parameter.name) || rule.ignore === true || rule.columns === true) continue;
    if (value === undefined && rule.only === undefined && rule.also === undefined && rule.select === undefined)
      continue;
    const filters =
      isObject(value) && !members.has(parameter.name) ? Object.entries(value) : [[parameter.name, value] as const];
    if ('only' in records) {
      const rows = narrow(records as Series, filters);
      if ('why' in rows) return rows;
      records = rows;
      continue;
    }
    for (const [name, filterValue] of filters) {
      const next = applyParameter(records, { name, value: filterValue, rule: rules[name] ?? rule }, members, request);
      if ('why' in next) return next;
      records = next;
    }
  }
  return records;
}

function applyParameter(
  records: Records,
  { name, value, rule }: { readonly name: string; readonly value: unknown; readonly rule: ParameterRule },
  members: ReadonlySet<string>,
  request: ListRequest,
): Records | UnsupportedParameter {
  const filter = (passes: (record: JsonObject) => boolean): Records => toRecords(listOf(records).filter(passes));
  const { only, also, order, select, without, json } = rule;
  const isTrue = String(value) === 'true';
  if (rule.is !== undefined) return String(value) === rule.is ? records : { name, why: `can only be ${rule.is} here` };
  if (only !== undefined) return filter((record) => isTrue === ((record[only] ?? null) !== null));
  if (also !== undefined) return isTrue ? records : filter((record) => (record[also] ?? null) === null);
  if (order !== undefined) return sort(records, order, /desc$/i.test(String(value)));
  const filterItems = (member: string, passes: (item: JsonObject) => boolean): Records =>
    toRecords(listOf(records).map((record) => keepItems(record, member, passes)));
  if (select !== undefined) return filterItems(select, (item) => isSelected(item, select, request));
  if (without !== undefined) return isTrue ? filterItems(without, (item) => !matches(item, rule.where)) : records;
  if (json !== undefined) {
    try {
      const condition: unknown = JSON.parse(String(value));
      return filter((record) => matches(record[json], condition));
    } catch (error) {
      return { name, why: error instanceof RangeError ? error.message : 'is not JSON' };
    }
  }
  const test = rule.member === undefined ? findTest(name, members) : { member: rule.member, test: rule.test ?? 'eq' };
  if (test === null)
    return orderByName(records, name, value, members) ?? { name, why: 'is not honoured by this sandbox' };
  if (rule.unless !== undefined) {
    const { list, member } = rule.unless;
    const otherRecords = request.refer(list);
    const index = findIndex(otherRecords, value);
    if (index >= 0 && otherRecords.at(index)[member] === true) return records;
  }
  return filter((record) => holds(valueAt(record, test.member), test.test, value));
}

/** Columns that are no filters of the table are refused. A series is narrowed by its key before rows are made. */
function narrow(series: Series, filters: readonly (readonly [string, unknown])[]): Records | UnsupportedParameter {
  const tests: { readonly column: string; readonly test: Test; readonly value: unknown }[] = [];
  let narrowed = series;
  for (const [name, value] of filters) {
    const [, column = '', test = 'eq'] = /^(.*?)(?:\.(gte?|lte?|eq))?$/.exec(name) ?? [];
    const columnRule = series.rule.columns[column];
    if (columnRule === undefined || !series.rule.filters.includes(column)) {
      return { name, why: `is no filter of this table; there are ${series.rule.filters.join(', ')}` };
    }
    if (columnRule.is === 'key' && test === 'eq') narrowed = narrowed.only(String(value).split(','));
    else if (columnRule.is === 'date') narrowed = narrowed.when((day) => holds(day, test as Test, value));
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
  const normalize = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  const find = (memberName: string): string | undefined =>
    [...members].find((member) => normalize(member) === normalize(memberName)) ??
    [...members].find((member) => normalize(member.slice(member.indexOf('.') + 1)) === normalize(memberName));
  const exactMember = find(name);
  if (exactMember !== undefined) return { member: exactMember, test: 'eq' };
  const pluralMember = find(`${name}s`) ?? find(`${name}es`);
  if (pluralMember !== undefined) return { member: pluralMember, test: 'has' };
  const singularMember = find(name.replace(/e?s$/, ''));
  if (singularMember !== undefined) return { member: singularMember, test: 'eq' };
  const [, start = '', end = ''] =
    /^(.+?)[._-]?([a-z]+)$/i.exec(name.replace(/^(min|max)_(.+)$/i, '$2_$1').replace(/([a-z])([A-Z])/g, '$1_$2')) ?? [];
  const [, test] = ENDINGS.find(([ending]) => ending.test(end)) ?? [];
  const comparedMember = find(start) ?? find(`${start}_at`);
  if (comparedMember !== undefined && test !== undefined) return { member: comparedMember, test };
  // `customer_ids` of a list of customers.
  return /ids$/i.test(name) && members.has('id') ? { member: 'id', test: 'eq' } : null;
}

/** A parameter such as `sort` or `order_by` whose value names a member: `name`, `-name`, `name_desc`, `name:desc`, `name desc`. */
function orderByName(records: Records, name: string, value: unknown, members: ReadonlySet<string>): Records | null {
  if (!/^(sort|order)([._-]?by)?$/i.test(name)) return null;
  const [, minus = '', member = '', direction = ''] = /^([-+]?)(.+?)(?:[\s:_]+(asc|desc))?$/i.exec(String(value)) ?? [];
  return members.has(member) ? sort(records, member, minus === '-' || /desc/i.test(direction)) : null;
}

function sort(records: Records, member: string, isDescending: boolean): Records {
  const sorted = listOf(records).toSorted((a, b) => {
    const [left, right] = [valueAt(a, member), valueAt(b, member)];
    if (left === undefined || left === null) return right === undefined || right === null ? 0 : 1;
    if (right === undefined || right === null) return -1;
    return compare(left, right) * (isDescending ? -1 : 1);
  });
  return toRecords(sorted);
}

/** Several wanted values are alternatives; a list holds if one of its items does. */
function holds(actual: unknown, test: Test, expected: unknown): boolean {
  if (Array.isArray(actual)) return actual.some((item) => holds(item, test === 'has' ? 'eq' : test, expected));
  if (actual === undefined || actual === null) return false;
  const values = Array.isArray(expected) ? expected : String(expected).split(',');
  if (test === 'eq' || test === 'has') return values.some((value) => compare(actual, value) === 0);
  const order = compare(actual, expected);
  return order === 0 ? test.endsWith('e') : test.startsWith('g') === order > 0;
}

const TIME = /^\d{4}-\d\d-\d\d(T|$)/;

/** Numbers as numbers, times as times, anything else as text. */
function compare(actual: unknown, expected: unknown): number {
  if (typeof actual === 'number') {
    const expectedNumber = TIME.test(String(expected)) ? Date.parse(String(expected)) / 1000 : Number(expected);
    return Number.isNaN(expectedNumber) ? 1 : actual - expectedNumber;
  }
  const [left, right] = [String(actual), String(expected)];
  if (TIME.test(left) && TIME.test(right)) return Date.parse(left) - Date.parse(right);
  return left === right ? 0 : left < right ? -1 : 1;
}

/** Returns true if a parameter with the same `select` names the item. */
function isSelected(item: JsonObject, member: string, { rules, values }: ListRequest): boolean {
  return Object.entries(rules).some(([name, { select, by = 'id' }]) => {
    const selectedValues = [values[name] ?? []].flat().map(String);
    return select === member && selectedValues.includes(String(item[by]));
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
export function matches(actual: unknown, expected: unknown): boolean {
  if (!isObject(expected)) return Array.isArray(actual) ? actual.includes(expected) : actual === expected;
  return Object.entries(expected).every(([name, value]) => {
    if (name === '$and') return (value as unknown[]).every((each) => matches(actual, each));
    if (name === '$or') return (value as unknown[]).some((each) => matches(actual, each));
    if (!name.startsWith('$')) return matches(isObject(actual) ? actual[name] : undefined, value);
    const list = [value].flat();
    if (name === '$eq') return matches(actual, value);
    if (name === '$ne') return !matches(actual, value);
    if (name === '$in') return list.some((each) => matches(actual, each));
    if (name === '$nin') return !list.some((each) => matches(actual, each));
    const test = name.slice(1) as Test;
    if (!['gt', 'gte', 'lt', 'lte'].includes(test)) throw new RangeError(`has the unknown operator ${name}`);
    return actual !== undefined && holds(actual, test, value);
  });
}
