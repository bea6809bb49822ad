import { describe, expect, test } from 'vitest';
import { descriptor, loadNotes, place } from './service-files.ts';

describe('a $ref inside the folder', () => {
  test('is bundled into components, whichever file it is in', async () => {
    const { problems, document } = await loadNotes({
      'openapi.yaml': [
        'openapi: 3.1.0',
        'info: { title: Notes, version: "1" }',
        'paths:',
        '  /notes/{id}: { $ref: paths.yaml#/note }',
        'components:',
        '  schemas:',
        '    author: { type: string }',
      ].join('\n'),
      'paths.yaml': [
        'note:',
        '  parameters: [{ $ref: "parameters/id.yaml" }]',
        '  get:',
        '    responses:',
        '      "200": { $ref: "#/found" }',
        'found:',
        '  description: The note.',
        '  content: { application/json: { schema: { $ref: schemas/note.json } } }',
      ].join('\n'),
      'parameters/id.yaml': '{ name: id, in: path, required: true, schema: { type: string } }',
      'schemas/note.json': JSON.stringify({
        type: 'object',
        properties: { parent: { $ref: '#' }, author: { $ref: 'author.yaml#/Author' } },
      }),
      'schemas/author.yaml': 'Author: { type: object, properties: { notes: { items: { $ref: note.json } } } }',
    });
    expect(problems).toEqual([]);
    expect(document).toEqual({
      openapi: '3.1.0',
      info: { title: 'Notes', version: '1' },
      paths: {
        '/notes/{id}': {
          parameters: [{ $ref: '#/components/parameters/id' }],
          get: { responses: { '200': { $ref: '#/components/responses/found' } } },
        },
      },
      components: {
        parameters: { id: { name: 'id', in: 'path', required: true, schema: { type: 'string' } } },
        responses: {
          found: {
            description: 'The note.',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/note' } } },
          },
        },
        schemas: {
          author: { type: 'string' },
          Author: { type: 'object', properties: { notes: { items: { $ref: '#/components/schemas/note' } } } },
          note: {
            type: 'object',
            properties: {
              parent: { $ref: '#/components/schemas/note' },
              author: { $ref: '#/components/schemas/Author' },
            },
          },
        },
      },
    });
  });

  test('gets a different name where its name is taken', async () => {
    const { problems, document } = await loadNotes({
      'openapi.yaml': descriptor(
        'components:',
        '  schemas:',
        '    note: { type: array, items: { $ref: a/note.yaml } }',
        '    list: { type: array, items: { $ref: b/note.yaml } }',
      ),
      'a/note.yaml': 'type: string',
      'b/note.yaml': 'type: integer',
    });
    expect(problems).toEqual([]);
    expect(document).toHaveProperty('components.schemas', {
      note: { type: 'array', items: { $ref: '#/components/schemas/note2' } },
      list: { type: 'array', items: { $ref: '#/components/schemas/note3' } },
      note2: { type: 'string' },
      note3: { type: 'integer' },
    });
  });

  test('keeps the name that it already has in components', async () => {
    const { document } = await loadNotes({
      'openapi.yaml': descriptor(
        'components:',
        '  schemas:',
        '    Note: { $ref: "./note.yaml" }',
        '    list: { type: array, items: { $ref: note.yaml } }',
      ),
      'note.yaml': 'type: string',
    });
    expect(document).toHaveProperty('components.schemas', {
      Note: { type: 'string' },
      list: { type: 'array', items: { $ref: '#/components/schemas/Note' } },
    });
  });

  test('gets no name where it is inside content that has one', async () => {
    const { document } = await loadNotes({
      'openapi.yaml': descriptor(
        'components:',
        '  schemas:',
        '    A: { type: array, items: { $ref: note.yaml } }',
        '    B: { type: array, items: { $ref: note.yaml#/properties/text } }',
      ),
      'note.yaml': 'properties: { text: { type: string } }',
    });
    expect(document).toHaveProperty('components.schemas', {
      A: { type: 'array', items: { $ref: '#/components/schemas/note' } },
      B: { type: 'array', items: { $ref: '#/components/schemas/note/properties/text' } },
      note: { properties: { text: { type: 'string' } } },
    });
  });

  test('may be circular', async () => {
    const loaded = await loadNotes({
      'openapi.yaml': descriptor(
        'components:',
        '  schemas:',
        '    Tree: { type: object, properties: { left: { $ref: "#/components/schemas/Tree" } } }',
      ),
    });
    expect(loaded.problems).toEqual([]);
    expect(loaded.document).toHaveProperty('components.schemas.Tree.properties.left.$ref', '#/components/schemas/Tree');
  });

  test('is data in examples, defaults, constants, enums and extensions', async () => {
    const data = '{ $ref: "#/nowhere" }';
    const loaded = await loadNotes({
      'openapi.yaml': descriptor(
        'components:',
        '  examples:',
        `    A: { value: ${data} }`,
        '  schemas:',
        `    B: { const: ${data}, enum: [${data}], default: ${data}, example: ${data}, examples: [${data}], x-a: ${data} }`,
        '    C: { $ref: "c.yaml" }',
      ),
      'c.yaml': `default: ${data}\nproperties: { default: { $ref: "#/properties/enum" }, enum: { type: string } }`,
    });
    expect(loaded.problems).toEqual([]);
    expect(loaded.document).toHaveProperty('components.schemas.C', {
      default: { $ref: '#/nowhere' },
      properties: { default: { $ref: '#/components/schemas/C/properties/enum' }, enum: { type: 'string' } },
    });
  });

  test('is not read where it is data', async () => {
    const { problems } = await loadNotes({
      'openapi.yaml': descriptor('components:', '  schemas:', '    A: { default: { $ref: gone.yaml } }'),
    });
    expect(problems).toEqual([]);
  });

  test('is resolved against its file, not against an $id', async () => {
    const loaded = await loadNotes({
      'openapi.yaml': descriptor('components:', '  schemas:', '    A: { $ref: a.yaml }'),
      'a.yaml': '$id: https://example.com/schemas/a\nproperties: { b: { $ref: b.yaml } }',
      'b.yaml': 'type: string',
    });
    expect(loaded.problems.map((problem) => place(loaded, problem))).toEqual(['schema-id-ignored a.yaml:1']);
    expect(loaded.document).toHaveProperty('components.schemas.b', { type: 'string' });
  });
});
