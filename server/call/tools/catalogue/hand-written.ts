/** The two kinds of tools: generated ones send one request, and the code of hand-written ones calls generated ones. */

import type { Connector, HandWrittenTool, Tool } from '../../../contract/index.ts';

/** A tool of either kind. */
export type AnyTool = Tool | HandWrittenTool;

export function isHandWritten(tool: AnyTool): tool is HandWrittenTool {
  return 'run' in tool;
}

/** All tools of a connector, sorted by name. */
export function allToolsOf({ tools, handWritten = [] }: Connector): readonly AnyTool[] {
  if (handWritten.length === 0) return tools;
  return [...tools, ...handWritten].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * The generated tools that a call of the tool may use: itself, or those that its code calls.
 *
 * @throws {Error} if the connector lacks one; codegen checks that it has them all.
 */
export function usedTools({ tools }: Connector, tool: AnyTool): readonly Tool[] {
  if (!isHandWritten(tool)) return [tool];
  return tool.uses.map((name) => {
    const used = tools.find((one) => one.name === name);
    if (used === undefined) throw new Error(`${tool.name} uses ${name}, which is no generated tool`);
    return used;
  });
}
