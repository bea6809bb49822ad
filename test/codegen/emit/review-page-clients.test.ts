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
const refused: Broken = { rule: 'openai/lookaround', tools: 2, accepted: 'Not used *there*.' };
const noItems = (client: string): Broken => ({ rule: `${client}/array-items`, tools: 1, accepted: null });

describe('the line about clients in TOOLS.md', () => {
  it.each<[string, readonly ClientVerdict[], string | undefined]>([
    ['is absent where no client was checked', [], undefined],
    ['names every client', [client('Claude'), client('Cursor')], 'Legal for Claude and Cursor.'],
    [
      'leaves out a client that refuses the tools, with the reason',
      [client('Claude'), client('OpenAI', refused)],
      'Legal for Claude; refused by `openai/lookaround`, accepted: Not used \\*there\\*.',
    ],
    [
      'joins rules that as many tools break',
      [client('Claude'), client('OpenAI', noItems('openai')), client('Gemini', noItems('gemini'))],
      'Legal for Claude; refused by `openai/array-items` and `gemini/array-items`.',
    ],
    [
      'says when no client remains',
      [client('OpenAI', refused)],
      'Legal for none of the known clients; refused by `openai/lookaround`, accepted: Not used \\*there\\*.',
    ],
  ])('%s', (_title, clients, want) => {
    const lines = emitReviewPage('Generated.', connector({ clients })).split('\n');
    expect(lines.find((line) => line.startsWith('Legal'))).toBe(want);
  });
});
