/** Paging that a model can follow without taking URLs apart. */

import type { PageRule } from '../../contract/index.ts';
import type { Arguments } from '../../upstream/index.ts';
import { rawNumber } from '../json/exact-json.ts';
import { readPointer } from '../json/pointer.ts';

/** What a paged result says about the page after it. */
export interface Page {
  /** All arguments of the call for the next page, or null at the end. */
  readonly nextArguments: Arguments | null;
}

/**
 * @param answer the upstream's answer as it came. @param args the arguments of this call.
 * @returns null where the list goes on, and nothing readable says where.
 */
export function findPage(answer: unknown, rule: PageRule, args: Arguments): Page | null {
  const more = rule.more === null ? undefined : readPointer(answer, rule.more);
  if (more === false) return { nextArguments: null };
  const next = readPointer(answer, rule.next);
  const cursor = findCursor(next, rule.queryParameter);
  if (cursor === null || cursor === '') return isNothing(next) && more !== true ? { nextArguments: null } : null;
  // An upstream that names this very page again would be read for ever.
  if (rule.more === null && cursor === args[rule.argument]) return { nextArguments: null };
  return { nextArguments: { ...args, [rule.argument]: cursor } };
}

function isNothing(next: unknown): boolean {
  return next === undefined || next === null || next === '' || next === false;
}

/** One short line for the model. */
export function describePage(page: Page, rule: PageRule, tool: string): string {
  if (page.nextArguments === null) return 'This is the last page.';
  const cursor = JSON.stringify(page.nextArguments[rule.argument]);
  return `There are more results: call ${tool} again with the same arguments and "${rule.argument}": ${cursor}.`;
}

function findCursor(value: unknown, queryParameter: string | null): string | number | null {
  const raw = rawNumber(value);
  if (raw !== undefined) return raw;
  if (typeof value === 'number' && queryParameter === null) return value;
  if (typeof value !== 'string') return null;
  if (queryParameter === null) return value;
  // Some upstreams give a path only; any origin will do to read its query.
  return URL.canParse(value, 'http://localhost')
    ? new URL(value, 'http://localhost').searchParams.get(queryParameter)
    : null;
}
