/** Checks MCP servers without a credential: whether they answer, and whether their tools are as reviewed. */

import { type CheckResult, error, ok, warning } from '../../base/checks.ts';
import type { Reach } from '../../base/guarded-fetch/reach.ts';
import type { Connector } from '../../contract/index.ts';
import { USER_AGENT } from '../../product.ts';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 4 * 1024 * 1024;
/** Names in one finding. */
const MAX_NAMES = 5;

/** Compares the definitions of the tools at a server with the reviewed ones. @param url of its MCP endpoint. */
export async function checkMcpServer(connector: Connector, url: string, { guarded }: Reach): Promise<CheckResult> {
  const [{ McpSession }, { createExchangeFetch }, { RefusedByServer }] = await Promise.all([
    import('../../call/upstream/mcp/session.ts'),
    import('../../call/upstream/mcp/exchange-fetch.ts'),
    import('../../call/upstream/mcp/exchange.ts'),
  ]);
  const { name, tools } = connector;
  const { host } = new URL(url);
  const [product = '', version = '0'] = USER_AGENT.split('/');
  const fetch = createExchangeFetch({ dispatcher: guarded.dispatcher, maxBytes: MAX_BYTES });
  const deps = { fetch, clientInfo: { name: product, version }, timeoutMs: TIMEOUT_MS, now: Date.now };
  try {
    const session = await McpSession.open({ url, headers: { 'user-agent': USER_AGENT } }, deps);
    try {
      const changed: string[] = [];
      for (const { call } of tools) {
        if (call === undefined) continue;
        const live = await session.definitionOf(call.tool);
        if (live?.digest !== call.definition) changed.push(call.tool);
      }
      if (changed.length === 0) return ok(`${host} is an MCP server, and its tools are as reviewed`);
      const names = changed.slice(0, MAX_NAMES).join(', ') + (changed.length > MAX_NAMES ? ', ...' : '');
      return warning(
        `${host} has changed or removed ${changed.length} of ${tools.length} tools since they were reviewed: ${names}`,
        `run "utg update ${name}", and review what has changed`,
      );
    } finally {
      await session.close();
    }
  } catch (problem) {
    const status = problem instanceof RefusedByServer ? problem.answer.status : null;
    if (status === 401 || status === 403) {
      return ok(`${host} asks for a credential (${status}), so its tools are not compared here`);
    }
    const answer = status === null ? '' : ` (${status})`;
    return error(
      `${host} does not answer as an MCP server${answer}`,
      `compare the base URL with "url" in specs/${name}/mcp.json`,
    );
  }
}
