import { describe, expect, test } from 'vitest';
import type { RunOptions } from '../../../../server/modules/code/run.ts';
import { someOf } from '../../../support/some-of.ts';
import { type Answer, LIMITS, resultOf, run, SHORT } from './support.ts';

const PAGES: Answer = (_, { cursor = 0 }) => ({
  json: JSON.stringify({
    data: [{ id: Number(cursor) * 2 }, { id: Number(cursor) * 2 + 1 }],
    page: { nextArguments: Number(cursor) < 2 ? { cursor: Number(cursor) + 1 } : null },
  }),
});

describe('a program', () => {
  test.each<[string, string, unknown]>([
    ['gives what it returns', 'return { a: [1, "x", null] }', { a: [1, 'x', null] }],
    ['gives null if it returns nothing', 'const a = 1;', null],
    ['awaits calls of tools', 'return await library.getBook({ id: 1 })', { done: true }],
    ['makes calls at the same time', 'return (await Promise.all([library.getBook(), library.getBook()])).length', 2],
    [
      'may be TypeScript, without a check of its types',
      'interface A { b: string }\nconst a: A = 7 as any;\nreturn a',
      7,
    ],
  ])('%s', async (_title, code, want) => {
    expect(await resultOf(code)).toEqual(want);
  });

  test('makes eight calls at once, and the others as those end', async () => {
    let [running, most] = [0, 0];
    const reply: Answer = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 20));
      running -= 1;
      return { json: '1' };
    };
    const code = 'return (await Promise.all(Array.from({ length: 20 }, () => library.getBook()))).length';
    expect(await resultOf(code, { reply })).toBe(20);
    expect(most).toBe(8);
  });

  test('goes through all pages of a list, and stops asking when it stops', async () => {
    const all = 'const ids = []; for await (const { id } of library.listBooks({})) ids.push(id); return ids';
    expect(await resultOf(all, { reply: PAGES })).toEqual([0, 1, 2, 3, 4, 5]);
    const asked: unknown[] = [];
    const first = 'for await (const { id } of library.listBooks({})) if (id === 2) return id';
    const reply: Answer = (name, args) => {
      asked.push(args);
      return PAGES(name, args);
    };
    expect(await resultOf(first, { reply })).toBe(2);
    expect(asked).toEqual([{}, { cursor: 1 }]);
  });

  test('has the error of a tool with its words, its code and the line of the call, and can go on', async () => {
    const reply: Answer = () => ({ error: { message: 'There is no book 7.', code: 'not_found', retryable: false } });
    const caught =
      'try {\n  await library.getBook({ id: 7 });\n} catch (e) { return [e.message, e.code, e.line, e.name] }';
    expect(await resultOf(caught, { reply })).toEqual(['There is no book 7.', 'not_found', 2, 'ToolError']);
    expect(await run('const a = 1;\n\nawait library.getBook({ id: 7 });', { reply })).toMatchObject({
      kind: 'threw',
      message: 'There is no book 7.',
      line: 3,
      code: 'not_found',
    });
  });

  test.each<[string, string, object]>([
    [
      'its own error',
      '\n\nnull.name',
      { kind: 'threw', message: "TypeError: cannot read property 'name' of null", line: 3 },
    ],
    ['a value', 'throw { a: 1 }', { kind: 'threw', message: 'threw {"a":1}' }],
    ['a tool that is not there', '\nlibrary.burnBook()', { kind: 'threw', line: 2, code: 'not_allowed' }],
    ['a tool that lists nothing', 'for await (const a of library.getBook()) {}', { kind: 'threw', line: 1 }],
    ['a syntax that nobody has', 'return 1;\nlet let = ;', { kind: 'stopped', why: 'invalid', line: 2 }],
  ])('ends with %s, and its line', async (_title, code, want) => {
    expect(await run(code)).toMatchObject(want);
  });

  test('gives its console output, bounded, also where it is stopped', async () => {
    const said = await run('console.log("a", { b: 1 }, [2]); console.error(new Error("no")); while (true) {}', SHORT);
    expect(said).toMatchObject({ kind: 'stopped', why: 'cpu', console: 'a {"b":1} [2]\nError: no\n' });
    const much = await run('for (let i = 0; i < 5000; i += 1) console.log("x".repeat(100)); return 1');
    expect([much.kind, much.console.length <= 8192, much.console.length > 8000]).toEqual(['done', true, true]);
  });

  test('is stopped when its client cancels, and its reading calls with it', async () => {
    const cancel = new AbortController();
    const stopped: boolean[] = [];
    const end = run('await library.getBook()', {
      signal: cancel.signal,
      answer: (_name, _args, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            stopped.push(true);
            resolve({ error: { message: 'cancelled' } });
          });
          cancel.abort();
        }),
    });
    expect([await end, stopped]).toMatchObject([{ kind: 'stopped', why: 'cancelled' }, [true]]);
  });

  test('ends after the calls that it made and did not wait for', async () => {
    const ended: string[] = [];
    const reply: Answer = async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      ended.push('call');
      return { json: '{}' };
    };
    const takeTurn = () => new Promise<void>((resolve) => setTimeout(resolve, 50));
    expect(await run('library.getBook({ id: 1 }); return 1', { reply, takeTurn })).toMatchObject({ kind: 'done' });
    expect(ended).toEqual(['call']);
  });

  test('makes no call that still waits for its turn when it is stopped', async () => {
    const made: string[] = [];
    const reply: Answer = (name) => {
      made.push(name);
      return { json: '{}' };
    };
    const stop = new AbortController();
    const { promise: turn, resolve: giveTurn } = Promise.withResolvers<void>();
    const takeTurn = () => {
      stop.abort();
      setTimeout(giveTurn, 100);
      return turn;
    };
    const end = run('library.getBook({ id: 1 }); while (true) {}', { reply, takeTurn, signal: stop.signal });
    expect([await end, made]).toMatchObject([{ kind: 'stopped', why: 'cancelled' }, []]);
  });

  test('gets an error for calls whose long arguments would wait next to too many others', async () => {
    const answer: RunOptions['answer'] = (_name, _args, stopped) =>
      new Promise((resolve) => stopped.addEventListener('abort', () => resolve({ json: '{}' })));
    const code = `
      const text = "x".repeat(250_000);
      let refused = 0;
      const calls = Array.from({ length: 40 }, () =>
        library.getBook({ text }).catch(({ code }) => { if (code === "program_limit") refused += 1 }));
      await calls[39];
      return refused`;
    expect(await resultOf(code, { answer })).toBe(24);
  });

  test('makes no more calls than it may, however it asks', async () => {
    const made: unknown[] = [];
    const reply: Answer = (_, args) => {
      made.push(args);
      return { json: '{}' };
    };
    const end = await run('for (;;) { try { await library.getBook() } catch {} }', { reply });
    expect([end, made.length]).toMatchObject([{ kind: 'stopped', why: 'calls' }, LIMITS.calls]);
    made.length = 0;
    const atOnce = await run('await Promise.all(Array.from({ length: 500 }, () => library.getBook()))', { reply });
    expect(atOnce).toMatchObject({ kind: 'stopped', why: 'calls' });
    expect(made.length).toBeLessThanOrEqual(LIMITS.calls);
  });

  test('that has used up an answer of a waiting call stops there', async () => {
    const reply: Answer = () => ({ approval: 'a1' });
    expect(await resultOf('return await library.getBook()', { reply })).toEqual({ waitsForApproval: 'a1' });
    const uses = ['book.id', '"id" in book', '({ ...book })', 'Object.keys(book)', 'book + ""', 'String(book)'];
    for (const use of someOf(uses, 2)) {
      const end = await run(`const book = await library.getBook();\nreturn ${use};`, { reply });
      expect([use, end]).toMatchObject([use, { kind: 'threw', code: 'awaiting_approval' }]);
    }
  });
});

describe('a program that wants out', () => {
  test.each<[string, string, string]>([
    ['recurses', 'const f = () => f(); f()', 'stack'],
    ['keeps arrays', 'const a = []; for (;;) a.push(new Array(1e5).fill(1))', 'memory'],
    ['waits for nothing', 'await new Promise(() => {})', 'idle'],
    ['returns too much', 'return "y".repeat(5e6)', 'large'],
  ])('is stopped where it %s', async (_title, code, why) => {
    expect(await run(code)).toMatchObject({ kind: 'stopped', why });
  });

  test('is stopped where it loops', async () => {
    expect(await run('while (true) {}', SHORT)).toMatchObject({ kind: 'stopped', why: 'cpu' });
  });
});
