/** One run in the gateway: starts its thread, checks and answers the thread's messages, and ends it. */

import type { Worker } from 'node:worker_threads';
import { findBrokenLimit } from '../../call/mcp/json-rpc.ts';
import { parseArgument } from '../../call/tools/argument-numbers.ts';
import { isObject, parseJson } from '../../call/tools/json.ts';
import type { Program, RunnerMessage, RunnerReply } from './code-runner.ts';
import { type ProgramTool, QUICKJS_LIMITS, type RunnerEnd } from './program.ts';
import type { ProgramThreads } from './threads.ts';

/** The limits of one run. */
export interface RunLimits {
  /** Time in which the program itself may work, in milliseconds. */
  readonly cpuMs: number;
  /** Time that the whole run may take, in milliseconds. */
  readonly totalMs: number;
  readonly calls: number;
}

/** A reply to a call, as the program gets it: the JSON of an answer, an error, or the id of the approval that the call waits for. */
export type Reply =
  | { readonly json: string }
  | { readonly error: Readonly<Record<string, unknown>> & { readonly message: string } }
  | { readonly approval: string };

/** The end of a run: the JSON that the program returned, the error that it threw, or the reason why it was stopped. */
export type RunEnd =
  | { readonly kind: 'done'; readonly json: string }
  | { readonly kind: 'threw'; readonly message: string; readonly line: number | null; readonly code: string | null }
  | { readonly kind: 'stopped'; readonly why: StopReason; readonly message: string; readonly line: number | null };

/**
 * Reasons for which a run is stopped.
 *
 * `broken` means that the thread ended, or sent a message that no program sends. `access` means that the token of the caller is no longer valid.
 */
export type StopReason = RunnerEnd | 'time' | 'calls' | 'cancelled' | 'access' | 'broken';

export interface RunOptions {
  readonly code: string;
  readonly tools: readonly ProgramTool[];
  readonly limits: RunLimits;
  readonly threads: ProgramThreads;
  /** Aborts when the run is cancelled. */
  readonly signal: AbortSignal;
  /**
   * Makes a call. @param stopped aborts when the run is over.
   *
   * @throws {AccessEndedError}
   */
  readonly answer: (name: string, args: Readonly<Record<string, unknown>>, stopped: AbortSignal) => Promise<Reply>;
  /** Resolves when the event loop has time to read and make another call. */
  readonly takeTurn: () => Promise<void>;
}

/** The access of the caller has ended. */
export class AccessEndedError extends Error {
  override readonly name = 'AccessEndedError';
}

/** Most characters of one text that a program sends: the arguments of a call, or its result. */
const MAX_ARGUMENTS = 256 * 1024;
export const MAX_RESULT = 4 * 1024 * 1024;
const MAX_CONSOLE = 8 * 1024;
const MAX_NAME = 128;
/** Most characters of the arguments of all calls that wait in one run: a program may make all of its calls at once. */
const MAX_WAITING_ARGUMENTS = 4 * 1024 * 1024;
/** Most characters of an error that a program throws and that is shown. */
const MAX_THROWN = 64 * 1024;
/** Limits of arguments, the same as for calls from outside. */
const JSON_LIMITS = { nodes: 20_000, keys: 1000, depth: 100 };
/** Most calls of one run that are made at the same time. */
const CALLS_AT_ONCE = 8;
const WATCH_EVERY_MS = 100;
/**
 * Factor of `cpuMs` for the watch from outside. It is large because a thread that is not idle may only wait for a core. The thread measures its own
 * time, unless it is stuck.
 */
const WATCH_FACTOR = 3;
/** Time that a thread takes to start on a busy machine, in milliseconds. */
const START_MS = 1_000;

const RUN_IS_OVER: Reply = { error: { message: 'The run is over.' } };

/** Runs a program. Resolves once all calls that it made have ended, also when it was stopped. Never rejects. */
export async function runProgram(options: RunOptions): Promise<RunEnd & { readonly console: string }> {
  const run = new Run(options);
  const end = await run.ended;
  await run.close();
  options.threads.prepare();
  return { ...end, console: run.console };
}

