/** The interface between the MCP endpoint and providers of tools, in plain objects without an SDK. */

import type { Scope } from '../../base/principal/permission.ts';
import type { Principal } from '../../base/principal/principal.ts';

/** The protocol revisions that differ for a tool: up to 2025-11-25, or from 2026-07-28. */
export type ProtocolEra = '2025' | '2026';

/** One page of a tool list, ready to be sent. */
export interface ToolList {
  /** The JSON of the `tools` array, in UTF-8. It is cached, so it must not be modified. */
  readonly json: Uint8Array;
  /** Cursor of the next page. Default: this is the last page. */
  readonly nextCursor?: string | undefined;
}

/** Progress of a call, for a client that waits. */
export interface CallProgress {
  /** A sentence, or null to tell only that the call is in progress. */
  message: string | null;
}

/** The request of a call. */
export interface ToolCallContext {
  readonly era: ProtocolEra;
  /**
   * Aborts when the client cancels the call (MCP, Cancellation): in 2026 by disconnecting, in 2025 by a notification,
   * because a disconnect is not a cancellation there.
   */
  readonly signal: AbortSignal;
  /** The gateway's id of the HTTP request. The JSON-RPC id belongs to the client and never leaves the endpoint. */
  readonly requestId: string;
  /** Capabilities that the client declared for this request; in 2025 those for questions, if its session id says them. */
  readonly clientCapabilities: Readonly<Record<string, unknown>>;
  /** `params._meta` of the request, unverified, without the members of the 2026 envelope. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** Answers to the input requests of an earlier `input_required` result, by their keys. */
  readonly inputResponses: Readonly<Record<string, unknown>>;
  /** `requestState` of that result as the client returned it, unverified. */
  readonly requestState: string | null;
  /** Seconds until this user may make another request, if this one is over the limit; null otherwise. */
  readonly waitSeconds: number | null;
  /**
   * Finds the caller as the store knows it now. Returns null if the caller may not call anything any more. Undefined if the store cannot be asked, so
   * that the caller counts as unchanged.
   */
  readonly callerNow?: () => Promise<Principal | null>;
  /** Bytes of text that the result may have, for a caller that is no model. By default the grant decides. */
  readonly resultBytes?: number;
  /** Receives the progress of a call. Undefined or null if the client did not ask. */
  readonly progress?: CallProgress | null;
  /** True if the caller itself waits for approvals. Then results name the approval that they wait for. Default: false. */
  readonly awaitsApprovals?: boolean;
  /** Stores how to resume a call whose work continues after the first answer. By default nothing is stored. */
  readonly work?: OngoingWork;
  /**
   * Gives the result of a call the form of an answer to this client. By default the result has this form already.
   *
   * @param tool as the client called it.
   */
  readonly toForm?: (result: CompleteToolResult, tool: string) => CallAnswer;
}

/** Work that a call has begun, and how its state is read. JSON. */
export interface StartedWork {
  /** Arguments of the reading tool. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The first answer. */
  readonly result: CompleteToolResult;
}

/** The waiting of one call. */
export interface OngoingWork {
  /** Work that an earlier call began, for whose end this call only waits. Null if this call begins the work. */
  readonly earlierWork: StartedWork | null;
  /** Called before the first waiting. */
  store(work: StartedWork): Promise<void>;
  /** Set if the call ended before the work did. */
  isUnfinished: boolean;
}

/** The request of a call that no client made. */
export function createOwnContext(): ToolCallContext {
  const { signal } = new AbortController();
  const emptyRequest = { clientCapabilities: {}, meta: {}, inputResponses: {}, requestState: null, waitSeconds: null };
  return { era: '2026', signal, requestId: '', ...emptyRequest };
}

/** A request as text, with `(credential)` in place of the credential. HTTP adds `host`, `connection` and `content-length`. */
export interface ShownRequest {
  readonly method: string;
  readonly url: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** `text` is null for a body that is binary or long. */
  readonly body: { readonly mediaType: string | null; readonly bytes: number; readonly text: string | null } | null;
}

/** The first request that a call would send, or the result with which it would end without sending anything. */
export type DryRun =
  | { readonly request: ShownRequest; readonly result: null }
  | { readonly request: null; readonly result: CompleteToolResult };

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
 * A call that first needs an action of the user, such as opening a page (MCP 2026-07-28, `InputRequiredResult`).
 *
 * Only for input that `clientCapabilities` names: the endpoint answers -32021 otherwise. A client of 2025 is asked in its session, and then
 * the endpoint calls again.
 */
