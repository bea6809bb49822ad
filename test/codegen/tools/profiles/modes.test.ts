import { describe, expect, test } from 'vitest';
import type { Problem } from '../../../../codegen/diagnostics.ts';
import { createReporter } from '../../../../codegen/tools/problems.ts';
import { checkProfiles } from '../../../../codegen/tools/profiles/index.ts';
import { loadConnectors } from '../../../../server/call/tools/catalogue/connectors.ts';
import { FINDER_TOOLS } from '../../../../server/call/tools/catalogue/finder-tools.ts';
import type { ToolFace } from '../../../../server/contract/index.ts';
import { asCompact } from '../../../../shared/search/compact.ts';
import { config } from '../service.ts';

const connectors = await loadConnectors();

type Checked = Pick<ToolFace, 'name' | 'description' | 'inputSchema' | 'outputSchema'>;

function problemsOf(tools: readonly Checked[]): readonly Problem[] {
  const report = createReporter('specs/notes/openapi.yaml', 'specs/notes/connector.yaml');
  const checked = tools.map((tool) => ({
    tool,
    report: (message: string, fix: string) => report.descriptor('profile-refused', '', message, fix),
  }));
  checkProfiles(checked, config({}), report);
  return report.problems;
}

describe('the rules of every client', () => {
  test.each(connectors.map(({ name, tools }) => [name, tools] as const))(
    'hold for compact tools of %s',
    (_name, tools) => {
      expect(problemsOf(tools.map(asCompact))).toEqual([]);
    },
  );

  test('hold for the four tools of the gateway', () => {
    const four = FINDER_TOOLS.map((tool) => ({ ...tool, outputSchema: { type: 'object' } as const }));
    expect(four).toHaveLength(4);
    expect(problemsOf(four)).toEqual([]);
  });

  test('are broken by a compact tool whose name is too long', () => {
    const [tool] = connectors.flatMap(({ tools }) => tools);
    if (tool === undefined) throw new Error('no tool');
    expect(problemsOf([{ ...asCompact(tool), name: 'a'.repeat(65) }])).not.toEqual([]);
  });
});
