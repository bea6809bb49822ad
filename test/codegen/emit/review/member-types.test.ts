import { describe, expect, it } from 'vitest';
import { createMemberTypes } from '../../../../codegen/emit/review/member-types.ts';
import type { Schema } from '../../../../codegen/model/types.ts';

const TEXT = { type: 'string' };
const ROOT = {
  $defs: { Node: { type: 'object', properties: { name: TEXT, next: { $ref: '#/$defs/Node' } }, required: ['name'] } },
};
const object = (properties: Schema, required: readonly string[] = []) => ({ type: 'object', properties, required });

describe('the type of an argument on the review page', () => {
  it.each<[string, Schema, string]>([
    ['a string', TEXT, 'string'],
    ['an object', object({ id: TEXT, 'x-y': { type: 'integer' } }, ['id']), "{ id: string; 'x-y'?: number }"],
    ['an array of objects', { type: 'array', items: object({ id: TEXT }) }, '{ id?: string }[]'],
    ['an object that may be null', { ...object({ id: TEXT }), type: ['object', 'null'] }, '{ id?: string } | null'],
    ['a map', { type: 'object', additionalProperties: { type: 'number' } }, 'Record<string, number>'],
    ['any object', { type: 'object' }, 'Record<string, unknown>'],
    [
      'a circular schema, to three levels',
      { $ref: '#/$defs/Node' },
      '{ name: string; next?: { name: string; next?: { name: string; next?: object } } }',
    ],
    ['alternatives', { oneOf: [object({ a: TEXT }), TEXT] }, '{ a?: string } | string'],
  ])('shows %s', (_title, schema, want) => {
    expect(createMemberTypes(ROOT)(schema)).toBe(want);
  });

  it('is bounded in width and depth', () => {
    const wide = object(Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`m${at}`, TEXT])));
    expect(createMemberTypes(ROOT)(wide)).toMatch(/m11\?: string; \/\* and 8 more \*\/ }$/);
    const large = object({ a: wide, b: wide, c: wide });
    expect(createMemberTypes(ROOT)(large)).toBe('{ a?: object; b?: object; c?: object }');
    expect(createMemberTypes(ROOT)(object({ a: large, b: large })).length).toBeLessThan(400);
  });
});
