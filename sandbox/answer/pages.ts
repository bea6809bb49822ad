/** Pages through a list the way the upstream does, over a fixed number of sample records. */

import type { PageRule } from '../../server/contract/index.ts';
import type { SandboxOperation } from '../descriptor/operations.ts';
import { isObject, type JsonObject, readPointer, writePointer } from '../json.ts';

interface PageRuleBase {
  /** Wire name of the query parameter that takes the cursor, offset or page number. */
  readonly cursorParameter: string;
  /** Pointer to the records, or null for the first array of the answer. */
  readonly records: string | null;
}

/** The next cursor is in the body of the answer. */
interface SandboxCursor extends PageRuleBase {
  readonly kind?: never;
  /** RFC 6901 pointer to the next cursor in the answer. */
  readonly next: string;
  /** The query parameter that holds the cursor in the URL at `next`, or null if the value at `next` is the cursor itself. */
  readonly queryParameter: string | null;
  /** Pointer to a boolean that is false on the last page, or null. */
  readonly more: string | null;
}

type OtherKind<Rule> = Rule extends { readonly kind: string }
  ? Omit<Rule, 'argument' | 'size' | 'items'> & PageRuleBase
  : never;

/** The paging of one operation: where requests carry the cursor, and where answers hold the next one. */
export type SandboxPageRule = SandboxCursor | OtherKind<PageRule>;

/** The number of records in every list of the sandbox. */
const LIST_LENGTH = 25;
const DEFAULT_PAGE_SIZE = 10;
const PAGE_NAME = /page/i;
export const LIMIT_NAME = /(^|[._-])(limit|page_?size|per_?page)$/i;

/** A list of records, or of rows of cells. */
export interface RecordList {
  readonly length: number;
  at(index: number): unknown;
}

