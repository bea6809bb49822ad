/**
 * The globals of a program in its QuickJS context: the functions of its tools, `kept` and `console`. They are written in JavaScript, and run there
 * first.
 */

/** A tool as a program calls it, `service.method`, and its name. `items` is the path of the list in its answer, or null if it lists nothing. */
export type ProgramTool = readonly [service: string, method: string, name: string, items: readonly string[] | null];

/** The name of the file in the stack of an error. */
export const PROGRAM_FILE = 'program.js';

/**
 * Reasons for which a run ends itself.
 *
 * `invalid` means that the code is no program. `cpu`, `memory` and `stack` mean that it used too much. `idle` means that it waits for something that
 * never comes. `large` means that its result is too large.
 */
export type RunnerEnd = 'invalid' | 'cpu' | 'memory' | 'stack' | 'idle' | 'large';

/** The messages of QuickJS about a program that uses too much. */
export const QUICKJS_LIMITS: ReadonlyMap<string, RunnerEnd> = new Map([
  ['interrupted', 'cpu'],
  ['stack overflow', 'stack'],
  ['out of memory', 'memory'],
]);

/** The name under which a program's `kept(handle)` reads a stored result. No tool has such a name. */
export const READ_RESULT_FUNCTION = '.kept';

/**
 * Source of a function that runs first in a context. It takes the host's `call(id, name, argumentsJson)`, `log(text)` and `done(ok, json)`, and the
 * tools as JSON. It returns two functions for the host: `settle(id, replyJson)` takes the reply to a call, and `finish(promise)` takes the promise of
 * the program.
 *
 * It does not protect the gateway, because a program can change all of it. It keeps programs short, and gives errors the line of the program.
 */
export const PRELUDE = String.raw`((call, log, done, tools) => {
  'use strict';
  const waiting = new Map();
  let last = 0;
  const lineOf = (stack) => Number(/program\.js:(\d+)/.exec(stack ?? '')?.[1] ?? 0) || null;
  const here = () => lineOf(new Error().stack);
  class ToolError extends Error {
    constructor({ message, line, ...facts }) {
      super(message);
      this.name = 'ToolError';
      Object.assign(this, facts, { line });
    }
  }
  globalThis.ToolError = ToolError;
  const waitingAnswer = (name, line, approval) => {
    const stop = () => {
      const message = name + ' in line ' + line + ' waits for the approval of the user, and the program needs its answer.';
      throw new ToolError({ message, line: here() ?? line, code: 'awaiting_approval' });
    };
    const get = (_, key) => {
      if (key === 'toJSON') return () => ({ waitsForApproval: approval });
      return key === 'then' || typeof key === 'symbol' ? undefined : stop();
    };
    return new Proxy({}, { get, has: stop, ownKeys: stop, getOwnPropertyDescriptor: stop });
  };
  BigInt.prototype.toJSON = function () {
    return String(this);
  };
  const refuseInfinity = (value, what, facts) => {
    const paths = new Map();
    JSON.stringify(value, function (key, member) {
      const above = paths.get(this);
      const path = above ? above + '.' + key : key;
      if (typeof member === 'object' && member !== null) paths.set(member, path);
      if (typeof member !== 'number' || isFinite(member)) return member;
      const place = path === '' ? '' : ' at ' + path;
      throw new ToolError({ message: what + ' holds ' + member + place + ', and JSON has only finite numbers.', ...facts });
    });
  };
  const toJson = (value, what, facts) => {
    const json = JSON.stringify(value);
    if (json !== undefined && json.includes('null')) refuseInfinity(value, what, facts);
    return json;
  };
  const send = (name, args, line) =>
    new Promise((resolve, reject) => {
      const json = toJson(args ?? {}, 'The argument of ' + name, { code: 'invalid_arguments', tool: name, line }) ?? '{}';
      last += 1;
      waiting.set(last, { name, line, resolve, reject });
      call(last, name, json);
    });
  const settle = (id, reply) => {
    const { name, line, resolve, reject } = waiting.get(id);
    waiting.delete(id);
    const { answer, error, approval } = JSON.parse(reply);
    if (error !== undefined) reject(new ToolError({ ...error, tool: name, line }));
    else resolve(approval === undefined ? answer : waitingAnswer(name, line, approval));
  };
  async function* itemsOf(name, items, line, first, args) {
    let answer = await first;
    if (items === null) throw new ToolError({ message: name + ' lists nothing: await it instead.', line });
    for (;;) {
      yield* items.reduce((value, member) => value?.[member], answer) ?? [];
      const next = answer.page?.nextArguments ?? null;
      if (next === null) return;
      answer = await send(name, next, line);
    }
  }
  const services = {};
  for (const [service, method, name, items] of JSON.parse(tools)) {
    services[service] ??= {};
    services[service][method] = (args) => {
      const line = here();
      const first = send(name, args, line);
      first.catch(() => {});
      first[Symbol.asyncIterator] = () => itemsOf(name, items, line, first, args);
      return first;
    };
  }
  for (const [service, methods] of Object.entries(services)) {
    globalThis[service] = new Proxy(methods, {
      get(_, method) {
        if (typeof method === 'symbol' || Object.hasOwn(methods, method)) return methods[method];
        const message = service + '.' + method + ' is no tool that this program may call. search_tools finds tools.';
        throw new ToolError({ message, line: here(), code: 'not_allowed' });
      },
    });
  }
  globalThis.kept = (handle) => send('.kept', { handle }, here());
  const toText = (value) => {
    if (typeof value === 'string') return value;
    if (value instanceof Error) return value.name + ': ' + value.message;
    return JSON.stringify(value) ?? String(value);
  };
  const write = (...values) => log(values.map(toText).join(' '));
  globalThis.console = { log: write, info: write, warn: write, error: write, debug: write };
  const toReason = (error) => {
    const isError = error instanceof Error;
    const { name, message, stack, line, code, tool } = isError ? error : { message: 'threw ' + toText(error) };
    return JSON.stringify({ name, message: String(message), line: line ?? lineOf(stack), code, tool });
  };
  const finish = (promise) => {
    const toResult = (value) => done(true, toJson(value, 'The result', {}) ?? 'null');
    promise.then(toResult).catch((error) => done(false, toReason(error)));
  };
  return { settle, finish };
})`;
