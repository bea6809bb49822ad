import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Schema } from '../../../../codegen/model/types.ts';
import { measureDepth } from '../../../../codegen/tools/profiles/facts.ts';
import { buildOne, jsonBody, propertiesOf } from '../service.ts';
import { accepting, danglingNames, repeatedChars } from './accepts.ts';
import { drawValue } from './draw-value.ts';

const MAX_INPUT_SCHEMA_CHARS = 16_000;
const MAX_INPUT_DEPTH = 10;

const text = (words: number): string => Array.from({ length: words }, (_, index) => `word${index}`).join(' ');
const many = (count: number, member: (index: number) => Schema): Schema =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`member_${index}`, member(index)]));

function build(properties: Schema, config: Schema = {}, schemas: Readonly<Record<string, Schema>> = {}) {
  const body = jsonBody({ type: 'object', properties, additionalProperties: false });
  const built = buildOne({ method: 'POST', body }, config, { schemas });
  const said = built.problems.filter(({ code }) => code.startsWith('input-schema-'));
  return {
    tool: built.tool,
    said,
    schema: built.tool.inputSchema,
    chars: JSON.stringify(built.tool.inputSchema).length,
  };
}

describe('an input schema over its budget', () => {
  it('shares smaller parts before anything is removed', () => {
    const small = { type: 'object', properties: many(4, () => ({ type: 'string', maxLength: 20 })) };
    const { said, schema, chars } = build({ a: { type: 'object', properties: many(90, () => small) } });
    expect(chars).toBeLessThan(MAX_INPUT_SCHEMA_CHARS);
    expect(said).toEqual([]);
    expect(schema.$defs).toEqual({ Member0: small });
  });

  it('cuts texts inside arguments before those of arguments', () => {
    const { said, tool, chars } = build({
      a: {
        type: 'object',
        description: text(90),
        properties: many(40, (index) => ({ type: 'string', description: `${index} ${text(60)}` })),
      },
    });
    expect(chars).toBeLessThan(MAX_INPUT_SCHEMA_CHARS);
    expect(propertiesOf(tool.inputSchema).a?.description).toBe(text(90));
    expect(said).toEqual([
      {
        code: 'input-schema-shortened',
        file: 'specs/shop/openapi.yaml',
        pointer: '/paths/~1things/post',
        message:
          'The input schema of shop_list_things had 19088 characters of at most 16000 and 2 objects inside one another of at most 10; it has 12128 and 2 now, with texts of at most 240 characters inside its arguments.',
      },
    ]);
  });

  it('cuts texts before structure, and lists what was left open', () => {
    const deep = (index: number): Schema => ({
      type: 'object',
      description: `${index} ${text(60)}`,
      properties: {
        ...many(8, (at) => ({ type: 'string', description: `${index} ${at} ${text(30)}` })),
        id: { type: 'string' },
      },
      required: ['id'],
    });
    const { said, chars, schema } = build({ a: { type: 'object', properties: many(20, deep) }, b: { type: 'string' } });
    expect(chars).toBeLessThanOrEqual(MAX_INPUT_SCHEMA_CHARS);
    expect(said.map(({ code }) => code)).toEqual(['input-schema-opened']);
    expect(said[0]?.message).toMatch(
      /with texts of at most 120 characters inside its arguments and 12 parts left open: a\.member_8, a\.member_9, a\.member_10, /,
    );
    const members = propertiesOf(propertiesOf(schema).a ?? {});
    expect(Object.keys(members)).toHaveLength(20);
    expect(members.member_0?.properties).toBeDefined();
    expect(members.member_19).toEqual({
      type: 'object',
      description: expect.stringMatching(
        /^19 word0 .*… Described no further here\. Needs id\. Takes member_0, .*member_7\.$/,
      ),
    });
  });

  it('is as deep as the strictest client allows', () => {
    let nested: Schema = { type: 'string' };
    for (let level = 0; level < 14; level += 1) nested = { type: 'object', properties: { inner: nested } };
    const { said, schema } = build({ a: nested });
    expect(measureDepth(schema)).toBe(MAX_INPUT_DEPTH);
    expect(said.map(({ message }) => message)).toEqual([
      'The input schema of shop_list_things had 671 characters of at most 16000 and 15 objects inside one another of at most 10; it has 522 and 10 now and 1 part left open: a.inner.inner.inner.inner.inner.inner.inner.inner.inner.',
    ]);
  });

  it('keeps the texts and schemas of connector.yaml', () => {
    const ours = {
      type: 'object',
      properties: many(30, (index) => ({ type: 'string', description: `${index} ${text(20)}` })),
    };
    const words = text(200);
    const { tool, said } = build(
      {
        a: {
          type: 'object',
          properties: many(40, (index) => ({ type: 'string', description: `${index} ${text(60)}` })),
        },
        b: { type: 'object' },
      },
      {
        tools: {
          shop_list_things: { operation: 'listThings', arguments: { a: { description: words }, b: { schema: ours } } },
        },
      },
    );
    const { a, b } = propertiesOf(tool.inputSchema);
    expect(said).toHaveLength(1);
    expect(a?.description).toBe(words);
    expect(b).toEqual(ours);
  });

  it('cuts the texts of arguments as well, but none that codegen wrote', () => {
    const words = text(80);
    const described = many(50, (index) => ({ type: 'string', description: `${index} ${text(60)}` }));
    const { tool, chars } = build(described, {
      tools: { shop_list_things: { operation: 'listThings', arguments: { member0: { description: words } } } },
    });
    const { member0, member1 } = propertiesOf(tool.inputSchema);
    expect(chars).toBeLessThan(MAX_INPUT_SCHEMA_CHARS);
    expect(member0?.description).toBe(words);
    expect(String(member1?.description)).toMatch(/^1 word0 .{200,232}…$/);
  });

  it('keeps every argument, however many there are', () => {
    const { tool, said, chars } = build(
      many(400, (index) => ({ type: 'string', description: `${index} ${text(20)}` })),
    );
    expect(tool.arguments).toHaveLength(400);
    expect(chars).toBeGreaterThan(MAX_INPUT_SCHEMA_CHARS);
    expect(said.map(({ code }) => code)).toEqual(['input-schema-shortened']);
  });

  it('does not depend on the order of the paths and schemas', () => {
    const deep = (index: number) => ({
      type: 'object',
      properties: many(9, (at) => ({ type: 'string', description: `${index} ${at} ${text(40)}` })),
    });
    const [one, other] = [build(many(20, deep)), build(many(20, deep))];
    expect(JSON.stringify(one.schema)).toBe(JSON.stringify(other.schema));
  });

  it('is built from a descriptor that expands without limit', () => {
    const schemas: Record<string, Schema> = {
      '#/l0': { type: 'object', properties: { leaf: { type: 'string', description: text(100) } } },
    };
    for (let level = 1; level <= 40; level += 1) {
      const below = { $ref: `#/l${level - 1}` };
      const part = { allOf: [below, { type: 'object', properties: { own: { type: 'string', maxLength: level } } }] };
      schemas[`#/l${level}`] = {
        type: 'object',
        properties: { left: part, right: part, also: { ...part, description: `Also ${level}.` } },
      };
    }
    const { chars, schema } = build({ a: { $ref: '#/l40' } }, {}, schemas);
    expect(chars).toBeLessThanOrEqual(MAX_INPUT_SCHEMA_CHARS);
    expect(measureDepth(schema)).toBeLessThanOrEqual(MAX_INPUT_DEPTH);
    expect(danglingNames(schema)).toEqual([]);
  });
});

