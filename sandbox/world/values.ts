/** Makes the members of a record: by the rules of its service, and where those are silent by a member's name and its value in the example. */

import { isObject, type JsonObject, valueAt } from '../json.ts';
import { type Company, draw, type Person } from './people.ts';

/** The facts that a record is created from. */
export interface Scene {
  /** Names the list and its parent. */
  readonly seed: string;
  readonly index: number;
  /** Records of the list. */
  readonly length: number;
  /** Index of the list's parent among its siblings, or 0 for a list without one. */
  readonly parentIndex: number;
  readonly person: Person;
  readonly company: Company;
  /** The kind of thing that the record is. */
  readonly kind: Kind;
  readonly parent: JsonObject;
  /** The records of another list, by the path of the list. */
  refer(path: string): Records;
  /** Returns the list whose records a member such as `brand_id` names, or undefined. */
  listNamedBy(member: string): Records | undefined;
}

/** A list of records, which may be made when they are read. */
export interface Records {
  readonly length: number;
  at(index: number): JsonObject;
}

export function listOf(records: Records | undefined): readonly JsonObject[] {
  return Array.from({ length: records?.length ?? 0 }, (_, index) => (records as Records).at(index));
}

export type Kind = 'person' | 'company' | 'deal' | 'document' | 'thing';

/** Returns the kind of the records of a list, by the last word of its path. */
export function kindOf(path: string): Kind {
  const word = (/([a-z]+)[^a-z]*$/i.exec(path)?.[1] ?? '').toLowerCase();
  if (/^(persons?|people|contacts?|users?|members?|subscribers?|leads?|employees|attendees)$/.test(word))
    return 'person';
  if (/^(compan(y|ies)|customers?|organi[sz]ations?|accounts?|vendors?|suppliers?|clients?)$/.test(word))
    return 'company';
  if (/^(deals?|opportunit(y|ies))$/.test(word)) return 'deal';
  return /^(documents?|docs|files?|pages|notes?|articles?)$/.test(word) ? 'document' : 'thing';
}

/** Returns the value by which other records name a record: its `id`, or its first member. */
export function keyOf(record: JsonObject): unknown {
  return record.id ?? Object.values(record)[0];
}

type Draw = (...salt: readonly (string | number)[]) => number;

/**
 * The forms of a rule, each an object with the key of the form. A text may contain `{person.email}`, `{company.name}`, `{parent.id}`,
 * `{record.type}` and `{number}`; other values stay as they are, and members whose value is undefined are left out.
 */
const FORMS: Readonly<Record<string, (rule: JsonObject, scene: Scene, at: ValueContext) => unknown>> = {
  pick: ({ pick, turn }, scene, at) => {
    const values = pick as unknown[];
    const choice = turn === true ? scene.index % values.length : Math.floor(at.draw() * values.length);
    return evaluate(values[choice], scene, at);
  },
  number: ({ number }, _, { draw: random }) => {
    const [low = 0, high = 0] = number as number[];
    return low + Math.floor(random() * (high - low + 1));
  },
  chance: ({ chance }, _, { draw: random }) => random() < Number(chance),
  maybe: ({ maybe, value }, scene, at) => (at.draw('maybe') < Number(maybe) ? evaluate(value, scene, at) : undefined),
  time: ({ time }, scene, at) => `${new Date(timeIn(time, scene, at)).toISOString().slice(0, 19)}Z`,
  day: ({ day }, scene, at) => new Date(timeIn(day, scene, at)).toISOString().slice(0, 10),
  unix: ({ unix }, scene, at) => Math.floor(timeIn(unix, scene, at) / 1000),
  month: ({ month, plus = 0 }, { index }) => {
    const first = new Date(String(month));
    return new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + index + Number(plus), 1)).toISOString();
  },
  last: ({ last, others }, scene, at) =>
    scene.index === scene.length - 1 ? (last ?? undefined) : evaluate(others, scene, at),
  case: (rule, scene, at) => evaluate(rule[String(evaluate(rule.case, scene, at))], scene, at),
  some: ({ some, chance }, { refer }, { draw: random }) => {
    const keys = listOf(refer(String(some))).map(keyOf);
    return keys.filter((key) => random(String(key)) < Number(chance));
  },
  either: ({ either }, scene, at) =>
    (either as unknown[]).map((rule) => evaluate(rule, scene, at)).find((value) => value !== undefined),
  size: ({ size, having, unless }, { refer }, { record }) => {
    const all = listOf(refer(String(size)));
    if (having === undefined || record[String(unless)] === true) return all.length;
    return all.filter((other) => [other[String(having)]].flat().includes(keyOf(record))).length;
  },
  record: ({ record: list, with: more = {} }, scene, at) => {
    const records = scene.refer(String(evaluate(list, scene, at)));
    const record = structuredClone(records.at(scene.index % records.length));
    return visible({ ...record, ...(evaluate(more, scene, { ...at, record }) as JsonObject) });
  },
  link: ({ link, where, is, show }, scene, at) => {
    const all = scene.refer(String(link));
    const expected = evaluate(is, scene, at);
    const linkedRecord =
      listOf(all).find((record) => record[String(where)] === expected) ?? chooseFrom(all, at.draw('link'));
    return Object.fromEntries((show as string[]).map((name) => [name, linkedRecord[name]]));
  },
  joined: ({ joined, member }, { refer }) =>
    listOf(refer(String(joined)))
      .map((record) => String(record[String(member)]))
      .join('\n\n'),
};

