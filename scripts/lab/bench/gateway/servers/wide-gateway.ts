/** The gateway with generated tools in addition to those that it ships with, of which one takes a file. */

import { createServer } from 'node:http';
import { createLog } from '../../../../../server/base/http/log.ts';
import { loadConnectors } from '../../../../../server/call/tools/catalogue/connectors.ts';
import type { Tool } from '../../../../../server/contract/index.ts';
import { createGateway } from '../../../../../server/gateway.ts';
import { loadConfig } from '../../../../../server/index.ts';
import { FILE_TOOL } from '../gateway-process.ts';

await serveWideGateway(Number(process.env.BENCH_TOOLS));

/** None of the shipped tools takes a file. */
function withFile(tool: Tool): Tool {
  const data = { type: 'string', description: 'The file in base64.', contentEncoding: 'base64' } as const;
  const properties = { ...(tool.inputSchema.properties as object), data };
  return tool.name === FILE_TOOL ? { ...tool, inputSchema: { ...tool.inputSchema, properties } } : tool;
}

/** Serves a gateway with this many tools: those of the generated connectors, repeated under new names. */
async function serveWideGateway(toolCount: number): Promise<void> {
  const shipped = await loadConnectors();
  const shippedCount = shipped.reduce((sum, { tools }) => sum + tools.length, 0);
  let left = toolCount;
  const take = <Item>(items: readonly Item[]): readonly Item[] => {
    const taken = items.slice(0, left);
    left -= taken.length;
    return taken;
  };
  const connectors = shipped.map((connector) => ({ ...connector, tools: take(connector.tools.map(withFile)) }));
  for (let copy = 2; copy <= Math.ceil(toolCount / shippedCount); copy += 1) {
    for (const [index, connector] of connectors.entries()) {
      const copies = (shipped[index]?.tools ?? []).map((tool) => ({ ...tool, name: `${tool.name}_${copy}` }));
      connectors[index] = { ...connector, tools: [...connector.tools, ...take(copies)] };
    }
  }
  const config = loadConfig({ connectors });
  const gateway = await createGateway({ config, connectors, log: createLog({ level: config.logLevel }) });
  createServer(gateway.handle).listen(config.port, config.host);
  process.on('SIGTERM', () => process.exit());
}
