/** The call that proves that a credential works. */

import type { Connector, Tool } from '../../contract/index.ts';

/** A tool, and the arguments to call it with. */
interface VerifyingTool {
  readonly tool: Tool;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The connector's verifying call; null if it has none. */
export function findVerifyingTool(connector: Connector): VerifyingTool | null {
  const { verify } = connector;
  const tool = verify === null ? undefined : connector.tools.find(({ name }) => name === verify.tool);
  return verify === null || tool === undefined ? null : { tool, arguments: verify.arguments };
}
