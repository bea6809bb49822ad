import { describe, expect, test } from 'vitest';
import { toTypeScriptType } from '../../../codegen/emit/json-schema-type.ts';

describe('the type of a schema', () => {
  test.each<[title: string, schema: Record<string, unknown>, type: string]>([
    ['a type', { type: 'integer' }, 'number'],
    ['several types', { type: ['string', 'number', 'integer', 'null'] }, 'string | number | null'],
    ['an enum', { type: 'string', enum: ['a', "b's", 1, null] }, `'a' | "b's" | 1 | null`],
    ['a constant', { const: true }, 'true'],
    ['a list', { type: 'array', items: { type: 'string' } }, 'string[]'],
    ['a list of an enum', { type: 'array', items: { enum: ['a', 'b'] } }, `('a' | 'b')[]`],
    ['a list of anything', { type: 'array' }, 'unknown[]'],
    ['a list of objects', { type: 'array', items: { type: 'object' } }, 'Record<string, unknown>[]'],
    ['alternatives', { oneOf: [{ enum: ['fast'] }, { type: 'object' }] }, `'fast' | Record<string, unknown>`],
    ['alternatives, one of them open', { anyOf: [{ type: 'string' }, {}] }, 'unknown'],
    ['a reference', { $ref: '#/$defs/Note' }, 'unknown'],
    ['an enum of objects', { enum: [{ a: 1 }] }, 'unknown'],
    ['an empty schema', {}, 'unknown'],
  ])('of %s', (_, schema, type) => {
    expect(toTypeScriptType(schema)).toBe(type);
  });
});
