import { describe, expect, it } from 'vitest';
import type { Schema } from '../../../../codegen/model/types.ts';
import { measureDepth } from '../../../../codegen/tools/profiles/facts.ts';
import { openDeepest } from '../../../../codegen/tools/size-limits/open.ts';
import { accepts, danglingNames } from './accepts.ts';

const root = (properties: Schema, rest: Schema = {}): Schema => ({
  type: 'object',
  properties,
  required: [],
  additionalProperties: false,
  ...rest,
});
const openAt = (schema: Schema, maxChars: number, maxLevel = 10, uncut: readonly string[] = []) =>
  openDeepest(
    schema,
    new Set(uncut),
    (opened) => JSON.stringify(opened).length <= maxChars && measureDepth(opened) <= maxLevel,
  );
const fields = (count: number, rest: Schema = {}): Schema => ({
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`field_${index}`, { type: 'string', maxLength: 10 }]),
  ),
  ...rest,
});
const argumentOf = (schema: Schema, name: string) => (schema.properties as Record<string, Schema>)[name];

describe('a part that does not fit', () => {
  it('is absent where there is room', () => {
    const schema = root({ a: fields(9), b: { $ref: '#/$defs/B' } }, { $defs: { B: fields(9) } });
    expect(openAt(schema, 10_000)).toEqual({ schema, open: [] });
  });

  it('stays open, with its text and the names of its members', () => {
    const { schema, open } = openAt(root({ a: fields(9, { description: 'The a.', required: ['field_1'] }) }), 200);
    expect(open).toEqual(['a']);
    expect(argumentOf(schema, 'a')).toEqual({
      type: 'object',
      description:
        'The a. Described no further here. Needs field_1. Takes field_0, field_2, field_3, field_4, field_5, field_6, field_7, field_8.',
    });
  });

  const kind = (value: string, more: Schema) =>
    fields(9, { ...more, properties: { channel: { const: value }, ...(fields(9).properties as Schema) } });

  it('keeps the member with one value that tells it from other alternatives', () => {
    const a = { oneOf: [kind('email', { title: 'A' }), kind('sms', { required: ['channel', 'field_2'] })] };
    const { schema } = openAt(root({ a }), 520);
    const { anyOf } = argumentOf(schema, 'a') as { anyOf: Schema[] };
    expect(anyOf.map(({ properties }) => properties)).toEqual([
      { channel: { enum: ['email'] } },
      { channel: { enum: ['sms'] } },
    ]);
    expect(accepts(schema, { a: { channel: 'sms', field_2: 7 } })).toBe(true);
    expect(accepts(schema, { a: { channel: 'push' } })).toBe(false);
  });

  it('says which kinds its alternatives have, and what each takes', () => {
    const B = {
      oneOf: [kind('email', {}), kind('sms', { required: ['channel', 'field_7'] }), { type: 'null' }],
    };
    const { schema } = openAt(root({ a: { $ref: '#/$defs/B' } }, { $defs: { B } }), 300);
    expect(argumentOf(schema, 'a')).toEqual({
      type: ['object', 'null'],
      description:
        'Described no further here. channel chooses the form: email (field_0, field_1, field_2, field_3, field_4, field_5), sms (field_7, field_0, field_1, field_2, field_3, field_4).',
      properties: { channel: { enum: ['email', 'sms'] } },
    });
    expect(accepts(schema, { a: null })).toBe(true);
    expect(accepts(schema, { a: { channel: 'push' } })).toBe(false);
  });

  it('is the deepest', () => {
    const { schema, open } = openAt(
      root({ a: { type: 'object', properties: { id: { type: 'string' }, deep: fields(9) } } }),
      500,
    );
    expect(open).toEqual(['a.deep']);
    expect(accepts(schema, { a: { id: 'x', deep: { field_1: 5 } } })).toBe(true);
    expect(accepts(schema, { a: { id: 1 } })).toBe(false);
  });

  it('is optional before it is required', () => {
    const schema = root({ a: fields(9), b: fields(10) }, { required: ['b'] });
    expect(openAt(schema, 900).open).toEqual(['a']);
  });

  it('is large before it is small', () => {
    expect(openAt(root({ a: fields(12), b: fields(9) }), 1000).open).toEqual(['a']);
  });

  it('is the last by name where all else is equal', () => {
    expect(openAt(root({ b: fields(9), a: fields(9) }), 900).open).toEqual(['b']);
  });

  it('is counted with the definitions that it needs', () => {
    const schema = root(
      { a: { $ref: '#/$defs/Large' }, b: { $ref: '#/$defs/Large' } },
      { $defs: { Large: fields(20) } },
    );
    expect(openAt(schema, 1600)).toEqual({ schema, open: [] });
    const cut = openAt(schema, 800);
    expect(cut.open).toEqual(['a', 'b']);
    expect(cut.schema.$defs).toBeUndefined();
  });

  it('keeps the types of a definition', () => {
    const $defs = {
      List: { type: ['array', 'null'], items: fields(20) },
      Any: { anyOf: [fields(20), { type: 'string' }, { $ref: '#/$defs/List' }] },
    };
    const { schema } = openAt(
      root({ list: { $ref: '#/$defs/List', description: 'L.' }, any: { $ref: '#/$defs/Any' } }, { $defs }),
      400,
    );
    expect(argumentOf(schema, 'list')).toEqual({
      type: ['array', 'null'],
      description: 'L. Described no further here.',
      items: {},
    });
    expect(argumentOf(schema, 'any')).toEqual({
      type: ['object', 'string', 'array', 'null'],
      description: 'Described no further here.',
      items: {},
    });
  });

  it('has no more levels than requested, including definitions', () => {
    const title = 'A text that makes its object too large to be written together with its parent. '.repeat(2);
    const nested: Schema = {
      type: 'object',
      properties: {
        b: { type: 'object', properties: { c: { type: 'object', properties: { d: { type: 'string', title } } } } },
      },
    };
    const { schema, open } = openAt(root({ a: nested }), 10_000, 3);
    expect(open).toEqual(['a.b.c']);
    expect(argumentOf(schema, 'a')).toEqual({
      type: 'object',
      properties: {
        b: {
          type: 'object',
          properties: { c: { type: 'object', description: 'Described no further here. Takes d.' } },
        },
      },
    });
  });

  it('keeps circular schemas where they fit', () => {
    const $defs = { Node: { type: 'object', properties: { next: { $ref: '#/$defs/Node' }, more: fields(20) } } };
    const { schema, open } = openAt(root({ a: { $ref: '#/$defs/Node' } }, { $defs }), 700);
    expect(open).toEqual(['a.more']);
    expect(accepts(schema, { a: { next: { next: {} } } })).toBe(true);
    expect(accepts(schema, { a: { next: { next: 1 } } })).toBe(false);
  });

  it('can be a long list of values', () => {
    const values = Array.from({ length: 200 }, (_, index) => `value-${index}`);
    const { schema, open } = openAt(root({ a: { type: 'string', description: 'The a.', enum: values } }), 500);
    expect(open).toEqual(['a']);
    expect(argumentOf(schema, 'a')).toEqual({
      type: 'string',
      description:
        'The a. One of 200 values: value-0, value-1, value-2, value-3, value-4, value-5, value-6, value-7, value-8 and 191 more.',
    });
  });

  it('is never an argument that connector.yaml defines', () => {
    const schema = root({ a: fields(20) });
    expect(openAt(schema, 100, 10, ['a'])).toEqual({ schema, open: [] });
  });
});

