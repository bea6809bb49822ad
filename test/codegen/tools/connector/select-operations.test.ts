import { describe, expect, test } from 'vitest';
import type { Method } from '../../../../codegen/model/types.ts';
import { build, operation, service } from '../service.ts';

const at = (key: string, id: string | null, tags: string[] = []) => {
  const [method, path = ''] = key.split(' ');
  return operation({ method: method as Method, path, id, tags });
};
const operations = [
  at('GET /notes', 'notes/list', ['notes']),
  at('POST /notes', 'notes/add', ['notes']),
  at('GET /notes/a', 'notes/get', ['notes', 'reading']),
  at('GET /notes/a/tags', null, ['tags']),
  at('DELETE /tags', 'removeTags', ['tags']),
];
const SHOP = service(operations);
const keysOf = (tools: readonly { operation: { method: string; path: string } }[]) =>
  tools.map(({ operation: { method, path } }) => `${method} ${path}`).sort();

describe('a selection of operations', () => {
  test.each<[title: string, expose: object, want: string[]]>([
    ['an operationId', { operations: ['removeTags'] }, ['DELETE /tags']],
    ['ids with a common prefix', { operations: ['notes/*'] }, ['GET /notes', 'GET /notes/a', 'POST /notes']],
    ['a path, with every method', { operations: ['/notes'] }, ['GET /notes', 'POST /notes']],
    ['a path and all below it', { operations: ['/notes/a/**'] }, ['GET /notes/a', 'GET /notes/a/tags']],
    ['a path without its slash', { operations: ['notes/a/**'] }, ['GET /notes/a', 'GET /notes/a/tags']],
    ['a method and a path without its slash', { operations: ['POST notes'] }, ['POST /notes']],
    ['one segment of a path', { operations: ['/notes/*'] }, ['GET /notes/a']],
    ['a method and a path', { operations: ['DELETE /**'] }, ['DELETE /tags']],
    ['one of several tags', { tags: ['tags', 'reading'] }, ['DELETE /tags', 'GET /notes/a', 'GET /notes/a/tags']],
    ['operations that read', { readOnly: true }, ['GET /notes', 'GET /notes/a', 'GET /notes/a/tags']],
    ['operations that match all conditions', { operations: ['/notes/**'], tags: ['tags'] }, ['GET /notes/a/tags']],
    ['a literal dot', { operations: ['notes.list', '/notes'] }, ['GET /notes', 'POST /notes']],
  ])('selects %s', (_title, expose, want) => {
    const { connector } = build(SHOP, { expose });
    expect(keysOf(connector.tools)).toEqual(want);
    const outside = connector.notExposed.filter(({ by }) => by === 'expose');
    expect(keysOf(outside.map((one) => ({ operation: one }))).length).toBe(operations.length - want.length);
  });

  test('accepts operations that `tools` names', () => {
    const { connector, codes } = build(SHOP, {
      expose: { tags: ['notes'], readOnly: true },
      tools: { shop_remove: { operation: 'removeTags' } },
    });
    expect(keysOf(connector.tools)).toEqual(['DELETE /tags', 'GET /notes', 'GET /notes/a']);
    expect(codes).toEqual([]);
  });

  test('reports selected operations that are not listed, and no others', () => {
    const { connector, problems } = build(SHOP, {
      expose: { listed: true, tags: ['notes'] },
      tools: { shop_list: { operation: 'notes/list' } },
      notExposed: { 'notes/add': 'Agents read.' },
    });
    expect(keysOf(connector.tools)).toEqual(['GET /notes']);
    expect(problems.map(({ code, message }) => [code, message])).toEqual([
      ['operation-unlisted', 'Neither tools nor notExposed name 1 operations: notes/get.'],
    ]);
  });

  test.each<[title: string, expose: object, pointer: string, message: string, fix: string | undefined]>([
    ['a tag', { tags: ['note'] }, '/expose/tags/0', 'No operation has the tag note.', 'Did you mean notes?'],
    [
      'an id',
      { operations: ['removeTag'] },
      '/expose/operations/0',
      'No operation matches removeTag.',
      'Did you mean removeTags?',
    ],
    [
      'a prefix of ids',
      { operations: ['note/*'] },
      '/expose/operations/0',
      'No operation matches note/*.',
      'Did you mean notes/*?',
    ],
    [
      'a prefix of paths',
      { operations: ['/note/**'] },
      '/expose/operations/0',
      'No operation matches /note/**.',
      'Did you mean /notes/**?',
    ],
    [
      'conditions that no operation matches together',
      { operations: ['removeTags'], tags: ['notes'], readOnly: true },
      '/expose',
      'No operation matches all of it: 1 match operations, 3 have one of the tags, 3 read.',
      undefined,
    ],
  ])('rejects %s that does not exist', (_title, expose, pointer, message, fix) => {
    const { problems } = build(SHOP, { expose });
    expect(problems[0]).toMatchObject({ code: 'config-expose-unmatched', pointer, message });
    expect(problems[0]?.fix).toBe(fix);
  });
});
