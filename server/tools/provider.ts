/** What the MCP endpoint asks of those who have tools, in plain objects that name no SDK. */

import type { Principal, Scope } from '../principal/principal.ts';

/** The protocol revisions that differ for a tool: 2025-11-25 and older, or 2026-07-28 and younger. */
export type ProtocolEra = '2025' | '2026';

/** One page of a list of tools, ready to be sent. */
export interface ToolList {
  /** The JSON of the `tools` array, in UTF-8. Kept, so never to be written to. */
  readonly json: Uint8Array;
  /** Gets the next page. Default: this is the last one. */
  readonly nextCursor?: string;
}

/** What a call knows of its request. */
export interface ToolCallContext {
  readonly era: ProtocolEra;
  /**
   * Aborts when the client cancels the call (MCP, Cancellation): in 2026 by going away, in 2025 by a notification, because
   * there a disconnect is not to be read as one.
   */
  readonly signal: AbortSignal;
  /** The gateway's own name for the HTTP request. The JSON-RPC id is the client's affair and never leaves the endpoint. */
  readonly requestId: string;
  /** Capabilities that the client declared for this request; empty in 2025, where a stateless server never learns them. */
  readonly clientCapabilities: Readonly<Record<string, unknown>>;
  /** `params._meta` of the request, without the members of the 2026 envelope. Whatever the client wrote there. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** Answers to the input requests of an earlier `input_required` result, by their keys. */
  readonly inputResponses: Readonly<Record<string, unknown>>;
  /** `requestState` of that result as the client sent it back: unverified. */
  readonly requestState: string | null;
  /** Seconds until this user may make another request, when this one is over the limit; null when it is not. */
  readonly waitSeconds: number | null;
}

/** One block of a result's content (MCP `ContentBlock`). */
export interface ContentBlock {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** A finished call (MCP `CallToolResult`). */
export interface CompleteToolResult {
  readonly resultType?: 'complete';
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/**
 * A call that first needs something of the user, such as to open a page (MCP 2026-07-28, `InputRequiredResult`).
 *
 * For 2026 clients only, and only for input that `clientCapabilities` names: the endpoint answers -32021 otherwise.
 */
export interface InputRequiredToolResult {
  readonly resultType: 'input_required';
  /** By key: `{ method: 'elicitation/create', params: { mode: 'url', message, url } }` and its like. */
  readonly inputRequests?: Readonly<Record<string, { readonly method: string; readonly params?: unknown }>>;
  /** Comes back with the retry. Seal it: the client can write anything there. */
  readonly requestState?: string;
}

/** How a call ends. */
export type ToolResult = CompleteToolResult | InputRequiredToolResult;

/** Those who have tools. */
export interface ToolProvider {
  /**
   * The tools of that principal, the same bytes for the same set.
   *
   * @param cursor `nextCursor` of the page before, as a client sent it: unverified. Default: null, the first page.
   * @throws {InvalidCallError} for a cursor that no page has (MCP, Pagination: -32602).
   */
  list(principal: Principal, cursor?: string | null): ToolList | Promise<ToolList>;
  /**
   * Calls a tool. Whatever is wrong with the arguments or the upstream is a result with `isError`.
   *
   * @throws {UnknownToolError} when no tool has that name.
   * @throws {InvalidCallError} when the call is no call of that tool at all, such as one with a forged `requestState`.
   */
  call(
    principal: Principal,
    name: string,
    args: Readonly<Record<string, unknown>>,
    context: ToolCallContext,
  ): Promise<ToolResult>;
  /**
   * Every scope that a call of the tool needs, when the principal lacks one of them; null when it lacks none, and when a
   * wider token would not help. Default: null. Such calls are refused before they reach `call`.
   */
  missingScopes?(principal: Principal, name: string, args: Readonly<Record<string, unknown>>): readonly Scope[] | null;
  /** Whether the tool that is called takes files, so that the call may have megabytes. Default: none does. */
  takesFiles?(name: string, args: Readonly<Record<string, unknown>>): boolean;
}

/** A call that the MCP endpoint answers with -32602 and this message, which holds nothing secret. */
export class InvalidCallError extends Error {
  override readonly name: string = 'InvalidCallError';
}

/** The longest name that a tool may have (MCP, Tool Names). */
const MAX_NAME_LENGTH = 128;

/** No tool has that name (MCP: -32602 `Unknown tool: x`). */
export class UnknownToolError extends InvalidCallError {
  override readonly name = 'UnknownToolError';

  /** @param nearest names that the caller may have meant. */
  constructor(tool: string, nearest: readonly string[]) {
    const meant = nearest.length === 0 ? '' : `. Did you mean ${nearest.join(' or ')}?`;
    super(`Unknown tool: ${tool.slice(0, MAX_NAME_LENGTH)}${meant}`);
  }
}
