/** The listeners that modules add to the gateway's own, such as that of the dashboard or of metrics. */

import type { RequestHandler } from './base/http/front.ts';
import type { HealthDependencies } from './base/http/health.ts';
import type { ListenAddress } from './config/values.ts';
import type { Listener, ListenerPages } from './module.ts';

/** An address to listen on, and the handler of its requests. */
export interface GatewayListener {
  /** The setting that names the address. */
  readonly setting: string;
  readonly address: ListenAddress;
  /** Answers one request of a `node:http` server. */
  readonly handle: RequestHandler;
  /** Lines for the log once it listens. */
  readonly startupLog: readonly Listener['startupLog'][];
}

/**
 * Creates one listener for each address.
 *
 * @param servePages creates the handler of pages, with the checks of every page.
 */
export function createListeners(
  listeners: readonly Listener[],
  health: HealthDependencies,
  servePages: (publicUrl: string, routes: ListenerPages['routes']) => RequestHandler,
): GatewayListener[] {
  const byAddress = Map.groupBy(listeners, ({ address: { host, port } }) => `${host} ${port}`);
  return [...byAddress.values()].map((sharing) => {
    const mainListener = sharing.find(({ path }) => path === undefined) ?? (sharing[0] as Listener);
    const handlers = sharing.map(({ path, serve }) => {
      const handle = typeof serve === 'function' ? serve(health) : servePages(serve.publicUrl, serve.routes);
      return { path, handle };
    });
    return {
      setting: mainListener.setting,
      address: mainListener.address,
      handle: routeByPath(handlers),
      startupLog: sharing.map(({ startupLog }) => startupLog),
    };
  });
}

/** Sends each request to the handler of its path, or to the handler without a path. A sole handler gets every request. */
function routeByPath(handlers: readonly { path: string | undefined; handle: RequestHandler }[]): RequestHandler {
  const [only] = handlers;
  if (only !== undefined && handlers.length === 1) return only.handle;
  const fallback = handlers.find(({ path }) => path === undefined)?.handle;
  return (request, response) => {
    const path = request.url?.split('?', 1)[0];
    const handle = handlers.find((handler) => handler.path === path)?.handle ?? fallback;
    if (handle === undefined) response.writeHead(404).end();
    else handle(request, response);
  };
}
