/** Seals and opens long values in a thread, whose job `run` is: the thread that answers everybody would stand still for it. */

import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { EncryptionKey } from './credentials/index.ts';
import { createValueSealer, type ValueSealer } from './credentials/sealed-value.ts';
import type { WorkBudget } from './limits/work-budget.ts';
import { ThreadJobError, type ThreadPool } from './threads/thread-pool.ts';

/** A stored value is too long to be opened now. The message is for the caller. */
export class StoredValueBusyError extends Error {
  override readonly name = 'StoredValueBusyError';
  readonly waitSeconds: number;

  constructor(waitSeconds: number) {
    super(`Too much is being read at this gateway, or too much of this user. Try again in ${waitSeconds} seconds.`);
    this.waitSeconds = waitSeconds;
  }
}

/** The keys and threads that seal long values, and the time that a user has for such work. */
export interface LongSealing {
  /** Of the module. */
  readonly keys: readonly EncryptionKey[];
  readonly threads: { readonly run: ThreadPool['run'] };
  readonly budget: { readonly waitSeconds: WorkBudget['waitSeconds'] };
}

interface SealInput {
  readonly keys: readonly EncryptionKey[];
  readonly purpose: string;
  readonly order:
    | { readonly kind: 'seal'; readonly value: unknown; readonly options: Parameters<ValueSealer['seal']>[1] }
    | { readonly kind: 'open'; readonly sealed: string; readonly options: Parameters<ValueSealer['open']>[1] };
}

const JOB = new URL('./long-values.ts', import.meta.url);

/** Characters of a sealed value, or of a text in a value, that take about a millisecond. */
const LONG = 65_536;
const BUSY_SECONDS = 5;

/** The prefix of a sealed text whose value was compressed. Shorter texts matter, because SQLite blocks the process while it writes. */
const COMPRESSED = 'z.';

/** Runs the job; see `RunJob`. @returns the sealed text, or the opened value. */
export async function run({ keys, purpose, order }: SealInput): Promise<unknown> {
  const sealer = createValueSealer({ keys, purpose });
  if (order.kind === 'seal') {
    const compressed = deflateRawSync(JSON.stringify(order.value), { level: 1 });
    return `${COMPRESSED}${sealer.seal(compressed.toString('base64'), order.options)}`;
  }
  const { sealed, options } = order;
  if (!sealed.startsWith(COMPRESSED)) return sealer.open(sealed, options);
  const compressed = sealer.open(sealed.slice(COMPRESSED.length), options);
  if (typeof compressed !== 'string') return undefined;
  return JSON.parse(inflateRawSync(Buffer.from(compressed, 'base64')).toString('utf8'));
}

/** Creates what seals and opens long values in a thread, and others here. */
export function createLongSealer({ keys, threads, budget }: LongSealing, purpose: string) {
  const sealer = createValueSealer({ keys, purpose });
  const runJob = (userId: string, order: SealInput['order']): Promise<unknown> => {
    const input: SealInput = { keys, purpose, order };
    return threads.run({ file: JOB, userId, input, signal: new AbortController().signal });
  };
  return {
    /** Seals a value, here if the threads have no time for it, so that a result is never lost. */
    async seal(userId: string, value: unknown, sealing: Parameters<ValueSealer['seal']>[1]): Promise<string> {
      if (!hasLongText(value)) return sealer.seal(value, sealing);
      try {
        return String(await runJob(userId, { kind: 'seal', value, options: sealing }));
      } catch (error) {
        if (!(error instanceof ThreadJobError)) throw error;
        return sealer.seal(value, sealing);
      }
    },
    /** @throws {StoredValueBusyError} */
    async open(userId: string, sealed: string, opening: Parameters<ValueSealer['open']>[1]): Promise<unknown> {
      if (sealed.length <= LONG && !sealed.startsWith(COMPRESSED)) return sealer.open(sealed, opening);
      const waitSeconds = budget.waitSeconds(userId);
      if (waitSeconds !== undefined) throw new StoredValueBusyError(waitSeconds);
      try {
        return await runJob(userId, { kind: 'open', sealed, options: opening });
      } catch (error) {
        if (!(error instanceof ThreadJobError) || error.reason === 'failed') throw error;
        throw new StoredValueBusyError(BUSY_SECONDS);
      }
    },
  };
}

/** True if a member of a value is a long text. */
function hasLongText(value: unknown): boolean {
  const members = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return members.some((member) => typeof member === 'string' && member.length > LONG);
}
