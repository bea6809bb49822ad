/** The gateway with generated tools in addition to those that it ships with. */

import { createServer } from 'node:http';
import { createLog } from '../../../../server/base/http/log.ts';
import { loadConnectors } from '../../../../server/call/tools/catalogue/connectors.ts';
import { createGateway } from '../../../../server/gateway.ts';
import { loadConfig } from '../../../../server/index.ts';

await serveWideGateway(Number(process.env.BENCH_TOOLS));

/** Serves a gateway with this many tools: those of the generated connectors, repeated under new names. */
async function serveWideGateway(toolCount: number): Promise<void> {
  const shipped = await loadConnectors();
  const shippedCount = shipped.reduce((sum, { tools }) => sum + tools.length, 0);
  let remaining = toolCount;
  const take = <Item>(items: readonly Item[]): readonly Item[] => {
    const batch = items.slice(0, remaining);
    remaining -= batch.length;
    return batch;
  };
  const connectors = shipped.map((connector) => ({ ...connector, tools: take(connector.tools) }));
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
