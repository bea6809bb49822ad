import { describe, expect, test } from 'vitest';
import type { Schema } from '../../../../codegen/model/types.ts';
import { isReadOnly, isWriteOnly, mergeAllOf, readOnlyMembers } from '../../../../codegen/tools/schema/merge.ts';

const A = { minLength: 1 };
const B = { pattern: 'b' };
const SCHEMAS: Readonly<Record<string, Schema>> = {
  A,
  Own: { type: 'object', allOf: [{ $ref: 'A' }], title: 'Own' },
  Loop: { allOf: [{ $ref: 'Loop' }], title: 'Loop' },
  Marked: { readOnly: true },
  MarkedBelow: { allOf: [{ $ref: 'Marked' }] },
  Circle: { allOf: [{ $ref: 'Circle' }] },
};
const resolve = (ref: string): Schema => {
  const schema = SCHEMAS[ref];
  if (schema === undefined) throw new Error(`no schema ${ref}`);
  return schema;
};

describe('two parts of allOf', () => {
  test.each<[Schema, Schema, Schema]>([
    [{ type: 'object', allOf: [], $ref: 7 }, {}, { type: 'object' }],
    ...['description', 'title', 'default', 'examples', 'example', '$comment'].map((word): [Schema, Schema, Schema] => [
      { [word]: 'first' },
      { [word]: 'second' },
      { [word]: 'second' },
    ]),
    [{ discriminator: 'first' }, { discriminator: 'second' }, { discriminator: 'first' }],
    ...['readOnly', 'writeOnly', 'deprecated', 'uniqueItems'].flatMap((flag): [Schema, Schema, Schema][] => [
      [{ [flag]: true }, { [flag]: false }, { [flag]: true }],
      [{ [flag]: false }, { [flag]: true }, { [flag]: true }],
      [{ [flag]: false }, { [flag]: false }, { [flag]: false }],
      [{ [flag]: 'true' }, { [flag]: 'yes' }, { [flag]: false }],
    ]),
    [{ required: ['a', 'b'] }, { required: ['b', 'c'] }, { required: ['a', 'b', 'c'] }],
    ...['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties', 'minContains'].map(
      (bound): [Schema, Schema, Schema] => [{ [bound]: 1 }, { [bound]: 2 }, { [bound]: 2 }],
    ),
    ...['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties', 'maxContains'].map(
      (bound): [Schema, Schema, Schema] => [{ [bound]: 1 }, { [bound]: 2 }, { [bound]: 1 }],
    ),
    [{ type: ['string', 'null'] }, { type: 'string' }, { type: 'string' }],
    [{ type: ['string', 'null', 'array'] }, { type: ['null', 'array'] }, { type: ['null', 'array'] }],
    [{ type: 'integer' }, { type: 'number' }, { type: 'integer' }],
    [{ type: 'number' }, { type: 'integer' }, { type: 'integer' }],
    [{ type: ['number', 'integer'] }, { type: 'integer' }, { type: 'integer' }],
    [{ enum: ['a', { x: 1, y: 2 }, 'b'] }, { enum: [{ y: 2, x: 1 }, 'b', 'c'] }, { enum: [{ x: 1, y: 2 }, 'b'] }],
    [{ const: { x: 1, y: 2 } }, { const: { y: 2, x: 1 } }, { const: { x: 1, y: 2 } }],
    ...['properties', 'patternProperties', 'dependentSchemas'].map((map): [Schema, Schema, Schema] => [
      { [map]: { a: A, same: A } },
      { [map]: { a: B, same: { ...A }, b: B } },
      { [map]: { a: { allOf: [A, B] }, same: A, b: B } },
    ]),
    [
      { properties: { a: { $ref: 'A' } } },
      { properties: { a: { $ref: 'B' } } },
      { properties: { a: { allOf: [{ $ref: 'A' }, { $ref: 'B' }] } } },
    ],
    [{ properties: { a: { $ref: 'A' } } }, { properties: { a: { $ref: 'A' } } }, { properties: { a: { $ref: 'A' } } }],
    [{ additionalProperties: false }, { additionalProperties: A }, { additionalProperties: false }],
    [{ additionalProperties: A }, { additionalProperties: { not: {} } }, { additionalProperties: false }],
    [{ additionalProperties: true }, { additionalProperties: A }, { additionalProperties: A }],
    [{ additionalProperties: A }, { additionalProperties: {} }, { additionalProperties: A }],
    [{ additionalProperties: A }, { additionalProperties: B }, { additionalProperties: { allOf: [A, B] } }],
    [{ items: A }, { items: B }, { items: { allOf: [A, B] } }],
    [{ items: true }, { items: B }, { items: { allOf: [true, B] } }],
    [{ propertyNames: A }, { propertyNames: B }, { propertyNames: { allOf: [A, B] } }],
  ])('%j and %j are %j', (first, second, want) => {
    expect(mergeAllOf({ allOf: [first, second] }, resolve)).toMatchObject({ schema: want, leftovers: [] });
  });

  test.each<[Schema, Schema]>([
    [{ pattern: 'a' }, { pattern: 'b' }],
    [{ minLength: 1 }, { minLength: 'many' }],
    [{ minLength: 'many' }, { minLength: 1 }],
    [{ type: 'string' }, { type: 'integer' }],
    [{ type: 'string' }, { type: 'number' }],
    [{ enum: ['a'] }, { enum: ['b'] }],
    [{ enum: ['a'] }, { enum: 'a' }],
    [{ enum: 'a' }, { enum: ['a'] }],
    [{ properties: { a: A } }, { properties: [] }],
    [{ properties: [A] }, { properties: { a: A } }],
    [{ const: { $ref: 'A' } }, { const: { $ref: 'B' } }],
  ])('%j and %j contradict each other: the second is left over', (first, second) => {
    const { schema, leftovers } = mergeAllOf({ allOf: [first, { ...second, title: 'Kept' }] }, resolve);
    expect([schema, leftovers]).toEqual([{ ...first, title: 'Kept' }, [second]]);
  });

  test('that are the same objects give the same schema each time', () => {
    const items = () => mergeAllOf({ allOf: [{ items: A }, { items: B }] }, resolve).schema.items;
    expect(items()).toBe(items());
    const more = () => mergeAllOf({ allOf: [{ items: A }, { items: SCHEMAS.Own }] }, resolve).schema.items;
    expect(more()).toBe(more());
    expect(more()).not.toBe(items());
  });
});

