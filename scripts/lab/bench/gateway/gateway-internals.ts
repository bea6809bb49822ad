/**
 * Everything that the benchmark uses from inside the gateway: what an operator's commands do, and a server with extra tools.
 */

import { hash } from 'node:crypto';
import { createServer } from 'node:http';
import { MCP_PATH } from '../../../../server/app.ts';
import { createCredentialVault } from '../../../../server/base/credentials/index.ts';
import { createLog } from '../../../../server/base/http/log.ts';
import { openStore } from '../../../../server/base/store/index.ts';
import { loadConnectors } from '../../../../server/call/tools/catalogue/connectors.ts';
import { createGateway } from '../../../../server/gateway.ts';
import { loadConfig } from '../../../../server/index.ts';
import { seedUser } from '../../../demo/seed.ts';
import { CREDENTIAL } from './call.ts';

export { MCP_PATH };

/** Encrypts the stored credentials: `ENCRYPTION_KEYS` of every measured gateway. */
export const ENCRYPTION_KEYS = `bench:${hash('sha256', 'key of the benchmarks', 'base64')}`;

/** Adds users who are connected to every service to a database, and returns one access token per user. */
export async function seedUsers(options: {
  readonly databaseUrl: string;
  readonly publicUrl: string;
  readonly count: number;
}): Promise<string[]> {
  const connectors = await loadConnectors();
  const env = { PUBLIC_URL: options.publicUrl, DATABASE_URL: options.databaseUrl, ENCRYPTION_KEYS };
  const config = loadConfig({ connectors, env });
  const store = await openStore({ url: config.databaseUrl });
  const tokens: string[] = [];
  try {
    for (let index = 1; index <= options.count; index += 1) {
      const { token } = await seedUser({
        store,
        vault: createCredentialVault({ keys: config.encryptionKeys ?? [] }),
        partner: 'bench',
        user: `user-${index}`,
        connectors,
        secretOf: () => CREDENTIAL,
        resource: config.publicUrl + MCP_PATH,
        now: Date.now(),
      });
      tokens.push(token);
    }
  } finally {
    await store.close();
  }
  return tokens;
}

/** Serves a gateway with this many tools: those of the generated connectors, repeated under new names. */
export async function serveWideGateway(toolCount: number): Promise<void> {
  const shipped = await loadConnectors();
  const shippedCount = shipped.reduce((sum, { tools }) => sum + tools.length, 0);
  let left = toolCount;
  const take = <Item>(items: readonly Item[]): readonly Item[] => {
    const taken = items.slice(0, left);
    left -= taken.length;
    return taken;
  };
  const connectors = shipped.map((connector) => ({ ...connector, tools: take(connector.tools) }));
  for (let copy = 2; copy <= Math.ceil(toolCount / shippedCount); copy += 1) {
    for (const [index, connector] of connectors.entries()) {
      const copies = (shipped[index]?.tools ?? []).map((tool) => ({ ...tool, name: `${tool.name}_${copy}` }));
      connectors[index] = { ...connector, tools: [...connector.tools, ...take(copies)] };
    }
  }
  const config = loadConfig({ connectors });
  const gateway = await createGateway({ config, connectors, log: createLog({ level: config.logLevel }) });
  createServer(gateway.handle).listen(config.port, config.host);
  process.on('SIGTERM', () => process.exit());
}
