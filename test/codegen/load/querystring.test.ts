import { describe, expect, test } from 'vitest';
import { expandForms } from '../../../codegen/load/openapi/querystring.ts';

const FORM = 'application/x-www-form-urlencoded';
const text = { type: 'string' };
const form = (schema: object, more: object = {}) => ({
  name: 'filter',
  in: 'querystring',
  required: true,
  content: { [FORM]: { schema, ...more } },
});
const object = <Properties extends object>(properties: Properties, more: object = {}) => ({
  type: 'object',
  properties,
  ...more,
});

function parametersOf(own: readonly object[], shared: readonly object[] = [], components: object = {}) {
  const get: { parameters: readonly object[] } = { parameters: own };
  expandForms({ paths: { '/a': { parameters: shared, get } }, components });
  return get.parameters;
}

describe('a form as the whole query', () => {
  test('becomes one parameter per member, in the style of its encoding', () => {
    const schema = object(
      {
        a: text,
        b: { type: 'array', items: text },
        c: object({ d: text }),
        e: text,
        f: { ...text, deprecated: true },
        g: { ...text, readOnly: true },
      },
      { required: ['a'] },
    );
    const encoding = { b: { style: 'pipeDelimited', explode: false }, e: { contentType: 'application/json' } };
    expect(parametersOf([form(schema, { encoding })])).toEqual([
      { name: 'a', in: 'query', required: true, schema: text },
      { name: 'b', in: 'query', required: false, style: 'pipeDelimited', explode: false, schema: schema.properties.b },
      { name: 'c', in: 'query', required: false, content: { 'application/json': { schema: schema.properties.c } } },
      { name: 'e', in: 'query', required: false, content: { 'application/json': { schema: text } } },
      { name: 'f', in: 'query', required: false, deprecated: true, schema: schema.properties.f },
    ]);
  });

  test('refers to the members of the referenced schema', () => {
    const components = {
      parameters: { Filter: form({ $ref: '#/components/schemas/A' }) },
      schemas: { A: { $ref: '#/components/schemas/B' }, B: object({ 'x/y': text }) },
    };
    expect(parametersOf([{ $ref: '#/components/parameters/Filter' }], [], components)).toEqual([
      { name: 'x/y', in: 'query', required: false, schema: { $ref: '#/components/schemas/B/properties/x~1y' } },
    ]);
  });

  test.each([
    ['its schema says more than its members', object({ a: text }, { oneOf: [{ required: ['a'] }] })],
    ['additional members are allowed', object({ a: text }, { additionalProperties: text })],
    ['it has no members', { type: 'object', additionalProperties: text }],
  ])('becomes one exploded object where %s', (_, schema) => {
    const want = { name: 'filter', in: 'query', required: true, style: 'form', explode: true, schema };
    expect(parametersOf([form(schema)])).toEqual([want]);
  });

  test('becomes one object where it is optional and has required members', () => {
    const schema = object({ a: text }, { required: ['a'] });
    const [parameter] = parametersOf([{ ...form(schema), required: false }]);
    expect(parameter).toMatchObject({ name: 'filter', in: 'query', required: false, explode: true });
  });

  test('of an operation replaces the one of its path item, which other operations keep', () => {
    const limit = { name: 'limit', in: 'header', schema: text };
    const shared = [limit, form(object({ a: text }))];
    expect(parametersOf([], shared).map((one) => 'name' in one && one.name)).toEqual(['a']);
    expect(parametersOf([form(object({ b: text }))], shared).map((one) => 'name' in one && one.name)).toEqual(['b']);
  });
});

test('a query that is not a form is unchanged', () => {
  const json = { name: 'q', in: 'querystring', content: { 'application/json': { schema: {} } } };
  expect(parametersOf([json])).toEqual([json]);
});
