/** Runs a gateway as `npm start` does, for tests in which several of them share one SQLite file. */

import { createServer } from 'node:http';
import { createLog } from '../../server/base/http/log.ts';
import type { Connector } from '../../server/contract/index.ts';
import { createGateway } from '../../server/gateway.ts';
import { loadConfig } from '../../server/index.ts';

export async function runSharingGateway(connectors: readonly Connector[]): Promise<void> {
  const config = loadConfig({ connectors });
  const log = createLog({ level: config.logLevel });
  const gateway = await createGateway({ config, connectors, log, alone: false });
  const server = createServer(gateway.handle);
  server.listen(config.port, config.host, () => log.info({ port: config.port }, 'listening'));
  process.once('SIGTERM', async () => {
    gateway.beginStop();
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), config.stopTimeoutMs).unref();
    await closed;
    await gateway.close();
    process.exit(0);
  });
}
