/** One coherent world for a service: it answers what a list, a record, or a part of one is asked, and keeps what is written. */

import { findErrorExample } from '../answer/build-answer.ts';
import { findArray, LIMIT_NAME, type Listed, type SandboxPageRule } from '../answer/pages.ts';
import type { DescriptorChecks } from '../check/request.ts';
import type { SandboxDescriptor, SandboxOperation } from '../descriptor/operations.ts';
import { isObject, type JsonObject, writePointer } from '../json.ts';
import { honour, type ParameterRule } from './query.ts';
import { type SearchRule, search } from './search.ts';
import type { Series, SeriesRule } from './series.ts';
import { findIndex, type ListRule, type Table, Tables, toRecords } from './tables.ts';
import { keyOf, type Records, visible } from './values.ts';

/** `world.yaml` of a service: what its records are where the names of their members do not say it. All parts are optional. */
export interface WorldRules {
  /** By the path of the list. */
  readonly lists?: Readonly<Record<string, ListRule>>;
  /** By the name of the parameter. */
  readonly parameters?: Readonly<Record<string, ParameterRule>>;
  /** Members of one record alone, or of a part of it, by path. */
  readonly items?: Readonly<Record<string, JsonObject>>;
  /** Operations that describe a table of rows: the path of its list, by path. */
  readonly descriptions?: Readonly<Record<string, string>>;
  /** Operations that search, by path. */
  readonly searches?: Readonly<Record<string, SearchRule>>;
}

interface WorldOptions {
  /** How many people there are; lists are as long, or by the factor of their rule. */
  readonly size: number;
  readonly descriptor: SandboxDescriptor;
  readonly checks: DescriptorChecks;
  readonly pages: Readonly<Record<string, SandboxPageRule>>;
  readonly rules: WorldRules;
  readonly now: () => number;
}

/** A checked request. */
interface Asked {
  readonly operation: SandboxOperation;
  readonly path: JsonObject;
  readonly query: JsonObject;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** The example that would be the answer. */
  readonly example: unknown;
}

export interface WorldRefusal {
  readonly refused: 400 | 404 | 507;
  readonly message: string;
  /** The parameter that cannot be honoured; absent: it is about the record. */
  readonly parameter?: string;
  readonly where?: 'query' | 'header';
}

type WorldAnswer = { readonly body: unknown; readonly status?: number; readonly records?: Listed } | WorldRefusal;

export interface World {
  /** Null: the operation is about nothing that the world has. `records`: the list that the answer is a page of. */
  answer(asked: Asked): WorldAnswer | null;
  /** Every record of a list, by its path in the descriptor, over all parents: what a test compares an answer with. */
  records(list: string): readonly JsonObject[];
  /** The rows of a table, such as `/datatables/{vendorCode}/{tableCode}.json` with its parameters; empty if there is none. */
  rows(list: string, path: JsonObject): Records;
}

const FULL: WorldAnswer = { refused: 507, message: 'The sandbox keeps no more changes. Start it again.' };
const MISSING: WorldAnswer = { refused: 404, message: 'Nothing has this id.' };

