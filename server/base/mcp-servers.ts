/** Connectors of remote MCP servers. */

import type { Connector } from '../contract/index.ts';

/** True if the tools of a connector are those of an MCP server, and not operations of an HTTP API. */
export function isMcpServer({ tools }: Connector): boolean {
  return tools.some(({ call }) => call !== undefined);
}
