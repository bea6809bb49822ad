import { expect, test } from 'vitest';
import { readEntries, readFields } from '../../../../../server/call/tools/questions/fields.ts';

function enter(member: object, values: readonly string[], required: readonly string[] = ['a']) {
  const fields = readFields({ type: 'object', properties: { a: member }, required });
  const { content, problems } = readEntries(fields ?? [], () => values);
  return problems.get('a') ?? content;
}

const titled = [
  { const: 'r', title: 'Red' },
  { const: 'b', title: 'Blue' },
];

test.each([
  { member: { type: 'string' }, values: [''], answer: { a: '' } },
  { member: { type: 'string', minLength: 1 }, values: [''], answer: 'Enter a value.' },
  { member: { type: 'string', minLength: 2, maxLength: 3 }, values: ['💐'], answer: 'Enter 2 to 3 characters.' },
  { member: { type: 'string', format: 'email' }, values: ['ada'], answer: 'Enter an email address.' },
  { member: { type: 'string', format: 'email' }, values: ['ada@x.example'], answer: { a: 'ada@x.example' } },
  { member: { type: 'string', format: 'uri' }, values: ['x'], answer: 'Enter an address such as https://example.com.' },
  { member: { type: 'string', format: 'date' }, values: ['2026-13-01'], answer: 'Enter a date such as 2026-11-30.' },
  { member: { type: 'string', format: 'date' }, values: ['2026-02-30'], answer: 'Enter a date such as 2026-11-30.' },
  {
    member: { type: 'string', format: 'date-time' },
    values: ['2026-02-30T12:00:00Z'],
    answer: 'Enter a time such as 2026-11-30T12:00:00Z.',
  },
  { member: { type: 'string', format: 'date' }, values: ['2026-11-30'], answer: { a: '2026-11-30' } },
  {
    member: { type: 'string', format: 'date-time' },
    values: ['2026-11-30'],
    answer: 'Enter a time such as 2026-11-30T12:00:00Z.',
  },
  {
    member: { type: 'string', format: 'date-time' },
    values: ['2026-11-30T12:00:00Z'],
    answer: { a: '2026-11-30T12:00:00Z' },
  },
  { member: { type: 'string', enum: ['r', 'b'] }, values: ['1'], answer: { a: 'b' } },
  { member: { type: 'string', enum: ['r', 'b'] }, values: ['2'], answer: 'Choose one of the values.' },
  { member: { type: 'string', enum: ['r', 'b'] }, values: ['__proto__'], answer: 'Choose one of the values.' },
  { member: { type: 'string', oneOf: titled }, values: ['0'], answer: { a: 'r' } },
  { member: { type: 'string', oneOf: titled }, values: [''], answer: 'Choose one value.' },
  { member: { type: 'number' }, values: ['1.5'], answer: { a: 1.5 } },
  { member: { type: 'number' }, values: ['Infinity'], answer: 'Enter a number.' },
  { member: { type: 'integer' }, values: ['1.5'], answer: 'Enter a whole number.' },
  { member: { type: 'integer', minimum: 2 }, values: ['1'], answer: 'Enter at least 2.' },
  { member: { type: 'integer', maximum: 2 }, values: ['3'], answer: 'Enter at most 2.' },
  { member: { type: 'boolean' }, values: [], answer: { a: false } },
  { member: { type: 'boolean' }, values: ['yes'], answer: { a: true } },
  { member: { type: 'array', items: { enum: ['r', 'b'] } }, values: ['0', '1', '0'], answer: { a: ['r', 'b'] } },
  {
    member: { type: 'array', items: { anyOf: titled }, maxItems: 1 },
    values: ['0', '1'],
    answer: 'Choose 1 to 1 values.',
  },
])('$values for $member is $answer', ({ member, values, answer }) => {
  expect(enter(member, values)).toEqual(answer);
});

test.each([
  { type: 'string' },
  { type: 'number' },
  { type: 'string', enum: ['r'] },
  { type: 'array', items: { enum: ['r'] } },
])('an optional field of %o may be left out', (member) => {
  expect(enter(member, [''], [])).toEqual({});
});

test.each([
  { type: 'object', properties: {} },
  { type: 'array', items: { type: 'object' } },
  { type: 'string', enum: [] },
  { type: 'string', enum: [1] },
  { type: 'string', enum: Array(201).fill('x') },
  { $ref: '#' },
  null,
])('a form with the member %o cannot be shown', (member) => {
  expect(readFields({ type: 'object', properties: { a: member } })).toBeNull();
});

test('a form has at most 30 fields', () => {
  const of = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, { type: 'string' }]));
  expect(readFields({ type: 'object', properties: of(30) })).toHaveLength(30);
  expect(readFields({ type: 'object', properties: of(31) })).toBeNull();
});
