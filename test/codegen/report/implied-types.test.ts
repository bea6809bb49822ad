import { describe, expect, it } from 'vitest';
import { withImpliedTypes } from '../../../codegen/report/checks/output.ts';

const text = { type: ['string', 'null'] };

describe('output schemas without types', () => {
  it.each([
    ['a member is a string', {}, text],
    ['properties imply an object', { properties: { a: {} } }, { type: ['object', 'null'], properties: { a: text } }],
    ['open members imply an object', { additionalProperties: {} }, { type: ['object', 'null'] }],
    [
      'typed members imply an object',
      { additionalProperties: { type: ['integer', 'null'] } },
      { type: ['object', 'null'], additionalProperties: { type: ['integer', 'null'] } },
    ],
    ['items imply an array', { items: {} }, { type: ['array', 'null'], items: text }],
    ['a stated type is kept', { type: ['number', 'null'] }, { type: ['number', 'null'] }],
    [
      'a reference is kept, and its definition is read',
      { properties: { a: { $ref: '#/$defs/A' } }, $defs: { A: { properties: { b: {} } } } },
      {
        type: ['object', 'null'],
        properties: { a: { $ref: '#/$defs/A' } },
        $defs: { A: { type: ['object', 'null'], properties: { b: text } } },
      },
    ],
  ])('%s', (_title, schema, want) => {
    expect(withImpliedTypes(schema)).toEqual(want);
  });
});