describe('a value that was accepted is still accepted', () => {
  const large = fields(20, { required: ['field_0'] });

  it('by oneOf, which becomes anyOf where alternatives may overlap once open', () => {
    const other = fields(21, { required: ['field_20'] });
    const given = root({ a: { oneOf: [large, other] } });
    const { schema } = openAt(given, 700);
    expect(Object.keys(argumentOf(schema, 'a') ?? {})).toEqual(['anyOf']);
    expect(accepts(schema, { a: { field_0: 'x' } })).toBe(true);
  });

  it('by oneOf, which becomes anyOf where a reference has an open part', () => {
    const $defs = { A: { type: 'object', properties: { more: fields(30) }, required: ['more'] } };
    const b = { type: 'object', properties: { more: { type: 'string' } }, required: ['more'] };
    const { schema } = openAt(root({ a: { oneOf: [{ $ref: '#/$defs/A' }, b] } }, { $defs }), 700);
    expect(schema.$defs).toMatchObject({ A: { properties: { more: { type: 'object' } } } });
    expect(argumentOf(schema, 'a')).toEqual({ anyOf: [{ $ref: '#/$defs/A' }, b] });
  });

  it('by oneOf, which is kept where its alternatives are complete', () => {
    const choice = { oneOf: [{ type: 'string' }, { type: 'integer' }] };
    expect(argumentOf(openAt(root({ a: choice, b: fields(40) }), 500).schema, 'a')).toEqual(choice);
  });

  it.each<[string, Schema, Schema]>([
    ['not', { type: 'object', not: { $ref: '#/$defs/Large' } }, { type: 'object' }],
    [
      'if, with then and else',
      { type: 'object', if: { $ref: '#/$defs/Large' }, else: { maxProperties: 1 } },
      { type: 'object' },
    ],
    [
      'contains, of which only the upper limit is dropped',
      { type: 'array', items: {}, contains: { $ref: '#/$defs/Large' }, maxContains: 1 },
      { type: 'array', items: {}, contains: { type: 'object', description: expect.any(String) } },
    ],
    [
      'not without a reference is kept',
      { type: 'string', not: { enum: ['x'] } },
      { type: 'string', not: { enum: ['x'] } },
    ],
  ])(
    'by a condition, which is dropped where the definition that it refers to is open: %s',
    (_title, argument, want) => {
      const { schema } = openAt(root({ a: argument, b: { $ref: '#/$defs/Large' } }, { $defs: { Large: large } }), 700);
      expect(argumentOf(schema, 'a')).toEqual(want);
      expect(danglingNames(schema)).toEqual([]);
    },
  );
});
