/** Single-use codes: secrets that are valid for exactly one use, even under concurrency. */

import { columns, hasRow, toRow } from '../rows.ts';
import type { Executor } from '../schema.ts';

/** A code to store. `codeHash` is the keyed hash of the code (`hashSecret`). */
interface NewSingleUseCode {
  readonly codeHash: string;
  /** The purpose of the code; a code is never valid for another purpose. */
  readonly purpose: string;
  readonly userId: string | null;
  /** Any JSON value. */
  readonly payload: unknown;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

const CODE = columns('code_hash', 'purpose', 'user_id', 'payload', 'created_at', 'expires_at');

/** The data stored when the code was minted. */
interface ConsumedCode {
  readonly userId: string | null;
  readonly payload: unknown;
}

/** @returns false if there is one with this hash; it stays as it is. */
export async function insertSingleUseCode(executor: Executor, code: NewSingleUseCode): Promise<boolean> {
  return hasRow(
    executor
      .insertInto('single_use_codes')
      .values(toRow(CODE, { ...code, payload: JSON.stringify(code.payload), createdAt: code.now }))
      .onConflict((conflict) => conflict.column('code_hash').doNothing())
      .returning('code_hash'),
  );
}

/**
 * Consumes a code.
 *
 * One statement decides, so exactly one of several concurrent callers succeeds, even in different processes.
 *
 * @returns undefined if there is no such code, it has expired, or it was already consumed.
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
    .returning(CODE)
    .executeTakeFirst();
  return row && { userId: row.userId, payload: JSON.parse(row.payload) };
}

/**
 * Extends an unused code until `expiresAt`, if it has not expired and was created after `madeAfter`. Both times are in
 * milliseconds since 1970.
 *
 * @returns the stored data, or undefined for any other code.
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
    .returning(CODE)
    .executeTakeFirst();
  return row && { userId: row.userId, payload: JSON.parse(row.payload) };
}

/** Reads what `consumeSingleUseCode` would return, without consuming the code. */
export async function peekSingleUseCode(
  executor: Executor,
  code: { codeHash: string; purpose: string; now: number },
): Promise<ConsumedCode | undefined> {
  const row = await executor
    .selectFrom('single_use_codes')
    .select(CODE)
    .where('code_hash', '=', code.codeHash)
    .where('purpose', '=', code.purpose)
    .where('consumed_at', 'is', null)
    .where('expires_at', '>', code.now)
    .executeTakeFirst();
  return row && { userId: row.userId, payload: JSON.parse(row.payload) };
}

/**
 * Marks a value of another party as used. Exactly one of several concurrent callers gets true.
 *
 * After `expiresAt`, the value is no longer accepted anyway.
 */
export async function takeOnce(
  executor: Executor,
  value: { hash: string; purpose: string; now: number; expiresAt: number },
): Promise<boolean> {
  return hasRow(
    executor
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
      .returning('code_hash'),
  );
}
