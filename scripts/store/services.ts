/** Loads the generated services for a command. */

import { loadConnectors, NoConnectorsError } from '../../server/call/tools/catalogue/connectors.ts';
import type { Connector } from '../../server/contract/index.ts';
import { FailureError } from '../../shared/cli/run.ts';

/** @param root see `loadConnectors`. @throws {FailureError} if none were generated. */
export async function loadServices(root?: string): Promise<readonly Connector[]> {
  try {
    return await loadConnectors(root);
  } catch (error) {
    throw error instanceof NoConnectorsError ? new FailureError(error.message) : error;
  }
}
