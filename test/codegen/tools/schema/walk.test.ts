import { expect, test } from 'vitest';
import { forEachChild, mapChildren } from '../../../../codegen/tools/schema/walk.ts';

test('a property with the name __proto__ is replaced like any other', () => {
  const schema = JSON.parse('{"properties":{"__proto__":{"type":"string"},"name":{"type":"string"}}}');

  const result = mapChildren(schema, () => ({ type: 'null' }));

  expect(JSON.stringify(result)).toBe('{"properties":{"__proto__":{"type":"null"},"name":{"type":"null"}}}');
  expect(JSON.stringify(schema)).toContain('"__proto__":{"type":"string"}');
});

test('every direct subschema is visited with its step, and no boolean, name or definition', () => {
  const steps: unknown[] = [];
  const schema = {
    properties: { a: {}, b: true },
    anyOf: [{}, false],
    items: {},
    additionalProperties: false,
    required: ['a'],
    $defs: { A: {} },
  };

  forEachChild(schema, (_child, step) => steps.push(step));

  expect(steps).toEqual([['properties', 'a'], ['anyOf', '0'], ['items']]);
});
