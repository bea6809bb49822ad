/** One coherent world for a service: it answers what a list, a record, or a part of one is asked, and keeps what is written. */

import { findErrorExample } from '../answer/build-answer.ts';
import { findArray, LIMIT_NAME, type RecordList } from '../answer/pages.ts';
import type { Violation } from '../check/body.ts';
import type { DecodedRequest } from '../check/credential.ts';
import type { SandboxOperation } from '../descriptor/operations.ts';
import { isObject, type JsonObject, writePointer } from '../json.ts';
import type { WebhookRules } from '../webhooks.ts';
import { applyParameters, type ParameterRule } from './query.ts';
import { type SearchRule, search } from './search.ts';
import type { Series, SeriesRule } from './series.ts';
import { findIndex, type ListRule, type Table, Tables, type TablesOptions, toRecords } from './tables.ts';
import { keyOf, type Records, visible } from './values.ts';
import { changePart, changeRecord, startRecord } from './writes.ts';

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
  /** The receivers of its writes. Default: none. */
  readonly webhooks?: WebhookRules;
}

interface WorldOptions extends Omit<TablesOptions, 'rules'> {
  readonly rules: WorldRules;
  readonly now: () => number;
  /** Called with a record that was added, changed or removed. */
  readonly onWrite?: (operationId: string, record: JsonObject) => void;
}

/** A checked request. */
interface WorldRequest extends DecodedRequest {
  readonly operation: SandboxOperation;
  /** The example that would be the answer. */
  readonly example: unknown;
}

/** A refusal of a request. Without violations no parameter is wrong, but the record does not allow it. */
export interface WorldRefusal {
  readonly status: 400 | 404 | 507;
  readonly message: string;
  readonly violations?: readonly Violation[];
}

/** `records`: the list that the answer is a page of. */
type WorldAnswer = { readonly body: unknown; readonly status?: number; readonly records?: RecordList } | WorldRefusal;

const FULL: WorldAnswer = { status: 507, message: 'The sandbox keeps no more changes. Start it again.' };
const MISSING: WorldAnswer = { status: 404, message: 'Nothing has this id.' };

export class World {
  readonly #options: WorldOptions;
  readonly #tables: Tables;

  constructor(options: WorldOptions) {
    this.#options = options;
    this.#tables = new Tables({ ...options, rules: options.rules.lists ?? {} });
  }

  /** Every record of a list, by its path in the descriptor, over all parents: what a test compares an answer with. */
  records(list: string): readonly JsonObject[] {
    return this.#tables.all(list).map(visible);
  }

  /** The lists that writes changed since the start, by their paths in the descriptor. */
  get changed(): ReadonlySet<string> {
    return this.#tables.changed;
  }

  /** The rows of a table, by its path and the parameters of that; empty if there is none. */
  rows(list: string, path: JsonObject): Records {
    return this.#tables.open(list, path)?.records ?? toRecords([]);
  }

