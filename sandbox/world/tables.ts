/** The lists of a service as tables of records: made by rules when they are first read, and changed by writes while the process runs. */

import { buildAnswer } from '../answer/build-answer.ts';
import { findArray, type SandboxPageRule } from '../answer/pages.ts';
import type { DescriptorChecks } from '../check/request.ts';
import type { SandboxDescriptor } from '../descriptor/operations.ts';
import { isObject, type JsonObject, readPointer, valueAt } from '../json.ts';
import { companyAt, draw, personAt, skewed } from './people.ts';
import { createSeries, type SeriesRule } from './series.ts';
import {
  evaluate,
  type Kind,
  keyOf,
  kindOf,
  listOf,
  makeMembers,
  makeRecord,
  type Records,
  type Scene,
  type ValueContext,
} from './values.ts';

/** The rule of `world.yaml` about one list. */
export interface ListRule {
  /** Records, times the size of the world; a list has a value for each parent, the last for all others. Default: 1. */
  readonly count?: number | readonly number[];
  /** Records, whatever the size of the world; a text is the name of the parent's member with the number. */
  readonly each?: number | string;
  /** The kind of a record. Default: from the last word of the path. */
  readonly kind?: Kind;
  /** The numbers of the people or companies that the first records are, or belong to. */
  readonly first?: readonly number[];
  /** Rules of members, for the records after the examples. */
  readonly members?: JsonObject;
  /** Rules of members of every record, applied when it is read: they see what was written. */
  readonly always?: JsonObject;
  /** False: the examples are no records. Default: true. */
  readonly examples?: boolean;
  /** Records after the examples. */
  readonly also?: readonly JsonObject[];
  /** Set if the list holds records of another one: those that have these values, or the records of `follow.list` that their `follow.member` names. */
  readonly from?: {
    readonly list: string;
    readonly keep: JsonObject;
    readonly follow?: { readonly member: string; readonly list: string };
  };
  /** Tables of rows, by the values of the path's parameters joined by `/`. */
  readonly series?: Readonly<Record<string, SeriesRule>>;
}

/** One list of the descriptor. */
interface ListResource {
  readonly path: string;
  readonly rule: ListRule;
  readonly kind: Kind;
  readonly samples: readonly JsonObject[];
  /** False: the list has no more records than its example. */
  readonly isPaged: boolean;
}

/** The records of one list under one parent. */
export interface Table {
  readonly resource: ListResource;
  readonly path: JsonObject;
  readonly parent: JsonObject;
  readonly records: Records;
}

export interface TablesOptions {
  /** Number of people, which is also the length of lists, times the factor of their rule. */
  readonly size: number;
  readonly descriptor: SandboxDescriptor;
  readonly checks: DescriptorChecks;
  readonly pages: Readonly<Record<string, SandboxPageRule>>;
  readonly rules: Readonly<Record<string, ListRule>>;
}

const MAX_CHANGED_CHARACTERS = 50_000_000;
/** Records that are kept made; others are made again when they are read. */
const MAX_CACHED_RECORDS = 20_000;

/** The record that a list belongs to, its place among its siblings, and the values of the path's parameters. */
interface Owner {
  readonly record: JsonObject;
  readonly index: number;
  readonly path: JsonObject;
}

export class Tables {
  readonly #lists = new Map<string, ListResource | null>();
  readonly #options: TablesOptions;
  /** Changed records, by table and key. Null for a deleted record. */
  readonly #changes = new Map<string, Map<string, JsonObject | null>>();
  readonly #recordCache = new Map<string, readonly JsonObject[]>();
  readonly #making = new Set<string>();
  /** Paths of the lists that writes changed. */
  readonly changed = new Set<string>();
  #cachedCount = 0;
  #written = 0;

  constructor(options: TablesOptions) {
    this.#options = options;
  }

