/** The settings, and the store next to a running gateway, for all commands that belong to no module. */

import type { Store } from '../../server/base/store/index.ts';
import { loadSettings as loadWith, withStore } from '../../server/cli/with-store.ts';
import type { Config } from '../../server/config/index.ts';
import type { Connector } from '../../server/contract/index.ts';
import { loadModules } from '../../server/modules/index.ts';

/** The settings of the gateway with all its modules; see `loadSettings` of `server/cli/`. */
export function loadSettings(connectors: readonly Connector[] = []): Config {
  return loadWith(loadModules(), connectors);
}

/** An action that works on the store with the options of its command, while the gateway runs. */
export function withOpenStore<T>(
  work: (store: Store, options: T, config: Config) => Promise<void>,
): (options: T) => Promise<void> {
  return (options) => {
    const config = loadSettings();
    return withStore(config, (store) => work(store, options, config));
  };
}
