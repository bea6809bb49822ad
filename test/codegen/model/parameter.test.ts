import { describe, expect, test } from 'vitest';
import { operationOf, places } from './model-of.ts';

const OK = { responses: { '200': { description: 'Done.' } } };

function parametersOf(own: readonly unknown[], shared: readonly unknown[] = [], members = {}) {
  const { operation, problems } = operationOf({ ...OK, parameters: own }, { parameters: shared }, members);
  return { parameters: operation.parameters.slice(1), problems };
}

describe('style and explode of a parameter', () => {
  const cases: [string, object, object][] = [
    ['query', { in: 'query' }, { style: 'form', explode: true }],
    ['cookie', { in: 'cookie' }, { style: 'form', explode: true }],
    ['header', { in: 'header' }, { style: 'simple', explode: false }],
    ['query form', { in: 'query', style: 'form' }, { style: 'form', explode: true }],
    ['query form not exploded', { in: 'query', explode: false }, { style: 'form', explode: false }],
    ['query spaceDelimited', { in: 'query', style: 'spaceDelimited' }, { style: 'spaceDelimited', explode: false }],
    ['query pipeDelimited', { in: 'query', style: 'pipeDelimited' }, { style: 'pipeDelimited', explode: false }],
    ['query deepObject', { in: 'query', style: 'deepObject', explode: true }, { style: 'deepObject', explode: true }],
    ['header exploded', { in: 'header', explode: true }, { style: 'simple', explode: true }],
  ];
  test.each(cases)('default to those of its place: %s', (_title, given, want) => {
    const { parameters, problems } = parametersOf([{ name: 'a', schema: {}, ...given }]);
    expect(parameters).toEqual([expect.objectContaining(want)]);
    expect(problems).toEqual([]);
  });

  test.each(['simple', 'label', 'matrix'])('are kept in a path: %s', (style) => {
    const id = { name: 'id', in: 'path', required: true, style, schema: {} };
    const { operation } = operationOf({ ...OK, parameters: [id] });
    expect(operation.parameters).toEqual([
      expect.objectContaining({ name: 'id', style, explode: false, required: true }),
    ]);
  });
});

describe('a parameter', () => {
  test('is read completely', () => {
    const given = {
      name: 'page[size]',
      in: 'query',
      description: 'Items per page.',
      required: true,
      deprecated: true,
      allowReserved: true,
      schema: { type: 'integer', nullable: true },
    };
    expect(parametersOf([given]).parameters).toEqual([
      {
        name: 'page[size]',
        in: 'query',
        required: true,
        deprecated: true,
        description: 'Items per page.',
        style: 'form',
        explode: true,
        allowReserved: true,
        mediaType: null,
        schema: { type: ['integer', 'null'] },
        pointer: '/paths/~1notes~1{id}/get/parameters/0',
      },
    ]);
  });

  test('is optional and undescribed by default', () => {
    expect(parametersOf([{ name: 'a', in: 'query' }]).parameters).toEqual([
      {
        name: 'a',
        in: 'query',
        required: false,
        deprecated: false,
        description: '',
        style: 'form',
        explode: true,
        allowReserved: false,
        mediaType: null,
        schema: {},
        pointer: '/paths/~1notes~1{id}/get/parameters/0',
      },
    ]);
  });

  test('is required in a path, even where the descriptor omits required', () => {
    const { operation } = operationOf({ ...OK, parameters: [{ name: 'id', in: 'path', schema: {} }] });
    expect(operation.parameters).toEqual([expect.objectContaining({ name: 'id', required: true })]);
  });

  test('may have content instead of a schema', () => {
    const content = { 'application/json': { schema: { type: 'object', example: { a: 1 } } } };
    expect(parametersOf([{ name: 'a', in: 'query', content }]).parameters).toEqual([
      expect.objectContaining({ mediaType: 'application/json', schema: { type: 'object', examples: [{ a: 1 }] } }),
    ]);
  });

  test('may be a reference to a reference, and is located at the final target', () => {
    const components = {
      parameters: {
        Alias: { $ref: '#/components/parameters/Size' },
        Size: { name: 'size', in: 'query', schema: { type: 'integer' }, description: 'Items.' },
      },
    };
    const { parameters } = parametersOf([{ $ref: '#/components/parameters/Alias' }], [], { components });
    expect(parameters).toEqual([
      expect.objectContaining({ name: 'size', description: 'Items.', pointer: '/components/parameters/Size' }),
    ]);
  });

  test('takes the description next to its reference', () => {
    const components = { parameters: { Size: { name: 'size', in: 'query', schema: {}, description: 'Items.' } } };
    const { parameters } = parametersOf([{ $ref: '#/components/parameters/Size', description: 'Notes.' }], [], {
      components,
    });
    expect(parameters[0]?.description).toBe('Notes.');
  });

  test.each(['Accept', 'content-type', 'AUTHORIZATION'])('is ignored as the header %s', (name) => {
    expect(
      parametersOf([
        { name, in: 'header', schema: {} },
        { name, in: 'query', schema: {} },
      ]).parameters,
    ).toEqual([expect.objectContaining({ name, in: 'query' })]);
  });

  test('is rejected when its reference points to something else', () => {
    const components = { schemas: { Size: { type: 'integer' } } };
    const { parameters, problems } = parametersOf([{ $ref: '#/components/schemas/Size' }], [], { components });
    expect(parameters).toEqual([]);
    expect(places(problems)).toEqual(['reference-kind /paths/~1notes~1{id}/get/parameters/0']);
  });
});

describe('parameters of a path item and of its operation', () => {
  test('are merged, the path item first', () => {
    const { parameters } = parametersOf(
      [{ name: 'b', in: 'query', schema: {} }],
      [{ name: 'a', in: 'query', schema: {} }],
    );
    expect(parameters.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  test('are replaced by the operation where name and place are the same', () => {
    const { parameters, problems } = parametersOf(
      [{ name: 'a', in: 'query', required: true, schema: { type: 'string' } }],
      [
        { name: 'a', in: 'query', schema: { type: 'integer' } },
        { name: 'a', in: 'header', schema: { type: 'boolean' } },
      ],
    );
    expect(parameters.map(({ name, in: where, required, schema }) => [name, where, required, schema])).toEqual([
      ['a', 'query', true, { type: 'string' }],
      ['a', 'header', false, { type: 'boolean' }],
    ]);
    expect(problems).toEqual([]);
  });

  test('treat headers that differ only in case as the same', () => {
    const { parameters } = parametersOf(
      [{ name: 'PARTITION', in: 'header', schema: {} }],
      [{ name: 'partition', in: 'header', schema: {} }],
    );
    expect(parameters.map(({ name }) => name)).toEqual(['PARTITION']);
  });

  test('are rejected when one list repeats a parameter', () => {
    const { problems } = parametersOf([
      { name: 'a', in: 'query', schema: {} },
      { name: 'a', in: 'query', schema: {} },
    ]);
    expect(places(problems)).toEqual(['parameter-duplicate /paths/~1notes~1{id}/get/parameters/1']);
  });

  test('are rejected when the path has a placeholder without a parameter', () => {
    const { problems } = operationOf({
      ...OK,
      parameters: [{ name: 'other', in: 'path', required: true, schema: {} }],
    });
    expect(problems.map(({ code, message }) => [code, message])).toEqual([
      ['path-parameter-unused', 'The path of GET /notes/{id} has no {other}.'],
    ]);
  });
});
