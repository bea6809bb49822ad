import { describe, expect, test } from 'vitest';
import { answer, build, jsonBody, operation, parameter, service } from './service.ts';

const NOTE = { type: 'object', properties: { id: { type: 'string' }, title: { type: 'string' } } };
const responses = [answer(NOTE)];
const id = parameter('note_id', { in: 'path' });
const ifMatch = parameter('If-Match', { in: 'header' });
const body = jsonBody({ type: 'object', properties: { title: { type: 'string' } } });
const SHOP = service([
  operation({ id: 'createNote', method: 'POST', path: '/notes', body, responses }),
  operation({ id: 'getNote', path: '/notes/{note_id}', parameters: [id], responses }),
  operation({
    id: 'updateNote',
    method: 'PATCH',
    path: '/notes/{note_id}',
    parameters: [id, ifMatch],
    body,
    responses,
  }),
  operation({ id: 'deleteNote', method: 'DELETE', path: '/notes/{note_id}', parameters: [id] }),
]);
const RESULT = {
  tool: 'shop_delete_note',
  from: 'result',
  arguments: { noteId: '/id' },
  read: { tool: 'shop_get_note', arguments: { noteId: '/id' } },
  unchanged: { '/title': 'title' },
};
const BEFORE = {
  tool: 'shop_update_note',
  from: 'before',
  arguments: { noteId: 'noteId', title: '/title' },
  read: { tool: 'shop_get_note', arguments: { noteId: 'noteId' } },
};
const undone = (undo: object, more: object = {}) => {
  const tool = 'from' in undo && undo.from === 'before' ? 'shop_update_note' : 'shop_create_note';
  const operationId = tool === 'shop_update_note' ? 'updateNote' : 'createNote';
  return { tool, built: build(SHOP, { ...more, tools: { [tool]: { operation: operationId, undo } } }) };
};

describe('an undo', () => {
  test.each([
    ['from the result', RESULT, RESULT],
    ['from before, with the argument that is If-Match', BEFORE, { ...BEFORE, ifMatch: 'ifMatch' }],
  ])('is emitted %s', (_, undo, want) => {
    const {
      tool,
      built: { connector, codes },
    } = undone(undo);
    expect(connector.tools.find(({ name }) => name === tool)?.undo).toEqual(want);
    expect(codes).not.toContain('config-undo');
  });

  test.each([
    ['an unknown tool', { ...RESULT, tool: 'shop_delete_notes' }, 'There is no tool shop_delete_notes.'],
    ['a lacking argument of it', { ...RESULT, arguments: {} }, 'shop_delete_note needs the argument noteId.'],
    [
      'an argument that it lacks',
      { ...RESULT, arguments: { noteId: '/id', key: '/id' } },
      'shop_delete_note has no argument key.',
    ],
    [
      'an argument that the tool lacks',
      { ...RESULT, arguments: { noteId: 'key' } },
      'shop_create_note has no argument key.',
    ],
    [
      'an unknown place of the answer',
      { ...RESULT, arguments: { noteId: '/key' } },
      'The answer of shop_create_note has no /key',
    ],
    [
      'an unknown reading tool',
      { ...RESULT, read: { ...RESULT.read, tool: 'shop_get' } },
      'There is no tool shop_get.',
    ],
    [
      'a reading tool that writes',
      { ...RESULT, read: { ...RESULT.read, tool: 'shop_delete_note' } },
      'shop_delete_note changes data',
    ],
    [
      'an unknown place of what is read',
      { ...RESULT, unchanged: { '/name': 'title' } },
      'The answer of shop_get_note has no /name',
    ],
    [
      'an unknown argument that it must equal',
      { ...RESULT, unchanged: { '/title': 'name' } },
      'shop_create_note has no argument name.',
    ],
    [
      'a place of what is read',
      { ...BEFORE, arguments: { noteId: 'noteId', title: '/name' } },
      'The answer of shop_get_note has no /name',
    ],
    [
      'a place before anything was read',
      { ...BEFORE, read: { ...BEFORE.read, arguments: { noteId: '/id' } } },
      'Nothing was answered yet',
    ],
    [
      'an argument that applies and is not there',
      { ...BEFORE, applies: { tags: 'merge' } },
      'shop_update_note has no argument tags.',
    ],
    [
      'an argument that says how, and is not there',
      { ...BEFORE, applies: { title: 'titleOp' } },
      'shop_update_note has no argument titleOp.',
    ],
  ])('refuses %s', (_, undo, want) => {
    const { problems } = undone(undo).built;
    expect(problems.filter(({ code }) => code === 'config-undo').map(({ message }) => message)).toEqual([
      expect.stringContaining(want),
    ]);
  });

  test('refuses a tool that only reads, and places that never leave', () => {
    const reading = build(SHOP, {
      tools: {
        shop_get_note: {
          operation: 'getNote',
          undo: { ...RESULT, unchanged: undefined, arguments: { noteId: 'noteId' }, read: BEFORE.read },
        },
      },
    });
    expect(reading.problems.map(({ message }) => message)).toContain(
      'shop_get_note only reads: nothing takes it back.',
    );
    const { problems } = undone(BEFORE, { defaults: { withhold: { title: 'drop' } } }).built;
    expect(problems.map(({ message }) => message)).toContain('shop_get_note withholds /title.');
  });

  test.each([
    [{ ...BEFORE, unchanged: { '/title': 'title' } }, '`unchanged` needs `from: result`'],
    [{ ...RESULT, applies: { title: 'merge' } }, '`applies` needs `from: before`'],
  ])('refuses members of the other kind: %#', (undo, want) => {
    expect(() => undone(undo)).toThrow(want);
  });
});
