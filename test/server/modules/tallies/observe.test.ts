import { describe, expect, test } from 'vitest';
import { readArgumentTree } from '../../../../server/modules/tallies/argument-tree.ts';
import { observe } from '../../../../server/modules/tallies/observe.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    query: { type: 'string' },
    limit: { type: 'integer' },
    status: { type: ['string', 'null'], enum: ['open', 'closed', null] },
    tags: { type: 'array', items: { type: 'string', enum: ['new', 'old'] } },
    filter: { $ref: '#/$defs/filter' },
  },
  $defs: {
    filter: {
      anyOf: [
        { type: 'object', properties: { and: { type: 'array', items: { $ref: '#/$defs/filter' } } } },
        { type: 'object', properties: { field: { enum: ['name'] }, value: {} } },
      ],
    },
  },
};

const seen = (args: Record<string, unknown>) =>
  [...observe(readArgumentTree(SCHEMA), args)].map((one) => one.split('\t').join(' '));

describe('the usage recorded for a call', () => {
  test.each<[string, Record<string, unknown>, string[]]>([
    ['nothing', {}, []],
    ['a string', { query: 'a secret' }, ['query calls', 'query class:text']],
    ['an empty string', { query: '' }, ['query calls', 'query class:empty']],
    ['a string for a number', { limit: '5' }, ['limit calls', 'limit class:text']],
    ['a number', { limit: 1.5 }, ['limit calls', 'limit class:number']],
    ['a whole number', { limit: 5 }, ['limit calls', 'limit class:integer']],
    ['a published value', { status: 'open' }, ['status calls', 'status class:text', 'status member:open']],
    ['null where it is published', { status: null }, ['status calls', 'status class:null', 'status member:null']],
    ['another value', { status: 'ada@example.com' }, ['status calls', 'status class:text', 'status member:other']],
    ['an unpublished name', { 'ada@example.com': { key: 1 } }, ['other calls', 'other class:object']],
    [
      'items, each class once',
      { tags: ['new', 'new', 'x'] },
      [
        'tags calls',
        'tags class:array',
        'tags[] calls',
        'tags[] class:text',
        'tags[] member:new',
        'tags[] member:other',
      ],
    ],
    [
      'nested members down to the depth limit',
      { filter: { and: [{ field: 'name', mine: 1, and: [{ field: 'name' }] }] } },
      [
        'filter calls',
        'filter class:object',
        'filter.and calls',
        'filter.and class:array',
        'filter.and[] calls',
        'filter.and[] class:object',
        'filter.and[].field calls',
        'filter.and[].field class:text',
        'filter.and[].field member:name',
        'filter.and[].other calls',
        'filter.and[].other class:integer',
        'filter.and[].and calls',
        'filter.and[].and class:array',
        'filter.and[].and[] calls',
        'filter.and[].and[] class:object',
      ],
    ],
  ])('%s', (_, args, want) => {
    expect(seen(args)).toEqual(want);
  });

  test('never contains an unpublished value', () => {
    const secret = 'sk-live-0000';
    const args = {
      query: secret,
      status: secret,
      tags: [secret],
      filter: { [secret]: secret, value: { [secret]: 1 } },
    };
    expect(seen({ ...args, [secret]: [secret] }).join()).not.toContain(secret);
  });

  test('is bounded for a long list and for a wide schema', () => {
    expect(seen({ tags: Array.from({ length: 100_000 }, () => 'new') })).toHaveLength(5);
    const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`a${index}`, { type: 'string' }]));
    expect(readArgumentTree({ type: 'object', properties: wide }).members.size).toBe(500);
  });
});
