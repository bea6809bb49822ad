/** The entry for a program that embeds the gateway: the gateway itself, its settings, its connectors and its log. */

import { describeVariables as describeWith, type VariableDescription } from './config/describe.ts';
import { type Config, type ConfigSource, loadConfig as loadWith } from './config/index.ts';
import type { Connector } from './contract/index.ts';
import { createGateway as createServedGateway, type GatewayParts, type ServedGateway } from './gateway.ts';
import type { AnyModule } from './module.ts';
import { loadModules } from './modules/index.ts';

export type { RequestHandler } from './base/http/front.ts';
export { createLog } from './base/http/log.ts';
export { loadConnectors, NoConnectorsError } from './call/tools/catalogue/connectors.ts';
export { type Config, ConfigError } from './config/index.ts';
export type { Connector, Tool } from './contract/index.ts';
export type { GatewayParts as GatewayOptions, ServedGateway as Gateway } from './gateway.ts';
export { GATEWAY_PATHS, isGatewayPath } from './gateway-paths.ts';
export type { GatewayListener } from './listeners.ts';

/**
 * Opens the store and creates a gateway. It answers the paths of `isGatewayPath`, and `/`.
 *
 * @throws when the store cannot be opened, or the file or revision of `REQUIRE_REVIEWED` cannot be read.
 */
export async function createGateway({ config, connectors, log }: GatewayParts): Promise<ServedGateway> {
  const { store: _, catalogue: __, ...served } = await createServedGateway({ config, connectors, log });
  return served;
}

/** The sources of settings, and the modules of the gateway. */
export interface SettingsSource extends Omit<ConfigSource, 'modules'> {
  /** Default: those that ship with the gateway, and those of the project. */
  readonly modules?: readonly AnyModule[];
}

/**
 * Reads the settings. An empty variable counts as not set.
 *
 * @throws {ConfigError} with every problem.
 */
export function loadConfig(source: SettingsSource): Config {
  return loadWith({ modules: loadModules(), ...source });
}

/** Every variable that the gateway reads: first its settings, then the base URLs of the connectors. */
export function describeVariables(
  connectors: readonly Connector[],
  modules: readonly AnyModule[] = loadModules(),
): VariableDescription[] {
  return describeWith(connectors, modules);
}
