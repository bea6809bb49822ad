import Koa from 'koa';
import { createGateway, createLog, isGatewayPath, loadConfig, loadConnectors } from 'unified-tool-gateway';

const connectors = await loadConnectors();
const config = loadConfig({ connectors });
const gateway = await createGateway({ config, connectors, log: createLog({ level: config.logLevel }) });

const app = new Koa();
// Before anything that reads bodies. `respond = false` leaves the answer to the gateway.
app.use(async (ctx, next) => {
  if (!isGatewayPath(ctx.originalUrl)) return next();
  ctx.respond = false;
  gateway.handle(ctx.req, ctx.res);
});
app.use((ctx) => {
  ctx.body = 'the application';
});
const server = app.listen(config.port, config.host);

process.once('SIGTERM', () => {
  gateway.beginStop();
  server.close(() => void gateway.close());
});
