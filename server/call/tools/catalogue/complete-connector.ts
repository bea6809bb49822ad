/** Adds the defaults that generated files omit, so that other code never has to check for them. */

import type {
  Connector,
  GeneratedConnector,
  GeneratedPageRule,
  GeneratedTool,
  PageRule,
  Tool,
} from '../../../contract/index.ts';

/** The connector with every default of the contract. A complete connector is returned unchanged. */
export function completeConnector(connector: GeneratedConnector): Connector {
  const server = connector.servers[0]?.url ?? '';
  return { ...connector, tools: connector.tools.map((tool) => completeTool(tool, server)) };
}

function completeTool({ page, ...tool }: GeneratedTool, server: string): Tool {
  return {
    ...tool,
    operation: { ...tool.operation, server: tool.operation.server ?? server },
    ...(page === undefined ? {} : { page: completePage(page) }),
  };
}

function completePage(rule: GeneratedPageRule): PageRule {
  if (rule.kind === 'last') return { ...rule, more: rule.more ?? null };
  if (rule.kind !== undefined) return rule;
  const { argument, next, queryParameter = null, more = null, ...places } = rule;
  return { argument, next, queryParameter, more, ...places };
}
