import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { buildServiceModel } from '../../../../codegen/model/index.ts';
import type { Schema } from '../../../../codegen/model/types.ts';
import { build, propertiesOf } from '../service.ts';

type Dialect = '3.0.3' | '3.1.0';

/** The argument `x`, the answer `x` and what was said, from a descriptor as it stands in a file. */
function fromDescriptor(openapi: Dialect, x: unknown, schemas: Readonly<Record<string, unknown>> = {}) {
  const content = { 'application/json': { schema: { type: 'object', properties: { x } } } };
  const document = {
    openapi,
    info: { title: 'Shop', version: '1' },
    servers: [{ url: 'https://shop.example' }],
    paths: {
      '/search': {
        post: {
          operationId: 'addThing',
          summary: 'Add a thing',
          requestBody: { required: true, content },
          responses: { 200: { description: 'Done.', content } },
        },
      },
    },
    components: { schemas },
  };
  const { model, problems } = buildServiceModel({ name: 'shop', file: 'specs/shop/openapi.yaml', document });
  const { tool } = build(model);
  const ajv = new Ajv2020({ strict: false, logger: false });
  addFormats.default(ajv);
  const validate = ajv.compile(tool.inputSchema);
  return {
    x: propertiesOf(tool.inputSchema).x,
    answer: propertiesOf(tool.outputSchema).x,
    definitions: tool.inputSchema.$defs as Schema | undefined,
    accepts: (value: unknown) => validate({ x: value }) === true,
    codes: problems.map(({ code }) => code),
  };
}

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const CARD = {
  type: 'object',
  required: ['kind', 'number'],
  properties: { kind: { type: 'string' }, number: { type: 'string' } },
};
const BANK = {
  type: 'object',
  required: ['kind', 'iban'],
  properties: { kind: { type: 'string' }, iban: { type: 'string' } },
};

const ifThen = (condition: Schema, demand: Schema): Schema =>
  Object.fromEntries([
    ['if', condition],
    ['then', demand],
  ]);

