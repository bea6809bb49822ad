import type { Connector } from '../../server/contract/index.ts';

/** Connectors whose calls wait for no cap: what is tested is each request, not how many there may be. */
export function uncapped(connectors: readonly Connector[]): Connector[] {
  return connectors.map(({ caps: _, ...connector }) => connector);
}