describe('references', () => {
  test.each<[string, Schema, readonly string[], { schema: Schema; leftovers: Schema[]; followed: string[] }]>([
    [
      'are resolved before their siblings',
      { $ref: 'Own', title: 'Outer' },
      [],
      { schema: { minLength: 1, type: 'object', title: 'Outer' }, leftovers: [], followed: ['Own', 'A'] },
    ],
    [
      'that are circular terminate',
      { $ref: 'Loop' },
      [],
      { schema: { title: 'Loop' }, leftovers: [], followed: ['Loop'] },
    ],
    [
      'that are being resolved are kept',
      { $ref: 'A', allOf: [B], title: 'Outer' },
      ['A'],
      { schema: { ...B, title: 'Outer' }, leftovers: [{ $ref: 'A' }], followed: [] },
    ],
  ])('%s', (_title, schema, open, want) => {
    expect(mergeAllOf(schema, resolve, (ref) => open.includes(ref))).toMatchObject(want);
  });
});

describe('a part that closes the object', () => {
  const named = { properties: { a: A } };
  test.each<[string, boolean, Schema[]]>([
    ['over properties of a part before it', true, [named, { additionalProperties: false }]],
    ['over properties of a part after it', true, [{ additionalProperties: false }, named]],
    ['over properties of a part before the last', true, [{ additionalProperties: false }, named, { title: 'T' }]],
    ['over properties that it also has', false, [named, { ...named, additionalProperties: false }]],
    ['over no properties', false, [{ type: 'object' }, { additionalProperties: false }]],
    ['only in form: everything is allowed', false, [named, { additionalProperties: true }]],
    ['only in form: anything is allowed', false, [named, { additionalProperties: {} }]],
    ['with no part', false, [named, { properties: { b: B } }]],
  ])('%s: the merged schema accepts more: %s', (_title, want, allOf) => {
    expect(mergeAllOf({ allOf }, resolve).isWider).toBe(want);
  });
});

describe('readOnly and writeOnly', () => {
  test.each<[Schema, boolean]>([
    [{ readOnly: true }, true],
    [{ readOnly: false }, false],
    [{ writeOnly: true }, false],
    [{ allOf: [{}, { readOnly: true }] }, true],
    [{ allOf: [{}, {}] }, false],
    [{ $ref: 'Marked' }, true],
    [{ $ref: 'MarkedBelow' }, true],
    [{ $ref: 'A' }, false],
    [{ $ref: 'Circle' }, false],
  ])('%j is read-only: %s', (schema, want) => {
    expect(isReadOnly(schema, resolve)).toBe(want);
  });

  test('are recognised separately', () => {
    expect([{ writeOnly: true }, { readOnly: true }].map((schema) => isWriteOnly(schema, resolve))).toEqual([
      true,
      false,
    ]);
  });

  test('on all members are ignored', () => {
    const marked = ['id', { readOnly: true }] as const;
    expect(readOnlyMembers([marked, ['name', {}]], resolve)).toEqual(['id']);
    expect(readOnlyMembers([marked], resolve)).toEqual([]);
  });
});
