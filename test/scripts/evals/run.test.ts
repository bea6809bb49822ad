import { expect, test } from 'vitest';
import { createTokenCounter } from '../../../codegen/emit/tool-size.ts';
import { ChatModel } from '../../../scripts/evals/model.ts';
import { describeAnswer, watch } from '../../../scripts/evals/requests.ts';
import { runRequest } from '../../../scripts/evals/run.ts';
import type { OpenWorld } from '../../../scripts/evals/world.ts';
import { startModel } from '../../evals/scripted-model.ts';

const NOTES = [
  { id: 1, title: 'Bread', price: 2.5, day: '2026-01-02' },
  { id: 2, title: 'Salt', price: 1200, day: '2026-01-09' },
  { id: 3, title: 'Bread', price: 3, day: '2026-02-01' },
];
const world = { changed: new Set(), records: () => NOTES };
const sandbox = { services: new Map([['notes', { world }]]) } as unknown as OpenWorld['sandbox'];

test('offers each tool under a name that every endpoint takes, and calls it by its own', async () => {
  const long = 'a'.repeat(70);
  const names = ['notes.list', 'notes_list', 'answer', `${long}1`, `${long}2`];
  const called: string[] = [];
  const client = {
    getInstructions: () => undefined,
    listTools: async ({ cursor }: { cursor?: string }) =>
      cursor === undefined
        ? { tools: names.slice(0, 2).map((name) => ({ name, inputSchema: {} })), nextCursor: 'more' }
        : { tools: names.slice(2).map((name) => ({ name, inputSchema: {} })) },
    callTool: async ({ name }: { name: string }) => {
      called.push(name);
      if (name === 'notes_list') throw new Error('Out of order');
      return { content: name === 'answer' ? [] : [{ type: 'text', text: 'Yes.' }], structuredContent: { yes: true } };
    },
  };
  const results: string[] = [];
  const endpoint = await startModel({
    *play({ tools }) {
      const offered = tools.map((tool) => tool.function.name);
      expect(new Set(offered).size).toBe(6);
      expect(offered.filter((name) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name))).toEqual([]);
      results.push(...(yield offered.slice(1).map((name) => ({ name, args: {} }))));
      return 3;
    },
  });
  const { signal } = new AbortController();
  const count = await createTokenCounter();
  const model = new ChatModel({ url: endpoint.url, model: 'm', key: undefined, maxTokens: 1e6, count, signal }, 0);
  const request = { ask: 'How many?', expect: { list: 'notes /notes', count: true as const } };
  const open = { client, sandbox, close: async () => {} } as unknown as OpenWorld;
  const { completed, calls } = await runRequest(request, { world: open, model, limit: 1000 });
  await endpoint.close();
  expect([completed, calls, called]).toEqual([true, 5, names]);
  expect(results).toEqual(['Yes.', 'The call failed: Out of order', '{"yes":true}', 'Yes.', 'Yes.']);
});

test.each([
  ['values in any order and case', { take: 'title' }, [' salt ', 'BREAD'], null],
  ['one value that is not in a list', { where: { id: 2 }, take: 'title' }, 'Salt', null],
  ['a value too many', { where: { id: 2 }, take: 'title' }, ['Salt', 'Bread'], '1 wrong: bread'],
  ['a value too few', { take: 'title' }, ['Salt'], '1 missing: bread'],
  ['a number as text with separators', { max: 'price' }, '1,200.00', null],
  ['a number that is rounded to two decimals', { average: 'price' }, 401.8333, null],
  ['a number in a sentence', { max: 'price' }, 'It is 1200.', '1 missing: 1200; 1 wrong: it is 1200.'],
  [
    'pairs of groups and figures',
    { sum: 'price', by: 'day 7' },
    [
      ['2026-02', '3'],
      ['2026-01', 1202.5],
    ],
    null,
  ],
  [
    'pairs as objects',
    { sum: 'price', by: 'day 7' },
    [
      { month: '2026-01', sum: 1202.5 },
      { month: '2026-02', sum: 3 },
    ],
    null,
  ],
  [
    'figures of the wrong groups',
    { sum: 'price', by: 'day 7' },
    [
      ['2026-01', 3],
      ['2026-02', 1202.5],
    ],
    '2 missing: 2026-01 = 1202.5, 2026-02 = 3; 2 wrong: 2026-01 = 3, 2026-02 = 1202.5',
  ],
  ['nothing', { count: true as const }, undefined, '1 missing: 3; 1 wrong: undefined'],
  [
    'anything where the world has no such thing',
    { where: { id: 9 }, take: 'title' },
    [],
    'the world has no such thing',
  ],
])('judges %s', (_, expected, given, want) => {
  expect(watch(sandbox, { list: 'notes /notes', ...expected })(given)).toBe(want);
});

test.each([
  [{ take: 'title' }, 'An array: every value of title, each once, as the tools return it.'],
  [{ sum: 'price' }, 'The sum of price, alone.'],
  [{ max: 'price', by: 'day 7' }, 'An array of pairs [day, the largest price]; of day the first 7 characters.'],
  [{ gone: true as const }, 'What was done, in one sentence.'],
])('tells the model the form of the answer to %j, and no value', (expected, want) => {
  expect(describeAnswer({ list: 'notes /notes', ...expected })).toBe(want);
});