class Run {
  readonly ended: Promise<RunEnd>;
  console = '';
  readonly #resolveEnded: (end: RunEnd) => void;
  /** The end of the run. It is set once, and later events do not change it. */
  #outcome: RunEnd | null = null;
  readonly #options: RunOptions;
  readonly #thread: Worker;
  readonly #overController = new AbortController();
  readonly #calls = new Set<Promise<void>>();
  /** Functions that let calls proceed, which wait until fewer are made at the same time. */
  readonly #waiting: (() => void)[] = [];
  #callCount = 0;
  /** Characters of the arguments of calls that have no reply yet. */
  #waitingArguments = 0;

  constructor(options: RunOptions) {
    const { promise, resolve } = Promise.withResolvers<RunEnd>();
    this.ended = promise;
    this.#resolveEnded = resolve;
    this.#options = options;
    const { code, tools, limits, signal, threads } = options;
    const program: Program = {
      code,
      tools: JSON.stringify(tools),
      cpuMs: limits.cpuMs,
      maxResult: MAX_RESULT,
      maxArguments: MAX_ARGUMENTS,
      maxConsole: MAX_CONSOLE,
    };
    this.#thread = threads.take();
    this.#thread.postMessage(program);
    const { active: activeBefore } = this.#thread.performance.eventLoopUtilization();
    this.#thread.on('message', (rawMessage: unknown) => this.#receive(rawMessage));
    this.#thread.on('error', (error: Error & { code?: string }) =>
      this.#stop(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'broken', error.message),
    );
    this.#thread.on('exit', () => this.#stop('broken', 'the thread ended'));
    const timer = setTimeout(() => this.#stop('time'), limits.totalMs);
    const watch = setInterval(() => {
      const { active } = this.#thread.performance.eventLoopUtilization();
      if (active - activeBefore > WATCH_FACTOR * limits.cpuMs + START_MS) this.#stop('cpu');
    }, WATCH_EVERY_MS);
    const cancel = (): void => this.#stop('cancelled');
    if (signal.aborted) cancel();
    signal.addEventListener('abort', cancel, { once: true });
    this.#overController.signal.addEventListener('abort', () => {
      clearTimeout(timer);
      clearInterval(watch);
      signal.removeEventListener('abort', cancel);
    });
  }

  /** Ends the thread, even if it is busy, and waits for the calls that were made. */
  async close(): Promise<void> {
    this.#overController.abort();
    for (const proceed of this.#waiting.splice(0)) proceed();
    await Promise.all([this.#thread.terminate(), ...this.#calls]);
  }

  #end(outcome: RunEnd): void {
    this.#outcome ??= outcome;
    this.#resolveEnded(this.#outcome);
  }

  #stop(why: StopReason, message = '', line: number | null = null): void {
    this.#end({ kind: 'stopped', why, message, line });
  }

  /** Checks and handles a message. A program that escapes from QuickJS can send anything. */
  #receive(rawMessage: unknown): void {
    if (this.#overController.signal.aborted) return;
    const message = parseRunnerMessage(rawMessage);
    if (message === null) this.#stop('broken', 'a message that no program sends');
    else if (message.kind === 'log') this.console = `${this.console}${message.text}\n`.slice(0, MAX_CONSOLE);
    else if (message.kind === 'call') this.#call(message);
    else if (message.kind === 'ended') this.#stop(message.why, message.message, message.line);
    else this.#end(message.ok ? { kind: 'done', json: message.json } : toThrown(message.json));
  }

  #call({ id, name, args }: Extract<RunnerMessage, { kind: 'call' }>): void {
    this.#callCount += 1;
    if (this.#callCount > this.#options.limits.calls) {
      this.#stop('calls');
      return;
    }
    this.#waitingArguments += args.length;
    const answered = this.#answer(name, args).then(
      (reply) => this.#thread.postMessage({ id, reply: toReplyText(reply) } satisfies RunnerReply),
      (error) => this.#stop(error instanceof AccessEndedError ? 'access' : 'broken', String(error)),
    );
    const call = answered.finally(() => {
      this.#waitingArguments -= args.length;
      this.#calls.delete(call);
      this.#waiting.shift()?.();
    });
    this.#calls.add(call);
  }

  async #answer(name: string, text: string): Promise<Reply> {
    if (this.#waitingArguments > MAX_WAITING_ARGUMENTS) {
      const message = 'Too many calls with long arguments wait for their answers: await some of them first.';
      return { error: { code: 'program_limit', message } };
    }
    if (this.#calls.size >= CALLS_AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.#overController.signal.aborted) return RUN_IS_OVER;
    await this.#options.takeTurn();
    // If the program has returned meanwhile, its call is still made. If it was stopped, it makes no more calls.
    if (this.#outcome?.kind === 'stopped') return RUN_IS_OVER;
    const brokenLimit = findBrokenLimit(Buffer.from(text), JSON_LIMITS);
    const args = brokenLimit === null ? parseArgument(text) : undefined;
    if (!isObject(args) || Object.hasOwn(args, '__proto__')) {
      const message = `The arguments of ${name} must be one object, such as { id: 7 }${brokenLimit === null ? '' : `: ${brokenLimit}`}.`;
      return { error: { code: 'invalid_arguments', message } };
    }
    return this.#options.answer(name, args, this.#overController.signal);
  }
}

