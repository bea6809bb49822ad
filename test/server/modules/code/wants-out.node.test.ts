import { describe, expect, test } from 'vitest';
import type { RunOptions } from '../../../../server/modules/code/run.ts';
import { LIMITS, resultOf, run, SHORT } from './support.ts';

describe('a program that wants out', () => {
  test.each<[string, string]>([
    [
      'no globals of a host',
      'return [typeof process, typeof require, typeof fetch, typeof setTimeout, typeof WebAssembly, typeof navigator].join()',
    ],
    [
      'nothing by constructors',
      'return [this, globalThis, library.getBook, console.log, library].map((a) => { try { return a.constructor.constructor("return typeof process + typeof require")() } catch { return "undefinedundefined" } }).join()',
    ],
    [
      'nothing by generators and async functions',
      'const F = Object.getPrototypeOf(async function* () {}).constructor; let out = ""; for await (const x of F("yield typeof process")()) out += x; return out',
    ],
    [
      'nothing by the error of a host function',
      'try { console.log({ toJSON() { throw new RangeError("x") } }) } catch (e) { return e.constructor.constructor("return typeof process")() }',
    ],
    [
      'nothing by indirect eval',
      'return [(0, eval)("typeof process"), new Function("return typeof globalThis.call")()].join()',
    ],
  ])('finds %s', async (_title, code) => {
    const end = await run(code);
    const text = end.kind === 'done' ? end.json : `${end.kind} ${'message' in end ? end.message : ''}`;
    expect(text.replaceAll('undefined', '').replace(/[",[\]]/g, '')).toMatch(/^$|is not defined/);
  });

  test.each<[string, string]>([
    ['node:fs', 'await import("node:fs")'],
    ['a file', 'await import("/etc/passwd")'],
    ['an address', 'await import("https://example.com/a.js")'],
    ['data', 'await import("data:text/javascript,1")'],
  ])('imports nothing, not even %s', async (_title, code) => {
    expect(await run(code)).toMatchObject({ kind: 'threw', message: expect.stringContaining('could not load module') });
  });

  test('sees no path of this machine in the stacks of errors', async () => {
    const stacks = await resultOf(
      'const deep = (n) => n === 0 ? new Error().stack : deep(n - 1); try { library.nothing() } catch (e) { return [deep(5), e.stack, String(console.log), library.getBook.toString()] }',
    );
    expect(JSON.stringify(stacks)).not.toMatch(/file:|node_modules|\/work|\/home|code-runner/);
  });

  test.each<[string, string, string[]]>([
    ['loops in jobs', 'const f = () => Promise.resolve().then(f); await f()', ['cpu']],
    ['loops in a catch', 'for (;;) { try { for (;;) {} } catch {} finally { for (;;) {} } }', ['cpu']],
    ['backtracks', '/(a+)+$/.test("a".repeat(60) + "b")', ['cpu']],
    ['sorts what never ends', 'Array.from({ length: 1e6 }, () => 1).sort(() => { for (;;) {} })', ['cpu', 'memory']],
    ['calculates without a pause', 'let a = 3n; for (;;) a = a * a', ['cpu', 'threw']],
    ['joins what never ends', 'new Array(2 ** 32 - 2).join("ab")', ['memory', 'cpu', 'threw']],
    ['recurses through getters', 'const a = { get b() { return this.b } }; a.b', ['stack']],
    ['recurses through JSON', 'JSON.parse("[".repeat(1e6))', ['threw', 'stack']],
    [
      'recurses through proxies',
      'let p = {}; for (let i = 0; i < 1e5; i += 1) p = new Proxy(p, {}); p.a',
      ['stack', 'threw'],
    ],
    ['keeps buffers', 'const a = []; for (;;) a.push(new Uint8Array(1e6))', ['memory', 'cpu', 'threw']],
    ['keeps texts', 'let s = "ab"; const a = []; for (;;) a.push(s = s + s)', ['memory', 'threw']],
    ['keeps promises', 'const a = []; for (;;) a.push(new Promise(() => {}))', ['memory', 'cpu', 'threw']],
    ['waits for a thenable', 'await { then() {} }', ['idle']],
    ['waits on shared memory', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)', ['threw']],
    ['returns what cannot be written', 'const a = {}; a.a = a; return a', ['threw']],
    [
      'returns a bomb of references',
      'let a = ["aaaaaaaaaa"]; for (let i = 0; i < 30; i += 1) a = [a, a]; return a',
      ['memory', 'cpu', 'threw'],
    ],
    ['sends too much', 'await library.getBook({ a: "z".repeat(3e5) })', ['threw']],
    [
      'sends a deep bomb',
      'let a = 1; for (let i = 0; i < 300; i += 1) a = [a]; await library.getBook({ a })',
      ['threw'],
    ],
    ['sends no object', 'await library.getBook("x")', ['threw']],
    ['breaks promises', 'Promise.prototype.then = function () {}; await 1; return 1', ['done', 'idle', 'memory']],
    [
      'breaks JSON',
      'JSON.stringify = () => "{}"; JSON.parse = () => { for (;;) {} }; await library.getBook()',
      ['cpu', 'threw'],
    ],
    [
      'breaks iterators',
      'Array.prototype[Symbol.iterator] = function* () { for (;;) yield 1 }; await library.getBook(); const [...a] = [1]',
      ['cpu', 'memory', 'done', 'threw'],
    ],
  ])('is stopped or fails where it %s', async (_title, code, ways) => {
    const end = await run(code, ways.includes('cpu') ? SHORT : {});
    expect(ways).toContain(end.kind === 'stopped' ? end.why : end.kind);
  });

  test('cannot make a value of its own into an answer of a call', async () => {
    const code =
      'Object.prototype.answer = "forged"; Object.prototype.error = undefined; return await library.getBook()';
    expect(await resultOf(code)).toEqual({ done: true });
  });

  test('is ended at its deadline while it waits for calls', async () => {
    const limits = { ...LIMITS, totalMs: 1_500 };
    const answer: RunOptions['answer'] = (_name, _args, stopped) =>
      new Promise((resolve) => stopped.addEventListener('abort', () => resolve({ json: '{}' })));
    expect(await run('await library.getBook()', { limits, answer })).toMatchObject({ kind: 'stopped', why: 'time' });
  });

  test('leaves the next program nothing', async () => {
    await run('Object.prototype.left = 1; globalThis.left = 2; return 1');
    expect(await resultOf('return [typeof left, ({}).left ?? null]')).toEqual(['undefined', null]);
  });

  test('lets the gateway answer others meanwhile', async () => {
    const running = run('while (true) {}', SHORT);
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 20);
    await running;
    clearInterval(timer);
    expect(turns).toBeGreaterThan(10);
  });
});
