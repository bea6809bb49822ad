/** Reads the settings for a command that belongs to no module. */

import { loadSettings as loadWith } from '../../server/cli/with-store.ts';
import type { Config } from '../../server/config/index.ts';
import type { Connector } from '../../server/contract/index.ts';
import { loadModules } from '../../server/modules/index.ts';

/** The settings of the gateway with all its modules; see `loadSettings` of `server/cli/`. */
export function loadSettings(connectors: readonly Connector[] = []): Config {
  return loadWith(loadModules(), connectors);
}