  /** Returns null if the operation is about nothing that the world has. */
  answer(request: WorldRequest): WorldAnswer | null {
    const { method, path } = request.operation;
    const { searches, descriptions } = this.#options.rules;
    if (searches?.[path] !== undefined) return search(this.#tables, searches[path], request);
    if (descriptions?.[path] !== undefined) return this.#describe(request, descriptions[path]);
    if (method === 'GET' && this.#isList(path)) return this.#readList(request, path);
    const [, list = '', parameter = '', part = ''] = /^(.+)\/\{([^{}/]+)\}(?:\/([^{}/]+))?$/.exec(path) ?? [];
    if (method === 'POST' && (this.#isList(path) || !this.#isList(list))) return this.#create(request);
    if (!this.#isList(list)) return null;
    const table = this.#tables.open(list, request.path);
    const index = table === null ? -1 : findIndex(table.records, request.path[parameter]);
    if (table === null || index < 0) return MISSING;
    const recordTable = { ...table, records: toRecords([table.records.at(index)]) };
    return method === 'GET' ? this.#readOne(request, recordTable) : this.#write(request, recordTable, part);
  }

  #isList(path: string): boolean {
    return this.#tables.find(path) !== null;
  }

  #describe({ path, example }: WorldRequest, list: string): WorldAnswer {
    const series = this.#tables.find(list)?.rule.series?.[Object.values(path).join('/')];
    const [holder] = Object.keys(isObject(example) ? example : {});
    if (series === undefined || holder === undefined) return MISSING;
    return { body: { [holder]: { ...series.about, columns: columnsOf(series), filters: series.filters } } };
  }

  /** The records of a table that a request asks for, or why it is refused. */
  #applyParameters(table: Table, { operation, path, query, headers }: WorldRequest): Records | WorldRefusal {
    const { pages, rules } = this.#options;
    const { cursorParameter } = pages[`GET ${table.resource.path}`] ?? {};
    const sentHeaders = operation.parameters.filter(
      ({ in: place, name }) => place === 'header' && headers[name.toLowerCase()],
    );
    const values = {
      ...query,
      ...Object.fromEntries(sentHeaders.map(({ name }) => [name, headers[name.toLowerCase()]])),
    };
    const records = applyParameters(table, {
      operation,
      values,
      rules: rules.parameters ?? {},
      paging: (name) => name === cursorParameter || LIMIT_NAME.test(name),
      refer: (list) => this.rows(list, path),
    });
    return 'why' in records
      ? refuse(
          records.name,
          records.why,
          sentHeaders.some(({ name }) => name === records.name),
        )
      : records;
  }

  #readList(request: WorldRequest, list: string): WorldAnswer {
    const table = this.#tables.open(list, request.path);
    if (table === null) return MISSING;
    const records = this.#applyParameters(table, request);
    if ('message' in records) return records;
    const page = this.#options.pages[`GET ${list}`];
    if (table.resource.rule.series !== undefined) return this.#toRows(request, (table.records as Series).rule, records);
    const visibleRecords = { length: records.length, at: (index: number) => this.#show(table, records.at(index)) };
    if (page !== undefined) return { body: request.example, records: visibleRecords };
    const holder = structuredClone({ body: request.example });
    writePointer(
      holder,
      `/body${findArray(request.example)}`,
      Array.from({ length: visibleRecords.length }, (_, at) => visibleRecords.at(at)),
    );
    return holder;
  }

  /** Rows as arrays of cells, next to the columns that were asked for. */
  #toRows({ operation, query, example }: WorldRequest, rule: SeriesRule, records: Records): WorldAnswer {
    const { pages, rules } = this.#options;
    const [parameter = ''] = Object.keys(rules.parameters ?? {}).filter((name) => rules.parameters?.[name]?.columns);
    const names = query[parameter] === undefined ? Object.keys(rule.columns) : [query[parameter]].flat().map(String);
    const unknown = names.find((name) => !Object.hasOwn(rule.columns, name));
    if (unknown !== undefined) return refuse(parameter, `names the unknown column ${unknown}`);
    const body = structuredClone(example);
    const columns = names.flatMap((name) => columnsOf(rule).filter((column) => column.name === name));
    writePointer(body, String(pages[`GET ${operation.path}`]?.records).replace(/[^/]+$/, 'columns'), columns);
    return { body, records: { length: records.length, at: (index) => names.map((name) => records.at(index)[name]) } };
  }

  #readOne(request: WorldRequest, table: Table): WorldAnswer {
    const records = this.#applyParameters(table, request);
    if ('message' in records) return records;
    return records.length === 0 ? MISSING : { body: fill(request.example, this.#show(table, records.at(0), request)) };
  }

  /** Returns null if the path names a part that the record does not have. */
  #write(request: WorldRequest, table: Table, part: string): WorldAnswer | null {
    const { method } = request.operation;
    const record = table.records.at(0);
    if (part !== '' && !isObject(record[part])) return null;
    const write = { ...request, now: this.#options.now() };
    const updatedRecord = method === 'DELETE' ? null : changeRecord(record, write);
    const changed = part === '' ? updatedRecord : changePart(record, part, write, method === 'PATCH');
    if (!this.#tables.change(table, record, changed)) return FULL;
    this.#options.onWrite?.(request.operation.id, changed ?? record);
    if (isLater(request))
      return { status: 202, body: findErrorExample(request.operation, 202)?.body ?? request.example };
    return { body: fill(request.example, this.#show(table, changed ?? record)) };
  }

  /** Returns null if the path leads to no list. A path such as `/contacts/upsert` changes the record with the same address, name or external id. */
  #create(request: WorldRequest): WorldAnswer | null {
    const { path } = request.operation;
    const list = this.#isList(path) ? path : path.slice(0, path.lastIndexOf('/'));
    const { body } = request;
    if (!this.#isList(list) || !isObject(body)) return null;
    const table = this.#tables.open(list, request.path);
    if (table === null) return MISSING;
    const write = { ...request, now: this.#options.now() };
    const identityMember =
      ['email', 'external_id', 'externalId', 'name'].find((name) => typeof body[name] === 'string') ?? '';
    const index = /upsert$/i.test(path) && identityMember !== '' ? findIndex(table.records, body[identityMember]) : -1;
    const before = index < 0 ? startRecord(this.#tables.blank(table), write) : table.records.at(index);
    const record = changeRecord(before, write);
    if (!this.#tables.change(table, record, record)) return FULL;
    this.#options.onWrite?.(request.operation.id, record);
    return { body: fill(request.example, this.#show(table, record)) };
  }

  #show(table: Table, record: JsonObject, request?: WorldRequest): JsonObject {
    return visible(this.#tables.show(table, record, this.#options.rules.items?.[request?.operation.path ?? '']));
  }
}

function refuse(name: string, message: string, isHeader = false): WorldRefusal {
  const violation: Violation = { in: isHeader ? 'header' : 'query', name, message };
  return { status: 400, message: 'The sandbox cannot do that.', violations: [violation] };
}

/** The example with the record's members: in itself, or in the object of it that has an id. */
function fill(example: unknown, record: JsonObject): unknown {
  if (!isObject(example)) return example;
  const holder = Object.keys(example).find((name) => isObject(example[name]) && Object.hasOwn(example[name], 'id'));
  if (holder !== undefined && !Object.hasOwn(record, holder)) {
    return { ...example, [holder]: { ...(example[holder] as JsonObject), ...record } };
  }
  const shared = Object.entries(record).filter(([name]) => Object.hasOwn(example, name));
  if (shared.length > 1) return { ...example, ...record };
  // A part of the record: a member such as `document_id` names it.
  const key = Object.keys(example).find((name) => name.endsWith('_id') && !Object.hasOwn(record, name));
  return { ...example, ...(key === undefined ? {} : { [key]: keyOf(record) }), ...Object.fromEntries(shared) };
}

function isLater({ operation, query, body }: WorldRequest): boolean {
  const wantsAsync = String(query.async) === 'true' || (isObject(body) && body.async === true);
  return wantsAsync && operation.responses.some(({ status }) => status === '202');
}

function columnsOf({ columns }: SeriesRule): readonly { readonly name: string; readonly type: string }[] {
  return Object.entries(columns).map(([name, { type }]) => ({ name, type }));
}
