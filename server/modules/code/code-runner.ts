/**
 * The thread of one run: the entry of a worker, which holds a QuickJS context and nothing of the gateway. It prepares the context, waits for its
 * program, runs it and ends.
 */

import { stripTypeScriptTypes } from 'node:module';
import { performance } from 'node:perf_hooks';
import { parentPort, workerData } from 'node:worker_threads';
import variant from '@jitl/quickjs-singlefile-mjs-release-sync';
import { newQuickJSWASMModuleFromVariant, newVariant, type QuickJSHandle } from 'quickjs-emscripten-core';
import { PRELUDE, PROGRAM_FILE, QUICKJS_LIMITS, type RunnerEnd } from './program.ts';

/** The first message to the thread. Its `workerData` is the memory of the program in bytes. */
export interface Program {
  readonly code: string;
  /** JSON of an array of `ProgramTool`. */
  readonly tools: string;
  readonly cpuMs: number;
  /** Most characters of what the program returns. `maxArguments` is the limit for the arguments of one call. */
  readonly maxResult: number;
  readonly maxArguments: number;
  /** Most characters of console output that leave the thread. */
  readonly maxConsole: number;
}

/** A message of the thread. The gateway trusts no part of it. */
export type RunnerMessage =
  | { readonly kind: 'call'; readonly id: number; readonly name: string; readonly args: string }
  | { readonly kind: 'log'; readonly text: string }
  | { readonly kind: 'done'; readonly ok: boolean; readonly json: string }
  | { readonly kind: 'ended'; readonly why: RunnerEnd; readonly message: string; readonly line: number | null };

/** The answer to a call, from the gateway. */
export interface RunnerReply {
  readonly id: number;
  readonly reply: string;
}

const PAGE_BYTES = 65_536;
/** Pages of memory of the WebAssembly module when it starts, in addition to those of the program. */
const OWN_PAGES = 256;
/** Stack of QuickJS in bytes. The stack of the thread is several times as large, so this limit is reached first. */
const STACK_BYTES = 256 * 1024;

const memoryBytes = workerData as number;
const port = parentPort;
if (port === null) throw new Error('this file is the entry of a thread');
const sendMessage = (message: RunnerMessage): void => {
  port.postMessage(message);
};

const quickjs = await newQuickJSWASMModuleFromVariant(
  newVariant(variant, {
    wasmMemory: new WebAssembly.Memory({
      initial: OWN_PAGES,
      maximum: OWN_PAGES + Math.ceil(memoryBytes / PAGE_BYTES),
    }),
  }),
);
const runtime = quickjs.newRuntime();
runtime.setMemoryLimit(memoryBytes);
runtime.setMaxStackSize(STACK_BYTES);
const context = runtime.newContext();

let program: Program;
let openCalls = 0;
let consoleLeft = 0;
let isOver = false;
let startedAt = cpuNow();

function end(why: RunnerEnd, message = '', line: number | null = null): void {
  finish({ kind: 'ended', why, message, line });
}

function finish(message: RunnerMessage): void {
  if (isOver) return;
  isOver = true;
  sendMessage(message);
  port?.close();
}

