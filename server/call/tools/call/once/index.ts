/** Calls with an idempotency key: a repeated call gets the outcome of the first, from any node, and after a crash. */

import { setTimeout as delay } from 'node:timers/promises';
import { isForeignKeyViolation } from '../../../../base/store/conflicts.ts';
import {
  findKeyedCall,
  finishKeyedCall,
  freeKey,
  type KeyedCall,
  measureKeys,
  takeKey,
} from '../../../../base/store/repositories/calls/calls-made-once.ts';
import type { Executor } from '../../../../base/store/schema.ts';
import type { Call, CallsMadeOnce } from '../call.ts';
import { type Ending, refuse } from '../ending.ts';
import { fateOf } from './fate.ts';
import { type AnswerSealer, openAnswer, sealAnswer } from './kept-answer.ts';
import { toKeyedCall } from './keyed-call.ts';
import { alreadyRunning, cancelled, outcomeUnknown, tooManyKeys, usedForAnother } from './refusals.ts';

interface Options {
  readonly db: Executor;
  readonly sealer: AnswerSealer;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
  /** Waits, and rejects when the signal aborts. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Keys per grant at a time. A key counts for a day. */
export const MAX_KEYS = 20_000;
/** Bytes of one sealed answer. Longer answers are not kept. */
export const MAX_ANSWER_BYTES = 256 * 1024;
/** Bytes of all sealed answers of one grant. Beyond that, answers are not kept. */
export const MAX_KEPT_BYTES = 16 * 1024 * 1024;

const FIRST_PAUSE_MS = 25;
const MAX_PAUSE_MS = 500;

/** An attempt that holds its key. */
interface Hold {
  readonly of: KeyedCall;
  /** Maximum bytes of its answer. */
  readonly room: number;
}

/** Creates the key handling. No transaction stays open during an upstream request. */
export function createCallsMadeOnce(options: Options): CallsMadeOnce {
  const { db, sealer, now, onError, wait = waitFor } = options;
  const holds = new WeakMap<Call, Hold>();

  const hold = async (call: Call, keyed: KeyedCall): Promise<Ending | null> => {
    const { keys, bytes } = await measureKeys(db, keyed);
    if (keys > MAX_KEYS) {
      await freeKey(db, keyed);
      return tooManyKeys(MAX_KEYS);
    }
    // Other arguments or connections get another key at the upstream, which may remember a key for longer than a day.
    call.seed = [keyed.keyHash, keyed.callHash, keyed.connectionId].join(' ');
    holds.set(call, { of: keyed, room: Math.min(MAX_ANSWER_BYTES, MAX_KEPT_BYTES - bytes) });
    return null;
  };

  /** @returns undefined if another call has the key. */
  const tryOnce = async (call: Call, keyed: KeyedCall): Promise<Ending | null | undefined> => {
    if (await takeKey(db, keyed)) return hold(call, keyed);
    const known = await findKeyedCall(db, keyed.keyHash);
    if (known === undefined) return undefined;
    if (known.callHash !== keyed.callHash) return usedForAnother();
    if (known.status === 'done') return openAnswer(sealer, known.sealedAnswer, keyed);
    const isRunning = known.status === 'running' && known.heldUntil > keyed.now;
    return isRunning ? undefined : outcomeUnknown(call.entry);
  };

  return {
    async take(call, key) {
      const { signal } = call.context;
      try {
        if (signal.aborted) return cancelled();
        for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
          const ending = await tryOnce(call, toKeyedCall(call, key, now()));
          if (ending !== undefined) return ending;
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
    async settle(call, ending) {
      const held = holds.get(call);
      if (held === undefined) return;
      holds.delete(call);
      const { of: keyed, room } = held;
      try {
        const fate = fateOf(call, ending);
        if (fate === 'free') await freeKey(db, keyed);
        else if (fate === 'unknown') await finishKeyedCall(db, keyed, { status: 'unknown', sealed: null });
        else {
          const sealed = sealAnswer(sealer, ending, keyed);
          await finishKeyedCall(db, keyed, { status: 'done', sealed: sealed.length > room ? null : sealed });
        }
      } catch (error) {
        onError(error);
      }
    },
  };
}

async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal });
}
