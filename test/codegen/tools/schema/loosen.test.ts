import { describe, expect, it } from 'vitest';
import type { Schema } from '../../../../codegen/model/types.ts';
import { endReferences, loosenChoices } from '../../../../codegen/tools/schema/loosen.ts';
import { accepts } from '../size-limits/accepts.ts';

const ref = (name: string): Schema => ({ $ref: `#/$defs/${name}` });
const root = ($defs: Schema): Schema => ({ type: 'object', properties: { a: ref('A') }, $defs });

describe('references that recur without entering the value', () => {
  it.each<[string, Schema, Schema]>([
    [
      'an alternative that is the definition itself is removed',
      { A: { anyOf: [{ type: 'string' }, ref('A')] } },
      { A: { anyOf: [{ type: 'string' }] } },
    ],
    ['a list of only itself is removed', { A: { description: 'A.', oneOf: [ref('A')] } }, { A: { description: 'A.' } }],
    [
      'an alternative that recurs through others accepts anything',
      { A: { oneOf: [{ type: 'string' }, ref('B')] }, B: { oneOf: [{ type: 'integer' }, ref('A')] } },
      { A: { anyOf: [{ type: 'string' }, {}] }, B: { anyOf: [{ type: 'integer' }, {}] } },
    ],
    [
      'a part and a condition are removed',
      {
        A: {
          type: 'object',
          allOf: [ref('A'), { minProperties: 1 }],
          not: ref('A'),
          if: ref('A'),
          else: { maxProperties: 2 },
        },
      },
      { A: { type: 'object', allOf: [{ minProperties: 1 }] } },
    ],
    [
      'a recursion through a member is kept',
      {
        A: {
          type: 'object',
          properties: { next: ref('A') },
          anyOf: [{ type: 'object', properties: { next: ref('A') } }],
        },
      },
      {
        A: {
          type: 'object',
          properties: { next: ref('A') },
          anyOf: [{ type: 'object', properties: { next: ref('A') } }],
        },
      },
    ],
  ])('%s', (_title, given, want) => {
    const loose = new Set();
    const ended = endReferences(root(given), loose);
    loosenChoices(ended, loose);
    expect(ended).toEqual(root(want));
    expect(() => accepts(ended, { a: { next: {} } })).not.toThrow();
  });
});
