import { expect, test } from 'vitest';
import { buildOne, jsonBody } from '../service.ts';

const build = (values: number) => {
  const kind = { type: 'string', enum: Array.from({ length: values }, (_, index) => `value ${index}`) };
  const filter = { type: 'object', properties: { kind } };
  const body = jsonBody({ type: 'object', properties: { filter } });
  return buildOne({ id: 'makeThing', method: 'POST', body });
};

test('what an input schema leaves open is checked, or reported', () => {
  const checked = build(5000);
  expect(checked.codes).toContain('input-schema-opened');
  expect(JSON.stringify(checked.tool.rules)).toContain('"value 4999"');
  expect(checked.codes).not.toContain('input-rules-left-out');
  const unchecked = build(20_000);
  expect(unchecked.tool.rules).toBeNull();
  expect(unchecked.problems).toContainEqual(
    expect.objectContaining({
      code: 'input-rules-left-out',
      pointer: '/paths/~1things/post',
      message: expect.stringContaining('what its input schema leaves open is not checked'),
    }),
  );
});
