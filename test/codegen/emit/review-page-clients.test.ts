import { describe, expect, it } from 'vitest';
import { emitReviewPage } from '../../../codegen/emit/review-page.ts';
import type { ClientVerdict } from '../../../codegen/tools/types.ts';
import { connector } from './fixtures.ts';

type Broken = ClientVerdict['broken'][number];

const client = (title: string, ...broken: readonly Broken[]): ClientVerdict => ({
  id: title.toLowerCase(),
  title,
  broken,
});
const refused: Broken = { rule: 'openai/lookaround', effect: 'refuses', tools: 2, accepted: 'Not used *there*.' };
const degraded = (rule: string): Broken => ({ rule, effect: 'degrades', tools: 1, accepted: null });

describe('the line about clients in TOOLS.md', () => {
  it.each<[string, readonly ClientVerdict[], string | undefined]>([
    ['is absent where no client was checked', [], undefined],
    ['names every client', [client('Claude'), client('Cursor')], 'Legal for Claude and Cursor.'],
    [
      'leaves out a client that refuses the tools, with the reason',
      [client('Claude'), client('OpenAI', refused)],
      'Legal for Claude; refused by `openai/lookaround` (2 tools), accepted: Not used \\*there\\*.',
    ],
    [
      'joins rules with the same effect',
      [client('OpenAI', degraded('openai/keywords')), client('Gemini', degraded('gemini/keywords'))],
      'Legal for OpenAI and Gemini; less well with `openai/keywords` and `gemini/keywords` (1 tool).',
    ],
    [
      'says when no client remains',
      [client('OpenAI', refused)],
      'Legal for none of the known clients; refused by `openai/lookaround` (2 tools), accepted: Not used \\*there\\*.',
    ],
  ])('%s', (_title, clients, want) => {
    const lines = emitReviewPage('Generated.', connector({ clients }), new Map()).split('\n');
    expect(lines.find((line) => line.startsWith('Legal'))).toBe(want);
  });
});