export function createWorld({ rules, now, ...options }: WorldOptions): World {
  let opened: Tables | undefined;
  const open = (): Tables => {
    opened ??= new Tables({ ...options, rules: rules.lists ?? {} });
    return opened;
  };
  const isList = (path: string): boolean => open().find(path) !== null;
  return {
    records: (list) => open().all(list).map(visible),
    rows: (list, path) => open().open(list, path)?.records ?? { length: 0, at: () => ({}) },

    answer(asked) {
      const { method, path } = asked.operation;
      const wanted = rules.searches?.[path];
      if (wanted !== undefined) return search(open(), wanted, asked);
      const described = rules.descriptions?.[path];
      if (described !== undefined) return describe(asked, described);
      if (method === 'GET' && isList(path)) return readList(asked, path);
      if (method === 'POST' && isList(path)) return create(asked);
      const [, list = '', parameter = '', part = null] = /^(.+)\/\{([^{}/]+)\}(?:\/([^{}/]+))?$/.exec(path) ?? [];
      if (isList(list)) return answerItem(asked, { list, parameter, part });
      return method === 'POST' ? create(asked) : null;
    },
  };

  function describe({ path, example }: Asked, list: string): WorldAnswer {
    const series = open().open(list, path)?.resource.rule.series?.[Object.values(path).join('/')];
    const [holder] = Object.keys(isObject(example) ? example : {});
    if (series === undefined || holder === undefined) return MISSING;
    return { body: { [holder]: { ...series.about, columns: columnsOf(series), filters: series.filters } } };
  }

  /** The records of a table that a request asks for, or why it is refused. */
  function honourAll(table: Table, asked: Asked): Records | WorldRefusal {
    const { operation, path, query, headers } = asked;
    const ofHeaders = operation.parameters.filter(({ in: place }) => place === 'header').map(({ name }) => name);
    const sent = ofHeaders
      .map((name) => [name, headers[name.toLowerCase()]] as const)
      .filter(([, value]) => value !== undefined);
    const records = honour(table, {
      ...{ operation, values: { ...query, ...Object.fromEntries(sent) }, rules: rules.parameters ?? {} },
      paging: (name) => isPaging(table.resource.path, name),
      refer: (other) => open().open(other, path)?.records ?? { length: 0, at: () => ({}) },
    });
    if (!('why' in records)) return records;
    const { name: parameter, why: message } = records;
    return { refused: 400, message, parameter, where: ofHeaders.includes(parameter) ? 'header' : 'query' };
  }

  function isPaging(list: string, name: string): boolean {
    const { cursorParameter } = options.pages[`GET ${list}`] ?? {};
    return name === cursorParameter || LIMIT_NAME.test(name) || rules.parameters?.[name]?.columns === true;
  }

  function readList(asked: Asked, list: string): WorldAnswer {
    const table = open().open(list, asked.path);
    if (table === null) return MISSING;
    const page = options.pages[`GET ${list}`];
    const records = honourAll(table, asked);
    if ('refused' in records) return records;
    const { series } = table.resource.rule;
    if (series !== undefined) return toRows(asked, table.records as Series, { records, pointer: page?.records ?? '' });
    const shown = { length: records.length, at: (index: number) => visible(open().show(table, records.at(index))) };
    if (page !== undefined) return { body: asked.example, records: shown };
    const body = structuredClone(asked.example);
    writePointer(
      { body },
      `/body${findArray(body)}`,
      Array.from({ length: shown.length }, (_, index) => shown.at(index)),
    );
    return { body };
  }

  /** Rows as arrays of cells, next to the columns that were asked for. */
  function toRows(
    { query, example }: Asked,
    { rule }: Series,
    { records, pointer }: { readonly records: Records; readonly pointer: string },
  ): WorldAnswer {
    const [parameter = ''] = Object.entries(rules.parameters ?? {}).find(([, { columns }]) => columns === true) ?? [];
    const names = query[parameter] === undefined ? Object.keys(rule.columns) : [query[parameter]].flat().map(String);
    const unknown = names.find((name) => !Object.hasOwn(rule.columns, name));
    if (unknown !== undefined)
      return { refused: 400, message: `names the unknown column ${unknown}`, parameter, where: 'query' };
    const body = structuredClone(example);
    const columns = names.flatMap((name) => columnsOf(rule).filter((column) => column.name === name));
    writePointer(body, pointer.replace(/[^/]+$/, 'columns'), columns);
    const rows = { length: records.length, at: (index: number) => names.map((name) => records.at(index)[name]) };
    return { body, records: rows };
  }

  function answerItem(
    asked: Asked,
    named: { readonly list: string; readonly parameter: string; readonly part: string | null },
  ): WorldAnswer | null {
    const { method, path: pattern } = asked.operation;
    const { list, parameter, part } = named;
    const table = open().open(list, asked.path);
    const index = table === null ? -1 : findIndex(table.records, asked.path[parameter]);
    if (table === null || index < 0) return MISSING;
    const record = table.records.at(index);
    if (method === 'GET') {
      const found = honourAll({ ...table, records: toRecords([record]) }, asked);
      if ('refused' in found) return found;
      if (found.length === 0) return MISSING;
      const shown = open().show(table, found.at(0), rules.items?.[pattern]);
      return { body: fill(asked.example, visible(shown)) };
    }
    if (part !== null && !isObject(record[part])) return null;
    const changed = method === 'DELETE' && part === null ? null : changeRecord(record, asked, part);
    if (!open().change(table, record, changed)) return FULL;
    if (isLater(asked)) return { status: 202, body: findErrorExample(asked.operation, 202)?.body ?? asked.example };
    return {
      body: fill(
        asked.example,
        visible(open().show(table, changed ?? record, rules.items?.[pattern.replace(/\/[^{}/]+$/, '')])),
      ),
    };
  }

  /** Null: the path leads to no list. A path such as `/contacts/upsert` changes the record with the same address, name or external id. */
  function create(asked: Asked): WorldAnswer | null {
    const { path } = asked.operation;
    const list = isList(path) ? path : path.slice(0, path.lastIndexOf('/'));
    if (!isList(list) || !isObject(asked.body)) return null;
    const table = open().open(list, asked.path);
    if (table === null) return MISSING;
    const body = asked.body;
    const same = ['email', 'external_id', 'externalId', 'name'].find((name) => typeof body[name] === 'string');
    const index = /upsert$/i.test(path) && same !== undefined ? findIndex(table.records, body[same]) : -1;
    const before =
      index < 0
        ? stamp({ ...open().blank(table), ...ownOf(asked.example, table) }, /creat|updat/)
        : table.records.at(index);
    const record = changeRecord(before, asked, null);
    if (!open().change(table, record, record)) return FULL;
    return { body: fill(asked.example, visible(open().show(table, record))) };
  }

  function changeRecord(
    record: JsonObject,
    { operation, query, body, example }: Asked,
    part: string | null,
  ): JsonObject {
    const said = isObject(body) ? body : {};
    const inner = part !== null && isObject(record[part]) ? record[part] : null;
    if (part !== null && inner !== null) {
      const values = isObject(said[part]) ? said[part] : said;
      const next = Object.entries({ ...inner, ...values }).filter(
        ([, value]) => operation.method !== 'PATCH' || value !== null,
      );
      return stamp({ ...record, [part]: Object.fromEntries(next) }, /updat/);
    }
    const next: JsonObject = { ...record };
    for (const [name, value] of Object.entries(said))
      setMember(next, name, value, { op: query[`${name}_op`], example });
    return stamp(next, /updat/);
  }

  function stamp(record: JsonObject, names: RegExp): JsonObject {
    const entries = Object.entries(record).map(([name, value]) => {
      if (!names.test(name) || value === null) return [name, value];
      return [name, typeof value === 'number' ? Math.floor(now() / 1000) : new Date(now()).toISOString()];
    });
    return Object.fromEntries(entries);
  }
}

