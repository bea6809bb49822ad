import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadService } from '../../../codegen/load/index.ts';
import { readReference } from '../../../codegen/load/reference.ts';
import { descriptor, descriptorOf, loadNotes, place, writeRoot } from './service-files.ts';

const refused: [string, { given: string; want: string }][] = [
  ['http', { given: 'http://127.0.0.1:1/note.yaml', want: 'reference-network' }],
  ['https with a pointer', { given: 'https://example.com/note.yaml#/Note', want: 'reference-network' }],
  ['a URL in capitals', { given: 'HTTPS://example.com/note.yaml', want: 'reference-network' }],
  ['a URL without a scheme', { given: '//example.com/note.yaml', want: 'reference-network' }],
  ['a URL with backslashes', { given: '\\\\example.com\\note.yaml', want: 'reference-network' }],
  ['another scheme', { given: 'data:application/json,{}', want: 'reference-network' }],
  ['a URN', { given: 'urn:example:note', want: 'reference-network' }],
  ['a file URL', { given: 'file:///etc/passwd', want: 'reference-outside' }],
  ['an absolute path', { given: '/etc/passwd', want: 'reference-outside' }],
  ['an absolute path of Windows', { given: 'C:\\Windows\\win.ini', want: 'reference-outside' }],
  ['an encoded absolute path', { given: '%2Fetc%2Fpasswd', want: 'reference-outside' }],
  ['the folder of another service', { given: '../other/openapi.yaml', want: 'reference-outside' }],
  ['a parent folder in the middle', { given: 'schemas/../../other/openapi.yaml', want: 'reference-outside' }],
  ['an encoded parent folder', { given: '%2e%2e/other/openapi.yaml', want: 'reference-outside' }],
  ['a parent folder with an encoded slash', { given: '..%2fother%2fopenapi.yaml', want: 'reference-outside' }],
  ['a parent folder with backslashes', { given: '..\\other\\openapi.yaml', want: 'reference-outside' }],
  ['a broken escape', { given: '%zz.yaml', want: 'reference-outside' }],
  ['a NUL', { given: 'a%00.yaml', want: 'reference-outside' }],
];

