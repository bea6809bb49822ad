/** One making of a task's call by this node: holds the task, hears of its cancellation, and writes what came of it. */

import type { Kysely } from 'kysely';
import type { ValueSealer } from '../../base/credentials/sealed-value.ts';
import type { Principal } from '../../base/principal/principal.ts';
import { newId } from '../../base/store/rows.ts';
import type { Database } from '../../base/store/schema.ts';
import { refuse } from '../../call/tools/call/call-outcome.ts';
import type { CatalogueEntry } from '../../call/tools/catalogue/catalogue.ts';
import {
  type BegunWork,
  InvalidCallError,
  type OngoingWork,
  type ToolCallContext,
  type ToolProvider,
  type ToolResult,
} from '../../call/tools/provider.ts';
import { errorCodeOf, toJson } from '../../call/tools/results/errors.ts';
import { changeHeld } from './rows.ts';
import { accessOf, askedBy, sealResult, sealState, type TaskState } from './state.ts';

/** How long a run that writes nothing is left alone: longer than a store may be away. */
export const HOLD_MS = 20_000;
const BEAT_MS = 4_000;
/** Of a result, sealed. */
const MAX_RESULT_BYTES = 8 * 1_048_576;

/** What every run is made from. */
export interface RunParts {
  readonly db: Kysely<Database>;
  readonly tools: ToolProvider;
  readonly sealer: ValueSealer;
  /** What the operator withholds. */
  readonly rules: readonly unknown[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

/** What a run makes. */
interface Made {
  readonly caller: Principal;
  /** The tool of the call, or the inner one; undefined: it is none of the catalogue. */
  readonly entry: CatalogueEntry | undefined;
  readonly state: TaskState;
  /** Of the request that makes it. */
  readonly context: ToolCallContext;
}

/** How a call has ended: with a result, or by what it threw. */
type End = { readonly result: ToolResult } | { readonly error: unknown };

/** A call that this node makes. */
export class Run {
  readonly holder = newId();
  readonly #parts: RunParts;
  readonly #made: Made;
  readonly #stop = new AbortController();
  readonly #work: OngoingWork & { goesOn: boolean };
  readonly #abort = (): void => this.#stop.abort();
  #outlive = (): void => {};
  #ended: Promise<End> | undefined;
  #state: TaskState;
  /** Row id of its task; null: there is none yet. */
  #id: string | null = null;
  #expiresAt = 0;
  #beat: NodeJS.Timeout | undefined;
  #isCancelled = false;
  #isLeft = false;

  constructor(parts: RunParts, made: Made) {
    this.#parts = parts;
    this.#made = made;
    this.#state = made.state;
    const { begun } = made.state;
    this.#work = { begun, goesOn: false, keep: (work) => this.#keep(work) };
  }

  get state(): TaskState {
    return this.#state;
  }

  /** Whether another node can take the call up where this one leaves it. */
  get canLeave(): boolean {
    return this.#state.begun !== null || this.#made.entry?.tool.annotations.readOnlyHint === true;
  }

  /** Makes the call. @param until the client disconnects; counts until the task is there. */
  begin(until?: AbortSignal): Promise<End> {
    this.#outlive = () => until?.removeEventListener('abort', this.#abort);
    until?.addEventListener('abort', this.#abort, { once: true });
    if (until?.aborted) this.#abort();
    this.#ended = this.#make().finally(this.#outlive);
    return this.#ended;
  }

  async #make(): Promise<End> {
    const { tools } = this.#parts;
    const { caller, context, entry, state } = this.#made;
    const { name, args, meta, clientCapabilities, requestState, answered: inputResponses } = state;
    const { signal } = this.#stop;
    const given = { ...context, signal, meta, clientCapabilities, requestState, inputResponses, awaitsApprovals: true };
    const hasWait = entry !== undefined && 'wait' in entry.tool && entry.tool.wait !== undefined;
    try {
      return { result: await tools.call(caller, name, args, hasWait ? { ...given, work: this.#work } : given) };
    } catch (error) {
      return { error };
    }
  }

  /** The client cancels its task. */
  cancel(): void {
    this.#isCancelled = true;
    this.#abort();
  }

  /** Stops, so that another node takes the call up. */
  leave(): void {
    this.#isLeft = true;
    this.#abort();
  }

  /**
   * From now on the call belongs to a task, which this run holds. Resolves once what came of it is written.
   *
   * @param stored what the task remembers.
   */
  async hold(id: string, expiresAt: number, stored: TaskState): Promise<void> {
    this.#id = id;
    this.#expiresAt = expiresAt;
    this.#outlive();
    this.#beat = setInterval(() => void this.#stayAlive(), BEAT_MS);
    try {
      if (this.#state !== stored) await this.#change({ state: this.#sealed(id) });
      await this.#settle(await (this.#ended ?? this.begin()));
    } catch (error) {
      this.#parts.onError(error);
    } finally {
      clearInterval(this.#beat);
    }
  }

  async #change(change: Partial<Database['tasks']>): Promise<void> {
    const id = this.#id;
    if (id === null) return;
    const isCancelled = await changeHeld(this.#parts.db, { id, holder: this.holder }, change);
    if (isCancelled === null) this.leave();
    else if (isCancelled) this.cancel();
  }

  async #stayAlive(): Promise<void> {
    const now = this.#parts.now();
    if (now >= this.#expiresAt) this.#abort();
    await this.#change({ held_until: now + HOLD_MS }).catch(this.#parts.onError);
  }

  /** What it takes to wait on is kept before the waiting. */
  async #keep(begun: BegunWork): Promise<void> {
    this.#state = { ...this.#state, begun };
    if (this.#id !== null) await this.#change({ state: this.#sealed(this.#id) }).catch(this.#parts.onError);
  }

  #sealed(id: string): string {
    return sealState({ sealer: this.#parts.sealer, caller: this.#made.caller, id }, this.#state, this.#expiresAt);
  }

  async #settle(end: End): Promise<void> {
    const { now, onError } = this.#parts;
    const id = this.#id ?? '';
    const free = { holder: null, held_until: 0, updated_at: now() };
    if (this.#isLeft && this.canLeave) return this.#change({ held_until: 0 });
    if ('error' in end) {
      const { error } = end;
      const isInvalid = error instanceof InvalidCallError;
      if (!isInvalid) onError(error);
      const said = isInvalid ? { code: -32602, message: error.message } : { code: -32603, message: 'Internal error' };
      return this.#change({ ...free, status: 'failed', result: this.#sealedResult(id, JSON.stringify(said)) });
    }
    const { result } = end;
    if (this.#isCancelled && (result.resultType === 'input_required' || result.isError === true)) {
      return this.#change({ ...free, status: 'cancelled' });
    }
    if (result.resultType === 'input_required') {
      this.#state = askedBy(this.#state, result);
      const asking = { status: 'input_required', approval_id: result.approval ?? null } as const;
      return this.#change({ ...free, ...asking, state: this.#sealed(id) });
    }
    // The next request of its client waits on: for the work, or for an earlier run with the same key.
    const goesOn = this.#work.goesOn || errorCodeOf(result) === 'call_in_progress';
    if (goesOn && !this.#isCancelled) return this.#change({ held_until: 0 });
    const json = toJson(result);
    const kept = json.length > MAX_RESULT_BYTES ? toJson(tooLarge(json.length)) : json;
    return this.#change({ ...free, status: 'completed', result: this.#sealedResult(id, kept) });
  }

  #sealedResult(id: string, json: string): string {
    const { sealer, rules } = this.#parts;
    const { caller, entry } = this.#made;
    const access = accessOf(caller, entry, rules);
    return sealResult({ sealer, caller, id }, json, { access, expiresAt: this.#expiresAt });
  }
}

function tooLarge(bytes: number) {
  return refuse('result_too_large', {
    message: `The call has ended. Its result of ${bytes} bytes was too large to be kept.`,
    advice: 'Ask for less; if it writes, read the current state first instead of calling again.',
  }).result;
}