export interface InputRequiredToolResult {
  readonly resultType: 'input_required';
  /**
   * By key, such as `{ method: 'elicitation/create', params: { mode: 'url', message, url } }`. Undefined if the client cannot be asked, and the call
   * only waits for `approval`.
   */
  readonly inputRequests?: Readonly<Record<string, { readonly method: string; readonly params?: unknown }>>;
  /** Returned with the retry. Seal it, because the client can change it. */
  readonly requestState?: string;
  /** In 2025, where the call waits for its user. Never sent. */
  readonly inSession?: InSession;
  /** The approval that the call waits for, where `awaitsApprovals` says so. Never sent. */
  readonly approval?: AwaitedApproval;
}

/** The approval that a call waits for. */
export interface AwaitedApproval {
  /** Row id. */
  readonly id: string;
  /** Says what waits, and at which address it is decided. */
  readonly text: string;
  /** The result if the caller cannot wait either. */
  readonly otherwise: CompleteToolResult;
}

/** A call of a 2025 client that waits for its user. */
export interface InSession {
  /** The result if the call cannot wait, or the user does not act in time. */
  readonly otherwise: CompleteToolResult;
  /**
   * True if the user has acted.
   *
   * @param principal the caller as it is now.
   */
  isDone(principal: Principal): boolean | Promise<boolean>;
  /** True if the questions are those of a service, so that the call continues with any answer of the client. Default: false. */
  readonly takesAnswers?: true;
}

/** The result of a call, or a request for input. */
export type ToolResult = CompleteToolResult | InputRequiredToolResult;

/** A call that continues as a task (Tasks 2026-07-28, `CreateTaskResult`), of a client that declares that it can follow one. */
export interface CreatedTask {
  readonly resultType: 'task';
  readonly [member: string]: unknown;
}

/** The answer of the endpoint to a call. */
export type CallAnswer = ToolResult | CreatedTask;

/** Tools as the endpoint has them: a call may outlive its answer. */
export interface EndpointTools extends Omit<ToolProvider, 'call'> {
  call(...call: Parameters<ToolProvider['call']>): Promise<CallAnswer>;
}

/** A provider of tools. */
export interface ToolProvider {
  /**
   * Lists the tools of a principal, with the same bytes for the same set.
   *
   * @param cursor `nextCursor` of the previous page as the client sent it, unverified. Default: null, the first page.
   * @throws {InvalidCallError} for an invalid cursor (MCP, Pagination: -32602).
   */
  list(principal: Principal, cursor?: string | null): ToolList | Promise<ToolList>;
  /**
   * Calls a tool. Problems with the arguments or the upstream give a result with `isError`.
   *
   * @throws {UnknownToolError} if no tool has that name.
   * @throws {InvalidCallError} if the request itself is invalid, for example with a forged `requestState`.
   */
  call(
    principal: Principal,
    name: string,
    args: Readonly<Record<string, unknown>>,
    context: ToolCallContext,
  ): Promise<ToolResult>;
  /** Says what a call would send, and sends nothing. @throws {UnknownToolError} also for the gateway's own tools. */
  dryRun(principal: Principal, name: string, args: Readonly<Record<string, unknown>>): Promise<DryRun>;
  /**
   * All scopes that a call of the tool needs, if the principal lacks one of them; null if it lacks none, or if a token
   * with more scopes would not help. Default: null. Calls with missing scopes are refused before `call`.
   *
   * @param era clients of 2025 refresh their token after a refusal, and then give up (MCP TypeScript SDK v1): where the user can allow
   * the tool on a page, their calls are made, and the answer has its URL.
   */
  missingScopes?(
    principal: Principal,
    name: string,
    args: Readonly<Record<string, unknown>>,
    era: ProtocolEra,
  ): readonly Scope[] | null;
  /**
   * True if the caller's list has the output schema of a tool, so that its answers must have structured content (MCP, Output Schema). Default: true.
   */
  showsSchema?(principal: Principal, name: string): boolean;
  /** True if the called tool accepts files, so that the request may have megabytes. By default no tool does. */
  takesFiles?(name: string, args: Readonly<Record<string, unknown>>): boolean;
}

/** A call that the MCP endpoint answers with -32602 and this message, which contains no secret. */
export class InvalidCallError extends Error {
  override readonly name: string = 'InvalidCallError';
}

/** Maximum length of a tool name (MCP, Tool Names). */
const MAX_NAME_LENGTH = 128;

/** No tool has that name (MCP: -32602 `Unknown tool: x`). */
export class UnknownToolError extends InvalidCallError {
  override readonly name = 'UnknownToolError';

  /** @param nearest names that the caller may have meant. */
  constructor(tool: string, nearest: readonly string[]) {
    const suggestion = nearest.length === 0 ? '' : `. Did you mean ${nearest.join(' or ')}?`;
    super(`Unknown tool: ${tool.slice(0, MAX_NAME_LENGTH)}${suggestion}`);
  }
}
