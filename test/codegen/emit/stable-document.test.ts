import { describe, expect, test } from 'vitest';
import { toStableDocument } from '../../../codegen/emit/types/stable-document.ts';
import { member } from '../../../codegen/json-pointer.ts';
import { document } from './fixtures.ts';

const bodyOf = (schema: unknown) =>
  document({ '/notes': { post: { requestBody: { content: { 'application/json': { schema } } } } } });

const BODY_SCHEMA = ['paths', '/notes', 'post', 'requestBody', 'content', 'application/json', 'schema'];
const schemaIn = (stable: unknown, ...tokens: string[]) => [...BODY_SCHEMA, ...tokens].reduce(member, stable);

const text = { type: 'string' };

describe('the document that types are made from', () => {
  test('is the same for every order of the descriptor', () => {
    const one = document({
      '/a': {
        get: {
          parameters: [
            { name: 'x', in: 'query' },
            { name: 'a', in: 'header' },
          ],
        },
        put: {},
      },
      '/b': { get: {} },
    });
    const other = document({
      '/b': { get: {} },
      '/a': {
        put: {},
        get: {
          parameters: [
            { in: 'header', name: 'a' },
            { in: 'query', name: 'x' },
          ],
        },
      },
    });
    expect(JSON.stringify(toStableDocument(other))).toBe(JSON.stringify(toStableDocument(one)));
  });

  test('does not change its source', () => {
    const source = bodyOf({ type: 'object', properties: { b: text, a: text }, anyOf: [{ required: ['b'] }] });
    const before = JSON.stringify(source);
    toStableDocument(source);
    expect(JSON.stringify(source)).toBe(before);
  });

  test('has no header parameters that OpenAPI ignores', () => {
    const parameters = ['Accept', 'Content-Type', 'authorization', 'X-Kept'].map((name) => ({ name, in: 'header' }));
    const stable = toStableDocument(document({ '/notes': { get: { parameters } } }));
    expect(JSON.stringify(stable)).toContain('X-Kept');
    expect(JSON.stringify(stable)).not.toContain('Accept');
    expect(JSON.stringify(stable)).not.toContain('authorization');
  });

  test.each<[title: string, schema: unknown, want: unknown]>([
    [
      'drops alternatives that only require members',
      { type: 'object', properties: { a: text }, anyOf: [{ required: ['a'] }, { required: ['b'], title: 'B' }] },
      { type: 'object', properties: { a: text } },
    ],
    ['drops alternatives that only constrain a value', { ...text, oneOf: [{ pattern: '^a' }, { maxLength: 3 }] }, text],
    [
      'turns an alternative with only required into an object, next to one that adds members',
      { properties: { a: text }, oneOf: [{ required: ['a'] }, { properties: { b: text } }] },
      { properties: { a: text }, oneOf: [{ type: 'object' }, { properties: { b: text } }] },
    ],
    [
      'drops a `required` that is not a list and a title that is not a string',
      { type: 'object', required: true, title: 5, properties: { title: { ...text, required: true } } },
      { type: 'object', properties: { title: text } },
    ],
    ['treats boolean schemas as open ones', { allOf: [true, text] }, { allOf: [{}, text] }],
    [
      'drops compositions that are not lists',
      { allOf: {}, properties: { allOf: text } },
      { properties: { allOf: text } },
    ],
    [
      'makes members that are always null open',
      { properties: { a: { type: 'null', description: 'A.' }, b: { enum: [null] } } },
      { properties: { a: { description: 'A.' }, b: {} } },
    ],
    ['drops definitions', { properties: { a: text }, $defs: { A: text } }, { properties: { a: text } }],
    [
      'does not change examples',
      { example: { required: true, title: 5, b: 1, a: 1 } },
      { example: { required: true, title: 5, b: 1, a: 1 } },
    ],
    [
      'keeps the examples of a schema and a member named examples',
      { examples: ['a'], properties: { examples: text } },
      { examples: ['a'], properties: { examples: text } },
    ],
    ['keeps alternatives that have types', { anyOf: [text, { type: 'null' }] }, { anyOf: [text, { type: 'null' }] }],
  ])('%s', (_, schema, want) => {
    expect(schemaIn(toStableDocument(bodyOf(schema)))).toEqual(want);
  });

  test('has no Example Objects', () => {
    const media = { schema: text, examples: { short: { value: 'a' } } };
    const responses = { 200: { description: '', content: { 'text/plain': media } } };
    const stable = toStableDocument({
      ...(document({ '/notes': { get: { responses } } }) as object),
      components: { examples: { long: { value: 'b' } } },
    });
    expect(stable).toMatchObject({
      paths: { '/notes': { get: { responses: { 200: { content: { 'text/plain': { schema: text } } } } } } },
      components: {},
    });
    expect(JSON.stringify(stable)).not.toContain('examples');
  });

  test('has no operation ids that openapi-typescript would mix up', () => {
    const ids = (stable: unknown) => JSON.stringify(stable).match(/"operationId":"[^"]*"/g);
    const item = { get: { operationId: 'a#b' }, put: { operationId: 'a/b' }, post: { operationId: 'c' } };
    expect(ids(toStableDocument(document({ '/notes': item })))).toEqual(['"operationId":"c"']);
  });

  test('turns a reference to a place inside a path into a component', () => {
    const pointer = '#/paths/~1notes/post/requestBody/content/application~1json/schema';
    const schema = { type: 'object', properties: { child: { $ref: pointer } } };
    const stable = toStableDocument(bodyOf(schema));
    const name = 'paths_notes_post_requestBody_content_application_json_schema';
    const ref = { $ref: `#/components/schemas/${name}` };
    expect(schemaIn(stable, 'properties', 'child')).toEqual(ref);
    expect(stable.components).toEqual({ schemas: { [name]: { type: 'object', properties: { child: ref } } } });
  });

  test('keeps the names of components apart', () => {
    const schema = { type: 'object', properties: { a: { $ref: '#/components/schemas/A/properties/b' } } };
    const components = { schemas: { A: { properties: { b: text } }, components_schemas_A_properties_b: text } };
    const stable = toStableDocument({ ...(bodyOf(schema) as object), components });
    expect(schemaIn(stable, 'properties', 'a')).toEqual({
      $ref: '#/components/schemas/components_schemas_A_properties_b_2',
    });
  });

  test('copies a parameter that is referenced by its place', () => {
    const parameter = { name: 'partition', in: 'header', schema: text };
    const stable = toStableDocument(
      document({
        '/a': { get: { parameters: [parameter] } },
        '/b': { get: { parameters: [{ $ref: '#/paths/~1a/get/parameters/0' }] } },
      }),
    );
    expect(stable.paths).toMatchObject({ '/b': { get: { parameters: [parameter] } } });
  });
});
