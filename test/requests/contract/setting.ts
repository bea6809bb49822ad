/** The gateway and the sandbox that contract tests run against. */

import { resolve } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { type OpenSandbox, openSandbox } from '../../../sandbox/index.ts';
import type { Connector } from '../../../server/contract/index.ts';
import { startGateway } from '../../support/gateway.ts';
import { connectClient } from '../../support/mcp-client.ts';
import { uncapped } from '../uncapped.ts';

export const ROOT = resolve(import.meta.dirname, '../../..');

export interface Setting {
  readonly client: Client;
  readonly sandbox: OpenSandbox;
  close(): Promise<void>;
}

/** Cursors are any text there, so they are drawn and compared too. */
export async function startSetting(connectors: readonly Connector[]): Promise<Setting> {
  const services = connectors.map(({ name }) => name);
  const sandbox = await openSandbox({ root: ROOT, services, credential: 'sandbox-key', paging: false });
  const gateway = await startGateway({
    connectors: uncapped(connectors),
    env: Object.assign({}, ...Object.values(sandbox.environment)),
    secretOf: () => 'sandbox-key',
  });
  const client = await connectClient(gateway);
  await client.listTools();
  return {
    client,
    sandbox,
    async close() {
      await client.close();
      await gateway.close();
      await sandbox.close();
    },
  };
}
