/** Sorts calls by their outcome. Every figure, filter and badge asks here which calls failed. */

import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** Outcomes that are neither `ok` nor a failure. */
const OUTCOMES_OF = {
  waiting: ['not_connected', 'needs_approval', 'awaiting_approval'],
  denied: ['denied_by_user'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** In the order in which pages show them. */
export const CALL_CATEGORIES = ['ok', 'waiting', 'denied', 'failed'] as const;

/**
 * `waiting`: nothing was sent, because the user has to connect the service, allow the tool or approve the call first. `denied`: the user denied
 * this call.
 */
export type CallCategory = (typeof CALL_CATEGORIES)[number];

export function callCategory(outcome: string): CallCategory {
  if (outcome === 'ok') return 'ok';
  const named = (['waiting', 'denied'] as const).find((each) => OUTCOMES_OF[each].some((one) => one === outcome));
  return named ?? 'failed';
}

/** True for the name of a category that stands for several outcomes. */
export function isGroupOfOutcomes(text: string | undefined): text is Exclude<CallCategory, 'ok'> {
  return text !== 'ok' && CALL_CATEGORIES.some((category) => category === text);
}

/** SQL condition: the outcome in this column is of the category. It is written with literals, so that a partial index can be used. */
export function isInCategory(category: CallCategory, column: RawBuilder<unknown>): RawBuilder<SqlBool> {
  const listed = (outcomes: readonly string[]) => sql`(${sql.join(outcomes.map((outcome) => sql.lit(outcome)))})`;
  switch (category) {
    case 'ok':
      return sql`${column} = 'ok'`;
    case 'failed':
      return sql`(${column} <> 'ok' and ${column} not in ${listed(Object.values(OUTCOMES_OF).flat())})`;
    default:
      return sql`${column} in ${listed(OUTCOMES_OF[category])}`;
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