const ENDS: ReadonlySet<unknown> = new Set<RunnerEnd>(['invalid', 'cpu', 'memory', 'stack', 'idle', 'large']);

function parseRunnerMessage(rawMessage: unknown): RunnerMessage | null {
  if (!isObject(rawMessage)) return null;
  const { kind, id, name, args, text, ok, json, why, message, line } = rawMessage;
  const isText = (value: unknown, maxLength: number): value is string =>
    typeof value === 'string' && value.length <= maxLength;
  if (kind === 'log' && isText(text, MAX_CONSOLE)) return { kind, text };
  if (kind === 'done' && typeof ok === 'boolean' && isText(json, MAX_RESULT)) return { kind, ok, json };
  if (kind === 'call' && Number.isSafeInteger(id) && isText(name, MAX_NAME) && isText(args, MAX_ARGUMENTS)) {
    return { kind, id: id as number, name, args };
  }
  if (kind !== 'ended' || !ENDS.has(why) || !isText(message, MAX_RESULT)) return null;
  return { kind, why: why as RunnerEnd, message: message.slice(0, 500), line: toLine(line) };
}

/** Returns the JSON of a reply. The thread of the program parses the answer, so it is not parsed here. */
function toReplyText(reply: Reply): string {
  return 'json' in reply ? `{"answer":${reply.json}}` : JSON.stringify(reply);
}

function toLine(line: unknown): number | null {
  return Number.isSafeInteger(line) ? (line as number) : null;
}

/** Reads the error that the program threw, which is written by the program itself. */
function toThrown(json: string): RunEnd {
  if (json.length > MAX_THROWN) {
    return {
      kind: 'threw',
      message: 'The program threw an error that is too long to be shown.',
      line: null,
      code: null,
    };
  }
  const reason = parseJson(json);
  const { name, message, line, code } = isObject(reason) ? reason : {};
  const limit = name === 'InternalError' ? QUICKJS_LIMITS.get(String(message)) : undefined;
  if (limit !== undefined) return { kind: 'stopped', why: limit, message: '', line: toLine(line) };
  const prefix = typeof name === 'string' && name !== 'ToolError' ? `${name.slice(0, 100)}: ` : '';
  return {
    kind: 'threw',
    message: `${prefix}${String(message).slice(0, 2000)}`,
    line: toLine(line),
    code: typeof code === 'string' ? code.slice(0, 64) : null,
  };
}