const RUNS = 40;
const NAMES = ['S0', 'S1', 'S2'];
const KEYS = ['id', 'kind', 'items', 'left', 'right'];
const descriptions = fc.constantFrom({}, { description: 'Short.' }, { description: text(40) });
const { schema: schemas } = fc.letrec<{ schema: Schema }>((tie) => {
  const inner = fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom<Schema>(
      { type: 'string' },
      { type: ['string', 'null'], maxLength: 20 },
      { type: 'integer', minimum: 0 },
      { enum: ['a', 'b', null] },
      { type: 'boolean' },
      { type: 'string', enum: Array.from({ length: 120 }, (_, index) => `value ${index}`) },
      ...NAMES.map((name) => ({ $ref: `#/$defs/${name}` })),
    ),
    tie('schema'),
  );
  const members = fc.dictionary(fc.constantFrom(...KEYS), inner, { minKeys: 1, maxKeys: 5, noNullPrototype: true });
  const object = fc
    .tuple(members, fc.boolean(), fc.boolean(), descriptions)
    .map(([properties, isRequired, isClosed, words]) => ({
      type: 'object',
      ...words,
      properties,
      ...(isRequired && properties.id !== undefined && properties.id.$ref === undefined ? { required: ['id'] } : {}),
      ...(isClosed ? { additionalProperties: false } : {}),
    }));
  const openObject = object.map(({ additionalProperties: _, ...rest }: Schema) => rest);
  return {
    schema: fc.oneof(
      { weight: 5, arbitrary: object as fc.Arbitrary<Schema> },
      {
        weight: 2,
        arbitrary: fc.tuple(inner, descriptions).map(([items, words]) => ({ type: 'array', ...words, items })),
      },
      { weight: 1, arbitrary: inner.map((values) => ({ type: 'object', additionalProperties: values })) },
      { weight: 1, arbitrary: fc.array(inner, { minLength: 2, maxLength: 3 }).map((anyOf) => ({ anyOf })) },
      { weight: 2, arbitrary: fc.array(inner, { minLength: 2, maxLength: 3 }).map((oneOf) => ({ oneOf })) },
      { weight: 1, arbitrary: fc.tuple(openObject, openObject).map((allOf) => ({ allOf })) },
      { weight: 1, arbitrary: fc.tuple(openObject, inner).map(([one, not]) => ({ ...one, not })) },
    ),
  };
});

