import { describe, expect, test } from 'vitest';
import type { Tool, ToolUndo } from '../../../../server/contract/index.ts';
import { changedPlaces, type Made, planUndo, stateOf } from '../../../../server/modules/undo/plan.ts';
import { fakeTool } from '../../../support/fake-connector.ts';

const input = (names: readonly string[], required: readonly string[] = ['id']) => ({
  properties: Object.fromEntries(names.map((name) => [name, {}])),
  required,
});
const reading = fakeTool({ name: 'library_get', path: '/books/{id}', input: input(['id']) });
const clear = { clear: { items: { enum: ['title'] } } };
const writing: Tool = {
  ...fakeTool({
    ...{ name: 'library_update', method: 'PUT', path: '/books/{id}' },
    input: { ...input(['id', 'title', 'tags', 'tagsOp', 'meta']), properties: clear },
  }),
  request: {
    path: { id: 'id' },
    body: { mediaType: 'application/json', clear: 'clear', members: { title: 'title', tags: 'tags', meta: 'meta' } },
  },
};
const adding = fakeTool({ name: 'library_add', method: 'POST', input: input(['title'], ['title']) });
const RULE: ToolUndo = {
  ...{ tool: 'library_update', from: 'before', read: { tool: 'library_get', arguments: { id: 'id' } } },
  arguments: { id: '/id', title: '/title', tags: '/tags', meta: '/meta' },
  applies: { tags: 'tagsOp', meta: 'merge' },
};
const BEFORE = { id: 'b1', title: 'Old', tags: ['x', 'y'], meta: { a: 1, 'b/c': 2 }, secret: 'S' };
const plan = (args: object, more: Partial<Made> = {}) =>
  planUndo({
    ...{ rule: RULE, tool: writing, undoing: writing, reading, state: BEFORE },
    ...{ args: { id: 'old-name', ...args }, ...more },
  });
const withholding = (path: string): Tool => ({ ...reading, result: { withhold: { [path]: 'replace' } } });

describe('a plan to give back', () => {
  test.each<[string, object, object, object]>([
    ['only what was given, and reads by the id', { title: 'New' }, { title: 'Old' }, { title: 'New' }],
    ['what was cleared', { clear: ['title'] }, { title: 'Old' }, { title: null }],
    ['a list that was replaced', { tags: ['z'] }, { tags: ['x', 'y'] }, { tags: ['z'] }],
    ['a list that grew', { tags: ['y', 'z'], tagsOp: 'add' }, { tags: ['x', 'y'] }, { tags: ['z', 'y', 'x'] }],
    ['a list that shrank', { tags: ['x'], tagsOp: 'remove' }, { tags: ['x', 'y'] }, { tags: ['y'] }],
    ['merged members', { meta: { a: 5, n: 1 } }, { meta: { a: 1, n: null } }, { meta: { a: 5, 'b/c': 9, n: 1 } }],
    ['a removed member', { meta: { 'b/c': null } }, { meta: { 'b/c': 2 } }, { meta: { a: 7 } }],
  ])('has %s', (_, args, back, after) => {
    const planned = plan(args);
    expect(planned?.call).toEqual({ tool: 'library_update', args: { id: 'b1', ...back } });
    expect(planned?.read).toEqual({ tool: 'library_get', args: { id: 'b1' } });
    expect(changedPlaces(planned!.expected!, { ...BEFORE, ...after })).toEqual([]);
    expect(changedPlaces(planned!.expected!, { title: 'X', tags: ['q'], meta: { a: 'X', 'b/c': 'X' } })).not.toEqual(
      [],
    );
  });

  test('clears what was empty, where the tool can', () => {
    const state = { ...BEFORE, title: null, tags: null };
    expect(plan({ title: 'New' }, { state })?.call.args).toEqual({ id: 'b1', clear: ['title'] });
    expect(plan({ tags: ['z'] }, { state })).toBeNull();
  });

  test.each<[string, object, Partial<Made>]>([
    ['nothing that it knows was given', { tagsOp: 'add' }, {}],
    ['the state lacks the id', { title: 'New' }, { state: { title: 'Old' } }],
    ['the value is withheld', { title: 'New' }, { reading: withholding('title') }],
    ['a part of the value is withheld', { meta: { a: 5 } }, { reading: withholding('meta.a') }],
    ['a member of that name is withheld anywhere', { meta: { a: 5 } }, { reading: withholding('**.a') }],
    ['it is too large', { title: 'x'.repeat(70_000) }, {}],
  ])('is none where %s', (_, args, more) => {
    expect(plan(args, more)).toBeNull();
  });

  test('is none where the id of the answer is withheld, or what must be unchanged', () => {
    const created = { tool: adding, undoing: writing, state: { id: 'b2' }, args: { title: 'T' } };
    const rule: ToolUndo = { ...RULE, from: 'result', arguments: { id: '/id' }, unchanged: { '/title': 'title' } };
    expect(plan({}, { ...created, rule })?.call.args).toEqual({ id: 'b2' });
    expect(plan({}, { ...created, rule, tool: { ...adding, result: { withhold: { id: 'replace' } } } })).toBeNull();
    expect(plan({}, { ...created, rule, reading: withholding('title') })).toBeNull();
    expect(plan({}, { ...created, rule, state: {} })).toBeNull();
  });

  test('repeats a deleted thing by another tool, which expects that it is gone', () => {
    const rule: ToolUndo = { ...RULE, tool: 'library_add', arguments: { title: '/title', secret: '/gone' } };
    const planned = plan({}, { rule, undoing: adding });
    expect([planned?.call, planned?.expected]).toEqual([{ tool: 'library_add', args: { title: 'Old' } }, null]);
    expect(plan({}, { rule, undoing: adding, state: {} })).toBeNull();
  });
});

test('numbers that JavaScript cannot hold are no state', () => {
  const body = (text: string) => ({ kind: 'json', value: JSON.parse(text), rounded: JSON.parse(text) }) as const;
  expect(stateOf(body('{"id":1}'))).toEqual({ id: 1 });
  expect(stateOf({ kind: 'json', value: { id: JSON.parse('"raw"') }, rounded: { id: 1 } })).toBeUndefined();
  expect(stateOf({ kind: 'text', text: 'x', mediaType: 'text/plain' })).toBeUndefined();
});

test('nothing, null, and what is empty are the same', () => {
  const expected = [{ pointer: '/a', value: undefined, isSet: false }];
  for (const a of [undefined, null, '', [], {}, false, 0]) expect(changedPlaces(expected, { a })).toEqual([]);
  for (const a of ['x', [0], { b: 1 }, true, 1]) expect(changedPlaces(expected, { a })).toEqual(['/a']);
});
