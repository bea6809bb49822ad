/** Finds the arguments of the next page in an answer, so that a model never has to parse URLs. */

import type { CountedPages, CursorPages, LastRecordPages, PageRule } from '../../../contract/index.ts';
import type { Arguments } from '../../upstream/index.ts';
import { rawNumber } from '../json/exact-json.ts';
import { readPointer } from '../json/pointer.ts';
import { toArgument } from './argument-value.ts';
import { findNextLink, followLink } from './links.ts';
import { mayBeFull, sizeOfPage } from './page-size.ts';
import type { Page, PagedTool } from './paged-tool.ts';

/** The parts of an answer that paging needs. */
export interface PagedAnswer {
  /** The parsed JSON. */
  readonly value: unknown;
  /** Returns a header by its lower-case name; null: not present. Absent: there are no headers. */
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
      return cursor === '' ? END : toPage(tool, rule, cursor, args);
    }
    case 'link': {
      const link =
        rule.next === undefined ? findNextLink(answer.header?.('link') ?? '') : readPointer(answer.value, rule.next);
      if (isNothing(link)) return END;
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
  if (cursor === null || cursor === '') return isNothing(next) && more !== true ? END : null;
  return toPage(tool, rule, cursor, args, rule.more === null);
}

/** Ends at a cursor of the current page, which would repeat forever. */
function toPage(tool: PagedTool, { argument }: PageRule, cursor: unknown, args: Arguments, endsOnSame = true): Page {
  const value = toArgument(tool, argument, cursor);
  return endsOnSame && value === args[argument] ? END : { nextArguments: { ...args, [argument]: value } };
}

function afterLast(tool: PagedTool, rule: LastRecordPages, { value }: PagedAnswer, args: Arguments): Page | null {
  const more = rule.more === null ? undefined : readPointer(value, rule.more);
  const records = recordsAt(value, rule.items);
  if (more === false || records.length === 0) return END;
  if (more !== true && !mayBeFull(tool, rule, records.length, args)) return END;
  const id = readPointer(records.at(-1), rule.id);
  const cursor = rawNumber(id) ?? id;
  return typeof cursor === 'string' || typeof cursor === 'number' ? toPage(tool, rule, cursor, args) : null;
}

function afterCount(tool: PagedTool, rule: CountedPages, { value }: PagedAnswer, args: Arguments): Page {
  const { argument, kind, first } = rule;
  const here = numberOf(args[argument]) ?? first;
  const { length } = recordsAt(value, rule.items);
  const more = rule.more === undefined ? undefined : readPointer(value, rule.more);
  if (length === 0 || more === false) return END;
  const before = here - first;
  const size = sizeOfPage(tool, rule, args) ?? (before === 0 ? length : null);
  const seen = kind === 'offset' ? before + length : size === null ? null : before * size + length;
  const total = numberAt(value, rule.total);
  const pages = numberAt(value, rule.pages);
  if (total !== null && seen !== null && seen >= total) return END;
  if (kind === 'page' && pages !== null && before + 1 >= pages) return END;
  const isTold = more === true || (total !== null && seen !== null) || (kind === 'page' && pages !== null);
  if (!isTold && !mayBeFull(tool, rule, length, args)) return END;
  return {
    nextArguments: { ...args, [argument]: toArgument(tool, argument, kind === 'offset' ? here + length : here + 1) },
  };
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

function isNothing(next: unknown): boolean {
  return next === undefined || next === null || next === '' || next === false;
}

/** One short line for the model. @param args of this call. */
export function describePage({ nextArguments: next }: Page, rule: PageRule, args: Arguments, tool: string): string {
  if (next === null) return 'This is the last page.';
  const changed = Object.keys(next).filter((name) => next[name] !== args[name]);
  const parts = (changed.length === 0 ? [rule.argument] : changed).map(
    (name) => `${JSON.stringify(name)}: ${JSON.stringify(next[name])}`,
  );
  const without = Object.keys(args).filter((name) => !Object.hasOwn(next, name));
  const left = without.length === 0 ? '' : `, without ${without.map((name) => JSON.stringify(name)).join(' and ')}`;
  return `There are more results: call ${tool} again with the same arguments and ${parts.join(', ')}${left}.`;
}

function findCursor(value: unknown, queryParameter: string | null): string | number | null {
  const raw = rawNumber(value);
  if (raw !== undefined) return raw;
  if (typeof value === 'number' && queryParameter === null) return value;
  if (typeof value !== 'string') return null;
  if (queryParameter === null) return value;
  // Some upstreams give only a path; any origin is fine to read its query.
  return URL.canParse(value, 'http://localhost')
    ? new URL(value, 'http://localhost').searchParams.get(queryParameter)
    : null;
}
