/** `describe_tools`: the full list entries of tools. */

import type { Access } from '../../../base/principal/permission.ts';
import type { ToolFace } from '../../../contract/index.ts';
import { type Catalogue, toPublished } from '../catalogue/catalogue.ts';
import type { CompleteToolResult, ContentBlock } from '../provider.ts';
import { toJsonResult } from './json-result.ts';

const MAX_NEAREST = 3;

/** Describes tools as the list of that access shows them. Tools that it may not call count as unknown. */
export function describeTools(
  catalogue: Catalogue,
  access: Access,
  { names, answers }: Readonly<Record<string, unknown>>,
): CompleteToolResult {
  const asked = [...new Set((names as readonly string[]).map(String))];
  const shown = asked.map((name) => ({ name, tool: catalogue.shown(name, access) }));
  const unknown = shown.filter(({ tool }) => tool === null);
  return toJsonResult({
    tools: shown.flatMap(({ tool }) => (tool === null ? [] : [toDescription(tool, answers === true)])),
    ...(unknown.length === 0
      ? {}
      : { unknown: unknown.map(({ name }) => ({ name, nearest: catalogue.nearest(name, access, MAX_NEAREST) })) }),
  });
}

/** The input schema of a tool, for a caller that did not know it. */
export function schemaBlock(tool: ToolFace): ContentBlock {
  return { type: 'text', text: `What ${tool.name} takes: ${JSON.stringify(toDescription(tool, false))}` };
}

function toDescription(tool: ToolFace, withAnswers: boolean): object {
  return { ...toPublished(tool), ...(withAnswers ? {} : { outputSchema: undefined }) };
}
