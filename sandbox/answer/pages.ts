/** Pages through a list the way the upstream does, over a fixed number of sample records. */

import type { SandboxOperation } from '../descriptor/operations.ts';
import { isObject, type JsonObject, readPointer, writePointer } from '../json.ts';

/** How one operation pages: where the cursor travels and where the answer keeps the next one. */
export interface SandboxPageRule {
  /** Query parameter that takes the cursor, by its wire name. */
  readonly cursorParameter: string;
  /** RFC 6901 pointer to the next cursor in the answer. */
  readonly next: string;
  /** The value at `next` is a URL, and the cursor is this query parameter of it; null: it is the cursor itself. */
  readonly queryParameter: string | null;
  /** Pointer to a boolean that is false on the last page, or null. */
  readonly more: string | null;
  /** Pointer to the records; null: the first array of the answer. */
  readonly records: string | null;
}

/** Every list of the sandbox holds this many records. */
export const LIST_LENGTH = 25;
const DEFAULT_PAGE_SIZE = 10;
const LIMIT_NAME = /(^|[._-])(limit|page_?size|per_?page)$/i;

type Page = { readonly body: unknown } | { readonly wrong: string; readonly parameter: string };

/**
 * One page of the list whose first records `body` shows.
 *
 * @param query the request's decoded query
 * @param url the request's absolute URL, for upstreams that answer with the URL of the next page
 */
export function buildPage(
  body: unknown,
  rule: SandboxPageRule,
  asked: { readonly operation: SandboxOperation; readonly query: JsonObject; readonly url: URL },
  isValid: (candidate: unknown) => boolean,
): Page {
  const pointer = rule.records ?? findArray(body);
  const samples = pointer === null ? undefined : readPointer(body, pointer);
  if (pointer === null || !Array.isArray(samples) || samples.length === 0) return { body };
  const cursor = asked.query[rule.cursorParameter];
  const start = cursor === undefined || cursor === '' ? 0 : toOffset(cursor);
  if (start === null) {
    return { wrong: 'is not a cursor that this sandbox gave out', parameter: rule.cursorParameter };
  }
  const end = Math.min(start + pageSizeOf(asked.operation, asked.query), LIST_LENGTH);
  const page = structuredClone(body);
  const records = Array.from({ length: Math.max(end - start, 0) }, (_, at) => toRecord(samples, start + at));
  writeWhereValid(page, pointer, records, [samples.slice(0, records.length)], isValid);
  writeTotals(page, rule.next, isValid);
  const last = end >= LIST_LENGTH;
  if (rule.more !== null) writePointer(page, rule.more, !last);
  if (last && rule.more === null) writeWhereValid(page, rule.next, null, [undefined, ''], isValid);
  else writePointer(page, rule.next, toNext(`offset-${end}`, rule, asked.url));
  return { body: page };
}

function toOffset(cursor: unknown): number | null {
  const offset = Number(/^offset-(\d{1,6})$/.exec(String(cursor))?.[1] ?? Number.NaN);
  return Number.isInteger(offset) && offset <= LIST_LENGTH ? offset : null;
}

function toNext(cursor: string, rule: SandboxPageRule, url: URL): string {
  if (rule.queryParameter === null) return cursor;
  const next = new URL(url);
  next.searchParams.set(rule.queryParameter, cursor);
  return next.href;
}

/** What was asked for; else the descriptor's default, at most 10, so that a list has more than one page. */
function pageSizeOf(operation: SandboxOperation, query: JsonObject): number {
  const parameter = operation.parameters.find(({ in: place, name }) => place === 'query' && LIMIT_NAME.test(name));
  const asked = Number(parameter === undefined ? undefined : query[parameter.name]);
  if (Number.isInteger(asked) && asked > 0) return asked;
  const preset = Number(parameter?.schema.default);
  return Number.isInteger(preset) && preset > 0 ? Math.min(preset, DEFAULT_PAGE_SIZE) : DEFAULT_PAGE_SIZE;
}

function findArray(body: unknown): string | null {
  if (Array.isArray(body)) return '';
  if (!isObject(body)) return null;
  const arrays = Object.keys(body).filter((key) => Array.isArray(body[key]));
  return arrays[0] === undefined ? null : `/${arrays[0].replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The record at a place of the list: a sample, with an id of its own after the first round of samples. */
function toRecord(samples: readonly unknown[], at: number): unknown {
  const record = structuredClone(samples[at % samples.length]);
  const round = Math.floor(at / samples.length);
  if (!isObject(record) || round === 0) return record;
  const id = record.id;
  if (typeof id === 'number') record.id = id + round * samples.length;
  else if (typeof id === 'string') record.id = toSibling(id, round);
  return record;
}

/** The same id with its end replaced by a number in its own alphabet, so that a uuid stays a uuid. */
function toSibling(id: string, round: number): string {
  const digits = String(round).padStart(3, '0');
  return id.length > digits.length + 3 ? `${id.slice(0, -digits.length)}${digits}` : `${id}-${round}`;
}

function writeTotals(page: unknown, next: string, isValid: (candidate: unknown) => boolean): void {
  const parent = next.slice(0, next.lastIndexOf('/'));
  for (const pointer of ['/total', '/total_count', `${parent}/total`, `${parent}/total_count`]) {
    if (Number.isInteger(readPointer(page, pointer))) writeWhereValid(page, pointer, LIST_LENGTH, [], isValid);
  }
}

/** Writes the first of the values with which the page fits the descriptor; none does: the first. */
function writeWhereValid(
  page: unknown,
  pointer: string,
  first: unknown,
  others: readonly unknown[],
  isValid: (candidate: unknown) => boolean,
): void {
  for (const value of [first, ...others, first]) {
    writePointer(page, pointer, value);
    if (isValid(page)) return;
  }
}
