/** Single-use codes: secrets that are valid for exactly one use, even under concurrency. */

import { type Expression, expressionBuilder, type SqlBool } from 'kysely';
import { columns, hasRow, type Row, toRow } from '../rows.ts';
import type { Database, Executor } from '../schema.ts';

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

/** A code and the time at which it must be usable, in milliseconds since 1970. */
interface CodeLookup {
  readonly codeHash: string;
  readonly purpose: string;
  readonly now: number;
}

/** Condition: the code has not expired and was not consumed. */
function isUsable({ codeHash, purpose, now }: CodeLookup): Expression<SqlBool> {
  const { eb } = expressionBuilder<Database, 'single_use_codes'>();
  return eb.and([
    eb('code_hash', '=', codeHash),
    eb('purpose', '=', purpose),
    eb('consumed_at', 'is', null),
    eb('expires_at', '>', now),
  ]);
}

function toConsumed({ userId, payload }: Row<'single_use_codes', typeof CODE>): ConsumedCode {
  return { userId, payload: JSON.parse(payload) };
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

/** Stores a value under its hash, in place of an earlier one. */
export async function replaceSingleUseCode(executor: Executor, code: NewSingleUseCode): Promise<void> {
  const row = toRow(CODE, { ...code, payload: JSON.stringify(code.payload), createdAt: code.now });
  await executor
    .insertInto('single_use_codes')
    .values(row)
    .onConflict((conflict) => conflict.column('code_hash').doUpdateSet({ ...row, consumed_at: null }))
    .execute();
}

/** Removes a code, and returns what `peekSingleUseCode` would. Exactly one of several concurrent callers gets it. */
export async function removeSingleUseCode(executor: Executor, code: CodeLookup): Promise<ConsumedCode | undefined> {
  const row = await executor.deleteFrom('single_use_codes').where(isUsable(code)).returning(CODE).executeTakeFirst();
  return row && toConsumed(row);
}

/** Counts the usable codes of a user. */
export async function countSingleUseCodes(
  executor: Executor,
  { userId, purpose, now }: { readonly userId: string; readonly purpose: string; readonly now: number },
): Promise<number> {
  const { count } = await executor
    .selectFrom('single_use_codes')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .where('user_id', '=', userId)
    .where('purpose', '=', purpose)
    .where('consumed_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/**
 * Consumes a code.
 *
 * One statement decides, so exactly one of several concurrent callers succeeds, even in different processes.
 *
 * @returns undefined if there is no such code, it has expired, or it was already consumed.
 */
export async function consumeSingleUseCode(executor: Executor, code: CodeLookup): Promise<ConsumedCode | undefined> {
  const row = await executor
    .updateTable('single_use_codes')
    .set({ consumed_at: code.now })
    .where(isUsable(code))
    .returning(CODE)
    .executeTakeFirst();
  return row && toConsumed(row);
}

/**
 * Extends an unused code until `expiresAt`, if it has not expired and was created after `madeAfter`. Both times are in
 * milliseconds since 1970.
 *
 * @returns the stored data, or undefined for any other code.
 */
export async function extendSingleUseCode(
  executor: Executor,
  code: CodeLookup,
  until: { expiresAt: number; madeAfter: number },
): Promise<ConsumedCode | undefined> {
  const row = await executor
    .updateTable('single_use_codes')
    .set({ expires_at: until.expiresAt })
    .where(isUsable(code))
    .where('created_at', '>', until.madeAfter)
    .returning(CODE)
    .executeTakeFirst();
  return row && toConsumed(row);
}

/** Reads what `consumeSingleUseCode` would return, without consuming the code. */
export async function peekSingleUseCode(executor: Executor, code: CodeLookup): Promise<ConsumedCode | undefined> {
  const row = await executor.selectFrom('single_use_codes').select(CODE).where(isUsable(code)).executeTakeFirst();
  return row && toConsumed(row);
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
