import { describe, expect, test } from 'vitest';
import { loadConnectors } from '../../../server/call/tools/catalogue/connectors.ts';
import { createValidators } from '../../../server/call/tools/validate.ts';
import { asCompact, firstSentence } from '../../../shared/search/compact.ts';
import { fakeTool } from '../../support/fake-connector.ts';

describe('a compact tool', () => {
  test('has the names and types of its arguments, and the required ones', () => {
    const tool = fakeTool({
      name: 'library_find',
      input: {
        properties: {
          text: { type: 'string', minLength: 1, description: 'What to find.' },
          sizes: { type: 'array', items: { $ref: '#/$defs/size' } },
          either: { anyOf: [{ type: 'integer' }, { enum: ['all'] }] },
          any: { description: 'Anything.' },
          free: { type: 'object', properties: { a: { type: 'string' } } },
        },
        required: ['text'],
        $defs: { size: { type: ['integer', 'null'] } },
      },
    });
    expect(asCompact(tool).inputSchema).toEqual({
      type: 'object',
      properties: {
        text: { type: 'string' },
        sizes: { type: 'array', items: { type: ['integer', 'null'] } },
        either: { type: ['string', 'integer'] },
        any: {},
        free: { type: 'object' },
      },
      required: ['text'],
    });
  });

  test('has a schema that compiles, for every generated tool', async () => {
    const validators = createValidators();
    for (const tool of (await loadConnectors()).flatMap(({ tools }) => tools)) {
      const { inputSchema, description } = asCompact(tool);
      expect(Object.keys(inputSchema.properties as object)).toEqual(Object.keys(tool.inputSchema.properties as object));
      expect(validators(inputSchema).accepts([])).toBe(false);
      expect(tool.description.startsWith(description)).toBe(true);
    }
  });
});

test.each([
  ['One. Two.', 'One.'],
  ['For e.g. one thing. Two.', 'For e.g. one thing.'],
  ['No end', 'No end'],
  [`${'x'.repeat(300)}.`, `${'x'.repeat(239)}…`],
])('the first sentence of %j', (text, first) => {
  expect(firstSentence(text)).toBe(first);
});
