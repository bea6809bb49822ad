/** What a program that embeds the gateway may use: the gateway itself, its settings, its connectors and its log. */

import { createGateway as createWhole, type GatewayParts, type ServedGateway } from './gateway.ts';

export type { RequestHandler } from './base/http/front.ts';
export { createLog } from './base/http/log.ts';
export { loadConnectors, NoConnectorsError } from './call/tools/catalogue/connectors.ts';
export { type Config, ConfigError, loadConfig } from './config/index.ts';
export type { Connector, Tool } from './contract/index.ts';
export type { GatewayParts as GatewayOptions, ServedGateway as Gateway } from './gateway.ts';
export { GATEWAY_PATHS, isGatewayPath } from './gateway-paths.ts';

/**
 * Opens the store and creates a gateway. It answers the paths of `isGatewayPath`, and `/`.
 *
 * @throws when the store cannot be opened, or the file or revision of `REQUIRE_REVIEWED` cannot be read.
 */
export async function createGateway({ config, connectors, log }: GatewayParts): Promise<ServedGateway> {
  const { store: _, ...served } = await createWhole({ config, connectors, log });
  return served;
}
