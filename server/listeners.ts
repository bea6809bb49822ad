/** The listeners that modules ask for. Modules that name one address share it. */

import type { RequestHandler } from './base/http/front.ts';
import type { HealthDependencies } from './base/http/health.ts';
import type { ListenAddress } from './config/values.ts';
import type { Listener, ListenerPages } from './module.ts';

/** An address to listen on, and what answers there. */
export interface GatewayListener {
  /** The setting that names it. */
  readonly setting: string;
  readonly address: ListenAddress;
  /** Answers one request of a `node:http` server. */
  readonly handle: RequestHandler;
  /** Lines for the log once it listens. */
  readonly said: readonly Listener['said'][];
}

/**
 * Creates the handlers.
 *
 * @param servePages creates the handler of pages, with the checks of every page.
 */
export function serveListeners(
  listeners: readonly Listener[],
  health: HealthDependencies,
  servePages: (publicUrl: string, routes: ListenerPages['routes']) => RequestHandler,
): GatewayListener[] {
  const byAddress = Map.groupBy(listeners, ({ address: { host, port } }) => `${host} ${port}`);
  return [...byAddress.values()].flatMap((sharing) => {
    const [first] = sharing;
    if (first === undefined) return [];
    const handlers = sharing.map(({ path, serve }) => ({
      path: sharing.length === 1 ? undefined : path,
      handle: typeof serve === 'function' ? serve(health) : servePages(serve.publicUrl, serve.routes),
    }));
    const { setting } = sharing.find(({ path }) => path === undefined) ?? first;
    return { setting, address: first.address, handle: choose(handlers), said: sharing.map(({ said }) => said) };
  });
}

/** The handler of the request's path; without one, the handler of every path. */
function choose(
  handlers: readonly { readonly path: string | undefined; readonly handle: RequestHandler }[],
): RequestHandler {
  const [only] = handlers;
  if (only !== undefined && handlers.length === 1) return only.handle;
  const ofEveryPath = handlers.find(({ path }) => path === undefined)?.handle;
  return (request, response) => {
    const path = request.url?.split('?', 1)[0];
    const handle = handlers.find((each) => each.path === path)?.handle ?? ofEveryPath;
    if (handle === undefined) response.writeHead(404).end();
    else handle(request, response);
  };
}
