/** The generated connectors: the only place that reads `generated/`. */

import type { Connector } from '../../contract/index.ts';

/**
 * Loads every connector, sorted by name.
 *
 * The address is not a literal, so that `tsc` checks `generated/` under its own settings (`tsconfig.generated.json`)
 * and not under those of `server/` as well.
 */
export async function loadConnectors(): Promise<readonly Connector[]> {
  const address = new URL('../../../generated/index.ts', import.meta.url).href;
  const { connectors } = (await import(address)) as { connectors: readonly Connector[] };
  return connectors;
}
