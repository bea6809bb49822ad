/** Compares the token cost of tools in a lean list with the limits in connector.yaml. */

import type { Problem } from '../diagnostics.ts';
import type { ConnectorConfig } from '../load/connector-config.ts';
import { createToolSizer, type ToolEntry } from './tool-size.ts';

const NAMED_TOOLS = 3;

interface Cost {
  readonly name: string;
  readonly tokens: number;
}

/**
 * One problem if all tools together cost more than `budget.service`, and one for each tool that costs more than
 * `budget.tool`. Each says what is large and where to change it.
 *
 * @param file path of connector.yaml, for the problems
 */
export async function checkTokenBudget(
  tools: readonly ToolEntry[],
  budget: ConnectorConfig['budget'],
  file: string,
): Promise<Problem[]> {
  if (budget === undefined) return [];
  const sizeOf = await createToolSizer();
  const costs = tools
    .map((tool): Cost => ({ name: tool.name, tokens: sizeOf(tool) }))
    .sort((a, b) => b.tokens - a.tokens || (a.name < b.name ? -1 : 1));
  const total = costs.reduce((sum, { tokens }) => sum + tokens, 0);
  const { service = Number.POSITIVE_INFINITY, tool: each = Number.POSITIVE_INFINITY } = budget;
  const problem = (pointer: string, message: string, large: readonly Cost[]): Problem => ({
    code: 'token-budget-exceeded',
    file,
    pointer,
    message,
    fix: `${large.map(({ name, tokens }) => `${name} costs ${tokens}`).join('; ')}. Shorten descriptions, leave out arguments (omit), or raise the budget.`,
  });
  return [
    ...(total <= service
      ? []
      : [
          problem(
            '/budget/service',
            `All tools together cost ${total} tokens of at most ${service}.`,
            costs.slice(0, NAMED_TOOLS),
          ),
        ]),
    ...costs
      .filter(({ tokens }) => tokens > each)
      .map((cost) => problem('/budget/tool', `${cost.name} costs ${cost.tokens} tokens of at most ${each}.`, [cost])),
  ];
}
