import { describe, expect, test } from 'vitest';
import { prepareArguments } from '../../../../../server/call/tools/call/arguments.ts';
import { createValidators } from '../../../../../server/call/tools/validate.ts';
import { fakeTool } from '../../../../support/fake-connector.ts';

const card = {
  type: 'object',
  properties: { type: { const: 'card' }, number: { type: 'string', minLength: 12 }, cvc: { type: 'string' } },
  required: ['type', 'number', 'cvc'],
  additionalProperties: false,
};
const iban = {
  type: 'object',
  properties: { type: { enum: ['iban', 'sepa'] }, iban: { type: 'string' } },
  required: ['type', 'iban'],
  additionalProperties: false,
};
const tool = fakeTool({
  name: 'library_pay',
  input: {
    properties: {
      method: { oneOf: [card, { $ref: '#/$defs/Iban' }] },
      nested: { anyOf: [{ type: 'string' }, { type: 'object', properties: { method: { oneOf: [card, iban] } } }] },
      when: { anyOf: [{ type: 'integer' }, { type: 'string', format: 'date' }] },
      open: {
        oneOf: [
          { type: 'object', required: ['a'] },
          { type: 'object', required: ['b'] },
        ],
      },
    },
    $defs: { Iban: iban },
    additionalProperties: false,
  },
});

function problemsOf(args: Readonly<Record<string, unknown>>): string[] {
  const prepared = prepareArguments(tool, args, createValidators()(tool.inputSchema));
  return prepared.ok ? [] : prepared.text.split('\n').filter((line) => line.startsWith('- '));
}

describe('the error of a choice', () => {
  test.each([
    [
      'names the member of the form that is meant',
      { method: { type: 'card', number: '1', cvc: '2' } },
      '- "method.number" must be at least 12 characters long (it has 1).',
    ],
    ['follows a reference', { method: { type: 'sepa' } }, '- "method.iban" is missing.'],
    [
      'names unknown members of the form',
      { method: { type: 'iban', iban: 'x', cvc: '1' } },
      '- Unknown member of "method" "cvc". Known: "type", "iban".',
    ],
    [
      'names the forms if none is meant',
      { method: { type: 'cash' } },
      '- "method.type" must be one of "card", "iban", "sepa" (got "cash").',
    ],
    [
      'asks for the member that chooses the form',
      { method: { iban: 'x' } },
      '- "method.type" is missing. It chooses the form: "card", "iban", "sepa".',
    ],
    [
      'goes into a choice inside a choice',
      { nested: { method: { type: 'iban' } } },
      '- "nested.method.iban" is missing.',
    ],
    [
      'takes the form of the type',
      { when: 'soon' },
      '- "when" must be of the format date, such as "2026-01-31" (got "soon").',
    ],
    [
      'says that several forms fit',
      { open: { a: 1, b: 2 } },
      '- "open" fits more than one of: an object with "a", or an object with "b". Give only members of one of them (got {"a":1,"b":2}).',
    ],
    [
      'lists the forms if nothing tells them apart',
      { open: {} },
      '- "open" must be exactly one of: an object with "a", or an object with "b" (got {}).',
    ],
  ])('%s', (_, args, want) => {
    expect(problemsOf(args)).toEqual([want]);
  });
});
