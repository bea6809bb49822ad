/** Finds the arguments of the next page in an answer, so that a model never has to parse URLs. */

import { WITHHELD } from '../../../../shared/withheld.ts';
import type {
  Binding,
  CountedPages,
  CursorPages,
  LastRecordPages,
  LinkPages,
  PageRule,
} from '../../../contract/index.ts';
import type { Arguments } from '../../upstream/index.ts';
import { allowsType, isSchema, rawNumber, readPointer } from '../json.ts';
import { mayBeFull, type Page, type PagedTool, sizeOfPage, toArgument } from './page-size.ts';

/** The parts of an answer that paging needs. */
export interface PagedAnswer {
  /** The parsed JSON. */
  readonly value: unknown;
  /** Returns a header by its lower-case name, or null if it is not present. Undefined if there are no headers. */
  readonly header?: (name: string) => string | null;
}

const END: Page = { nextArguments: null };

/**
 * @param answer from the upstream, unchanged. @param args of this call.
 * @returns null if the list continues, but the answer does not say readably where.
 */
export function findPage(tool: PagedTool, rule: PageRule, answer: PagedAnswer, args: Arguments): Page | null {
  switch (rule.kind) {
    case undefined:
      return afterCursor(tool, rule, answer, args);
    case 'header': {
      const cursor = answer.header?.(rule.header)?.trim() ?? '';
      return cursor === '' ? END : toPage(tool, rule, cursor, { answer, args });
    }
    case 'link': {
      const link =
        rule.next === undefined ? findNextLink(answer.header?.('link') ?? '') : readPointer(answer.value, rule.next);
      if (isAbsent(link)) return END;
      return typeof link === 'string' ? followLink(tool, rule, link, args) : null;
    }
    case 'last':
      return afterLast(tool, rule, answer, args);
    default:
      return afterCount(tool, rule, answer, args);
  }
}

function afterCursor(tool: PagedTool, rule: CursorPages, { value }: PagedAnswer, args: Arguments): Page | null {
  const more = rule.more === null ? undefined : readPointer(value, rule.more);
  if (more === false) return END;
  const next = readPointer(value, rule.next);
  const cursor = findCursor(next, rule.queryParameter);
  if (cursor === null || cursor === '') return isAbsent(next) && more !== true ? END : null;
  return toPage(tool, rule, cursor, { answer: { value }, args });
}

/**
 * Returns the page at a cursor.
 *
 * The cursor of the current page would repeat forever. It ends the list if the page has no records. Otherwise it is not known how the list continues,
 * and the result is null.
 */
function toPage(
  tool: PagedTool,
  rule: PageRule,
  cursor: unknown,
  { answer, args }: { readonly answer: PagedAnswer; readonly args: Arguments },
): Page | null {
  if (String(cursor).includes(WITHHELD)) return null;
  const { argument } = rule;
  const value = toArgument(tool, argument, cursor);
  if (!isSameArgument(value, args[argument])) return { nextArguments: { ...args, [argument]: value } };
  return rule.items === undefined || recordsAt(answer.value, rule.items).length === 0 ? END : null;
}

function isSameArgument(value: unknown, other: unknown): boolean {
  return value === other || (rawNumber(value) !== undefined && rawNumber(value) === rawNumber(other));
}

function afterLast(tool: PagedTool, rule: LastRecordPages, { value }: PagedAnswer, args: Arguments): Page | null {
  const more = rule.more === null ? undefined : readPointer(value, rule.more);
  const records = recordsAt(value, rule.items);
  if (more === false || records.length === 0) return END;
  if (more !== true && !mayBeFull(tool, rule, records.length, args)) return END;
  const id = readPointer(records.at(-1), rule.id);
  return typeof id === 'string' || typeof id === 'number' ? toPage(tool, rule, id, { answer: { value }, args }) : null;
}

function afterCount(tool: PagedTool, rule: CountedPages, { value }: PagedAnswer, args: Arguments): Page {
  const { argument, kind, first } = rule;
  const currentPosition = numberOf(args[argument]) ?? first;
  const { length } = recordsAt(value, rule.items);
  const more = rule.more === undefined ? undefined : readPointer(value, rule.more);
  if (length === 0 || more === false) return END;
  const precedingCount = currentPosition - first;
  const precedingRecords = kind === 'offset' ? precedingCount : recordsOn(precedingCount, sizeOfPage(tool, rule, args));
  const recordsSoFar = precedingRecords === null ? null : precedingRecords + length;
  const total = numberAt(value, rule.total);
  const pages = numberAt(value, rule.pages);
  if (total !== null && recordsSoFar !== null && recordsSoFar >= total) return END;
  if (kind === 'page' && pages !== null && precedingCount + 1 >= pages) return END;
  const isEndKnown = more === true || (total !== null && recordsSoFar !== null) || (kind === 'page' && pages !== null);
  if (!isEndKnown && !mayBeFull(tool, rule, length, args)) return END;
  return {
    nextArguments: {
      ...args,
      [argument]: toArgument(tool, argument, kind === 'offset' ? currentPosition + length : currentPosition + 1),
    },
  };
}

/** Returns the number of records on so many pages, or null if it is not known. */
function recordsOn(pages: number, size: number | null): number | null {
  if (pages === 0) return 0;
  return size === null ? null : pages * size;
}