/** False also where the descriptor's own references lead a validator in a circle. */
function acceptingOrNot(schema: Schema): (value: unknown) => boolean {
  const isAccepted = accepting(schema);
  return (value) => {
    try {
      return isAccepted(value);
    } catch (error) {
      if (error instanceof RangeError) return false;
      throw error;
    }
  };
}

/** No boolean fits the inner list, so that each fits the outer one. */
const ONE_OF_IN_ONE_OF = {
  schema: {
    oneOf: [{ oneOf: [{ type: 'boolean' }, { type: 'boolean' }] }, { type: 'string' }, { type: 'boolean' }],
  } as Schema,
  $defs: { S0: { type: 'string' }, S1: { type: 'string' }, S2: { type: 'string' } } as Record<
    'S0' | 'S1' | 'S2',
    Schema
  >,
  copies: 1,
  padding: 0,
};

describe('any descriptor', () => {
  it('has a complete published schema within its budget that accepts every value that the descriptor accepts', () => {
    const cases = fc.record({
      schema: schemas,
      $defs: fc.record({ S0: schemas, S1: schemas, S2: schemas }),
      copies: fc.integer({ min: 1, max: 12 }),
      padding: fc.integer({ min: 0, max: 70 }),
    });
    let opened = 0;
    let tried = 0;
    fc.assert(
      fc.property(cases, fc.nat(), ({ schema, $defs, copies, padding }, seed) => {
        const root = { type: 'object', properties: { x: schema }, $defs };
        const behind = Object.fromEntries(Object.entries($defs).map(([name, body]) => [`#/$defs/${name}`, body]));
        const pads = many(padding, (index) => ({ type: 'string', description: `${index} ${text(30)}` }));
        const others = Object.fromEntries(
          Array.from({ length: copies }, (_, index) => [
            `y${index}`,
            { type: 'object', properties: { [`only_${index}`]: { type: 'string' }, same: schema } },
          ]),
        );
        const built = build({ x: schema, ...others, ...pads }, {}, behind);
        opened += built.said.length;
        expect(built.chars).toBeLessThanOrEqual(MAX_INPUT_SCHEMA_CHARS);
        expect(measureDepth(built.schema)).toBeLessThanOrEqual(MAX_INPUT_DEPTH);
        expect(danglingNames(built.schema)).toEqual([]);
        expect(repeatedChars(built.schema, 480)).toBe(0);
        const isMeant = acceptingOrNot(root);
        const isAccepted = accepting(built.schema);
        for (let number = 0; number < 8; number += 1) {
          const x = drawValue(schema, $defs, seed + number);
          const published = isAccepted({ x });
          if (!isMeant({ x })) continue;
          tried += 1;
          expect(published, JSON.stringify(x)).toBe(true);
        }
      }),
      { numRuns: RUNS, interruptAfterTimeLimit: 60_000, examples: [[ONE_OF_IN_ONE_OF, 0]] },
    );
    expect(tried).toBeGreaterThan(RUNS);
    expect(opened).toBeGreaterThan(RUNS / 10);
  }, 120_000);
});
