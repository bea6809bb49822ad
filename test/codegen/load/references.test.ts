import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadService } from '../../../codegen/load/index.ts';
import { readReference } from '../../../codegen/load/reference.ts';
import { descriptor, descriptorOf, loadNotes, place, writeRoot } from './service-files.ts';

const refused: [string, string, string][] = [
  ['http', 'http://127.0.0.1:1/note.yaml', 'reference-network'],
  ['https with a pointer', 'https://example.com/note.yaml#/Note', 'reference-network'],
  ['a URL in capitals', 'HTTPS://example.com/note.yaml', 'reference-network'],
  ['a URL without a scheme', '//example.com/note.yaml', 'reference-network'],
  ['a URL with backslashes', '\\\\example.com\\note.yaml', 'reference-network'],
  ['another scheme', 'data:application/json,{}', 'reference-network'],
  ['a URN', 'urn:example:note', 'reference-network'],
  ['a file URL', 'file:///etc/passwd', 'reference-outside'],
  ['an absolute path', '/etc/passwd', 'reference-outside'],
  ['an absolute path of Windows', 'C:\\Windows\\win.ini', 'reference-outside'],
  ['an encoded absolute path', '%2Fetc%2Fpasswd', 'reference-outside'],
  ['the folder of another service', '../other/openapi.yaml', 'reference-outside'],
  ['a parent folder in the middle', 'schemas/../../other/openapi.yaml', 'reference-outside'],
  ['an encoded parent folder', '%2e%2e/other/openapi.yaml', 'reference-outside'],
  ['a parent folder with an encoded slash', '..%2fother%2fopenapi.yaml', 'reference-outside'],
  ['a parent folder with backslashes', '..\\other\\openapi.yaml', 'reference-outside'],
  ['a broken escape', '%zz.yaml', 'reference-outside'],
  ['a NUL', 'a%00.yaml', 'reference-outside'],
];

describe('a $ref that leaves the folder', () => {
  test.each(refused)('is rejected: %s', async (_title, given, want) => {
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

  test.each(refused)('is data inside an example, and not followed: %s', async (_title, given) => {
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
  const cases: [string, string, string][] = [
    ['a missing file', 'none.yaml', '$ref "none.yaml": none.yaml does not exist. POST /notes does not become a tool.'],
    [
      'a missing member',
      '#/components/schemas/None',
      '$ref "#/components/schemas/None" leads nowhere: there is no "None" in openapi.yaml. POST /notes does not become a tool.',
    ],
    [
      'an inherited member',
      '#/constructor',
      '$ref "#/constructor" leads nowhere: there is no "constructor" in openapi.yaml. POST /notes does not become a tool.',
    ],
    [
      'a missing place in a file',
      'note.yaml#/a',
      '$ref "note.yaml#/a" leads nowhere: there is no "a" in note.yaml. POST /notes does not become a tool.',
    ],
    [
      'an anchor',
      '#note',
      '$ref "#note" is not a JSON pointer; anchors are not supported. POST /notes does not become a tool.',
    ],
    [
      'itself',
      '#/components/schemas/Note',
      '$ref "#/components/schemas/Note" leads in a circle. POST /notes does not become a tool.',
    ],
  ];
  test.each(cases)('is rejected: %s', async (_title, given, want) => {
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
  const cases: [string, [string, string], unknown][] = [
    ['a local pointer', ['#/a/b', 'openapi.yaml'], { file: 'openapi.yaml', pointer: '/a/b' }],
    ['the whole document', ['#', 'openapi.yaml'], { file: 'openapi.yaml', pointer: '' }],
    ['an escaped pointer', ['#/paths/~1a%7Bid%7D', 'x.yaml'], { file: 'x.yaml', pointer: '/paths/~1a{id}' }],
    ['a file in the same folder', ['./b.yaml', 'schemas/a.yaml'], { file: 'schemas/b.yaml', pointer: '' }],
    ['a file in the parent folder', ['../b.yaml#/x', 'schemas/a.yaml'], { file: 'b.yaml', pointer: '/x' }],
    ['an encoded name', ['my%20note.yaml', 'a.yaml'], { file: 'my note.yaml', pointer: '' }],
    ['an anchor', ['b.yaml#x', 'a.yaml'], { file: 'b.yaml', pointer: null }],
  ];
  test.each(cases)('reads %s', (_title, given, want) => {
    expect(readReference(...given)).toEqual(want);
  });
});
