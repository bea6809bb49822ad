import { describe, expect, it } from 'vitest';
import { createProjection, findUnknownField } from '../../../../../server/call/tools/results/fields.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    data: { type: ['array', 'null'], items: { $ref: '#/$defs/Person' } },
    custom: { type: 'object' },
    byName: { type: 'object', additionalProperties: { type: 'object', properties: { total: {} } } },
    either: {
      anyOf: [
        { type: 'object', properties: { a: {} } },
        { type: 'object', properties: { b: {} } },
      ],
    },
    grid: { type: 'array', items: { type: 'array', items: { type: 'object', properties: { x: {} } } } },
    page: { type: 'object', properties: { nextArguments: {} } },
  },
  $defs: {
    Person: { type: 'object', properties: { firstName: { type: 'string' }, friend: { $ref: '#/$defs/Person' } } },
  },
} as const;

describe('a path of fields', () => {
  it.each([
    'data',
    'data.firstName',
    'data.friend.friend.firstName',
    'custom.anything.at.all',
    'byName.total',
    'either.a',
    'either.b',
    'grid.x',
    'page.nextArguments',
  ])('%s is known', (path) => {
    expect(findUnknownField(SCHEMA, [path])).toBeNull();
  });

  it.each([
    ['datas', 'the answer has no member "datas". Did you mean "data"?'],
    ['data.firstname', '"data" has no member "firstname". Did you mean "data.firstName"?'],
    ['data.friend.zzz', '"data.friend" has no member "zzz". Members: firstName, friend.'],
    ['data.0.firstName', '"data" has no member "0". Members: firstName, friend.'],
    ['either.c', '"either" has no member "c". Did you mean "either.a"?'],
    ['', 'the answer has no member "". Members: data, custom, byName, either, grid, page.'],
  ])('%s is unknown', (path, message) => {
    expect(findUnknownField(SCHEMA, ['data', path])).toContain(message);
  });

  it('is one of at most a hundred, and short', () => {
    expect(findUnknownField(SCHEMA, new Array(101).fill('data'))).toContain('at most 100 are allowed');
    expect(findUnknownField(SCHEMA, [`custom${'.a'.repeat(100_000)}`])).toContain('256 characters at most');
  });
});

describe('a projection', () => {
  const answer = {
    data: [{ id: 1, name: 'a', inner: { x: 1, y: 2 } }, 'odd', null, { id: 2 }],
    next: { cursor: 'c', total: 9 },
    other: 1,
  };

  it('keeps the named members, and elements in their places', () => {
    const project = createProjection(undefined, ['data.inner.y', 'data.id']);
    expect(project(answer)).toEqual({ data: [{ id: 1, inner: { y: 2 } }, 'odd', null, { id: 2 }] });
  });

  it('keeps a whole member even where members inside it are named too', () => {
    expect(createProjection(undefined, ['data.inner', 'data.inner.x'])(answer).data).toContainEqual({
      inner: { x: 1, y: 2 },
    });
    expect(createProjection(undefined, ['data.inner.x', 'data.inner'])(answer).data).toContainEqual({
      inner: { x: 1, y: 2 },
    });
  });

  it('keeps the continuation of a list', () => {
    const page = { argument: 'cursor', next: '/next/cursor', queryParameter: null, more: null };
    expect(createProjection(page, ['other'])(answer)).toEqual({ next: { cursor: 'c' }, other: 1 });
  });
});