type Page =
  | { readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  | { readonly wrong: string; readonly parameter: string };

/**
 * One page of the list whose first records are in `body`.
 *
 * @param query the request's decoded query
 * @param url the request's absolute URL, for upstreams that answer with the URL of the next page
 */
export function buildPage(
  body: unknown,
  rule: SandboxPageRule,
  request: {
    readonly operation: SandboxOperation;
    readonly query: JsonObject;
    readonly url: URL;
    /** The whole list. By default it continues in the way in which the records in `body` begin. */
    readonly records?: RecordList | undefined;
  },
  isValid: (candidate: unknown) => boolean,
): Page {
  const pointer = rule.records ?? findArray(body);
  const samples = pointer === null ? undefined : readPointer(body, pointer);
  if (pointer === null || !Array.isArray(samples) || (samples.length === 0 && request.records === undefined))
    return { body };
  const size = pageSizeOf(request.operation, request.query, request.records !== undefined);
  const list = request.records ?? listRecords(samples);
  const { length } = list;
  const positions = createPositions(rule, request.operation, { size, length, recordAt: (index) => list.at(index) });
  const cursor = request.query[rule.cursorParameter];
  const start = cursor === undefined || cursor === '' ? 0 : positions.read(cursor);
  if (start === null) {
    return { wrong: 'is not a cursor that this sandbox gave out', parameter: rule.cursorParameter };
  }
  const end = Math.min(start + size, length);
  const page = structuredClone(body);
  const records = Array.from({ length: Math.max(0, end - start) }, (_, index) => list.at(start + index));
  const answer = pointer === '' ? records : page;
  const writer = new PageWriter(answer, isValid);
  if (pointer !== '')
    writer.write(pointer, records, request.records === undefined ? [samples.slice(0, records.length)] : []);
  const next = end >= length ? undefined : positions.write(end);
  return { body: answer, ...writeNext(writer, rule, { next, size, length, url: request.url }) };
}

interface NextPage {
  /** Undefined on the last page. */
  readonly next: unknown;
  readonly size: number;
  /** Records of the whole list. */
  readonly length: number;
  readonly url: URL;
}

/** Writes into the answer how its list continues. @returns headers, where the rule puts the next page there */
function writeNext(
  writer: PageWriter,
  rule: SandboxPageRule,
  { next, size, length, url }: NextPage,
): { readonly headers?: Readonly<Record<string, string>> } {
  const { page } = writer;
  const isLast = next === undefined;
  const more = 'more' in rule ? (rule.more ?? null) : null;
  if (more !== null) writePointer(page, more, !isLast);
  if (rule.kind === 'header') return isLast ? {} : { headers: { [rule.header]: String(next) } };
  if ('first' in rule) {
    writer.writeTotals(rule.total ?? '/total', length);
    if (rule.total !== undefined) writePointer(page, rule.total, length);
    if (rule.pages !== undefined) writePointer(page, rule.pages, Math.ceil(length / size));
    return {};
  }
  if (rule.kind === 'last') return {};
  if (rule.next === undefined) {
    return isLast ? {} : { headers: { link: `<${toUrl(next, rule.cursorParameter, url)}>; rel="next"` } };
  }
  writer.writeTotals(rule.next, length);
  if (isLast && more === null) writer.write(rule.next, null, [undefined, '']);
  else {
    const parameter = rule.kind === 'link' ? rule.cursorParameter : rule.queryParameter;
    const value = parameter === null ? next : toUrl(next, parameter, url);
    writer.write(rule.next, value ?? `offset-${LIST_LENGTH}`, value === undefined ? [] : [String(value)]);
  }
  return {};
}

function toUrl(next: unknown, parameter: string, url: URL): string {
  const nextUrl = new URL(url);
  nextUrl.searchParams.set(parameter, String(next ?? `offset-${LIST_LENGTH}`));
  return nextUrl.href;
}

/** The requested size; otherwise the descriptor's default: of a list of examples at most 10, so that it has more than one page. */
function pageSizeOf(operation: SandboxOperation, query: JsonObject, isLong: boolean): number {
  const parameter = operation.parameters.find(
    ({ in: parameterIn, name }) => parameterIn === 'query' && LIMIT_NAME.test(name),
  );
  const requestedSize = Number(parameter === undefined ? undefined : query[parameter.name]);
  if (Number.isInteger(requestedSize) && requestedSize > 0) return requestedSize;
  const defaultSize = Number(parameter?.schema.default);
  return Number.isInteger(defaultSize) && defaultSize > 0
    ? Math.min(defaultSize, isLong ? defaultSize : DEFAULT_PAGE_SIZE)
    : DEFAULT_PAGE_SIZE;
}

/** Returns the pointer to the first array of an answer, or null if it has none. */
export function findArray(body: unknown): string | null {
  if (Array.isArray(body)) return '';
  if (!isObject(body)) return null;
  const arrays = Object.keys(body).filter((key) => Array.isArray(body[key]));
  return arrays[0] === undefined ? null : `/${arrays[0].replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Returns the records of the list that begins with these: copies of them, each with another id. */
function listRecords(samples: readonly unknown[]): readonly unknown[] {
  return Array.from({ length: LIST_LENGTH }, (_, at) => {
    const record = structuredClone(samples[at % samples.length]);
    const round = Math.floor(at / samples.length);
    if (round === 0 || !isObject(record)) return record;
    if (typeof record.id === 'number') record.id = record.id + round * samples.length;
    else if (typeof record.id === 'string') record.id = toSibling(record.id, round);
    return record;
  });
}

/** The id with its last characters replaced by digits, so that a UUID stays a UUID. */
function toSibling(id: string, round: number): string {
  const digits = String(round).padStart(3, '0');
  return id.length > digits.length + 3 ? `${id.slice(0, -digits.length)}${digits}` : `${id}-${round}`;
}

/** Writes values into a page where it still fits the descriptor. */
class PageWriter {
  readonly page: unknown;
  readonly #isValid: (candidate: unknown) => boolean;

  constructor(page: unknown, isValid: (candidate: unknown) => boolean) {
    this.page = page;
    this.#isValid = isValid;
  }

  /** Writes the first value with which the page fits the descriptor; the very first if none does. */
  write(pointer: string, first: unknown, alternatives: readonly unknown[] = []): void {
    for (const value of [first, ...alternatives, first]) {
      writePointer(this.page, pointer, value);
      if (this.#isValid(this.page)) return;
    }
  }

  /** Writes the length of the list where the page states it, next to `next` or at the top. */
  writeTotals(next: string, length: number): void {
    const parent = next.slice(0, next.lastIndexOf('/'));
    for (const pointer of ['/total', '/total_count', `${parent}/total`, `${parent}/total_count`]) {
      if (Number.isInteger(readPointer(this.page, pointer))) this.write(pointer, length);
    }
  }
}

/**
 * Converts the value of a parameter to the index of a record, and back. A service counts with an opaque text, a record offset, a page
 * number, or the last record's id.
 */
interface Positions {
  /** Returns null if this sandbox never issued such a value. */
  read(value: unknown): number | null;
  /** Returns the value for the page that begins at an index, or undefined if the record before it has no id. */
  write(index: number): unknown;
}

/** @param size records per page. @param recordAt returns a record of the list by its index. */
function createPositions(
  rule: SandboxPageRule,
  operation: SandboxOperation,
  { size, length, recordAt }: { readonly size: number; readonly length: number; recordAt(index: number): unknown },
): Positions {
  if (rule.kind === 'last') {
    const idAt = (index: number) => readPointer(recordAt(index), rule.id);
    const indexes = Array.from({ length }, (_, index) => index);
    return {
      read: (value) => {
        const last = indexes.find((index) => String(idAt(index)) === String(value));
        return last === undefined ? null : last + 1;
      },
      write: (index) => idAt(index - 1),
    };
  }
  const takesNumber = isNumber(operation, rule.cursorParameter);
  const countsPages =
    rule.kind === 'page' || (rule.kind !== 'offset' && takesNumber && PAGE_NAME.test(rule.cursorParameter));
  const first = rule.kind === 'page' || rule.kind === 'offset' ? rule.first : countsPages ? 1 : 0;
  const isText = !takesNumber && rule.kind !== 'page' && rule.kind !== 'offset';
  const unit = countsPages ? size : 1;
  return {
    read(value) {
      const text = isText ? /^offset-(\d{1,6})$/.exec(String(value))?.[1] : String(value);
      const index = text !== undefined && /^\d{1,6}$/.test(text) ? (Number(text) - first) * unit : -1;
      return index >= 0 && (index <= length || countsPages) ? Math.min(index, length) : null;
    },
    write: (index) => (isText ? `offset-${index}` : first + Math.ceil(index / unit)),
  };
}

function isNumber({ parameters }: SandboxOperation, wireName: string): boolean {
  const schema = parameters.find(({ in: parameterIn, name }) => parameterIn === 'query' && name === wireName)?.schema;
  const types = isObject(schema) ? [schema.type].flat() : [];
  return !types.includes('string') && types.some((type) => type === 'integer' || type === 'number');
}
