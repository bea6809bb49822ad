/** Pages through a list the way the upstream does, over a fixed number of sample records. */

import type { SandboxOperation } from '../descriptor/operations.ts';
import { isObject, type JsonObject, readPointer, writePointer } from '../json.ts';
import type { SandboxPageRule } from './page-rules.ts';
import { createPositions } from './positions.ts';

/** The number of records in every list of the sandbox. */
export const LIST_LENGTH = 25;
const DEFAULT_PAGE_SIZE = 10;
const LIMIT_NAME = /(^|[._-])(limit|page_?size|per_?page)$/i;

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
  asked: { readonly operation: SandboxOperation; readonly query: JsonObject; readonly url: URL },
  isValid: (candidate: unknown) => boolean,
): Page {
  const pointer = rule.records ?? findArray(body);
  const samples = pointer === null ? undefined : readPointer(body, pointer);
  if (pointer === null || !Array.isArray(samples) || samples.length === 0) return { body };
  const size = pageSizeOf(asked.operation, asked.query);
  const recordAt = (index: number) => toRecord(samples, index);
  const positions = createPositions(rule, asked.operation, { size, length: LIST_LENGTH, recordAt });
  const cursor = asked.query[rule.cursorParameter];
  const start = cursor === undefined || cursor === '' ? 0 : positions.read(cursor);
  if (start === null) {
    return { wrong: 'is not a cursor that this sandbox gave out', parameter: rule.cursorParameter };
  }
  const end = Math.min(start + size, LIST_LENGTH);
  const page = structuredClone(body);
  const records = Array.from({ length: Math.max(end - start, 0) }, (_, at) => recordAt(start + at));
  const paged = pointer === '' ? records : page;
  if (pointer !== '') writeWhereValid(page, pointer, records, [samples.slice(0, records.length)], isValid);
  const next = end >= LIST_LENGTH ? undefined : positions.write(end);
  return { body: paged, ...tellNext(paged, rule, { next, size, url: asked.url }, isValid) };
}

interface Next {
  /** Undefined: this is the last page. */
  readonly next: unknown;
  readonly size: number;
  readonly url: URL;
}

/** Writes into the answer how its list continues. @returns headers, where the rule puts the next page there */
function tellNext(
  page: unknown,
  rule: SandboxPageRule,
  { next, size, url }: Next,
  isValid: (candidate: unknown) => boolean,
): { readonly headers?: Readonly<Record<string, string>> } {
  const isLast = next === undefined;
  const more = 'more' in rule ? (rule.more ?? null) : null;
  if (more !== null) writePointer(page, more, !isLast);
  if (rule.kind === 'header') return isLast ? {} : { headers: { [rule.header]: String(next) } };
  if ('first' in rule) {
    writeTotals(page, rule.total ?? '/total', isValid);
    if (rule.total !== undefined) writePointer(page, rule.total, LIST_LENGTH);
    if (rule.pages !== undefined) writePointer(page, rule.pages, Math.ceil(LIST_LENGTH / size));
    return {};
  }
  if (rule.kind === 'last') return {};
  if (rule.next === undefined) {
    return isLast ? {} : { headers: { link: `<${toUrl(next, rule.cursorParameter, url)}>; rel="next"` } };
  }
  writeTotals(page, rule.next, isValid);
  if (isLast && more === null) writeWhereValid(page, rule.next, null, [undefined, ''], isValid);
  else {
    const parameter = rule.kind === 'link' ? rule.cursorParameter : rule.queryParameter;
    const value = parameter === null ? next : toUrl(next, parameter, url);
    writeWhereValid(
      page,
      rule.next,
      value ?? `offset-${LIST_LENGTH}`,
      value === undefined ? [] : [String(value)],
      isValid,
    );
  }
  return {};
}

function toUrl(next: unknown, parameter: string, url: URL): string {
  const there = new URL(url);
  there.searchParams.set(parameter, String(next ?? `offset-${LIST_LENGTH}`));
  return there.href;
}

/** The requested size; otherwise the descriptor's default, at most 10, so that a list has more than one page. */
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

/** The record at an index of the list: a sample, with its own id after the first round of samples. */
function toRecord(samples: readonly unknown[], at: number): unknown {
  const record = structuredClone(samples[at % samples.length]);
  const round = Math.floor(at / samples.length);
  if (!isObject(record) || round === 0) return record;
  const id = record.id;
  if (typeof id === 'number') record.id = id + round * samples.length;
  else if (typeof id === 'string') record.id = toSibling(id, round);
  return record;
}

/** The id with its last characters replaced by digits, so that a UUID stays a UUID. */
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

/** Writes the first value with which the page fits the descriptor; the very first if none does. */
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
