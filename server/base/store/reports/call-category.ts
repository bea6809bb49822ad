/** Sorts calls by their outcome. Every figure, filter and badge asks here which calls failed. */

import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** In the order in which pages show them. */
export const CALL_CATEGORIES = ['ok', 'waiting', 'failed'] as const;

/** `waiting`: nothing was sent, because the user has to allow the tool or approve the call first. */
export type CallCategory = (typeof CALL_CATEGORIES)[number];

const WAITING_OUTCOMES: readonly string[] = ['needs_approval', 'awaiting_approval'];

export function callCategory(outcome: string): CallCategory {
  if (outcome === 'ok') return 'ok';
  return WAITING_OUTCOMES.includes(outcome) ? 'waiting' : 'failed';
}

/** True for the name of a category that stands for several outcomes. */
export function isGroupOfOutcomes(text: string | undefined): text is 'waiting' | 'failed' {
  return text === 'waiting' || text === 'failed';
}

/** SQL condition: the outcome in this column is of the category. It is written with literals, so that a partial index can be used. */
export function isInCategory(category: CallCategory, column: RawBuilder<unknown>): RawBuilder<SqlBool> {
  const waiting = sql`(${sql.join(WAITING_OUTCOMES.map((outcome) => sql.lit(outcome)))})`;
  switch (category) {
    case 'ok':
      return sql`${column} = 'ok'`;
    case 'waiting':
      return sql`${column} in ${waiting}`;
    case 'failed':
      return sql`(${column} <> 'ok' and ${column} not in ${waiting})`;
  }
}

/** SQL sum of `weight` over the rows whose outcome is of the category. */
export function sumInCategory(
  category: CallCategory,
  weight: RawBuilder<number> = sql.lit(1),
  column: RawBuilder<unknown> = sql.ref('outcome'),
): RawBuilder<number> {
  return sql<number>`sum(case when ${isInCategory(category, column)} then ${weight} else 0 end)`;
}
