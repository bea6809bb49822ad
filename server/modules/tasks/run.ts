/** One run of a task's call on this node: holds the task, notices its cancellation, and stores its outcome. */

import type { Kysely } from 'kysely';
import type { ValueSealer } from '../../base/credentials/sealed-value.ts';
import type { Principal } from '../../base/principal/principal.ts';
import { newId } from '../../base/store/rows.ts';
import type { Database } from '../../base/store/schema.ts';
import { refuse } from '../../call/tools/call/call-outcome.ts';
import type { CatalogueEntry } from '../../call/tools/catalogue/catalogue.ts';
import {
  type CompleteToolResult,
  InvalidCallError,
  type OngoingWork,
  type StartedWork,
  type ToolCallContext,
  type ToolProvider,
  type ToolResult,
} from '../../call/tools/provider.ts';
import { errorCodeOf, toJson } from '../../call/tools/results/errors.ts';
import { changeHeldTask, extendHold, LEFT_BY_RUN, NO_RUN, type TaskChange, withdrawFor } from './rows.ts';
import { accessOf, sealResult, sealState, statusOf, type TaskState, withInputRequests } from './state.ts';

/** Time after which another node may take up the task of a run that writes nothing. It is longer than the store may be unreachable. */
export const HOLD_MS = 20_000;
const HEARTBEAT_MS = 4_000;
/** Maximum size of a result, before it is sealed. */
const MAX_RESULT_BYTES = 8 * 1_048_576;