  /** Returns null if no operation reads such a list. */
  find(path: string): ListResource | null {
    const cachedList = this.#lists.get(path);
    if (cachedList !== undefined) return cachedList;
    const list = findList(path, this.#options);
    this.#lists.set(path, list);
    return list;
  }

  /**
   * Returns null if there is no such list, or its parent does not exist.
   *
   * @param path values of the path's parameters, by name.
   */
  open(list: string, path: JsonObject): Table | null {
    const resource = this.find(list);
    const owner = resource === null ? null : this.#owner(list, path);
    if (resource === null || owner === null) return null;
    const { from, series } = resource.rule;
    const table = (records: Records): Table => ({ resource, path, parent: owner.record, records });
    if (series !== undefined) {
      const names = namesIn(list).map((name) => path[name]);
      const rule = series[names.join('/')];
      return rule === undefined ? null : table(createSeries(rule));
    }
    if (from !== undefined) return table(this.#derive(from, owner));
    return table(this.#withChanges(tableKey(list, path), this.#make(resource, owner)));
  }

  /** Every record of a list, over all parents. */
  all(list: string): readonly JsonObject[] {
    return this.#paths(list).flatMap((path) => listOf(this.open(list, path)?.records));
  }

  /** The record with what its list says of every record, and with other members by rules. */
  show({ resource, path, parent }: Table, record: JsonObject, more: JsonObject = {}): JsonObject {
    const { always = {} } = resource.rule;
    if (Object.keys(always).length + Object.keys(more).length === 0) return record;
    const item = itemParameter(resource.path, this.#options.descriptor);
    const owner = { record: parent, index: 0, path: { ...path, [item]: keyOf(record) } };
    const scene = this.#scene(resource, owner, { index: 0, length: 1 });
    const random: ValueContext['draw'] = (...salt) => draw(String(keyOf(record)), ...salt);
    return { ...record, ...(evaluate({ ...always, ...more }, scene, { record, draw: random }) as JsonObject) };
  }

  /** Writes a record of a table; null deletes it. @returns false: there is no room for more changes. */
  change({ resource, path }: Table, record: JsonObject, next: JsonObject | null): boolean {
    this.#written += JSON.stringify(next).length;
    if (this.#written > MAX_CHANGED_CHARACTERS) return false;
    this.changed.add(resource.path);
    const key = tableKey(resource.path, path);
    const changes = this.#changes.get(key) ?? new Map<string, JsonObject | null>();
    this.#changes.set(key, changes.set(String(keyOf(record)), next));
    return true;
  }

  /** Returns a new record with an id and without content. */
  blank({ resource, path }: Table): JsonObject {
    const [sample = {}] = resource.samples;
    const empty = Object.entries(sample).map(([name, value]) => [name, emptyOf(value)] as const);
    const position = { index: 1_000_000 + this.#written, length: 1 };
    const { id } = makeRecord(resource.samples, {}, this.#scene(resource, { record: {}, index: 0, path }, position));
    const pathMembers = Object.entries(path).filter(([name]) => Object.hasOwn(sample, name));
    return { ...Object.fromEntries(empty), ...Object.fromEntries(pathMembers), ...(id === undefined ? {} : { id }) };
  }

  #make(resource: ListResource, owner: Owner): readonly JsonObject[] {
    const { rule, samples } = resource;
    const { path } = owner;
    const key = tableKey(resource.path, path);
    const cachedRecords = this.#recordCache.get(key);
    if (cachedRecords !== undefined) return cachedRecords;
    // While a list is being made, a record that refers to its own list finds no records.
    if (this.#making.has(key)) return [];
    this.#making.add(key);
    const isFirst = owner.index === 0 && rule.examples !== false;
    const fixedRecords = [...(isFirst ? samples : []), ...(rule.also ?? [])];
    const length = this.#length(resource, owner, fixedRecords.length);
    const rules = Object.entries(rule.members ?? {});
    const hidden = Object.fromEntries(rules.filter(([name]) => name.startsWith('$')));
    const newRecords = Array.from({ length }, (_, index) => {
      const scene = this.#scene(resource, owner, { index, length });
      const fixedRecord = fixedRecords[index];
      const record =
        fixedRecord === undefined
          ? makeRecord(samples, rule.members ?? {}, scene)
          : { ...structuredClone(fixedRecord), ...makeMembers(hidden, fixedRecord, scene) };
      const pathMembers = Object.entries(path).filter(([name]) => Object.hasOwn(record, name));
      return { ...record, ...Object.fromEntries(pathMembers) };
    });
    this.#making.delete(key);
    this.#recordCache.set(key, newRecords);
    this.#cachedCount += newRecords.length;
    for (const [oldest, records] of this.#recordCache) {
      if (this.#cachedCount <= MAX_CACHED_RECORDS || oldest === key) break;
      this.#recordCache.delete(oldest);
      this.#cachedCount -= records.length;
    }
    return newRecords;
  }

  #length({ rule, isPaged }: ListResource, owner: Owner, fixedCount: number): number {
    if (typeof rule.each === 'string') return Number(owner.record[rule.each] ?? 0);
    if (rule.each !== undefined) return rule.each;
    if (!isPaged) return fixedCount;
    const counts = [rule.count ?? 1].flat();
    return Math.max(fixedCount, Math.round(this.#options.size * (counts[owner.index] ?? counts.at(-1) ?? 1)));
  }

  #withChanges(key: string, base: readonly JsonObject[]): Records {
    const changes = this.#changes.get(key);
    if (changes === undefined) return toRecords(base);
    const baseKeys = new Set(base.map((record) => String(keyOf(record))));
    const remaining = base.map((record) => {
      const changed = changes.get(String(keyOf(record)));
      return changed === undefined ? record : changed;
    });
    const added = [...changes].map(([id, record]) => (baseKeys.has(id) ? null : record));
    return toRecords([...remaining, ...added].filter((record) => record !== null));
  }

  #derive({ list, keep, follow }: NonNullable<ListRule['from']>, owner: Owner): Records {
    const names: JsonObject = { parent: owner.record, path: owner.path };
    const conditions = Object.entries(keep).map(([member, value]) => {
      const path = /^\{([\w.]+)\}$/.exec(String(value))?.[1];
      return [member, String(path === undefined ? value : valueAt(names, path))] as const;
    });
    const matchingRecords = this.all(list).filter((record) =>
      conditions.every(([member, value]) => String(valueAt(record, member)) === value),
    );
    if (follow === undefined) return toRecords(matchingRecords);
    const keys = new Set(matchingRecords.map((record) => record[follow.member]));
    return toRecords(this.all(follow.list).filter((record) => keys.has(keyOf(record))));
  }

  /** Returns null if the list's parent does not exist. */
  #owner(list: string, path: JsonObject): Owner | null {
    const parentList = this.#parentList(list);
    if (parentList === null) return { record: {}, index: 0, path };
    const { records } = this.open(parentList.list, path) ?? {};
    const index = records === undefined ? -1 : findIndex(records, path[parentList.parameter]);
    return records === undefined || index < 0 ? null : { record: records.at(index), index, path };
  }

  /** The path parameters of every parent of a list. */
  #paths(list: string): readonly JsonObject[] {
    const parentList = this.#parentList(list);
    if (parentList === null) return [{}];
    return this.#paths(parentList.list).flatMap((path) =>
      listOf(this.open(parentList.list, path)?.records).map((record) => ({
        ...path,
        [parentList.parameter]: keyOf(record),
      })),
    );
  }

  /** Returns the list of the records that a list belongs to, and the parameter of their keys, or null. */
  #parentList(list: string): { readonly list: string; readonly parameter: string } | null {
    const [, parentPath = '', parameter = ''] = /^(.+)\/\{([^{}]+)\}\/[^{}]+$/.exec(list) ?? [];
    return parentPath !== '' && this.find(parentPath) !== null ? { list: parentPath, parameter } : null;
  }

  #scene(resource: ListResource, owner: Owner, position: { readonly index: number; readonly length: number }): Scene {
    const { path, kind, rule, samples } = resource;
    const { size } = this.#options;
    const parentList = this.#parentList(path);
    const parentResource = parentList === null ? null : this.find(parentList.list);
    const seed = owner.index === 0 ? path : `${path} ${owner.index}`;
    // Records that a rule names after the examples are not people of the world.
    const ruleNumber = rule.first?.[position.index];
    const number = position.index - (position.index < samples.length ? 0 : (rule.also?.length ?? 0));
    const scene = {
      ...position,
      seed,
      kind,
      parentIndex: owner.index,
      parent: owner.record,
      refer: (list: string) => this.#refer(list, owner.path),
      listNamedBy: (member: string) => this.#named(member, owner.path),
    };
    if (kind === 'company')
      return { ...scene, company: companyAt(ruleNumber ?? number), person: personAt(number, size) };
    if (kind !== 'person' && parentResource?.kind === 'company') {
      const { person, company } = this.#scene(
        parentResource,
        { ...owner, index: 0 },
        { index: owner.index, length: 1 },
      );
      return { ...scene, person, company };
    }
    const shared = owner.index * Math.round(size * 0.3);
    const person = personAt(
      ruleNumber ?? (kind === 'person' ? number + shared : skewed(size, seed, position.index)),
      size,
    );
    return { ...scene, person, company: person.company };
  }

  /** The records of a list: under the same parent if it has one. */
  #refer(list: string, path: JsonObject): Records {
    const isHere = namesIn(list).every((name) => Object.hasOwn(path, name));
    return isHere ? (this.open(list, path)?.records ?? toRecords([])) : toRecords(this.all(list));
  }

