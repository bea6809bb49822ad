/** Calls of 2025 clients that are in progress in this process, so that `notifications/cancelled` finds them. */

/** A call in progress. `end` must always follow. */
export interface OpenCall {
  /** Aborts when the client cancels the call. */
  readonly signal: AbortSignal;
  end(): void;
}

export interface OpenCalls {
  /** @param id of the JSON-RPC request. */
  begin(tokenId: string, id: string | number): OpenCall;
  /**
   * Cancels the call with that id (MCP 2025-11-25, Cancellation).
   *
   * Without sessions, only the access token identifies the client, and two windows of one client may share it and use the same
   * ids. So if two calls with that id are in progress, neither is cancelled. Calls of other processes are unknown here,
   * and ignored like calls that have ended.
   */
  cancel(tokenId: string, id: string | number): void;
  /** Cancels all calls, when the time for a graceful stop is over. */
  cancelAll(): void;
}

export function createOpenCalls(): OpenCalls {
  const open = new Map<string, AbortController[]>();
  const keyOf = (tokenId: string, id: string | number): string => `${tokenId} ${JSON.stringify(id)}`;
  return {
    begin(tokenId, id) {
      const key = keyOf(tokenId, id);
      const call = new AbortController();
      const others = open.get(key);
      open.set(key, others === undefined ? [call] : [...others, call]);
      return {
        signal: call.signal,
        end() {
          const left = open.get(key)?.filter((each) => each !== call) ?? [];
          if (left.length === 0) open.delete(key);
          else open.set(key, left);
        },
      };
    },
    cancel(tokenId, id) {
      const [call, ...others] = open.get(keyOf(tokenId, id)) ?? [];
      if (others.length === 0) call?.abort();
    },
    cancelAll() {
      for (const calls of open.values()) for (const call of calls) call.abort();
    },
  };
}
