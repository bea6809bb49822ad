/** What one HTTP request to the MCP endpoint carries from its arrival to its answer. */

import type { Logger } from 'pino';
import type { Principal } from '../principal/principal.ts';
import type { ToolList } from '../tools/provider.ts';

/** One request and its answer. Nothing of it outlives them, and nothing in it is found by a JSON-RPC id. */
export interface Exchange {
  readonly principal: Principal;
  readonly requestId: string;
  readonly log: Logger;
  /** Aborts when the client goes away before it has its answer. */
  readonly disconnected: AbortSignal;
  /** Whether the answer can hold notifications besides the result. */
  readonly streams: boolean;
  /** Set by the `tools/list` handler: the list that takes the place of the empty one. */
  list: ToolList | null;
}
