/** What a program of its own may use of the gateway: the gateway itself, its settings, its connectors and its log. */

import type { Logger } from 'pino';
import type { Config } from './config/index.ts';
import type { Connector } from './contract/index.ts';
import { createGateway as createWhole } from './gateway.ts';
import type { RequestHandler } from './http/front.ts';

export { type Config, ConfigError, loadConfig } from './config/index.ts';
export type { Connector, Tool } from './contract/index.ts';
export { GATEWAY_PATHS, isGatewayPath } from './gateway-paths.ts';
export type { RequestHandler } from './http/front.ts';
export { createLog } from './http/log.ts';
export { loadConnectors, NoConnectorsError } from './tools/catalogue/connectors.ts';

/** What a gateway is made of. */
export interface GatewayOptions {
  readonly config: Config;
  /** Those whose tools are served. */
  readonly connectors: readonly Connector[];
  readonly log: Logger;
}

/** A gateway that does not listen. */
export interface Gateway {
  /** Answers one request of a `node:http` server. Nothing may have read its body. */
  readonly handle: RequestHandler;
  /** Answers one request of the dashboard's own listener (`ADMIN_LISTEN`); null: the dashboard is part of `handle`. */
  readonly handleAdmin: RequestHandler | null;
  /** From now on the gateway is not ready, and asks clients to use other connections. */
  beginStop(): void;
  /** Ends exchanges that are still open; for when the time for a graceful stop is over. */
  cutOff(): Promise<void>;
  /** Writes what is queued and closes the store. Requests must have ended. */
  close(): Promise<void>;
}

/**
 * Opens the store and puts a gateway together. It answers what `isGatewayPath` names, and `/`.
 *
 * @throws when the store cannot be opened, or `REQUIRE_REVIEWED` names nothing that can be read.
 */
export async function createGateway({ config, connectors, log }: GatewayOptions): Promise<Gateway> {
  const { handle, handleAdmin, beginStop, cutOff, close } = await createWhole({ config, connectors, log });
  return { handle, handleAdmin, beginStop, cutOff, close };
}