/** Dependencies of every run. */
export interface RunParts {
  readonly db: Kysely<Database>;
  readonly tools: ToolProvider;
  readonly sealer: ValueSealer;
  /** The operator's rules for withheld members. */
  readonly rules: readonly unknown[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

/** The call that a run makes. */
interface TaskCall {
  readonly caller: Principal;
  /** The called tool, or the inner tool that it calls (see `findInnerEntry`). Undefined if it is not in the catalogue. */
  readonly entry: CatalogueEntry | undefined;
  readonly state: TaskState;
  /** Context of the request that makes the call. */
  readonly context: ToolCallContext;
}

/** The end of a call: its result, or the error that it threw. */
type End = { readonly result: ToolResult } | { readonly error: unknown };

/** A call that this node makes. */
export class Run {
  readonly holder = newId();
  readonly #parts: RunParts;
  readonly #call: TaskCall;
  readonly #stop = new AbortController();
  readonly #work: OngoingWork & { isUnfinished: boolean };
  readonly #abort = (): void => this.#stop.abort();
  #ignoreDisconnect = (): void => {};
  #ended: Promise<End> | undefined;
  #state: TaskState;
  /** Row id of its task. Null if there is no task yet. */
  #id: string | null = null;
  #expiresAt = 0;
  #heartbeat: NodeJS.Timeout | undefined;
  #isCancelled = false;
  #isLeft = false;

  constructor(parts: RunParts, call: TaskCall) {
    this.#parts = parts;
    this.#call = call;
    this.#state = call.state;
    const { begun } = call.state;
    this.#work = { earlierWork: begun, isUnfinished: false, store: (work) => this.#storeWork(work) };
  }

  get state(): TaskState {
    return this.#state;
  }

  /** True if another node can continue the call where this run leaves it. */
  get canLeave(): boolean {
    return this.#state.begun !== null || this.#call.entry?.tool.annotations.readOnlyHint === true;
  }

  /**
   * Makes the call.
   *
   * @param until aborts when the client disconnects. It has no effect once the call has a task.
   */
  begin(until?: AbortSignal): Promise<End> {
    this.#ignoreDisconnect = () => until?.removeEventListener('abort', this.#abort);
    until?.addEventListener('abort', this.#abort, { once: true });
    if (until?.aborted) this.#abort();
    this.#ended = this.#make().finally(this.#ignoreDisconnect);
    return this.#ended;
  }

  async #make(): Promise<End> {
    const { tools } = this.#parts;
    const { caller, context, entry, state } = this.#call;
    const { name, args, meta, clientCapabilities, requestState, answered: inputResponses } = state;
    const { signal } = this.#stop;
    const callContext = {
      ...context,
      signal,
      meta,
      clientCapabilities,
      requestState,
      inputResponses,
      awaitsApprovals: true,
    };
    const hasWait = entry !== undefined && 'wait' in entry.tool && entry.tool.wait !== undefined;
    try {
      return {
        result: await tools.call(caller, name, args, hasWait ? { ...callContext, work: this.#work } : callContext),
      };
    } catch (error) {
      return { error };
    }
  }

  /** Stops the call because the client cancelled its task. */
  cancel(): void {
    this.#isCancelled = true;
    this.#abort();
  }

  /** Stops the call so that another node can take it up. */
  leave(): void {
    this.#isLeft = true;
    this.#abort();
  }

  /**
   * Makes this run the holder of the call's task. Resolves once the outcome of the call is stored.
   *
   * @param stored state of the task in the store.
   */
  async hold(id: string, expiresAt: number, stored: TaskState): Promise<void> {
    this.#id = id;
    this.#expiresAt = expiresAt;
    this.#ignoreDisconnect();
    this.#heartbeat = setInterval(() => void this.#stayAlive(), HEARTBEAT_MS);
    try {
      if (this.#state !== stored) await this.#change({ state: this.#sealed(id) });
      await this.#settle(await (this.#ended ?? this.begin()));
    } catch (error) {
      this.#parts.onError(error);
    } finally {
      clearInterval(this.#heartbeat);
    }
  }

  async #change(change: TaskChange): Promise<void> {
    const id = this.#id;
    if (id === null) return;
    this.#obey(await changeHeldTask(this.#parts.db, { id, holder: this.holder }, change));
  }

  /** @param isCancelled as `changeHeldTask` returns it. */
  #obey(isCancelled: boolean | null): void {
    if (isCancelled === null) this.leave();
    else if (isCancelled) this.cancel();
  }

  async #stayAlive(): Promise<void> {
    const now = this.#parts.now();
    if (now >= this.#expiresAt) this.#abort();
    const id = this.#id;
    if (id === null) return;
    await extendHold(this.#parts.db, { id, holder: this.holder }, now + HOLD_MS).then(
      (isCancelled) => this.#obey(isCancelled),
      this.#parts.onError,
    );
  }

  /** Stores the data that is needed to wait for the work, before the waiting begins. */
  async #storeWork(begun: StartedWork): Promise<void> {
    this.#state = { ...this.#state, begun };
    if (this.#id !== null) await this.#change({ state: this.#sealed(this.#id) }).catch(this.#parts.onError);
  }

  #sealed(id: string): string {
    return sealState({ sealer: this.#parts.sealer, caller: this.#call.caller, id }, this.#state, this.#expiresAt);
  }

  /** Stores the outcome of the call, or leaves the call to the next request of its client. */
  async #settle(end: End): Promise<void> {
    const id = this.#id ?? '';
    if (this.#isLeft && this.canLeave) return this.#change(LEFT_BY_RUN);
    if ('error' in end) {
      const json = JSON.stringify(this.#toRpcError(end.error));
      return this.#release({ status: 'failed', result: this.#sealedResult(id, json) });
    }
    const { result } = end;
    if (this.#isCancelled && (result.resultType === 'input_required' || result.isError === true)) {
      const approvalId = result.resultType === 'input_required' ? result.approval?.id : undefined;
      if (approvalId !== undefined) await withdrawFor(this.#parts.db, { id, approvalId });
      return this.#release({ status: 'cancelled' });
    }
    if (result.resultType === 'input_required') {
      this.#state = withInputRequests(this.#state, result);
      const approvalId = result.approval?.id ?? null;
      return this.#release({ status: statusOf(result), approval_id: approvalId, state: this.#sealed(id) });
    }
    // The upstream still works on it, or an earlier run with the same key does. The next request of the client continues to wait.
    const isOngoing = this.#work.isUnfinished || errorCodeOf(result) === 'call_in_progress';
    if (isOngoing && !this.#isCancelled) return this.#change(LEFT_BY_RUN);
    const json = toJson(result);
    const storedJson = json.length > MAX_RESULT_BYTES ? toJson(tooLarge(json.length)) : json;
    return this.#release({ status: 'completed', result: this.#sealedResult(id, storedJson) });
  }

  /** Makes a change after which the call needs no run. */
  #release(change: TaskChange): Promise<void> {
    return this.#change({ ...change, ...NO_RUN, updated_at: this.#parts.now() });
  }

  #toRpcError(error: unknown) {
    if (error instanceof InvalidCallError) return { code: -32602, message: error.message };
    this.#parts.onError(error);
    return { code: -32603, message: 'Internal error' };
  }

  #sealedResult(id: string, json: string): string {
    const { sealer, rules } = this.#parts;
    const { caller, entry } = this.#call;
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

/** The result of a call whose approval ended without a decision for this task. */
export function notApproved(): CompleteToolResult {
  return refuse('awaiting_approval', {
    message: 'No one approved this call in time, or the same call used its approval. This task sent nothing.',
    advice: 'Tell the user, and call again if the user still wants it.',
  }).result;
}

/** The result of a call that a node left without its outcome. */
export function outcomeUnknown(name: string): CompleteToolResult {
  return refuse('outcome_unknown', {
    message: `The gateway stopped while it made this call of ${name}. Whether the call took effect is not known. It was not made again.`,
  }).result;
}
