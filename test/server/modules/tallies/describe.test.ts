import { describe, expect, test } from 'vitest';
import { createValidators } from '../../../../server/call/tools/validate.ts';
import { describeDrift } from '../../../../server/modules/tallies/describe.ts';

const SCHEMA = {
  type: 'object',
  required: ['id'],
  properties: {
    id: { type: 'integer' },
    status: { enum: ['open'] },
    items: { type: 'array', items: { $ref: '#/$defs/item' } },
    byName: { type: 'object', additionalProperties: { type: 'integer' } },
  },
  $defs: { item: { type: 'object', properties: { name: { type: 'string' } } } },
} as const;

const drift = (answer: unknown) =>
  describeDrift(SCHEMA, createValidators()(SCHEMA).problems(answer)).map(({ pointer: place, actualType: found }) => [
    place,
    found,
  ]);

describe('the difference between an answer and its schema', () => {
  test.each<[string, unknown, string[][]]>([
    ['another type', { id: 'x' }, [['/id', 'string']]],
    ['null', { id: null }, [['/id', 'null']]],
    ['missing members', {}, [['/id', 'absent']]],
    ['a value that is not published', { id: 1, status: 'secret' }, [['/status', 'string']]],
    ['items, with each place once', { id: 1, items: [{ name: 1 }, { name: 2 }] }, [['/items/*/name', 'integer']]],
    ['a name that is not published', { id: 1, byName: { 'ada@example.com': 'x' } }, [['/byName/*', 'string']]],
    ['nothing', { id: 1, 'ada@example.com': 1 }, []],
  ])('%s', (_, answer, want) => {
    expect(drift(answer)).toEqual(want);
  });
});
