import { describe, expect, test } from 'vitest';
import { modelOf, places, schemaOf } from './model-of.ts';

describe('resolve', () => {
  const { model } = modelOf({
    paths: {
      '/notes/{id}': {
        get: {
          responses: {
            '200': {
              description: 'd',
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Note' } } },
            },
          },
        },
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', minLength: 1 } }],
      },
    },
    components: {
      schemas: {
        Note: {
          type: 'object',
          properties: { parent: { $ref: '#/components/schemas/Note' }, 'a/b%': { type: 'string' } },
        },
        Alias: { $ref: '#/components/schemas/Note' },
        Through: { items: { $ref: '#/components/schemas/Alias/properties/parent' } },
        Encoded: { items: { $ref: '#/components/schemas/Note/properties/a~1b%25' } },
      },
    },
  });

  test('returns one object for one pointer, however it is written and reached', () => {
    const note = model.resolve('#/components/schemas/Note');
    expect(model.resolve('#/components/schemas/Note')).toBe(note);
    expect(model.resolve('#/components/schemas/%4eote')).toBe(note);
    expect(model.operations[0]?.responses[0]?.contents[0]?.schema).toEqual({ $ref: '#/components/schemas/Note' });
    expect(model.resolve('#/components/schemas/Note/properties/parent')).toBe(
      (note.properties as { parent: unknown }).parent,
    );
  });

  test('follows pointers into paths', () => {
    const schema = model.resolve('#/paths/~1notes~1%7Bid%7D/parameters/0/schema');
    expect(schema).toEqual({ type: 'string', minLength: 1 });
    expect(model.operations[0]?.parameters[0]?.schema).toBe(schema);
  });

  test('does not resolve a reference to a reference', () => {
    expect(model.resolve('#/components/schemas/Alias')).toEqual({ $ref: '#/components/schemas/Note' });
  });

  test('normalises references that pass through others, and encoded ones', () => {
    expect(model.resolve('#/components/schemas/Through')).toEqual({
      items: { $ref: '#/components/schemas/Note/properties/parent' },
    });
    const encoded = model.resolve('#/components/schemas/Encoded');
    expect(encoded).toEqual({ items: { $ref: '#/components/schemas/Note/properties/a~1b%25' } });
    expect(model.resolve('#/components/schemas/Note/properties/a~1b%25')).toEqual({ type: 'string' });
  });

  test('throws for what is missing from the descriptor', () => {
    expect(() => model.resolve('#/components/schemas/None')).toThrow(
      'The descriptor has no #/components/schemas/None.',
    );
    expect(() => model.resolve('other.yaml')).toThrow();
  });

  test('finds problems in schemas that only other schemas reference', () => {
    const { problems } = schemaOf({ items: { $ref: '#/components/schemas/Deep' } });
    expect(problems).toEqual([]);
    const response = {
      description: 'd',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/A' } } },
    };
    const built = modelOf({
      paths: { '/a': { get: { responses: { '200': response } } } },
      components: {
        schemas: { A: { items: { $ref: '#/components/schemas/B' } }, B: { type: 'x' }, Unused: { type: 'x' } },
      },
    });
    expect(places(built.problems)).toEqual(['schema-keyword /components/schemas/B/type']);
  });
});
