import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { prepareArguments } from '../../../../../server/call/tools/call/arguments.ts';
import { createValidators } from '../../../../../server/call/tools/validate.ts';
import type { ObjectSchema } from '../../../../../server/contract/index.ts';
import { fakeTool } from '../../../../support/fake-connector.ts';

/** Node 22 tells the time of all threads only, garbage collection included. */
const MAX_STOP_MS = process.threadCpuUsage === undefined ? 40 : 20;

const nested = (depth: number): object => (depth === 0 ? { end: 1 } : { next: nested(depth - 1) });
const either = { anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }, { type: 'null' }] };
const node = (name: string) => ({ type: 'object', properties: { next: either }, required: [name] });

const SLOW: readonly [string, { readonly schema: object; readonly value: unknown; readonly more?: object }][] = [
  [
    'a pattern with many states',
    { schema: { type: 'string', pattern: `${'(?:a|b){0,49}'.repeat(2)}c` }, value: 'a'.repeat(9000) },
  ],
  [
    'a pattern whose states multiply',
    { schema: { type: 'string', pattern: '(?:a|b)*a[ab]{90}$' }, value: draw(100_000) },
  ],
  [
    'a plain pattern on a long text',
    { schema: { type: 'string', pattern: '^a*[ab]{0,99}c' }, value: 'a'.repeat(500_000) },
  ],
  [
    'many short texts',
    {
      schema: { type: 'array', items: { type: 'string', pattern: '^(?:\\S{1,60}\\s?){0,3}$' } },
      value: Array(4000).fill(`${'é'.repeat(61)} ${'x'.repeat(60)}!\n\n`),
    },
  ],
  [
    'different elements',
    {
      schema: { type: 'array', uniqueItems: true, items: {} },
      value: Array.from({ length: 20_000 }, (_, id) => ({ id })),
    },
  ],
  ['references to each other', { schema: either, value: nested(30), more: { $defs: { a: node('a'), b: node('b') } } }],
  [
    'many refused values',
    { schema: { type: 'array', items: { type: 'integer' } }, value: Array.from({ length: 1900 }, () => 'x') },
  ],
];

function draw(length: number): string {
  let seed = 1;
  return Array.from({ length }, () => {
    seed = (seed * 48271) % 2147483647;
    return seed & 1024 ? 'a' : 'b';
  }).join('');
}

describe('checking arguments never stops the event loop for long', () => {
  test.each(SLOW)('%s', (_, { schema, value, more = {} }) => {
    const tool = fakeTool({
      name: 'library_ask',
      input: { properties: { value: schema }, ...more } as Partial<ObjectSchema>,
    });
    const validator = createValidators()(tool.inputSchema);
    prepareArguments(tool, { value: null }, validator);
    prepareArguments(tool, { value: 'a' }, validator);
    const stops = Array.from({ length: 3 }, () => {
      const before = process.threadCpuUsage();
      prepareArguments(tool, { value }, validator);
      const { user, system } = process.threadCpuUsage(before);
      return (user + system) / 1000;
    });
    expect(Math.min(...stops)).toBeLessThan(MAX_STOP_MS);
  });
});

test('an error of many problems repeats no long value', async () => {
  const tool = fakeTool({
    ...{ name: 'library_say', input: { properties: { text: { type: 'string' } }, additionalProperties: false } },
  });
  const unknown = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`unknown${index}`, index]));
  const given = { text: 'x'.repeat(400_000), ...unknown };
  const validator = createValidators()(tool.inputSchema);
  const all = { ok: false, text: expect.stringContaining('- and 292 more.') };
  await vi.waitFor(() => expect(prepareArguments(tool, given, validator)).toMatchObject(all));
  const written = vi.spyOn(JSON, 'stringify');
  onTestFinished(() => written.mockRestore());
  prepareArguments(tool, given, validator);
  const lengths = written.mock.results.map(({ value }) => String(value).length);
  expect(Math.max(...lengths)).toBeLessThan(20_000);
});
