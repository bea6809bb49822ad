import { createServer } from 'node:http';
import { createGateway, createLog, isGatewayPath, loadConfig, loadConnectors } from 'unified-tool-gateway';

const connectors = await loadConnectors();
const config = loadConfig({ connectors });
const gateway = await createGateway({ config, connectors, log: createLog({ level: config.logLevel }) });

const server = createServer((request, response) => {
  if (isGatewayPath(request.url ?? '')) gateway.handle(request, response);
  else response.end('the application');
});
server.listen(config.port, config.host);

process.once('SIGTERM', () => {
  gateway.beginStop();
  server.close(() => void gateway.close());
});
