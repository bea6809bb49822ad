/** A hand-written tool: the project's own code over the generated tools of its service, with the contract of every tool. */

import type { ObjectSchema, ToolFace } from './tool-face.ts';
import type { ValueOf } from './value-of.ts';

/** By name of a generated tool: its arguments and its answer. See `generated/<service>/define-tool.ts`. */
export type ToolCalls = {
  readonly [Name in string]: { readonly arguments: object; readonly answer: unknown };
};

/** Why a call of a generated tool failed. */
export interface FailedCall {
  /** The gateway's own error code, such as `not_found` or `rate_limited`: `code` of the error that a model reads. */
  readonly code: string;
  /** HTTP status of the upstream's answer, or null when there was none. */
  readonly status: number | null;
  readonly message: string;
  /** Seconds to wait before the next call. Null if not known. */
  readonly retryAfterSeconds: number | null;
}

/** The abilities of the code of a hand-written tool. It holds no credential, and every request passes the gateway's own stages. */
export interface ToolContext<Calls extends ToolCalls> {
  /**
   * Calls a generated tool that `uses` names, with the connection of the call.
   *
   * A failure ends the whole call in the same way, unless the code catches the error. A refused credential, a cancelled call
   * and an exceeded time limit cannot be caught.
   */
  call<Name extends keyof Calls & string>(name: Name, args: Calls[Name]['arguments']): Promise<Calls[Name]['answer']>;
  /** The same, but returns a failure as a value. */
  tryCall<Name extends keyof Calls & string>(
    name: Name,
    args: Calls[Name]['arguments'],
  ): Promise<
    { readonly ok: true; readonly answer: Calls[Name]['answer'] } | { readonly ok: false; readonly error: FailedCall }
  >;
  /**
   * Sends a request of the service's typed client, with the credential of the connection: `createClient({ baseUrl, fetch: send })` of
   * `generated/<service>/client.ts`, with any `baseUrl`; only its origin is replaced.
   *
   * Only operations of the tools that `uses` names are sent. The code gets answers of any status, except for a refused
   * credential; a failure without an answer ends the call, unless the code catches the error.
   */
  send(request: Request): Promise<Response>;
  /** Waits, in milliseconds; at most for the rest of the call's time. */
  wait(ms: number): Promise<void>;
  /** Milliseconds until the call must be over. */
  remainingMs(): number;
  /** Returns the number of calls of generated tools that this call may still make. */
  remainingCalls(): number;
  /** Aborts when the call is cancelled or over. */
  readonly signal: AbortSignal;
}

/**
 * The export of `specs/<service>/tools/<name>.ts`. Codegen reads everything except `run` as literals, and never runs the file.
 *
 * The tool's name is the service's prefix and the file name. Its hints and scopes are those of all tools that it uses,
 * combined.
 */
export interface ToolDefinition<
  Calls extends ToolCalls,
  Uses extends keyof Calls & string,
  Input extends ObjectSchema,
  Output extends ObjectSchema,
> {
  readonly title: string;
  readonly description: string;
  /** Old names, each with the ISO date until which it works. */
  readonly aliases?: Readonly<Record<string, { readonly until: string }>>;
  /** Names of the generated tools that `run` may call. */
  readonly uses: readonly Uses[];
  readonly inputSchema: Input;
  readonly outputSchema: Output;
  run(args: ValueOf<Input>, context: ToolContext<Pick<Calls, Uses>>): Promise<ValueOf<Output>>;
}

/** One hand-written tool, as codegen emits it. */
export interface HandWrittenTool extends ToolFace {
  /** Names of the generated tools of the same connector that `run` may call, sorted. */
  readonly uses: readonly string[];
  /** SHA-256 of the code, in 12 hexadecimal digits: if it changes, the tool may do something else. */
  readonly code: string;
  /** @returns structured content that satisfies `outputSchema`. */
  run(args: Readonly<Record<string, unknown>>, context: ToolContext<ToolCalls>): Promise<unknown>;
}
