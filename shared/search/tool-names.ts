/** Names of the gateway's own tools, which no connector may take. */

export const FINDER_TOOL_NAMES = ['search_tools', 'describe_tools', 'call_reading_tool', 'call_writing_tool'] as const;
export type FinderToolName = (typeof FINDER_TOOL_NAMES)[number];

/** The tool of module uploads that asks for an upload. */
export const UPLOAD_TOOL_NAME = 'gateway_request_upload';

const NAMES: ReadonlySet<string> = new Set(FINDER_TOOL_NAMES);

export function isFinderToolName(name: string): name is FinderToolName {
  return NAMES.has(name);
}
