import { expect, test } from 'vitest';
import { heal } from '../../../../../server/call/tools/call/heal.ts';
import { createValidators } from '../../../../../server/call/tools/validate.ts';
import type { ObjectSchema } from '../../../../../server/contract/index.ts';

const SCHEMA: ObjectSchema = {
  type: 'object',
  properties: { ids: { type: 'array', items: { type: 'integer' } } },
};

test.each([
  [50, 0],
  [51, 1],
])('of %i numbers in strings, all but %i are corrected in one call', (given, left) => {
  const { args: healed } = heal({ ids: Array<string>(given).fill('7') }, createValidators()(SCHEMA));
  expect((healed.ids as unknown[]).filter((id) => id === '7')).toHaveLength(left);
  expect((healed.ids as unknown[]).filter((id) => id === 7)).toHaveLength(50);
});
