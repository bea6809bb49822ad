/** Ends a call before its answer: at its deadline, or when the client disconnects. */

import { UpstreamFailure } from './failures.ts';

/** Watches one call. `end` must follow, whatever happens. */
export class Stop {
  /** Why the call was stopped, or null. */
  failure: UpstreamFailure | null = null;
  readonly #signal: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  readonly #cancel = (): void => this.#stop(new UpstreamFailure('cancelled'));
  #listener: ((failure: UpstreamFailure) => void) | null = null;

  /** @param signal aborts when the client disconnects. */
  constructor(signal: AbortSignal, timeoutMs: number) {
    this.#signal = signal;
    this.#timer = setTimeout(() => this.#stop(new UpstreamFailure('timeout', { limit: timeoutMs })), timeoutMs);
    if (signal.aborted) this.#cancel();
    else signal.addEventListener('abort', this.#cancel, { once: true });
  }

  /** Replaces the listener; it is called at once if the call was already stopped. */
  onStop(listener: (failure: UpstreamFailure) => void): void {
    this.#listener = listener;
    if (this.failure !== null) listener(this.failure);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener('abort', this.#cancel);
  }

  #stop(failure: UpstreamFailure): void {
    this.failure ??= failure;
    this.#listener?.(this.failure);
  }
}
