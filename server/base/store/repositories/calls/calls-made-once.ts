/** Idempotency keys: which attempt makes the call of a key, and its outcome. */

import { columns, hasRow, type Row } from '../../rows.ts';
import type { Executor } from '../../schema.ts';

/** The owner of a key: all tokens of a grant, or one token without a grant. */
export interface KeyOwner {
  readonly userId: string;
  readonly grantId: string | null;
  readonly tokenId: string;
}

/** A call that tries to take its key. */
export interface KeyedCall extends KeyOwner {
  /** SHA-256 of owner and key as base64url. */
  readonly keyHash: string;
  /** SHA-256 of key, tool and arguments as base64url. */
  readonly callHash: string;
  readonly connectionId: string;
  /** Names one attempt. */
  readonly holder: string;
  /** Deadline of the attempt, in milliseconds since 1970. */
  readonly heldUntil: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Time at which the key is free again, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** True if the call may be made again if its outcome is unknown. */
  readonly repeatable: boolean;
}

const KNOWN_CALL = columns('call_hash', 'status', 'held_until', 'sealed_answer');

/** The call that a key identifies. One that is still `running` after `heldUntil` has an unknown outcome. */
type KnownCall = Row<'calls_made_once', typeof KNOWN_CALL>;

/**
 * Takes a key that is free or has expired, or one whose call is `repeatable` and has an unknown outcome.
 *
 * One statement decides between concurrent callers.
 *
 * @throws a foreign key violation if the user, the grant or the connection was removed.
 */
export async function takeKey(executor: Executor, call: KeyedCall): Promise<boolean> {
  const { keyHash, userId, grantId, connectionId, now } = call;
  const row = {
    call_hash: call.callHash,
    user_id: userId,
    grant_id: grantId,
    token_id: grantId === null ? call.tokenId : null,
    connection_id: connectionId,
    status: 'running',
    holder: call.holder,
    held_until: call.heldUntil,
    sealed_answer: null,
    answer_bytes: 0,
    created_at: now,
    expires_at: call.expiresAt,
  } as const;
  return hasRow(
    executor
      .insertInto('calls_made_once')
      .values({ key_hash: keyHash, ...row })
      .onConflict((conflict) =>
        conflict
          .column('key_hash')
          .doUpdateSet(row)
          .where((known) => {
            const isOver = known('calls_made_once.expires_at', '<=', now);
            if (!call.repeatable) return isOver;
            const isLost = known.and([
              known('calls_made_once.status', '=', 'running'),
              known('calls_made_once.held_until', '<=', now),
            ]);
            const isUnknown = known.or([known('calls_made_once.status', '=', 'unknown'), isLost]);
            return known.or([isOver, known.and([known('calls_made_once.call_hash', '=', call.callHash), isUnknown])]);
          }),
      )
      .returning('key_hash'),
  );
}

/** @returns undefined if the key is free. */
export async function findKeyedCall(executor: Executor, keyHash: string): Promise<KnownCall | undefined> {
  return executor.selectFrom('calls_made_once').select(KNOWN_CALL).where('key_hash', '=', keyHash).executeTakeFirst();
}

/** Counts the keys of an owner and the bytes of their kept answers. Expired keys count until they are purged. */
export async function measureKeys(executor: Executor, owner: KeyOwner): Promise<{ keys: number; bytes: number }> {
  const { grantId, tokenId } = owner;
  const { fn } = executor;
  const measured = await executor
    .selectFrom('calls_made_once')
    .select([fn.countAll().as('keys'), fn.sum('answer_bytes').as('bytes')])
    .where(grantId === null ? 'token_id' : 'grant_id', '=', grantId ?? tokenId)
    .executeTakeFirstOrThrow();
  return { keys: Number(measured.keys), bytes: Number(measured.bytes ?? 0) };
}

/** The attempt that holds a key. */
interface KeyHold {
  readonly keyHash: string;
  /** Names the attempt. */
  readonly holder: string;
}

/** Stores the outcome of an attempt, unless another has taken the key. @param sealed null if the answer is not stored. */
export async function finishKeyedCall(
  executor: Executor,
  { keyHash, holder }: KeyHold,
  ending: { status: 'done' | 'unknown'; sealed: string | null },
): Promise<void> {
  const { status, sealed } = ending;
  await executor
    .updateTable('calls_made_once')
    .set({ status, sealed_answer: sealed, answer_bytes: sealed?.length ?? 0 })
    .where('key_hash', '=', keyHash)
    .where('holder', '=', holder)
    .execute();
}

/** Frees the key of an attempt that changed nothing. */
export async function freeKey(executor: Executor, { keyHash, holder }: KeyHold): Promise<void> {
  await executor.deleteFrom('calls_made_once').where('key_hash', '=', keyHash).where('holder', '=', holder).execute();
}