/** Returns the milliseconds that this thread has worked. Before Node 24, these are the milliseconds in which it was not idle. */
function cpuNow(): number {
  if (typeof process.threadCpuUsage !== 'function') return performance.eventLoopUtilization().active;
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Returns `cpu` if the time of the program is used up, and `other` if not. Not every interruption has a message. */
function cpuLimitOr(other: RunnerEnd): RunnerEnd {
  return cpuNow() - startedAt > program.cpuMs ? 'cpu' : other;
}

/** Lets the program run until it waits or has ended. */
function runUntilIdle(work: () => void): void {
  if (isOver) return;
  try {
    work();
    const jobs = runtime.executePendingJobs();
    if (jobs.error !== undefined) fail(jobs.error);
  } catch (error) {
    end(error instanceof RangeError ? 'stack' : cpuLimitOr('memory'), String(error));
  }
  // An interrupted job reports no error, and the jobs after it are lost.
  if (!isOver && openCalls === 0) end(cpuLimitOr('idle'));
}

/** Ends the run with an error that the program could not catch. */
function fail(handle: QuickJSHandle, isSyntax = false): null {
  const error = context.dump(handle) as Readonly<Partial<Record<string, string>>> | null;
  const { name = '', message = '', stack = '' } = error ?? {};
  const line = Number(new RegExp(`${PROGRAM_FILE}:(\\d+)`).exec(stack)?.[1] ?? 0) || null;
  const limit = QUICKJS_LIMITS.get(message) ?? (isSyntax ? 'invalid' : cpuLimitOr('memory'));
  end(limit, `${name}: ${message}`, line);
  return null;
}

/** Returns a text of the program, or null if it is longer than `most` and must not be copied. */
function textOf(handle: QuickJSHandle, maxLength: number): string | null {
  const length = context.getProp(handle, 'length').consume((lengthHandle) => context.getNumber(lengthHandle));
  return length <= maxLength ? context.getString(handle) : null;
}

const host = {
  call(id: QuickJSHandle, name: QuickJSHandle, args: QuickJSHandle): void {
    const text = textOf(args, program.maxArguments);
    const callId = context.getNumber(id);
    openCalls += 1;
    if (text !== null) {
      sendMessage({ kind: 'call', id: callId, name: textOf(name, program.maxArguments) ?? '', args: text });
      return;
    }
    const message = `The arguments of one call have at most ${program.maxArguments} characters.`;
    const reply = JSON.stringify({ error: { code: 'invalid_arguments', message } });
    setImmediate(() => settle({ id: callId, reply }));
  },
  log(text: QuickJSHandle): void {
    if (consoleLeft <= 0) return;
    const line = (textOf(text, program.maxConsole) ?? '(a longer text)').slice(0, consoleLeft);
    consoleLeft -= line.length + 1;
    sendMessage({ kind: 'log', text: line });
  },
  done(ok: QuickJSHandle, json: QuickJSHandle): void {
    const text = textOf(json, program.maxResult);
    if (text === null) end('large');
    else finish({ kind: 'done', ok: context.dump(ok) === true, json: text });
  },
};

/** Compiles the program to JavaScript. Types of TypeScript are removed and not checked. Lines and columns stay the same. */
function compile(code: string): QuickJSHandle | null {
  const wrap = (text: string): string => `(async () => {${text}\n})()`;
  const first = context.evalCode(wrap(code), PROGRAM_FILE);
  if (first.error === undefined) return first.value;
  const name = context.getProp(first.error, 'name').consume((nameHandle) => context.dump(nameHandle));
  if (name !== 'SyntaxError') return fail(first.error);
  let stripped = code;
  try {
    // `stripTypeScriptTypes` parses a module, where `return` is not allowed outside of a function.
    stripped = stripTypeScriptTypes(wrap(code)).slice('(async () => {'.length, -'\n})()'.length);
  } catch {
    return fail(first.error, true);
  }
  const second = context.evalCode(wrap(stripped), PROGRAM_FILE);
  return second.error === undefined ? second.value : fail(second.error, true);
}

let settleInContext: QuickJSHandle | undefined;

function settle({ id, reply }: RunnerReply): void {
  openCalls -= 1;
  runUntilIdle(() => {
    if (settleInContext === undefined) return;
    const number = context.newNumber(id);
    const text = context.newString(reply);
    const result = context.callFunction(settleInContext, context.undefined, number, text);
    if (result.error !== undefined) fail(result.error);
    else result.value.dispose();
    number.dispose();
    text.dispose();
  });
}

function start(received: Program): void {
  program = received;
  consoleLeft = program.maxConsole;
  startedAt = cpuNow();
  runtime.setInterruptHandler(() => cpuNow() - startedAt > program.cpuMs);
  runUntilIdle(() => {
    const preludeArguments = [
      context.newFunction('call', host.call),
      context.newFunction('log', host.log),
      context.newFunction('done', host.done),
      context.newString(program.tools),
    ];
    const preludeExports = context.unwrapResult(context.callFunction(prelude, context.undefined, ...preludeArguments));
    settleInContext = context.getProp(preludeExports, 'settle');
    const finish = context.getProp(preludeExports, 'finish');
    const running = compile(program.code);
    if (running !== null) context.unwrapResult(context.callFunction(finish, context.undefined, running)).dispose();
  });
}

const prelude = context.unwrapResult(context.evalCode(PRELUDE, 'tools.js'));
port.once('message', (received: Program) => {
  start(received);
  port.on('message', settle);
});
