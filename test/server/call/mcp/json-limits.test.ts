import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findBrokenLimit } from '../../../../server/call/mcp/json-rpc.ts';

const LIMITS = { nodes: 50, keys: 5, depth: 8 };
const find = (text: string) => findBrokenLimit(Buffer.from(text), LIMITS);
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const members = (count: number) => `{${Array.from({ length: count }, (_, index) => `"k${index}":0`).join(',')}}`;

const ROWS: readonly [string, string, string | null][] = [
  ['depth at the limit', nested(8), null],
  ['depth over the limit', nested(9), 'nested deeper than 8 levels'],
  ['brackets in a string', `{"text":"${nested(50)}"}`, null],
  ['brackets behind an escaped quote', `{"text":"\\"${nested(50)}"}`, null],
  ['brackets behind an escaped backslash', `{"text":"\\\\",${nested(50)}`, 'nested deeper than 8 levels'],
  ['keys at the limit', `[${members(5)},${members(5)}]`, null],
  ['keys over the limit', `[${members(6)}]`, 'an object has more than 5 members'],
  ['keys over the limit behind an object that was closed', `{"a":${members(5)},"b":1,"c":2,"d":3,"e":4}`, null],
  [
    'keys over the limit around a list that was closed',
    `{"a":[0],${members(5).slice(1)}`,
    'an object has more than 5 members',
  ],
  [
    'keys over the limit at the deepest level',
    `${'['.repeat(7)}${members(6)}${']'.repeat(7)}`,
    'an object has more than 5 members',
  ],
  ['values at the limit', `[${'0,'.repeat(48)}0]`, null],
  ['values one over the limit', `[${'0,'.repeat(49)}0]`, 'more than 50 values'],
  ['the same key many times', `{${'"a":0,'.repeat(10)}"a":0}`, 'an object has more than 5 members'],
  ['colons and commas in strings', `["${',:'.repeat(100)}"]`, null],
  ['values over the limit', `[${'0,'.repeat(60)}0]`, 'more than 50 values'],
  ['empty containers over the limit', `[${'[],'.repeat(60)}0]`, 'more than 50 values'],
  ['text that is not JSON', ']]]]}}}}"'.repeat(20), null],
  ['a string without an end', `"${'x'.repeat(100)}`, null],
];

describe('findBrokenLimit', () => {
  for (const [title, text, want] of ROWS) {
    it(`says ${want ?? 'nothing'} of ${title}`, () => expect(find(text)).toBe(want));
  }

  it('counts as JSON.parse does', () => {
    const measure = (value: unknown): { nodes: number; keys: number; depth: number } => {
      if (typeof value !== 'object' || value === null) return { nodes: 1, keys: 0, depth: 0 };
      const inner = Object.values(value).map(measure);
      return {
        nodes: 1 + inner.reduce((sum, { nodes }) => sum + nodes, 0),
        keys: Math.max(Array.isArray(value) ? 0 : Object.keys(value).length, ...inner.map(({ keys }) => keys)),
        depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
      };
    };
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 12 }), (value) => {
        const bytes = Buffer.from(JSON.stringify(value));
        const { nodes, keys, depth } = measure(value);
        const roomy = { nodes: 2 * nodes + 1, keys, depth: Math.max(1, depth) };
        expect(findBrokenLimit(bytes, roomy)).toBeNull();
        if (depth > 1) expect(findBrokenLimit(bytes, { ...roomy, depth: 1 })).toBe('nested deeper than 1 levels');
        if (keys > 1) expect(findBrokenLimit(bytes, { ...roomy, keys: 1, depth: 100 })).not.toBe(undefined);
      }),
    );
  });
});
