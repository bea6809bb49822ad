import { expect, test } from 'vitest';
import { readTool } from '../../../../../server/call/tools/catalogue/published.ts';
import { publishedOutput } from '../../../../../server/call/tools/catalogue/published-output.ts';
import { createValidators } from '../../../../../server/call/tools/validate.ts';
import type { ObjectSchema } from '../../../../../server/contract/index.ts';
import { fakeTool } from '../../../../support/fake-connector.ts';

const ID = '725653563933458433';
const INTEGER = { type: 'integer' };
const WIDE = { type: ['integer', 'string'] };
const of = (a: unknown): ObjectSchema => ({ type: 'object', properties: { a } });

test.each<[string, object, object]>([
  [
    'of 64 bits',
    { type: 'integer', format: 'int64', minimum: 0 },
    { type: ['integer', 'string'], format: 'int64', minimum: 0 },
  ],
  ['without a format', INTEGER, WIDE],
  ['that may be null', { type: ['integer', 'null'] }, { type: ['integer', 'null', 'string'] }],
  ['with decimals', { type: 'number' }, { type: ['number', 'string'] }],
  ['in a list', { type: 'array', items: INTEGER }, { type: 'array', items: WIDE }],
  ['by name', { additionalProperties: INTEGER }, { additionalProperties: WIDE }],
  ['in an alternative', { anyOf: [INTEGER, { type: 'null' }] }, { anyOf: [WIDE, { type: 'null' }] }],
  [
    'in one of several objects',
    { oneOf: [of(INTEGER), of({ type: 'null' })] },
    { anyOf: [of(WIDE), of({ type: 'null' })] },
  ],
  [
    'next to other alternatives',
    { oneOf: [of(INTEGER)], anyOf: [{}] },
    { anyOf: [{}], allOf: [{ anyOf: [of(WIDE)] }] },
  ],
])('a number %s may be a text in the listed schema', (_title, schema, want) => {
  expect(publishedOutput(of(schema))).toEqual(of(want));
  const tool = fakeTool({ name: 'library_get', output: of(schema) });
  expect(JSON.parse(readTool(tool).json).outputSchema).toEqual(of(want));
});

test.each([
  ['of 32 bits', { type: 'integer', format: 'int32' }],
  ['that is bounded', { type: 'integer', minimum: 0, maximum: 100 }],
  ['that is one of few', { type: 'integer', enum: [1, 2] }],
  ['next to a text', { oneOf: [INTEGER, { type: 'string' }] }],
  ['that may not be', { not: INTEGER }],
  ['that is only an example', { type: 'string', default: INTEGER, examples: [INTEGER] }],
])('the schema of a number %s stays the same object', (_title, schema) => {
  const output = of(schema);
  expect(publishedOutput(output)).toBe(output);
});

test('what one of several alternatives accepted is accepted by the listed schema', () => {
  const output = of({ oneOf: [of(INTEGER), of({ type: 'string' })] });
  const accepts = (a: unknown) => createValidators()(publishedOutput(output)).accepts({ a: { a } });
  expect([7, 'text', ID, true].map(accepts)).toEqual([true, true, true, false]);
});