/** A member that the list does not have goes into the object that has it in the example; otherwise it is kept, but not shown. */
function setMember(
  record: JsonObject,
  name: string,
  value: unknown,
  { op, example }: { readonly op: unknown; readonly example: unknown },
): void {
  const shown = isObject(example) ? example : {};
  if (Object.hasOwn(record, name) || Object.hasOwn(shown, name)) record[name] = applyOp(record[name], value, op);
  else {
    const holder = Object.keys(record).find(
      (key) => isObject(record[key]) && isObject(shown[key]) && Object.hasOwn(shown[key], name),
    );
    if (holder !== undefined) record[holder] = { ...(record[holder] as JsonObject), [name]: value };
    else record[`$${name}`] = value;
  }
}

/** How an array is changed: `add` and `remove` tell items apart by their `name`, or else by their value. */
function applyOp(before: unknown, value: unknown, op: unknown): unknown {
  if (!Array.isArray(before) || !Array.isArray(value) || (op !== 'add' && op !== 'remove')) return value;
  const keyOfItem = (item: unknown): unknown => (isObject(item) ? item.name : item);
  const named = new Set(value.map(keyOfItem));
  const others = before.filter((item) => !named.has(keyOfItem(item)));
  return op === 'add' ? [...others, ...value] : others;
}

/** The members of a new record that the answer to its creation shows by example, such as its first status. */
function ownOf(example: unknown, { resource }: Table): JsonObject {
  const known = new Set(resource.samples.flatMap((sample) => Object.keys(sample)));
  const entries = Object.entries(isObject(example) ? example : {}).filter(([name]) => known.has(name) && name !== 'id');
  return Object.fromEntries(entries.filter(([name, value]) => !isObject(value) || name === 'limits'));
}

/** The example with the record's members: in itself, or in the object of it that has members of the same names. */
function fill(example: unknown, record: JsonObject): unknown {
  if (!isObject(example)) return example;
  const holder = Object.keys(example).find(
    (name) => isObject(example[name]) && !Object.hasOwn(record, name) && Object.hasOwn(example[name], 'id'),
  );
  if (holder !== undefined && !Object.hasOwn(example, 'id'))
    return { ...example, [holder]: { ...(example[holder] as JsonObject), ...record } };
  const isWhole = Object.keys(record).filter((name) => Object.hasOwn(example, name)).length > 1;
  const shared = Object.entries(record).filter(([name]) => isWhole || Object.hasOwn(example, name));
  const key = Object.keys(example).find((name) => name.endsWith('_id') && !Object.hasOwn(record, name));
  return {
    ...example,
    ...(key === undefined || isWhole ? {} : { [key]: keyOf(record) }),
    ...Object.fromEntries(shared),
  };
}

function isLater({ operation, query, body }: Asked): boolean {
  const wants = query.async === true || query.async === 'true' || (isObject(body) && body.async === true);
  return wants && operation.responses.some(({ status }) => status === '202');
}

function columnsOf({ columns }: SeriesRule): readonly { readonly name: string; readonly type: string }[] {
  return Object.entries(columns).map(([name, { type }]) => ({ name, type }));
}
