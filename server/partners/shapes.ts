/** Shapes that several operations of the partner API share: times, pages of lists, and parameters. */

import { z } from 'zod';
import { OUTCOMES } from '../call/tools/results/outcomes.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
/** Longer than any key of a list. */
const MAX_CURSOR_LENGTH = 4000;

/** Ids of rows, such as grants. */
export const ROW_ID = /^[0-9a-f-]{36}$/;

/** A time as RFC 3339 text. Answers may give milliseconds since 1970 instead. */
export const time = z.string().brand<'time'>().meta({ format: 'date-time' });

/** A day (UTC) such as `2026-01-31`. Answers may give milliseconds since 1970 instead. */
export const day = z.string().brand<'time'>().meta({ format: 'date' });

/** A whole number of things. */
export const count = z.number().meta({ type: 'integer' });

/** `client_name` of a client. */
export const clientName = z.string().nullable().meta({
  description: 'The name that the client gave itself. No one has verified it: say so where you show it. Null: none.',
});

/** The client that holds a grant, or asked for something. */
export const holder = z.object({ client_id: z.string(), client_name: clientName }).nullable();

/** `next` of a page. */
export const next = z
  .string()
  .nullable()
  .meta({ id: 'Next', description: 'Asks for the next page, as `cursor`. Null: this was the last.' });

/** The parameter `limit` of a list. */
export const limit = limitOf(MAX_LIMIT, DEFAULT_LIMIT, `limit must be a number from 1 to ${MAX_LIMIT}.`).meta({
  id: 'Limit',
  description: 'How many members a page has at most.',
});

export const INVALID_CURSOR = 'cursor must be the `next` of the previous page.';
export const CURSOR_META = { id: 'Cursor', description: '`next` of the previous page. Absent: the first page.' };

/**
 * Declares the parameters `cursor` and `limit` of a list. `cursor` is read as the key of the last member of the previous page, or
 * undefined for the first page; `limit` as the number of members, 1 to 200.
 *
 * @param key matches a whole key of the list.
 */
export function pageOf(key: RegExp) {
  return {
    cursor: z
      .string()
      .transform((cursor) => Buffer.from(cursor.slice(0, MAX_CURSOR_LENGTH), 'base64url').toString('utf8'))
      .refine((after) => key.test(after) && !after.includes('\0'), INVALID_CURSOR)
      .optional()
      .meta(CURSOR_META),
    limit,
  };
}

/** A number of members as a parameter, in up to three digits. */
export function limitOf(maximum: number, initial: number, problem: string) {
  return z
    .string()
    .default(String(initial))
    .refine((text) => /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= maximum, problem)
    .transform(Number)
    .meta({ schema: { type: 'integer', minimum: 1, maximum, default: initial } });
}

/** Returns a page of the rows found with `limit + 1`, and its `next`, which asks for the rest and is null on the last page. */
export function toPage<Row>(
  rows: readonly Row[],
  limit: number,
  keyOf: (row: Row) => string,
): { rows: readonly Row[]; next: string | null } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { rows: page, next: rows.length > limit && last !== undefined ? toCursor(keyOf(last)) : null };
}

/** A key as an opaque text that clients send back. */
export function toCursor(key: string): string {
  return Buffer.from(key, 'utf8').toString('base64url');
}

/** A parameter that selects by a text. */
export function textParameter(description: string) {
  return z
    .string()
    .transform((text) => text.replaceAll('\0', ''))
    .optional()
    .meta({ description });
}

/** The outcome of a call: `ok`, or the reason why it failed. */
export const outcome = z.enum(OUTCOMES).meta({ id: 'Outcome', description: '`ok`, or why a call failed.' });

/** Parameters that select calls. */
export const CALL_FILTERS = {
  service: textParameter('Only of this service.').meta({ id: 'Service' }),
  tool: textParameter('Only of this tool, by the name that was called.').meta({ id: 'Tool' }),
  outcome: z
    .enum(OUTCOMES, `outcome must be one of ${OUTCOMES.join(', ')}.`)
    .optional()
    .meta({
      id: 'OutcomeFilter',
      description: 'Only calls that ended so.',
      schema: { $ref: '#/components/schemas/Outcome' },
    }),
};
