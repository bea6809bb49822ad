import { expect, test } from 'vitest';
import type { Schema } from '../../../../codegen/model/types.ts';
import { mergeAllOf } from '../../../../codegen/tools/schema/merge.ts';
import { createMeter, TooLargeError } from '../../../../codegen/tools/schema/meter.ts';

const LEVELS = 24;

const resolve = (ref: string): Schema => {
  const level = Number(ref.slice(1));
  const next = { $ref: `#${level + 1}` };
  return level === LEVELS ? { type: 'object' } : { allOf: [next, { allOf: [next] }], required: [`a${level}`] };
};

test('a diamond of allOf resolves each reference once', () => {
  const meter = createMeter(resolve, LEVELS + 1);
  const { schema } = mergeAllOf({ $ref: '#0' }, meter.resolve);
  expect(schema).toEqual({ type: 'object', required: expect.arrayContaining(['a0', 'a23']) });
});

test('more references than the limit are rejected, counted for each tool', () => {
  const meter = createMeter(resolve, 1);
  meter.resolve('#0');
  meter.restart();
  meter.resolve('#0');
  expect(() => meter.resolve('#0')).toThrow(TooLargeError);
});