describe('a $ref that leaves the folder', () => {
  test.each(refused)('is rejected: %s', async (_title, { given, want }) => {
    const loaded = await loadNotes({
      'openapi.yaml': descriptorOf(`{ $ref: ${JSON.stringify(given)} }`),
      '../other/openapi.yaml': descriptor(),
    });
    expect(loaded.problems.map((problem) => place(loaded, problem))).toEqual([
      `${want} openapi.yaml:10 /components/schemas/Note`,
    ]);
    expect([...loaded.refused.keys()]).toEqual(['/paths/~1notes/post']);
    expect(loaded.document).toHaveProperty('components.schemas', {});
  });

  test.each(refused)('is data inside an example, and not followed: %s', async (_title, { given }) => {
    const example = { $ref: given };
    const loaded = await loadNotes({
      'openapi.yaml': descriptorOf(`{ examples: [${JSON.stringify(example)}] }`),
    });
    expect(loaded.problems).toEqual([]);
  });

  test('is rejected in a referenced file, at that file and line', async () => {
    const loaded = await loadNotes({
      'openapi.yaml': descriptorOf('{ $ref: schemas/note.yaml }'),
      'schemas/note.yaml': 'type: object\nproperties:\n  a: { $ref: ../../other/openapi.yaml }\n',
      '../other/openapi.yaml': descriptor(),
    });
    expect(loaded.problems.map((problem) => place(loaded, problem))).toEqual([
      'reference-outside schemas/note.yaml:3 /properties/a',
    ]);
  });

  test.each([
    ['file', '../../secret.yaml', 'link.yaml'],
    ['folder', '../..', 'link/secret.yaml'],
  ])('is rejected when it passes a symbolic link to a %s', async (_kind, target, ref) => {
    const root = await writeRoot({
      'secret.yaml': 'type: string',
      'specs/notes/openapi.yaml': descriptorOf(`{ $ref: ${ref} }`),
    });
    await symlink(target, path.join(root, 'specs/notes', ref.split('/')[0]!));
    const loaded = await loadService({ root, service: 'notes' });
    expect(loaded.problems.map((problem) => place(loaded, problem))).toEqual([
      'reference-outside openapi.yaml:10 /components/schemas/Note',
    ]);
    expect(JSON.stringify(loaded)).not.toContain('"string"');
  });

  test('is followed when it passes a symbolic link that stays inside the folder', async () => {
    const root = await writeRoot({
      'specs/notes/openapi.yaml': descriptor('components:', '  schemas:', '    Note: { $ref: link.yaml }'),
      'specs/notes/schemas/note.yaml': 'type: string',
    });
    await symlink('schemas/note.yaml', path.join(root, 'specs/notes/link.yaml'));
    const { problems, document } = await loadService({ root, service: 'notes' });
    expect(problems).toEqual([]);
    expect(document).toHaveProperty('components.schemas.Note', { type: 'string' });
  });

  test('never opens a connection', async () => {
    const { createServer } = await import('node:http');
    let requests = 0;
    const server = createServer((_request, response) => {
      requests += 1;
      response.end('type: string');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const loaded = await loadNotes({
      'openapi.yaml': descriptorOf(`{ $ref: "http://127.0.0.1:${port}/note.yaml" }`),
    });
    server.close();
    expect(loaded.problems.map(({ code }) => code)).toEqual(['reference-network']);
    expect(requests).toBe(0);
  });
});

describe('a $ref whose target does not exist', () => {
  const cases: [string, { given: string; want: string }][] = [
    [
      'a missing file',
      { given: 'none.yaml', want: '$ref "none.yaml": none.yaml does not exist. POST /notes does not become a tool.' },
    ],
    [
      'a missing member',
      {
        given: '#/components/schemas/None',
        want: '$ref "#/components/schemas/None" leads nowhere: there is no "None" in openapi.yaml. POST /notes does not become a tool.',
      },
    ],
    [
      'an inherited member',
      {
        given: '#/constructor',
        want: '$ref "#/constructor" leads nowhere: there is no "constructor" in openapi.yaml. POST /notes does not become a tool.',
      },
    ],
    [
      'a missing place in a file',
      {
        given: 'note.yaml#/a',
        want: '$ref "note.yaml#/a" leads nowhere: there is no "a" in note.yaml. POST /notes does not become a tool.',
      },
    ],
    [
      'an anchor',
      {
        given: '#note',
        want: '$ref "#note" is not a JSON pointer; anchors are not supported. POST /notes does not become a tool.',
      },
    ],
    [
      'itself',
      {
        given: '#/components/schemas/Note',
        want: '$ref "#/components/schemas/Note" leads in a circle. POST /notes does not become a tool.',
      },
    ],
  ];
  test.each(cases)('is rejected: %s', async (_title, { given, want }) => {
    const loaded = await loadNotes({
      'openapi.yaml': descriptorOf(`{ $ref: "${given}" }`),
      'note.yaml': 'type: string',
    });
    expect(loaded.problems.map(({ code, pointer, message }) => ({ code, pointer, message }))).toEqual([
      { code: 'reference-unresolved', pointer: '/components/schemas/Note', message: want },
    ]);
  });

  test('is ignored where no operation reaches it', async () => {
    const loaded = await loadNotes({
      'openapi.yaml': descriptor(
        'components:',
        '  schemas:',
        '    A: { $ref: "#/components/schemas/B" }',
        '    C: { $ref: gone.yaml }',
      ),
    });
    expect(loaded.problems).toEqual([]);
    expect(loaded.document).toHaveProperty('components.schemas', {});
  });

  test('is reported once for each place, all in one run', async () => {
    const loaded = await loadNotes({
      'openapi.yaml': descriptorOf(
        '{ properties: { a: { $ref: "#/components/schemas/A" }, c: { $ref: gone.yaml }, d: { $ref: "https://example.com/d.yaml" } } }',
        '    A: { $ref: "#/components/schemas/B" }',
        '    B: { $ref: "#/components/schemas/A" }',
      ),
    });
    expect(loaded.problems.map((problem) => place(loaded, problem))).toEqual([
      'descriptor-repaired openapi.yaml:10 /components/schemas/Note/properties/c',
      'reference-network openapi.yaml:10 /components/schemas/Note/properties/d',
      'reference-unresolved openapi.yaml:11 /components/schemas/A',
    ]);
  });
});

describe('readReference', () => {
  const cases: [string, { given: [string, string]; want: unknown }][] = [
    ['a local pointer', { given: ['#/a/b', 'openapi.yaml'], want: { file: 'openapi.yaml', pointer: '/a/b' } }],
    ['the whole document', { given: ['#', 'openapi.yaml'], want: { file: 'openapi.yaml', pointer: '' } }],
    [
      'an escaped pointer',
      { given: ['#/paths/~1a%7Bid%7D', 'x.yaml'], want: { file: 'x.yaml', pointer: '/paths/~1a{id}' } },
    ],
    [
      'a file in the same folder',
      { given: ['./b.yaml', 'schemas/a.yaml'], want: { file: 'schemas/b.yaml', pointer: '' } },
    ],
    [
      'a file in the parent folder',
      { given: ['../b.yaml#/x', 'schemas/a.yaml'], want: { file: 'b.yaml', pointer: '/x' } },
    ],
    ['an encoded name', { given: ['my%20note.yaml', 'a.yaml'], want: { file: 'my note.yaml', pointer: '' } }],
    ['an anchor', { given: ['b.yaml#x', 'a.yaml'], want: { file: 'b.yaml', pointer: null } }],
  ];
  test.each(cases)('reads %s', (_title, { given, want }) => {
    expect(readReference(...given)).toEqual(want);
  });
});
