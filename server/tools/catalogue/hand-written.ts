/** The two kinds of tools: those that send one request, and those that call them by code of ours. */

import type { Connector, HandWrittenTool, Tool } from '../../contract/index.ts';

/** A tool of either kind. */
export type AnyTool = Tool | HandWrittenTool;

export function isHandWritten(tool: AnyTool): tool is HandWrittenTool {
  return 'run' in tool;
}

/** Every tool of a connector, sorted by name. */
export function allToolsOf({ tools, handWritten = [] }: Connector): readonly AnyTool[] {
  if (handWritten.length === 0) return tools;
  return [...tools, ...handWritten].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * The generated tools that a call of the tool may make: itself, or those that it uses.
 *
 * @throws {Error} where the connector lacks one: codegen checks that it has them all.
 */
export function usedTools({ tools }: Connector, tool: AnyTool): readonly Tool[] {
  if (!isHandWritten(tool)) return [tool];
  return tool.uses.map((name) => {
    const used = tools.find((one) => one.name === name);
    if (used === undefined) throw new Error(`${tool.name} uses ${name}, which is no generated tool`);
    return used;
  });
}
