import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { heal } from '../../../../../server/call/tools/call/heal.ts';
import { createValidators } from '../../../../../server/call/tools/validate.ts';
import type { ObjectSchema } from '../../../../../server/contract/index.ts';

const SCHEMA: ObjectSchema = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    size: { type: 'integer', minimum: 1, maximum: 100 },
    score: { type: 'number' },
    deep: { type: 'boolean' },
    ids: { type: 'array', items: { type: 'integer' } },
    filter: { type: 'object' },
    metadata: { type: 'object', additionalProperties: { type: ['string', 'integer'] } },
    limits: { type: 'object', properties: { pages: { type: 'integer' } }, additionalProperties: false },
    mode: {
      anyOf: [
        { type: 'string', enum: ['fast', 'slow'] },
        { type: 'object', properties: { video: { type: 'boolean' } } },
      ],
    },
    name: { type: 'string', minLength: 1 },
    tickers: { type: 'string', contentMediaType: 'text/csv' },
    query: { type: 'string', contentMediaType: 'application/json' },
    tags: { type: 'array', items: { type: 'string', minLength: 1 } },
    description: { type: ['string', 'null'] },
    when: { type: 'string', format: 'date' },
    either: { oneOf: [{ type: 'integer' }, { type: 'boolean' }] },
    node: { $ref: '#/$defs/node' },
    anything: {},
  },
  required: ['id'],
  additionalProperties: false,
  $defs: { node: { type: 'object', properties: { depth: { type: 'integer' }, next: { $ref: '#/$defs/node' } } } },
};

const validator = createValidators()(SCHEMA);
const healed = (args: Record<string, unknown>) => heal({ id: 'a', ...args }, validator).args;

const HEALED: readonly [string, Record<string, unknown>, Record<string, unknown>][] = [
  ['a whole number in a string', { size: '5' }, { size: 5 }],
  ['a number in a string', { score: '0.5' }, { score: 0.5 }],
  ['a boolean in a string', { deep: 'true' }, { deep: true }],
  ['an array in a string', { ids: '[1, 2]' }, { ids: [1, 2] }],
  ['an array of numbers in strings', { ids: ['1', '2'] }, { ids: [1, 2] }],
  ['an array in a string, with numbers in strings', { ids: '["1", 2]' }, { ids: [1, 2] }],
  ['an object in a string', { filter: '{"a": {"$eq": 1}}' }, { filter: { a: { $eq: 1 } } }],
  ['a declared member of an object', { limits: { pages: '7' } }, { limits: { pages: 7 } }],
  ['a member behind a reference', { node: { next: { depth: '2' } } }, { node: { next: { depth: 2 } } }],
  ['one of several types', { either: 'false' }, { either: false }],
  ['null where it is not allowed', { size: null }, {}],
  ['an empty string where it is not allowed', { size: '' }, {}],
  ['an empty string that is too short', { name: '' }, {}],
  ['an empty string of the wrong format', { when: '' }, {}],
  ['null for a declared member', { limits: { pages: null } }, { limits: {} }],
  ['an object in a string in place of an enum value', { mode: '{"video": true}' }, { mode: { video: true } }],
  ['a number in place of a string', { name: 5 }, { name: '5' }],
  ['a boolean in place of a string', { name: false }, { name: 'false' }],
  ['a number in a string in place of a list', { ids: '5' }, { ids: [5] }],
  ['one value in place of an array', { tags: 'red', ids: 5 }, { tags: ['red'], ids: [5] }],
  ['an array in place of comma-separated values', { tickers: ['AAPL', 7] }, { tickers: 'AAPL,7' }],
  ['an object in place of its JSON', { query: { a: { $in: [1] } } }, { query: '{"a":{"$in":[1]}}' }],
  ['several problems at once', { size: '5', score: null, ids: '[1]' }, { size: 5, ids: [1] }],
  ['the type of an out-of-range value', { size: '500' }, { size: 500 }],
];

const LEFT: readonly [string, Record<string, unknown>][] = [
  ['an object in a string that matches no alternative', { mode: '{"video": 1}' }],
  ['a word in place of a number', { size: 'many' }],
  ['null in place of a required argument', { id: null }],
  ['an object in place of a string', { name: { first: 'Ann' } }],
  ['an imprecise number in place of a string', { name: 2 ** 60 }],
  ['an array in place of a string', { name: ['Ann'] }],
  ['values that contain commas in place of comma-separated ones', { tickers: ['A,B'] }],
  ['an array inside comma-separated values', { tickers: [['A']] }],
  ['the inside of a free-form object', { metadata: { a: null, b: ['5'] } }],
  ['the inside of an undeclared object', { filter: { a: null }, size: 'x' }],
  ['a word in place of an array of numbers', { ids: 'five' }],
  ['an empty string in an array', { tags: [''] }],
  ['null among the elements of an array', { ids: [1, null] }],
  ['an argument that does not exist', { sizes: '5' }],
  ['a fraction in place of a whole number', { size: '1.5' }],
];

const ACCEPTED: readonly [string, Record<string, unknown>][] = [
  ['false and 0', { deep: false, score: 0 }],
  ['null where it is allowed', { description: null }],
  ['an empty string where it is allowed', { description: '' }],
  ['a string that looks like JSON', { description: '{"a":1}', anything: '5' }],
];

describe('heal', () => {
  for (const [title, given, want] of HEALED) {
    it(`heals ${title}`, () => {
      expect(healed(given)).toEqual({ id: 'a', ...want });
    });
  }
  for (const [title, given] of LEFT) {
    it(`leaves ${title}`, () => {
      expect(healed(given)).toEqual({ id: 'a', ...given });
      expect(validator.accepts(healed(given))).toBe(false);
    });
  }
  for (const [title, given] of ACCEPTED) {
    it(`does not change ${title}`, () => {
      expect(healed(given)).toEqual({ id: 'a', ...given });
    });
  }

  it('keeps the digits of numbers in JSON text', () => {
    const { args, digits } = heal({ id: 'a', filter: '{"a":[1,12345678901234567890]}' }, validator);
    expect(args).toEqual({ id: 'a', filter: { a: [1, Number('12345678901234567890')] } });
    expect([...digits]).toEqual([['/filter/a/1', '12345678901234567890']]);
  });

  it('keeps the digits of a whole number that a JavaScript number cannot hold', () => {
    const { args, digits } = heal({ id: 'a', ids: ['9007199254740993'], score: '-5' }, validator);
    expect(args).toEqual({ id: 'a', ids: [9007199254740992], score: -5 });
    expect([...digits]).toEqual([['/ids/0', '9007199254740993']]);
  });

  it('never changes what the schema accepts', () => {
    const args = fc.record(
      {
        id: fc.constantFrom('', '5', 'true', '[1]', '{}'),
        size: fc.integer({ min: 1, max: 100 }),
        score: fc.double({ noNaN: true, noDefaultInfinity: true }),
        ids: fc.array(fc.integer()),
        filter: fc.dictionary(fc.string(), fc.jsonValue()),
        metadata: fc.dictionary(fc.string(), fc.oneof(fc.constantFrom('', 'null', '5'), fc.integer())),
        description: fc.constantFrom('', null, '{"a":1}'),
        anything: fc.jsonValue(),
      },
      { requiredKeys: ['id'] },
    );
    fc.assert(
      fc.property(args, (given) => {
        fc.pre(validator.accepts(given));
        expect(heal(given, validator).args).toBe(given);
      }),
    );
  });

  it('terminates for any arguments', () => {
    const args = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(fc.property(args, (given) => heal(given, validator) !== null));
  });
});
