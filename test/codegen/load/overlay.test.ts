import { describe, expect, test } from 'vitest';
import { applyOverlay } from '../../../codegen/load/overlay/apply.ts';
import type { OverlayAction } from '../../../codegen/load/overlay/read.ts';
import { descriptor, loadNotes, place } from './service-files.ts';

const overlay = (...actions: object[]) =>
  JSON.stringify({ overlay: '1.1.0', info: { title: 'Repairs', version: '1' }, actions });
const HEAD = { overlay: '1.1.0', info: { title: 'Repairs', version: '1' } };
const apply = (document: unknown, ...actions: OverlayAction[]) => ({
  unused: applyOverlay(document, { ...HEAD, actions }),
  document,
});

describe('an overlay', () => {
  test('is applied before the descriptor is validated', async () => {
    const loaded = await loadNotes({
      'openapi.yaml': descriptor('    put: { parameters: 3 }'),
      'overlay.json': overlay(
        { target: '$.info', update: { title: 'Better notes' } },
        { target: "$.paths['/notes'].put", remove: true },
        { target: '$.paths.*.get', update: { summary: 'List the notes' } },
      ),
    });
    expect(loaded.problems).toEqual([]);
    expect(loaded.document).toMatchObject({
      info: { title: 'Better notes', version: '1' },
      paths: { '/notes': { get: { operationId: 'listNotes', summary: 'List the notes' } } },
    });
  });

  test('may add references, which are followed', async () => {
    const loaded = await loadNotes({
      'openapi.yaml': descriptor(),
      'note.yaml': 'type: string\n',
      'overlay.yaml': `${JSON.stringify(HEAD).slice(0, -1)}, actions: [{ target: "$.paths.*.get.responses['200']", update: { content: { application/json: { schema: { $ref: "note.yaml" } } } } }] }`,
    });
    expect(loaded.problems).toEqual([]);
    expect(JSON.stringify(loaded.document)).toContain('"type":"string"');
  });

  test('reports an action that changes nothing, at its line', async () => {
    const loaded = await loadNotes({
      'openapi.yaml': descriptor(),
      'overlay.yaml': [
        'overlay: 1.0.0',
        'info: { title: Repairs, version: "1" }',
        'actions:',
        '  - { target: $.info, update: { title: A } }',
        '  - { target: $.paths.nowhere, remove: true }',
        '',
      ].join('\n'),
    });
    expect(loaded.problems.map((problem) => place(loaded, problem))).toEqual([
      'overlay-unused overlay.yaml:5 /actions/1',
    ]);
  });

  test.each([
    ['a target that is not a JSONPath', overlay({ target: '$.[' }), '/actions/0/target'],
    ['a copy that is not a JSONPath', overlay({ target: '$', copy: 'a b' }), '/actions/0/copy'],
    ['another version', JSON.stringify({ ...HEAD, overlay: '2.0.0', actions: [{ target: '$' }] }), '/overlay'],
    ['no action', overlay(), '/actions'],
    ['a text', '"overlay"', ''],
    ['text that does not parse', '{', ''],
  ])('is rejected with %s, and so is the service', async (_, text, pointer) => {
    const loaded = await loadNotes({ 'openapi.yaml': descriptor(), 'overlay.json': text });
    expect(loaded.document).toBeNull();
    expect(loaded.problems.map((problem) => [problem.code, problem.pointer])).toEqual([['overlay-invalid', pointer]]);
  });

  test('is a single file', async () => {
    const one = overlay({ target: '$.info', update: {} });
    const loaded = await loadNotes({ 'openapi.yaml': descriptor(), 'overlay.json': one, 'overlay.yaml': one });
    expect(loaded.problems[0]?.message).toBe('specs/notes/ has overlay.yaml and overlay.json.');
  });
});

describe('an action', () => {
  test('merges objects, concatenates arrays and replaces scalars', () => {
    const document = { a: { keep: 1, list: [1], deep: { x: 1 } } };
    expect(apply(document, { target: '$.a', update: { list: [2], deep: { y: 2 }, more: true } })).toEqual({
      unused: [],
      document: { a: { keep: 1, list: [1, 2], deep: { x: 1, y: 2 }, more: true } },
    });
  });

  test.each<[title: string, action: OverlayAction, expected: object]>([
    ['appends one entry to an array', { target: '$.list', update: 3 }, { list: [1, 2, 3] }],
    ['appends the entries of an array', { target: '$.list', update: [3, 4] }, { list: [1, 2, 3, 4] }],
    ['replaces a scalar', { target: '$.list[0]', update: 'one' }, { list: ['one', 2] }],
    ['removes entries from the end', { target: '$.list[*]', remove: true }, { list: [] }],
    ['removes rather than updates', { target: '$.list', update: 3, remove: true }, {}],
    ['does nothing without update, copy or remove', { target: '$.list' }, { list: [1, 2] }],
  ])('%s', (_, action, expected) => {
    expect(apply({ list: [1, 2] }, action)).toEqual({ unused: [], document: expected });
  });

  test('copies one place to others as independent copies', () => {
    const { document, unused } = apply(
      { from: { x: [1] }, to: { a: {}, b: {} } },
      { target: '$.to.*', copy: '$.from' },
      { target: '$.to.a.x', update: 2 },
    );
    expect(unused).toEqual([]);
    expect(document).toEqual({ from: { x: [1] }, to: { a: { x: [1, 2] }, b: { x: [1] } } });
  });

  test.each<[title: string, action: OverlayAction]>([
    ['selects nothing', { target: '$.nothing', update: 1 }],
    ['copies from several places', { target: '$.a', copy: '$.list[*]' }],
    ['copies from a place that does not exist', { target: '$.a', copy: '$.nothing' }],
    ['replaces a scalar by an object', { target: '$.list[0]', update: {} }],
    ['replaces an object by a scalar', { target: '$.a', update: 1 }],
    ['removes everything', { target: '$', remove: true }],
  ])('is reported where it %s', (_, action) => {
    const { document, unused } = apply({ a: {}, list: [1, 2] }, action);
    expect(unused).toEqual([{ index: 0, why: expect.any(String) }]);
    expect(document).toEqual({ a: {}, list: [1, 2] });
  });

  test('sets a member named __proto__ as any other', () => {
    const update = JSON.parse('{"__proto__":{"x":1}}');
    const { document } = apply({ a: {} }, { target: '$.a', update });
    expect(JSON.stringify(document)).toBe('{"a":{"__proto__":{"x":1}}}');
    expect(Object.getPrototypeOf({}).x).toBeUndefined();
  });
});