  /** The list that a member such as `brand_id`, `ownerIds` or `list_ids` names: the shortest path whose last word is that. */
  #named(member: string, path: JsonObject): Records | undefined {
    const word = member.replace(/_?ids?$/i, '').toLowerCase();
    if (!/^\w+$/.test(word)) return undefined;
    const ending = new RegExp(`/${word}(s|es)?$`, 'i');
    const paths = this.#options.descriptor.operations
      .map((operation) => operation.path)
      .filter((each) => ending.test(each));
    const list = paths.sort((a, b) => a.length - b.length).find((each) => this.find(each) !== null);
    return list === undefined ? undefined : this.#refer(list, path);
  }
}

/** The path parameter that names a record of a list. */
function itemParameter(list: string, { operations }: SandboxDescriptor): string {
  const rest = operations.map(({ path }) => (path.startsWith(`${list}/{`) ? path.slice(list.length + 2) : ''));
  return rest.find((text) => text !== '')?.split('}')[0] ?? '';
}

function namesIn(list: string): string[] {
  return [...list.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name);
}

function tableKey(list: string, path: JsonObject): string {
  return JSON.stringify([list, ...namesIn(list).map((name) => String(path[name]))]);
}

export function toRecords(records: readonly JsonObject[]): Records {
  return { length: records.length, at: (index) => records[index] ?? {} };
}

