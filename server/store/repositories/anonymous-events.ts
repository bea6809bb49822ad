/** What callers did that no one knows: counted by hour, event and network, apart from the audit trail. */

import type { Executor } from '../schema.ts';

const HOUR_MS = 3_600_000;

/** Rows that an hour may have before the others of it are counted together. */
const MAX_ROWS_PER_HOUR = 1000;
const ELSEWHERE = 'elsewhere';

/** What happened. None of them needs credentials that the gateway gave out. */
export type AnonymousEventType =
  | 'client_registered'
  | 'client_document_changed'
  | 'connection_code_refused'
  | 'consent_denied'
  | 'credentials_refused'
  | 'grant_refused'
  | 'authorization_code_replayed'
  | 'refresh_token_replayed'
  | 'refresh_answer_repeated'
  | 'identity_assertion_refused'
  | 'connect_declined'
  | 'connect_credential_refused'
  | 'connect_code_issued'
  | 'connect_code_replayed'
  | 'operator_sign_in_refused';

/** One event. */
interface AnonymousEvent {
  readonly type: AnonymousEventType;
  /** Not longer than an address of IPv6. */
  readonly network: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Counts an event; exact, however many callers count at once.
 *
 * An hour has about `MAX_ROWS_PER_HOUR` rows at most, from however many networks it is flooded.
 */
export async function countAnonymousEvent(executor: Executor, event: AnonymousEvent): Promise<void> {
  const { type, network, now } = event;
  const hour = now - (now % HOUR_MS);
  if (await countAgain(executor, `${hour}:${type}:${network}`, now)) return;
  const { rows } = await executor
    .selectFrom('anonymous_events')
    .select((row) => row.fn.countAll().as('rows'))
    .where('created_at', '>=', hour)
    .executeTakeFirstOrThrow();
  const named = Number(rows) < MAX_ROWS_PER_HOUR ? network : ELSEWHERE;
  const key = `${hour}:${type}:${named}`;
  await executor
    .insertInto('anonymous_events')
    .values({ key, type, network: named, count: 1, created_at: now, last_at: now })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((row) => ({
        count: row('anonymous_events.count', '+', row.lit(1)),
        last_at: now,
      })),
    )
    .execute();
}

async function countAgain(executor: Executor, key: string, now: number): Promise<boolean> {
  const counted = await executor
    .updateTable('anonymous_events')
    .set((row) => ({ count: row('count', '+', row.lit(1)), last_at: now }))
    .where('key', '=', key)
    .returning('key')
    .executeTakeFirst();
  return counted !== undefined;
}

/** What was counted in one hour. Times are in milliseconds since 1970. */
export interface CountedAnonymousEvent {
  readonly type: string;
  readonly network: string;
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
}

/** The `limit` counts that changed last. */
export async function listAnonymousEvents(executor: Executor, limit: number): Promise<CountedAnonymousEvent[]> {
  return executor
    .selectFrom('anonymous_events')
    .select(['type', 'network', 'count', 'created_at as firstAt', 'last_at as lastAt'])
    .orderBy('created_at', 'desc')
    .orderBy('key')
    .limit(limit)
    .execute();
}
