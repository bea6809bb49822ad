/** Pages of lists: how a request asks for one, and how a response names the next. */

import { invalid } from './grants.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
/** Longer than any key of a list. */
const MAX_CURSOR_LENGTH = 4000;

/** The page that a request asks for. */
export interface PageRequest {
  /** Members of the page, 1 to 200. */
  readonly limit: number;
  /** Key of the last member of the page before; missing: the first page. */
  readonly after?: string;
}

/**
 * Reads `cursor` and `limit`.
 *
 * @param key matches a whole key of the list.
 * @throws {RequestError} `invalid_request`, status 400.
 */
export function readPage(query: URLSearchParams, key: RegExp): PageRequest {
  const limit = query.get('limit') ?? String(DEFAULT_LIMIT);
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > MAX_LIMIT) {
    throw invalid(`limit must be a number from 1 to ${MAX_LIMIT}.`);
  }
  const cursor = query.get('cursor');
  if (cursor === null) return { limit: Number(limit) };
  const after = Buffer.from(cursor.slice(0, MAX_CURSOR_LENGTH), 'base64url').toString('utf8');
  if (!key.test(after) || after.includes('\0')) throw invalid('cursor must be the `next` of the previous page.');
  return { limit: Number(limit), after };
}

/** A page of the rows found with `limit + 1`, and its `next`, which asks for the rest; null: there are no more. */
export function toPage<Row>(
  found: readonly Row[],
  limit: number,
  keyOf: (row: Row) => string,
): { shown: readonly Row[]; next: string | null } {
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return { shown, next: found.length > limit && last !== undefined ? toCursor(keyOf(last)) : null };
}

/** A key as an opaque text that clients send back. */
export function toCursor(key: string): string {
  return Buffer.from(key, 'utf8').toString('base64url');
}