/** Members whose names begin with `$` are for rules only. */
export function visible(record: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !name.startsWith('$')));
}

/** The position of a value in a record. */
export interface ValueContext {
  /** The record as far as it is made. */
  readonly record: JsonObject;
  readonly draw: Draw;
}

export function evaluate(rule: unknown, scene: Scene, at: ValueContext): unknown {
  const inner = (value: unknown, name: string | number): unknown =>
    evaluate(value, scene, { ...at, draw: (...salt) => at.draw(name, ...salt) });
  if (typeof rule === 'string') return fill(rule, scene, at.record);
  if (Array.isArray(rule)) return rule.map(inner).filter((value) => value !== undefined);
  if (!isObject(rule)) return rule;
  const [first = ''] = Object.keys(rule);
  const form = Object.hasOwn(FORMS, first) ? FORMS[first] : undefined;
  if (form !== undefined) return form(rule, scene, at);
  const members = Object.entries(rule).map(([name, value]) => [name, inner(value, name)] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

/** A text that is one placeholder becomes its value, of whatever type. */
function fill(text: string, { person, company, parent, index }: Scene, record: JsonObject): unknown {
  if (!text.includes('{')) return text;
  const names: JsonObject = { person, company, parent, record, index, number: index + 1 };
  const [, placeholder, length] = /^\{([\w.$]+)(?::(\d+))?\}$/.exec(text) ?? [];
  if (placeholder !== undefined && length !== undefined)
    return Number(String(valueAt(names, placeholder)).slice(0, Number(length)));
  return placeholder === undefined
    ? text.replaceAll(/\{([\w.$]+)\}/g, (_, path) => String(valueAt(names, path)))
    : valueAt(names, placeholder);
}

/** A time between two, in milliseconds since 1970: along the list from the first to the second, or anywhere if the third is `anywhere`. */
function timeIn(rule: unknown, { index, length }: Scene, { draw: random }: ValueContext): number {
  const [from, to, mode] = rule as string[];
  const [first, last] = [Date.parse(String(from)), Date.parse(String(to))];
  const share = mode === 'anywhere' ? random() : (index + random() * 0.9) / Math.max(1, length);
  return first + share * (last - first);
}

function chooseFrom(records: Records, share: number): JsonObject {
  return records.length === 0 ? {} : records.at(Math.floor(share * records.length));
}

/** The record at an index of a list, after the example at `sample`. */
export function makeRecord(samples: readonly JsonObject[], rules: JsonObject, scene: Scene): JsonObject {
  const sample = samples[scene.index % samples.length] ?? {};
  const record = vary(sample, sample, samples, scene) as JsonObject;
  const ruleMembers = makeMembers(rules, record, scene);
  return Object.fromEntries(Object.entries({ ...record, ...ruleMembers }).filter(([, value]) => value !== undefined));
}

/** Creates members by their rules, in order: each sees those before it. A member is left out if its rule gives undefined. */
export function makeMembers(rules: JsonObject, before: JsonObject, scene: Scene): JsonObject {
  const { seed, index } = scene;
  const members: JsonObject = {};
  for (const [name, rule] of Object.entries(rules)) {
    const random: Draw = (...salt) => draw(seed, index, name, ...salt);
    members[name] = evaluate(rule, scene, { record: { ...before, ...members }, draw: random });
  }
  return members;
}

/** The value of an example in another record: names, addresses, ids, times and numbers become those of the record; other values stay. */
function vary(
  value: unknown,
  container: JsonObject,
  samples: readonly JsonObject[],
  scene: Scene,
  path: readonly string[] = [],
): unknown {
  if (Array.isArray(value)) return value.map((item, at) => vary(item, {}, samples, scene, [...path, String(at)]));
  if (isObject(value)) {
    const members = Object.entries(value).map(([name, inner]) => [
      name,
      vary(inner, value, samples, scene, [...path, name]),
    ]);
    return Object.fromEntries(members);
  }
  const { index, seed } = scene;
  const name = [...path].reverse().find((each) => !/^\d+$/.test(each)) ?? '';
  const random = draw(seed, index, ...path);
  if (name === 'id' && path.length === 1) return toId(value, samples, scene);
  const referred = /_?ids?$/i.test(name) ? scene.listNamedBy(name) : undefined;
  if (referred !== undefined) return keyOf(chooseFrom(referred, random));
  if (typeof value === 'number') return path.length === 1 ? varyNumber(value, name, random) : value;
  if (typeof value !== 'string') return value;
  return varyText(
    value,
    typeof container.name === 'string' && container.name !== value ? container.name : name,
    scene,
    random,
  );
}

/** Times in seconds or milliseconds since 1970 move by days; small numbers stay. */
function varyNumber(value: number, name: string, random: number): number {
  if (/creat|updat|time|date|_at$|At$/.test(name))
    return Math.round(value - random * 400 * 86_400 * (value > 1e11 ? 1000 : 1));
  const varied = value * (0.25 + 1.5 * random);
  return Number.isInteger(value) ? Math.round(varied) : Math.round(varied * 100) / 100;
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

function varyText(value: string, name: string, { person, company, kind, index, seed }: Scene, random: number): string {
  const plain = name.toLowerCase().replaceAll(/[^a-z]/g, '');
  if (UUID.test(value)) return toUuid(seed, index, name);
  if (/^\d{4}-\d\d-\d\dT/.test(value)) return new Date(Date.parse(value) - (index + random) * 21_600_000).toISOString();
  if (/^\d{4}-\d\d-\d\d$/.test(value))
    return new Date(Date.parse(value) - index * 86_400_000).toISOString().slice(0, 10);
  if (/^\S+@\S+\.\S+$/.test(value)) return kind === 'company' ? `billing@${company.domain}` : person.email;
  if (/^(first|given)name$/.test(plain)) return person.first;
  if (/^(last|family|sur)name$/.test(plain)) return person.last;
  if (/^(domain|website|homepage)s?$/.test(plain)) return value.replace(/[\w.-]+\.[a-z]+/, company.domain);
  if (/^(company|organization|customer|account)(name)?$/.test(plain)) return company.name;
  if (!/^(name|title|fullname|displayname|subject)$/.test(plain)) return value;
  if (kind === 'person') return person.name;
  if (kind === 'company') return company.name;
  return kind === 'thing' ? `${value} ${index + 1}` : `${company.name} ${value}`;
}

/** Returns an id in the form of the examples' ids: a UUID, a number that continues their steps, or a text with a number. */
function toId(value: unknown, samples: readonly JsonObject[], { index, seed, parentIndex }: Scene): unknown {
  if (typeof value === 'number') {
    const ids = samples.map(({ id }) => Number(id));
    const [last = 0, before = last - 1] = [ids.at(-1), ids.at(-2)];
    return last + Math.max(1, last - before) * (index - samples.length + 1) + parentIndex * 1_000_000;
  }
  const text = String(value);
  return UUID.test(text) ? toUuid(seed, index, 'id') : `${text}-${index}`;
}

function toUuid(...parts: readonly (string | number)[]): string {
  const hex = Array.from({ length: 4 }, (_, at) =>
    Math.floor(draw(...parts, at) * 2 ** 32)
      .toString(16)
      .padStart(8, '0'),
  );
  const text = hex.join('');
  return [text.slice(0, 8), text.slice(8, 12), `4${text.slice(13, 16)}`, `8${text.slice(17, 20)}`, text.slice(20)].join(
    '-',
  );
}
