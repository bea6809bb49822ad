/** Adds the gateway's own four tools to those of the connectors. They can be called in every mode, listed or not. */

import type { Principal } from '../../../base/principal/principal.ts';
import type { Tool } from '../../../contract/index.ts';
import { prepareArguments } from '../arguments/prepare.ts';
import { checkLimit } from '../call/check-limit.ts';
import { checkSuspension } from '../call/check-partner.ts';
import { refuse } from '../call/ending.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { type FinderToolName, finderToolOf, isFinderToolName } from '../catalogue/finder-tools.ts';
import { createValidators } from '../json/validate.ts';
import type { ToolCallContext, ToolProvider, ToolResult } from '../provider.ts';
import { callInner, innerCallOf } from './call.ts';
import { describeTools } from './describe.ts';
import { createToolSearch } from './search.ts';

/** The remaining members of a tool, needed to check its arguments: nothing is sent for it. */
const NOTHING_SENT = {
  operation: { id: null, method: 'POST', path: '/', server: '' },
  request: {},
  outputSchema: { type: 'object' },
} as const satisfies Partial<Tool>;

type Arguments = Readonly<Record<string, unknown>>;

/**
 * Adds the tools to a provider of the catalogue's tools.
 *
 * `call_reading_tool` and `call_writing_tool` call a tool of `tools` as if by its own name, so that its rights, pins,
 * limits, approval, records and input requests apply. Searching and describing call no service, and leave no record.
 */
export function withFinder(tools: ToolProvider, catalogue: Catalogue): ToolProvider {
  const validators = createValidators();
  const search = createToolSearch(catalogue);

  const answer = (
    name: FinderToolName,
    args: Arguments,
    principal: Principal,
    context: ToolCallContext,
  ): ToolResult | Promise<ToolResult> => {
    switch (name) {
      case 'search_tools':
        return search(principal, args);
      case 'describe_tools':
        return describeTools(catalogue, principal, args);
      default:
        return callInner(name, args, { tools, catalogue, principal, context });
    }
  };

  return {
    list: (principal, cursor) => tools.list(principal, cursor),
    async call(principal, name, given, context) {
      if (!isFinderToolName(name)) return tools.call(principal, name, given, context);
      const ended = checkLimit({ context }) ?? checkSuspension({ principal });
      if (ended !== null) return ended.result;
      const tool = { ...finderToolOf(name), ...NOTHING_SENT };
      const prepared = prepareArguments(tool, given, validators(tool.inputSchema));
      if (!prepared.ok) return refuse('invalid_arguments', { message: prepared.text }).result;
      return answer(name, prepared.args, principal, context);
    },
    missingScopes(principal, name, args) {
      const inner = innerCallOf(name, args) ?? { name, args };
      return tools.missingScopes?.(principal, inner.name, inner.args) ?? null;
    },
    takesFiles(name, args) {
      const inner = innerCallOf(name, args) ?? { name, args };
      return tools.takesFiles?.(inner.name, inner.args) === true;
    },
  };
}
