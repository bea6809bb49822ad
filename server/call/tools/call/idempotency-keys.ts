/** Calls with an idempotency key: a repeated call gets the outcome of the first, from any node, and after a crash. */

import { createHash, randomUUID } from 'node:crypto';
import type { WithheldMembers } from '../../../../shared/withheld.ts';
import type { ValueSealer } from '../../../base/credentials/sealed-value.ts';
import { isForeignKeyViolation } from '../../../base/store/conflicts.ts';
import {
  findKeyedCall,
  finishKeyedCall,
  freeKey,
  type KeyedCall,
  type KeyOwner,
  measureKeys,
  takeKey,
} from '../../../base/store/repositories/calls/calls-made-once.ts';
import type { Executor } from '../../../base/store/schema.ts';
import { type Wait, waitFor } from '../../../base/with-timeout.ts';
import { isHandWritten, usedTools } from '../catalogue/permitted.ts';
import { stableJson } from '../json.ts';
import type { CompleteToolResult } from '../provider.ts';
import { keepJson, toJson } from '../results/errors.ts';
import { fateOf } from '../results/outcomes.ts';
import { type CallOutcome, refuse } from './call-outcome.ts';
import type { CallsMadeOnce } from './dependencies.ts';
import type { AuthorizedCall, Call } from './state.ts';

interface Options {
  readonly db: Executor;
  readonly sealer: ValueSealer;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
  /** Default: `waitFor`. */
  readonly wait?: Wait;
}

/** Keys per grant at a time. A key counts for a day. */
const MAX_KEYS = 20_000;
/** Bytes of one sealed answer. Longer answers are not kept. */
const MAX_ANSWER_BYTES = 256 * 1024;
/** Bytes of all sealed answers of one grant. Beyond that, answers are not kept. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

const FIRST_PAUSE_MS = 25;
const MAX_PAUSE_MS = 500;

/** An attempt that holds its key. */
interface KeyClaim {
  readonly keyedCall: KeyedCall & CallBinding;
  /** Maximum bytes of its answer. */
  readonly maxAnswerBytes: number;
}

/** Creates the key handling. No transaction stays open during an upstream request. */
export function createCallsMadeOnce(options: Options): CallsMadeOnce {
  const { db, sealer, now, onError, wait = waitFor } = options;
  const claims = new WeakMap<Call, KeyClaim>();

  const recordClaim = async (call: AuthorizedCall, keyedCall: KeyClaim['keyedCall']): Promise<CallOutcome | null> => {
    const { keys, bytes } = await measureKeys(db, keyedCall);
    if (keys > MAX_KEYS) {
      await freeKey(db, keyedCall);
      return tooManyKeys(MAX_KEYS);
    }
    // Other arguments or connections get another key at the upstream, which may remember a key for longer than a day.
    call.seed = [keyedCall.keyHash, keyedCall.callHash, keyedCall.connectionId].join(' ');
    claims.set(call, { keyedCall, maxAnswerBytes: Math.min(MAX_ANSWER_BYTES, MAX_KEPT_BYTES - bytes) });
    return null;
  };

  /** @returns undefined if another call has the key. */
  const tryToClaim = async (
    call: AuthorizedCall,
    keyedCall: KeyedCall & CallBinding,
  ): Promise<CallOutcome | null | undefined> => {
    if (await takeKey(db, keyedCall)) return recordClaim(call, keyedCall);
    const earlier = await findKeyedCall(db, keyedCall.keyHash);
    if (earlier === undefined) return undefined;
    if (earlier.callHash !== keyedCall.callHash) return usedForAnother();
    if (earlier.status === 'done') return openAnswer(sealer, earlier.sealedAnswer, keyedCall);
    const isRunning = earlier.status === 'running' && earlier.heldUntil > keyedCall.now;
    return isRunning ? undefined : outcomeUnknown(call.entry);
  };

  return {
    async claim(call, key) {
      const { signal } = call.context;
      try {
        if (signal.aborted) return cancelled();
        for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
          const outcome = await tryToClaim(call, toKeyedCall(call, key, now()));
          if (outcome !== undefined) return outcome;
          if (now() + pause >= call.deadline) return alreadyRunning();
          await wait(pause, signal);
        }
      } catch (error) {
        if (signal.aborted) return cancelled();
        if (!isForeignKeyViolation(error)) throw error;
        const { title } = call.entry.connector;
        return refuse('not_connected', { message: `${title} is not connected for this user any more.` });
      }
    },
    async settle(call, outcome) {
      const keyClaim = claims.get(call);
      if (keyClaim === undefined) return;
      claims.delete(call);
      const { keyedCall, maxAnswerBytes } = keyClaim;
      try {
        const fate = fateOf(call, outcome);
        if (fate === 'free') await freeKey(db, keyedCall);
        else if (fate === 'unknown') await finishKeyedCall(db, keyedCall, { status: 'unknown', sealed: null });
        else {
          const sealed = sealAnswer(sealer, outcome, keyedCall);
          await finishKeyedCall(db, keyedCall, {
            status: 'done',
            sealed: sealed.length > maxAnswerBytes ? null : sealed,
          });
        }
      } catch (error) {
        onError(error);
      }
    },
  };
}

