import { expect, test } from 'vitest';
import { parseExactJson } from '../../../../../server/call/tools/json.ts';
import { redacted, redactValue } from '../../../../../server/call/tools/results/errors.ts';
import { createRedactor } from '../../../../../server/call/upstream/redaction.ts';

const redactor = createRedactor(['hunter22', '12345678', '12345678901234567890', 'a%b&c\\d']);
const read = (json: string) => redactValue(parseExactJson(json).value, json, redactor);

test.each([
  ['"hunter22"', '[redacted]'],
  ['12345678', '[redacted]'],
  ['12345678901234567890', '[redacted]'],
  ['{"hunter22":1}', { '[redacted]': 1 }],
  ['{"a":{"b":"my hunter22"},"c":true}', { a: { b: 'my [redacted]' }, c: true }],
  ['[null,["x","hunter22"],1.5]', [null, ['x', '[redacted]'], 1.5]],
  ['"a\\u0025b\\u0026c\\u005cd"', '[redacted]'],
  ['"a\\u0025b&c\\\\d"', '[redacted]'],
  ['"a%b\\u0026c\\\\d"', '[redacted]'],
  ['"a%b&c\\u005Cd"', '[redacted]'],
])('of %s becomes %j', (json, want) => {
  expect(read(json)).toEqual(want);
});

test.each(['"hunter2"', '1234567', '{"a":[null,true,1.5,"x",{}]}', '[[],"\\u0025"]'])(
  '%s without the credential is the same value',
  (json) => {
    const { value } = parseExactJson(json);
    expect(redactValue(value, json, redactor)).toBe(value);
    expect(redacted(value, redactor)).toBe(value);
  },
);

test('a value whose text does not contain the credential is not traversed', () => {
  const value = { a: 'hunter22' };
  expect(redactValue(value, '{}', redactor)).toBe(value);
  expect(redacted(value, redactor)).toEqual({ a: '[redacted]' });
});

test('parts of a value without the credential stay the same objects', () => {
  const value = { a: ['hunter22'], b: { c: 1 }, d: [1] };
  const clean = redacted(value, redactor) as typeof value;
  expect([clean.b === value.b, clean.d === value.d]).toEqual([true, true]);
});
