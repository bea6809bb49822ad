/** Runs programs of code mode without a gateway. */

import { expect } from 'vitest';
import { type Reply, type RunOptions, runProgram } from '../../../../server/modules/code/run.ts';
import { ProgramThreads } from '../../../../server/modules/code/threads.ts';

/** Limits that only a program without an end reaches, also on a busy machine. */
export const LIMITS = { cpuMs: 10_000, totalMs: 60_000, calls: 50 };
const THREADS = new ProgramThreads();
/** For programs that are to be stopped by the time in which they work. */
export const SHORT = { limits: { ...LIMITS, cpuMs: 200 } };

export type Answer = (name: string, args: Readonly<Record<string, unknown>>) => Reply | Promise<Reply>;

/** Runs a program with two tools. */
export function run(code: string, given: Partial<RunOptions> & { readonly reply?: Answer } = {}) {
  const { reply = () => ({ json: '{"done":true}' }), ...options } = given;
  return runProgram({
    code,
    tools: [
      ['library', 'getBook', 'library_get_book', null],
      ['library', 'listBooks', 'library_list_books', ['data']],
    ],
    limits: LIMITS,
    threads: THREADS,
    signal: new AbortController().signal,
    answer: async (name, args) => reply(name, args),
    takeTurn: () => new Promise((resolve) => setImmediate(resolve)),
    ...options,
  });
}

/** Runs a program that returns a value, and returns that value. */
export async function resultOf(code: string, given?: Parameters<typeof run>[1]): Promise<unknown> {
  const end = await run(code, given);
  expect(end).toMatchObject({ kind: 'done' });
  return end.kind === 'done' ? JSON.parse(end.json) : null;
}