function recordsAt(answer: unknown, items: string): readonly unknown[] {
  const records = readPointer(answer, items);
  return Array.isArray(records) ? records : [];
}

function numberAt(answer: unknown, pointer: string | undefined): number | null {
  return pointer === undefined ? null : numberOf(readPointer(answer, pointer));
}

function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : null;
}

function isAbsent(next: unknown): boolean {
  return next === undefined || next === null || next === '' || next === false;
}

/** One short line for the model. @param args of this call. */
export function describePage({ nextArguments: next }: Page, rule: PageRule, args: Arguments, tool: string): string {
  if (next === null) return 'This is the last page.';
  const changedNames = Object.keys(next).filter((name) => !isSameArgument(next[name], args[name]));
  const assignments = (changedNames.length === 0 ? [rule.argument] : changedNames).map(
    (name) => `${JSON.stringify(name)}: ${JSON.stringify(next[name])}`,
  );
  const omittedNames = Object.keys(args).filter((name) => !Object.hasOwn(next, name));
  const omission =
    omittedNames.length === 0 ? '' : `, without ${omittedNames.map((name) => JSON.stringify(name)).join(' and ')}`;
  return `There are more results: call ${tool} again with the same arguments and ${assignments.join(', ')}${omission}.`;
}

function findCursor(value: unknown, queryParameter: string | null): string | number | null {
  if (typeof value === 'number' && queryParameter === null) return value;
  if (typeof value !== 'string') return null;
  if (queryParameter === null) return value;
  // Some upstreams give only a path; any origin is fine to read its query.
  return URL.parse(value, 'http://localhost')?.searchParams.get(queryParameter) ?? null;
}

/** A longer header is not a list of links. */
const MAX_HEADER_LENGTH = 16_384;

/** Returns the target of the first link with the relation type `next` of a `Link` header (RFC 8288 §3), or null if there is none. */
function findNextLink(header: string): string | null {
  if (header.length > MAX_HEADER_LENGTH) return null;
  let at = header.indexOf('<');
  while (at >= 0) {
    const close = header.indexOf('>', at);
    if (close < 0) return null;
    const end = endOfLink(header, close + 1);
    if (relationsOf(header.slice(close + 1, end)).includes('next')) return header.slice(at + 1, close).trim();
    at = header.indexOf('<', end);
  }
  return null;
}

/** Index of the comma after the parameters of a link, or of the end. Commas in quotes do not separate. */
function endOfLink(header: string, from: number): number {
  let isQuoted = false;
  for (let at = from; at < header.length; at += 1) {
    const character = header[at];
    if (isQuoted && character === '\\') at += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (character === ',' && !isQuoted) return at;
  }
  return header.length;
}

const PARAMETER = /;\s*([^\s=;,"]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?\s*/gy;

/** Relation types are separated by spaces and compared without case (RFC 8288 §2.1.1, §3.3); the first `rel` counts. */
function relationsOf(parameters: string): string[] {
  for (const [, name, quoted, plain] of parameters.trimStart().matchAll(PARAMETER)) {
    if (name?.toLowerCase() === 'rel') return (quoted ?? plain ?? '').toLowerCase().split(/\s+/);
  }
  return [];
}

/**
 * Converts a link to arguments: its query parameters that the tool accepts replace those of this call.
 *
 * Host and path of the link are ignored, because the next call is built from the tool: nothing is sent to another host.
 *
 * @returns null if the link has nothing that the tool can express.
 */
function followLink(tool: PagedTool, rule: LinkPages, link: string, args: Arguments): Page | null {
  const query = URL.parse(link, 'http://localhost')?.searchParams;
  if (query === undefined) return null;
  const bindings = tool.request?.query ?? {};
  const linkArguments: Record<string, unknown> = {};
  let isKnown = true;
  for (const name of new Set(query.keys())) {
    const argument = Object.hasOwn(bindings, name) ? argumentOf(bindings[name]) : undefined;
    if (argument === undefined) isKnown = false;
    else if (argument !== null && takesOneValue(tool, argument)) {
      linkArguments[argument] = toArgument(tool, argument, query.get(name));
    }
  }
  const changedNames = Object.keys(linkArguments).filter(
    (name) => name !== rule.size && !isSameArgument(linkArguments[name], args[name]),
  );
  if (changedNames.length === 0) return isKnown && query.size > 0 ? { nextArguments: null } : null;
  const { [rule.argument]: _, ...otherArguments } = args;
  return { nextArguments: { ...otherArguments, ...linkArguments } };
}

/** Returns the argument of a query parameter. Null if the parameter is sent, but not from a single argument. */
function argumentOf(binding: Binding<object> | undefined): string | null | undefined {
  if (binding === undefined || typeof binding === 'string') return binding;
  return 'argument' in binding ? binding.argument : null;
}

function takesOneValue({ inputSchema }: PagedTool, argument: string): boolean {
  const { properties } = inputSchema;
  const schema = isSchema(properties) ? properties[argument] : undefined;
  return (
    isSchema(schema) && ['string', 'integer', 'number', 'boolean'].some((type) => allowsType(inputSchema, schema, type))
  );
}