describe('nullable', () => {
  it.each<[string, Dialect, Schema, Schema]>([
    ['next to a type', '3.0.3', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
    ['as a type', '3.1.0', { type: ['string', 'null'] }, { type: ['string', 'null'] }],
    [
      'next to oneOf',
      '3.0.3',
      { oneOf: [{ type: 'string' }, ref('Card')], nullable: true },
      { oneOf: [{ type: 'string' }, CARD, { type: 'null' }] },
    ],
    [
      'next to anyOf',
      '3.0.3',
      { anyOf: [{ type: 'string' }, { type: 'integer' }], nullable: true },
      { type: ['string', 'integer', 'null'] },
    ],
    ['next to allOf', '3.0.3', { allOf: [ref('Card')], nullable: true }, { ...CARD, type: ['object', 'null'] }],
    [
      'in a part of allOf',
      '3.0.3',
      { allOf: [ref('Card'), { nullable: true }] },
      { ...CARD, type: ['object', 'null'] },
    ],
    ['next to a reference', '3.0.3', { ...ref('Card'), nullable: true }, { ...CARD, type: ['object', 'null'] }],
    ['as an alternative', '3.1.0', { oneOf: [ref('Card'), { type: 'null' }] }, { ...CARD, type: ['object', 'null'] }],
    [
      'of an enumeration',
      '3.0.3',
      { type: 'string', enum: ['a'], nullable: true },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [
      'of an enumeration behind a reference',
      '3.0.3',
      { ...ref('Size'), nullable: true },
      { type: ['string', 'null'], enum: ['s', 'm', null] },
    ],
  ])('%s, in %s', (_title, openapi, given, want) => {
    const { x, accepts } = fromDescriptor(openapi, given, { Card: CARD, Size: { type: 'string', enum: ['s', 'm'] } });
    expect(x).toEqual(want);
    expect(accepts(null)).toBe(true);
  });

  it('of the whole body keeps its members as separate arguments', () => {
    const content = (schema: unknown) => ({ 'application/json': { schema } });
    const built = (schema: unknown) => {
      const document = {
        openapi: '3.0.3',
        info: { title: 'Shop', version: '1' },
        servers: [{ url: 'https://shop.example' }],
        paths: {
          '/things': { post: { operationId: 'addThing', requestBody: { content: content(schema) }, responses: {} } },
        },
        components: { schemas: { Card: CARD } },
      };
      return build(buildServiceModel({ name: 'shop', file: 'f', document }).model).tool.arguments.map(
        ({ name }) => name,
      );
    };
    expect(built(ref('Card'))).toEqual(['kind', 'number']);
    expect(built({ ...ref('Card'), nullable: true })).toEqual(['kind', 'number']);
  });
});

describe('a discriminator', () => {
  const choice = (mapping?: Schema) => ({
    oneOf: [ref('Card'), ref('Bank')],
    discriminator: { propertyName: 'kind', ...(mapping === undefined ? {} : { mapping }) },
  });

  it('adds the value of its mapping to each alternative', () => {
    const { x, accepts } = fromDescriptor(
      '3.0.3',
      choice({ card: '#/components/schemas/Card', bank: 'Bank', sepa: 'Bank' }),
      { Card: CARD, Bank: BANK },
    );
    expect(x).toEqual({
      description: 'kind chooses the form: card (Card), bank (Bank), sepa (Bank).',
      oneOf: [
        { ...CARD, properties: { kind: { type: 'string', const: 'card' }, number: { type: 'string' } } },
        { ...BANK, properties: { kind: { type: 'string', enum: ['bank', 'sepa'] }, iban: { type: 'string' } } },
      ],
    });
    expect(accepts({ kind: 'sepa', iban: 'x' })).toBe(true);
    expect(accepts({ kind: 'card', iban: 'x' })).toBe(false);
  });

  it('without a mapping is only described, because the values may differ from the names', () => {
    const { x, accepts } = fromDescriptor('3.1.0', choice(), { Card: CARD, Bank: BANK });
    expect(x).toEqual({ description: 'kind chooses the form: Card, Bank.', anyOf: [CARD, BANK] });
    expect(accepts({ kind: 'Card', number: 'x', iban: 'y' })).toBe(true);
  });

  it('does not change alternatives that already have their value', () => {
    const said = { ...CARD, properties: { kind: { type: 'string', enum: ['card'] }, number: { type: 'string' } } };
    const { x } = fromDescriptor('3.1.0', choice({ credit: 'Card', bank: 'Bank' }), {
      Card: said,
      Bank: { ...BANK, properties: { kind: { const: 'x' } } },
    });
    expect(x?.oneOf).toEqual([said, { ...BANK, properties: { kind: { type: 'string', const: 'x' } } }]);
  });

  it('narrows the list of values of a common part', () => {
    const base = {
      type: 'object',
      required: ['kind'],
      properties: { kind: { type: 'string', enum: ['card', 'bank', 'cash'] } },
    };
    const child = (name: string) => ({
      allOf: [ref('Base'), { type: 'object', properties: { [name]: { type: 'string' } } }],
    });
    const { x } = fromDescriptor('3.0.3', choice({ card: 'Card', bank: 'Bank' }), {
      Base: base,
      Card: child('number'),
      Bank: child('iban'),
    });
    expect(x?.oneOf).toEqual([
      {
        type: 'object',
        properties: { kind: { type: 'string', enum: ['card'] }, number: { type: 'string' } },
        required: ['kind'],
      },
      {
        type: 'object',
        properties: { kind: { type: 'string', enum: ['bank'] }, iban: { type: 'string' } },
        required: ['kind'],
      },
    ]);
  });

  it('terminates where an alternative contains the choice again', () => {
    const group = {
      type: 'object',
      required: ['kind'],
      properties: { kind: { type: 'string' }, parts: { type: 'array', items: ref('Part') } },
    };
    const part = {
      oneOf: [ref('Card'), ref('Group')],
      discriminator: { propertyName: 'kind', mapping: { card: 'Card', group: 'Group' } },
    };
    const { accepts } = fromDescriptor('3.1.0', ref('Part'), { Part: part, Card: CARD, Group: group });
    expect(accepts({ kind: 'group', parts: [{ kind: 'group' }, { kind: 'card', number: '1' }] })).toBe(true);
    expect(accepts({ kind: 'group', parts: [{ kind: 'bank' }] })).toBe(false);
  });
});

describe('members of one side', () => {
  const id = { type: 'string', readOnly: true };
  const secret = { type: 'string', writeOnly: true };
  const both = (member: Schema) => ({
    type: 'object',
    required: ['a', 'own'],
    properties: { a: member, own: { type: 'string' } },
  });
  const OWN = { type: 'object', required: ['own'], properties: { own: { type: 'string' } } };

  it.each<[string, unknown, Schema]>([
    ['in a member', both(id), OWN],
    [
      'in allOf',
      { allOf: [both(id), { type: 'object', properties: { more: { type: 'string' } } }] },
      { ...OWN, properties: { own: { type: 'string' }, more: { type: 'string' } } },
    ],
    ['in oneOf', { oneOf: [both(id), { type: 'string' }] }, { oneOf: [OWN, { type: 'string' }] }],
    ['in items', { type: 'array', items: both(id) }, { type: 'array', items: OWN }],
    ['in values', { type: 'object', additionalProperties: both(id) }, { type: 'object', additionalProperties: OWN }],
    ['behind a reference', ref('Both'), OWN],
    ['where the member is a reference', both(ref('Id')), OWN],
    ['where allOf sets it', both({ allOf: [ref('Id'), { description: 'The id.' }] }), OWN],
    [
      'where another part sets it',
      { allOf: [{ type: 'object', properties: { a: { type: 'string' } } }, both(id)] },
      OWN,
    ],
  ])('readOnly is not an argument: %s', (_title, given, want) => {
    expect(fromDescriptor('3.1.0', given, { Both: both(id), Id: id }).x).toEqual(want);
  });

  it.each<[string, Schema]>([
    ['dependentRequired', { dependentRequired: { own: ['a'] } }],
    ['dependentSchemas', { dependentSchemas: { own: { required: ['a'] } } }],
    ['then', ifThen({ required: ['own'] }, { required: ['a'] })],
    ['else', { if: { required: ['none'] }, else: { required: ['a'] } }],
    ['every branch of anyOf', { anyOf: [{ required: ['a', 'own'] }, { required: ['a'] }] }],
    ['a branch of oneOf', { oneOf: [{ required: ['a'] }, { required: ['none'] }] }],
    ['a branch of allOf', { allOf: [{ required: ['a'] }, ifThen({ required: ['own'] }, { required: ['a'] })] }],
    ['two branches of allOf', { allOf: [{ anyOf: [{ required: ['a'] }] }, { anyOf: [{ required: ['a', 'own'] }] }] }],
    ['a referenced branch', { anyOf: [ref('Demand'), ref('Demand')] }],
  ])('readOnly is not demanded in %s', (_title, demand) => {
    const schema = { type: 'object', properties: { a: id, own: { type: 'string' } }, ...demand };
    const { accepts } = fromDescriptor('3.1.0', schema, { Demand: { type: 'object', required: ['a'] } });
    expect([accepts({ own: 'x' }), accepts({ own: 1 })]).toEqual([true, false]);
  });

  it('what other members demand stays where a readOnly one is left out', () => {
    const demand = {
      dependentRequired: { own: ['a', 'more'] },
      ...ifThen({ required: ['more'] }, { required: ['a', 'last'] }),
    };
    const text = { type: 'string' };
    const schema = { type: 'object', properties: { a: id, own: text, more: text, last: text }, ...demand };
    const { accepts } = fromDescriptor('3.1.0', schema, {});
    expect([{ own: 'x' }, { own: 'x', more: 'y' }, { own: 'x', more: 'y', last: 'z' }].map(accepts)).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('readOnly is not an argument in a definition that refers to itself', () => {
    const node = { type: 'object', properties: { a: id, next: ref('Node') } };
    expect(fromDescriptor('3.1.0', ref('Node'), { Node: node }).definitions).toEqual({
      Node: { type: 'object', properties: { next: { $ref: '#/$defs/Node' } } },
    });
  });

  it.each<[string, unknown]>([
    ['in a member', both(secret)],
    ['in allOf', { allOf: [both(secret), { type: 'object' }] }],
    ['in oneOf', { oneOf: [both(secret), { type: 'object', properties: { own: { type: 'string' } } }] }],
    ['behind a reference', ref('Both')],
    ['where the member is a reference', both(ref('Secret'))],
    ['where allOf sets it', both({ allOf: [ref('Secret'), { description: 'The secret.' }] })],
    [
      'where another part sets it',
      { allOf: [{ type: 'object', properties: { a: { type: 'string' } } }, both(secret)] },
    ],
  ])('writeOnly is not in an answer: %s', (_title, given) => {
    const { answer } = fromDescriptor('3.1.0', given, { Both: both(secret), Secret: secret });
    expect(answer).toEqual({ properties: { own: {} } });
  });
});

describe('what JSON Schema 2020-12 adds', () => {
  it.each<[string, unknown, Schema]>([
    ['types in a list', { type: ['string', 'integer'], maxLength: 3 }, { type: ['string', 'integer'], maxLength: 3 }],
    ['const', { const: 3 }, { type: 'integer', const: 3 }],
    ['const that is null', { const: null }, { type: 'null' }],
    ['const that is false', { const: false }, { type: 'boolean', const: false }],
    ['enumerations of numbers', { type: 'integer', enum: [1, 2] }, { type: 'integer', enum: [1, 2] }],
    ['enumerations of booleans', { enum: [true] }, { type: 'boolean', enum: [true] }],
    ['enumerations of objects', { enum: [{ a: 1 }, 'all'] }, { type: ['object', 'string'], enum: [{ a: 1 }, 'all'] }],
    [
      'tuples',
      { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false },
      { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: { not: {} } },
    ],
    [
      'siblings of a reference',
      { ...ref('Name'), minLength: 2, description: 'The name.' },
      { type: 'string', description: 'The name.', minLength: 2, maxLength: 9 },
    ],
    ['a schema that is true', true, {}],
    [
      'a schema that is false',
      { type: 'object', additionalProperties: false },
      { type: 'object', additionalProperties: false },
    ],
    ['an unknown format', { type: 'string', format: 'iban' }, { type: 'string', description: 'Format: iban.' }],
    ['64-bit integers', { type: 'integer', format: 'int64' }, { type: 'integer', format: 'int64' }],
  ])('%s', (_title, given, want) => {
    const { x, codes } = fromDescriptor('3.1.0', given, { Name: { type: 'string', maxLength: 9 } });
    expect(x).toEqual(want);
    expect(codes).toEqual([]);
  });

  it('siblings of a reference are ignored in 3.0, except its texts', () => {
    const { x } = fromDescriptor(
      '3.0.3',
      { ...ref('Name'), minLength: 2, description: 'The name.' },
      { Name: { type: 'string', maxLength: 9 } },
    );
    expect(x).toEqual({ type: 'string', description: 'The name.', maxLength: 9 });
  });

  it.each<[string, unknown, readonly string[]]>([
    ['in a list of values', { type: 'integer', enum: [1, 2 ** 60] }, ['schema-number-inexact']],
    ['as the only value', { const: -(2 ** 60) }, ['schema-number-inexact']],
    ['as a bound, which is only rounded', { type: 'integer', format: 'int64', maximum: 2 ** 63 }, []],
    ['as text', { type: 'string', enum: ['1152921504606846977'] }, []],
  ])('an integer beyond the safe range is reported: %s', (_title, given, want) => {
    expect([...new Set(fromDescriptor('3.1.0', given).codes)]).toEqual(want);
  });

  it('dynamic references accept anything and are reported', () => {
    const { x, codes } = fromDescriptor('3.1.0', { $dynamicRef: '#node' });
    expect(x).toEqual({});
    expect(codes).toContain('schema-dynamic-reference');
  });
});