/** The place of the record that a path or parameter names: by its key, or by another text of it, such as its address; -1: none. */
export function findIndex(records: Records, key: unknown): number {
  const find = (passes: (record: JsonObject) => boolean): number => {
    for (let index = 0; index < records.length; index += 1) if (passes(records.at(index))) return index;
    return -1;
  };
  const index = find((record) => String(keyOf(record)) === String(key));
  if (index >= 0 || typeof key !== 'string') return index;
  return find((record) => Object.values(record).includes(key));
}

/** Texts stay: a member may be an enum or a time. */
function emptyOf(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  if (typeof value === 'number') return 0;
  return typeof value === 'boolean' ? false : structuredClone(value);
}

/** The list that a path reads, with the records of its example. */
function findList(path: string, { descriptor, checks, pages, rules }: TablesOptions): ListResource | null {
  const operation = descriptor.operations.find((candidate) => candidate.method === 'GET' && candidate.path === path);
  if (operation === undefined || path.endsWith('}')) return null;
  const { body } = buildAnswer(operation, descriptor, checks);
  const page = pages[`GET ${path}`];
  const pointer = page?.records ?? findArray(body);
  const examples = pointer === null ? undefined : readPointer(body, pointer);
  const rule = rules[path] ?? {};
  const samples = Array.isArray(examples) ? examples.filter(isObject) : [];
  if (!Array.isArray(examples) || (samples.length === 0 && rule.series === undefined)) return null;
  return { path, rule, kind: rule.kind ?? kindOf(path), samples, isPaged: page !== undefined };
}
