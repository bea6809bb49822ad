import { describe, expect, it } from 'vitest';
import { emitReviewPage } from '../../../codegen/emit/review-page.ts';
import type { Method, OperationModel } from '../../../codegen/model/types.ts';
import { buildOne } from '../tools/service.ts';

const mcp = { tool: 'x', definition: {}, claims: {} } as unknown as OperationModel['mcp'];

const hintsOf = (over: Partial<OperationModel> & { readonly method: Method }, hints: object) => {
  const { connector } = buildOne(
    { id: 'x', summary: '', ...over },
    { tools: { shop_x: { operation: 'x', hints: { ...hints, reason: 'It is so.' } } } },
  );
  const line = emitReviewPage('Generated.', connector).match(/Hints: .*/)?.[0] ?? '';
  return line.split('; ').slice(1).join('; ');
};

describe('the reason of hints in TOOLS.md', () => {
  it.each<[string, Parameters<typeof hintsOf>, string]>([
    [
      'names the method that they differ from',
      [{ method: 'POST', path: '/x' }, { destructiveHint: true }],
      'differs from what POST says by default: It is so.',
    ],
    [
      'names the sign that they overrule',
      [{ method: 'POST', path: '/x/cancel' }, { destructiveHint: false }],
      'overrules "cancel" in the path: It is so.',
    ],
    [
      'names the method where they only confirm a sign',
      [{ method: 'POST', path: '/x/cancel' }, { destructiveHint: true }],
      'differs from what POST says by default: It is so.',
    ],
    [
      'names no method of a tool of an MCP server',
      [{ method: 'POST', path: '/', mcp }, { destructiveHint: true }],
      'as connector.yaml says: It is so.',
    ],
  ])('%s', (_title, given, want) => {
    expect(hintsOf(...given)).toBe(want);
  });
});
