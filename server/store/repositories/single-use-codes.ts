/** Single-use codes: secrets that are valid for exactly one use, however many try at once. */

import type { Executor } from '../schema.ts';

/** A code to remember. `codeHash` is the SHA-256 of the code as base64url. */
export interface NewSingleUseCode {
  readonly codeHash: string;
  /** What the code is for; a code of one purpose is never valid for another. */
  readonly purpose: string;
  readonly userId: string | null;
  /** Anything that JSON can hold. */
  readonly payload: unknown;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** What the minting side left for the side that consumes the code. */
interface ConsumedCode {
  readonly userId: string | null;
  readonly payload: unknown;
}

export async function insertSingleUseCode(executor: Executor, code: NewSingleUseCode): Promise<void> {
  await executor
    .insertInto('single_use_codes')
    .values({
      code_hash: code.codeHash,
      purpose: code.purpose,
      user_id: code.userId,
      payload: JSON.stringify(code.payload),
      created_at: code.now,
      expires_at: code.expiresAt,
      consumed_at: null,
    })
    .execute();
}

/**
 * Uses a code up.
 *
 * One statement decides, so of any number of simultaneous callers, in any number of processes, exactly one gets the code.
 *
 * @returns undefined when there is no such code, it has expired, or it was already consumed.
 */
export async function consumeSingleUseCode(
  executor: Executor,
  code: { codeHash: string; purpose: string; now: number },
): Promise<ConsumedCode | undefined> {
  const row = await executor
    .updateTable('single_use_codes')
    .set({ consumed_at: code.now })
    .where('code_hash', '=', code.codeHash)
    .where('purpose', '=', code.purpose)
    .where('consumed_at', 'is', null)
    .where('expires_at', '>', code.now)
    .returning(['user_id as userId', 'payload'])
    .executeTakeFirst();
  return row && { userId: row.userId, payload: JSON.parse(row.payload) };
}

/**
 * Lets an unused code live until `expiresAt`, if it still lives and was made after `madeAfter`, both in milliseconds since 1970.
 *
 * @returns what the minting side left, or undefined for any other code.
 */
export async function extendSingleUseCode(
  executor: Executor,
  code: { codeHash: string; purpose: string; now: number },
  until: { expiresAt: number; madeAfter: number },
): Promise<ConsumedCode | undefined> {
  const row = await executor
    .updateTable('single_use_codes')
    .set({ expires_at: until.expiresAt })
    .where('code_hash', '=', code.codeHash)
    .where('purpose', '=', code.purpose)
    .where('consumed_at', 'is', null)
    .where('expires_at', '>', code.now)
    .where('created_at', '>', until.madeAfter)
    .returning(['user_id as userId', 'payload'])
    .executeTakeFirst();
  return row && { userId: row.userId, payload: JSON.parse(row.payload) };
}

/** Reads what `consumeSingleUseCode` would give, and leaves the code unused. */
export async function peekSingleUseCode(
  executor: Executor,
  code: { codeHash: string; purpose: string; now: number },
): Promise<ConsumedCode | undefined> {
  const row = await executor
    .selectFrom('single_use_codes')
    .select(['user_id as userId', 'payload'])
    .where('code_hash', '=', code.codeHash)
    .where('purpose', '=', code.purpose)
    .where('consumed_at', 'is', null)
    .where('expires_at', '>', code.now)
    .executeTakeFirst();
  return row && { userId: row.userId, payload: JSON.parse(row.payload) };
}

/**
 * Takes a value that another party made, once: of any number of simultaneous callers exactly one gets true.
 *
 * `expiresAt` is when the value is no longer accepted anyway.
 */
export async function takeOnce(
  executor: Executor,
  value: { hash: string; purpose: string; now: number; expiresAt: number },
): Promise<boolean> {
  const taken = await executor
    .insertInto('single_use_codes')
    .values({
      code_hash: value.hash,
      purpose: value.purpose,
      user_id: null,
      payload: 'null',
      created_at: value.now,
      expires_at: value.expiresAt,
      consumed_at: value.now,
    })
    .onConflict((conflict) => conflict.column('code_hash').doNothing())
    .returning('code_hash')
    .executeTakeFirst();
  return taken !== undefined;
}
