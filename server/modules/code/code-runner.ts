/** The thread of one run: the entry of a worker, which holds a QuickJS context and nothing of the gateway. It runs one program and ends. */

import { stripTypeScriptTypes } from 'node:module';
import { performance } from 'node:perf_hooks';
import { parentPort, workerData } from 'node:worker_threads';
import variant from '@jitl/quickjs-singlefile-mjs-release-sync';
import { newQuickJSWASMModuleFromVariant, newVariant, type QuickJSHandle } from 'quickjs-emscripten-core';
import { PRELUDE, PROGRAM_FILE, QUICKJS_LIMITS, type RunnerEnd } from './program.ts';

/** The input of a run. */
export interface RunnerData {
  readonly code: string;
  /** JSON of an array of `ProgramTool`. */
  readonly tools: string;
  readonly cpuMs: number;
  readonly memoryBytes: number;
  /** Most characters of what the program returns. `maxArguments` is the limit for the arguments of one call. */
  readonly maxResult: number;
  readonly maxArguments: number;
  /** Most characters of console output that leave the thread. */
  readonly maxConsole: number;
}

/** A message of the thread. The gateway trusts no part of it. */
export type RunnerSays =
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

const given = workerData as RunnerData;
const port = parentPort;
if (port === null) throw new Error('this file is the entry of a thread');
const say = (said: RunnerSays): void => {
  port.postMessage(said);
};

const quickjs = await newQuickJSWASMModuleFromVariant(
  newVariant(variant, {
    wasmMemory: new WebAssembly.Memory({
      initial: OWN_PAGES,
      maximum: OWN_PAGES + Math.ceil(given.memoryBytes / PAGE_BYTES),
    }),
  }),
);
const runtime = quickjs.newRuntime();
runtime.setMemoryLimit(given.memoryBytes);
runtime.setMaxStackSize(STACK_BYTES);
const context = runtime.newContext();

let open = 0;
let consoleLeft = given.maxConsole;
let isOver = false;
const startedAt = cpuNow();
runtime.setInterruptHandler(() => cpuNow() - startedAt > given.cpuMs);

function end(why: RunnerEnd, message = '', line: number | null = null): void {
  finish({ kind: 'ended', why, message, line });
}

function finish(said: RunnerSays): void {
  if (isOver) return;
  isOver = true;
  say(said);
  port?.close();
}

/** Returns the milliseconds that this thread has worked. Before Node 24, these are the milliseconds in which it was not idle. */
function cpuNow(): number {
  if (typeof process.threadCpuUsage !== 'function') return performance.eventLoopUtilization().active;
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Returns `cpu` if the time of the program is used up, and `other` if not. Not every interruption has a message. */
function unlessLate(other: RunnerEnd): RunnerEnd {
  return cpuNow() - startedAt > given.cpuMs ? 'cpu' : other;
}

/** Lets the program run until it waits or has ended. */
function enter(work: () => void): void {
  if (isOver) return;
  try {
    work();
    const jobs = runtime.executePendingJobs();
    if (jobs.error !== undefined) fail(jobs.error);
  } catch (error) {
    end(error instanceof RangeError ? 'stack' : unlessLate('memory'), String(error));
  }
  // An interrupted job reports no error, and the jobs after it are lost.
  if (!isOver && open === 0) end(unlessLate('idle'));
}

/** Ends the run with an error that the program could not catch. */
function fail(handle: QuickJSHandle, isSyntax = false): null {
  const error = context.dump(handle) as Readonly<Partial<Record<string, string>>> | null;
  const { name = '', message = '', stack = '' } = error ?? {};
  const line = Number(new RegExp(`${PROGRAM_FILE}:(\\d+)`).exec(stack)?.[1] ?? 0) || null;
  const limit = QUICKJS_LIMITS.get(message) ?? (isSyntax ? 'invalid' : unlessLate('memory'));
  end(limit, `${name}: ${message}`, line);
  return null;
}

/** Returns a text of the program, or null if it is longer than `most` and must not be copied. */
function textOf(handle: QuickJSHandle, most: number): string | null {
  const length = context.getProp(handle, 'length').consume((found) => context.getNumber(found));
  return length <= most ? context.getString(handle) : null;
}

const host = {
  call(id: QuickJSHandle, name: QuickJSHandle, args: QuickJSHandle): void {
    const text = textOf(args, given.maxArguments);
    const called = context.getNumber(id);
    open += 1;
    if (text !== null) {
      say({ kind: 'call', id: called, name: textOf(name, given.maxArguments) ?? '', args: text });
      return;
    }
    const message = `The arguments of one call have at most ${given.maxArguments} characters.`;
    const reply = JSON.stringify({ error: { code: 'invalid_arguments', message } });
    setImmediate(() => settle({ id: called, reply }));
  },
  log(text: QuickJSHandle): void {
    if (consoleLeft <= 0) return;
    const line = (textOf(text, given.maxConsole) ?? '(a longer text)').slice(0, consoleLeft);
    consoleLeft -= line.length + 1;
    say({ kind: 'log', text: line });
  },
  done(ok: QuickJSHandle, json: QuickJSHandle): void {
    const text = textOf(json, given.maxResult);
    if (text === null) end('large');
    else finish({ kind: 'done', ok: context.dump(ok) === true, json: text });
  },
};

/** Compiles the program to JavaScript. Types of TypeScript are removed and not checked. Lines and columns stay the same. */
function compile(code: string): QuickJSHandle | null {
  const wrap = (text: string): string => `(async () => {${text}\n})()`;
  const first = context.evalCode(wrap(code), PROGRAM_FILE);
  if (first.error === undefined) return first.value;
  const name = context.getProp(first.error, 'name').consume((found) => context.dump(found));
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

let settleInside: QuickJSHandle | undefined;

function settle({ id, reply }: RunnerReply): void {
  open -= 1;
  enter(() => {
    if (settleInside === undefined) return;
    const [number, text] = [context.newNumber(id), context.newString(reply)];
    const result = context.callFunction(settleInside, context.undefined, number, text);
    if (result.error !== undefined) fail(result.error);
    else result.value.dispose();
    number.dispose();
    text.dispose();
  });
}

port.on('message', settle);
enter(() => {
  const prelude = context.unwrapResult(context.evalCode(PRELUDE, 'tools.js'));
  const functions = [
    context.newFunction('call', host.call),
    context.newFunction('log', host.log),
    context.newFunction('done', host.done),
    context.newString(given.tools),
  ];
  const made = context.unwrapResult(context.callFunction(prelude, context.undefined, ...functions));
  settleInside = context.getProp(made, 'settle');
  const finish = context.getProp(made, 'finish');
  const running = compile(given.code);
  if (running !== null) context.unwrapResult(context.callFunction(finish, context.undefined, running)).dispose();
});
