import express from 'express';
import { createGateway, createLog, isGatewayPath, loadConfig, loadConnectors } from 'unified-tool-gateway';

const connectors = await loadConnectors();
const config = loadConfig({ connectors });
const gateway = await createGateway({ config, connectors, log: createLog({ level: config.logLevel }) });

const app = express();
// Before express.json() and the like: the gateway reads the body itself.
app.use((request, response, next) => {
  if (isGatewayPath(request.originalUrl)) gateway.handle(request, response);
  else next();
});
app.get('/', (_, response) => void response.send('the application'));
const server = app.listen(config.port, config.host);

process.once('SIGTERM', () => {
  gateway.beginStop();
  server.close(() => void gateway.close());
});
