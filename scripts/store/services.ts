/** Loads the generated services for a command. */

import { FailureError } from '../../cli/run.ts';
import type { Connector } from '../../server/contract/index.ts';
import { loadConnectors, NoConnectorsError } from '../../server/tools/catalogue/connectors.ts';

/** @param root see `loadConnectors`. @throws {FailureError} if none were generated. */
export async function loadServices(root?: string): Promise<readonly Connector[]> {
  try {
    return await loadConnectors(root);
  } catch (error) {
    throw error instanceof NoConnectorsError ? new FailureError(error.message) : error;
  }
}
