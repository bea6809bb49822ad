/** `call_reading_tool` and `call_writing_tool`: they are separate so that hosts can ask before writes. */

import type { Principal } from '../../../base/principal/principal.ts';
import { refuse } from '../call/ending.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { FinderToolName } from '../catalogue/finder-tools.ts';
import type { CompleteToolResult, ToolCallContext, ToolProvider, ToolResult } from '../provider.ts';
import { errorCodeOf } from '../results/errors.ts';
import { schemaBlock } from './describe.ts';

type Arguments = Readonly<Record<string, unknown>>;

export interface InnerCall {
  readonly name: string;
  readonly args: Arguments;
}

interface CallParts {
  /** Provides the inner tool. */
  readonly tools: ToolProvider;
  readonly catalogue: Catalogue;
  readonly principal: Principal;
  readonly context: ToolCallContext;
}

const MAX_NEAREST = 3;

/** The inner call of one of the two tools; null for another tool, and if no inner tool is named. */
export function innerCallOf(name: string, { name: inner, arguments: args }: Arguments): InnerCall | null {
  if ((name !== 'call_reading_tool' && name !== 'call_writing_tool') || typeof inner !== 'string') return null;
  const isObject = typeof args === 'object' && args !== null && !Array.isArray(args);
  return { name: inner, args: isObject ? (args as Arguments) : {} };
}

/** Makes the call. The result of a wrong name or wrong arguments shows the right ones. */
export async function callInner(name: FinderToolName, args: Arguments, parts: CallParts): Promise<ToolResult> {
  const { tools, catalogue, principal, context } = parts;
  const inner = innerCallOf(name, args) ?? { name: '', args: {} };
  const entry = catalogue.find(inner.name);
  if (entry === undefined) return unknownTool(inner.name, parts);
  if (name === 'call_reading_tool' && !entry.tool.annotations.readOnlyHint) {
    const advice = 'Call it with call_writing_tool and the same name and arguments.';
    return refuse('invalid_arguments', { message: `${inner.name} writes, and call_reading_tool only reads.`, advice })
      .result;
  }
  const result = await tools.call(principal, inner.name, inner.args, context);
  if (result.resultType === 'input_required' || errorCodeOf(result) !== 'invalid_arguments') return result;
  return withSchema(result, inner.name, parts);
}

function unknownTool(name: string, parts: CallParts): CompleteToolResult {
  const nearest = parts.catalogue.nearest(name, parts.principal, MAX_NEAREST);
  const [first] = nearest;
  const meant = first === undefined ? '' : ` Did you mean ${nearest.join(' or ')}?`;
  const { result } = refuse('invalid_arguments', {
    message: `There is no tool ${JSON.stringify(name.slice(0, 128))}.${meant}`,
    advice: 'search_tools finds the available tools.',
  });
  return first === undefined ? result : withSchema(result, first, parts);
}

function withSchema(result: CompleteToolResult, name: string, { catalogue, principal }: CallParts): CompleteToolResult {
  const tool = catalogue.shown(name, principal);
  return tool === null ? result : { ...result, content: [...result.content, schemaBlock(tool)] };
}