/** Time for which an answer is kept. */
const KEY_TTL_MS = 24 * 3_600_000;

/** Time after its deadline in which a call may still report its outcome. */
const SETTLE_MS = 2_000;

/** Describes a call with a key as a new attempt. @throws if the call's connection does not exist. */
function toKeyedCall(call: AuthorizedCall, key: string, now: number): KeyedCall & CallBinding {
  const { principal, entry, connectionId } = call;
  const { userId, grantId, tokenId } = principal;
  if (connectionId === undefined) throw new Error('the stage openConnection lets no call without a connection pass');
  const owner: KeyOwner = { userId, grantId, tokenId };
  const accountParts = call.account === undefined ? [] : [connectionId];
  return {
    ...owner,
    keyHash: hash(grantId === null ? ['token', tokenId, key] : ['grant', grantId, key]),
    // With another account it is another call.
    callHash: hash([key, entry.tool.name, call.arguments, ...accountParts]),
    connectionId,
    holder: randomUUID(),
    heldUntil: call.deadline + SETTLE_MS,
    now,
    expiresAt: now + KEY_TTL_MS,
    withheld: usedTools(entry.connector, entry.tool).flatMap(({ result }) =>
      result?.withhold ? [result.withhold] : [],
    ),
    repeatable:
      entry.tool.annotations.idempotentHint || (!isHandWritten(entry.tool) && entry.tool.idempotency !== undefined),
  };
}

/** Hashes a JSON value; the order of members does not matter. */
function hash(value: unknown): string {
  return createHash('sha256').update(stableJson(value)).digest('base64url');
}

/** The sealed content. The result is stored as the JSON that was sent. */
type StoredOutcome = Omit<CallOutcome, 'result'> & { readonly json: string };

/** The call that an answer belongs to. The answer opens for no other call. */
interface CallBinding {
  readonly keyHash: string;
  readonly callHash: string;
  /** Members that the call's tools withhold. An earlier answer does not open under another rule. */
  readonly withheld: readonly WithheldMembers[];
}

const holderOf = ({ keyHash, callHash, withheld }: CallBinding): string =>
  `${keyHash} ${callHash}${withheld.length === 0 ? '' : hash(withheld)}`;

/** @param expiresAt milliseconds since 1970. */
function sealAnswer(sealer: ValueSealer, outcome: CallOutcome, call: CallBinding & { expiresAt: number }): string {
  const { result, ...facts } = outcome;
  const storedOutcome: StoredOutcome = { ...facts, json: toJson(result) };
  return sealer.seal(storedOutcome, { holder: holderOf(call), expiresAt: call.expiresAt });
}

/**
 * Restores the outcome of an earlier call, without a request to the upstream.
 *
 * @param sealed the stored answer, or null if it was not kept.
 * @param now milliseconds since 1970.
 */
function openAnswer(sealer: ValueSealer, sealed: string | null, call: CallBinding & { now: number }): CallOutcome {
  const opened = sealed === null ? undefined : sealer.open(sealed, { holder: holderOf(call), now: call.now });
  if (opened === undefined) {
    return refuse('result_too_large', {
      message: 'The call with this idempotency key took effect. Its answer was not kept.',
      advice: 'Read the current state instead of calling again.',
    });
  }
  const { json, ...facts } = opened as StoredOutcome;
  const result = keepJson(JSON.parse(json) as CompleteToolResult, json);
  return { ...facts, upstreamStatus: null, result } as CallOutcome;
}

const RUNNING_RETRY_SECONDS = 2;

/** The key was used for another tool, or other arguments. */
function usedForAnother(): CallOutcome {
  return refuse('idempotency_key_reused', {
    message: 'This idempotency key was used for another call, of another tool or with other arguments.',
  });
}

/** The first call was sent, and its outcome is unknown. */
function outcomeUnknown({ tool }: Call['entry']): CallOutcome {
  return refuse('outcome_unknown', {
    message: `The first call of ${tool.name} with this key was sent; whether it took effect is not known. It was not sent again.`,
  });
}

/** The first call is still running at this call's deadline. */
function alreadyRunning(): CallOutcome {
  return refuse('call_in_progress', {
    message: 'The first call with this idempotency key is still running.',
    advice: `Wait ${RUNNING_RETRY_SECONDS} seconds, then call again with the same key.`,
    retryAfterSeconds: RUNNING_RETRY_SECONDS,
  });
}

/** The client disconnected before anything was sent. */
function cancelled(): CallOutcome {
  return refuse('cancelled', { message: 'The call was cancelled.' });
}

/** @param limit keys per grant. */
function tooManyKeys(limit: number): CallOutcome {
  return refuse('too_many_idempotency_keys', {
    message: `This client has used ${limit} idempotency keys within a day.`,
  });
}
