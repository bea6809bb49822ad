/** A gateway with a library, and portals next to it, all in this process. */

import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { PortalConfig } from '../../packages/portal/config.ts';
import { openPortal, type Portal } from '../../packages/portal/index.ts';
import { parseRules } from '../../packages/portal/rules/load.ts';
import { createLog } from '../../server/base/http/log.ts';
import { findPartnerByClientId } from '../../server/base/store/repositories/partners.ts';
import { addPartnerSecret } from '../../server/identity/partners/secrets.ts';
import { fakeConnector, fakeTool } from './fake-connector.ts';
import { type GatewayOptions, type RunningGateway, startGateway } from './gateway.ts';
import { keyBytes } from './keys.ts';
import { DATABASES } from './migrated-database.ts';
import { postRpc } from './post-rpc.ts';

export interface RunningPortal {
  readonly origin: string;
  readonly portal: Portal;
  close(): Promise<void>;
}

export interface PortalWorld {
  readonly gateway: RunningGateway;
  readonly gatewayOrigin: string;
  /** Of the partner `test`, which the portals are. */
  readonly partnerSecret: string;
  /** Tools that a token of the person `ada` lists. */
  tools(): Promise<string[]>;
  /** The answer of a call with that token. */
  call(tool: string): Promise<string>;
  /** Reserves the address of a portal. */
  listen(): Promise<{ readonly server: Server; readonly origin: string }>;
  /** Opens a portal at a reserved address. */
  open(
    at: { readonly server: Server; readonly origin: string },
    config: Partial<PortalConfig> & Pick<PortalConfig, 'databaseUrl'>,
    more?: { readonly now?: () => number },
  ): Promise<RunningPortal>;
  close(): Promise<void>;
}

export const RULES = parseRules(
  `groups:
  staff: { services: [library] }
  writers: { services: [library], effects: [reads, writes], approval: [destroy] }
  admins: { effects: [reads, writes, destroys], admin: true }
`,
  'rules.yaml',
);

const DESTROYS = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true };

/** A gateway that serves three tools of a library: one reads, one writes, one destroys. */
export const LIBRARY: GatewayOptions = {
  connectors: [
    fakeConnector({
      tools: [
        fakeTool({ name: 'library_find' }),
        fakeTool({ name: 'library_lend', method: 'POST' }),
        fakeTool({ name: 'library_burn', method: 'DELETE', more: { annotations: DESTROYS } }),
      ],
    }),
  ],
  secretOf: () => '',
};

/** Starts a portal with the sample people, its gateway, and a folder for its store. Closing it ends all three. */
export async function startSamplePortal(): Promise<RunningPortal> {
  const world = await startPortalWorld();
  const folder = await mkdtemp(join(DATABASES, 'portal-'));
  const portal = await world.open(await world.listen(), { databaseUrl: `sqlite:${join(folder, 'portal.sqlite')}` });
  return {
    ...portal,
    async close() {
      await portal.close();
      await world.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** @param options of the gateway. Default: it serves the library. */
export async function startPortalWorld(options: GatewayOptions = LIBRARY): Promise<PortalWorld> {
  const gateway = await startGateway(options);
  const gatewayOrigin = options.env?.PUBLIC_URL ?? gateway.listensAt;
  const row = (await findPartnerByClientId(gateway.store.db, 'test'))!;
  const clientSecret = await gateway.store.db
    .transaction()
    .execute((transaction) => addPartnerSecret(transaction, { partnerId: row.id, now: Date.now() }));
  const rpc = async (method: string, params: object) => {
    const text = await (await postRpc(gateway, method, params)).text();
    return text.includes('data: ') ? (/data: (.*)/.exec(text)?.[1] ?? '') : text;
  };
  return {
    gateway,
    gatewayOrigin,
    partnerSecret: clientSecret,
    async tools() {
      const { result } = JSON.parse(await rpc('tools/list', {}));
      const names = (result.tools as { name: string }[]).map(({ name }) => name);
      return names.filter((name) => name.startsWith('library_'));
    },
    call: (tool) => rpc('tools/call', { name: tool, arguments: {} }),
    async listen() {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
    },
    async open({ server, origin }, config, more = {}) {
      const portal = await openPortal({
        config: {
          publicUrl: origin,
          gateway: { url: gatewayOrigin, clientId: 'test', clientSecret },
          provider: null,
          rules: RULES,
          keys: [{ id: 'test', key: keyBytes(1) }],
          trustedProxies: [],
          networks: ['127.0.0.0/8', '::1'],
          checkSeconds: 600,
          graceSeconds: 3600,
          ...config,
        },
        log: createLog({ level: process.env.PORTAL_TEST_LOG ?? 'silent' }),
        ...more,
      });
      server.on('request', portal.handle);
      return {
        origin,
        portal,
        async close() {
          server.closeAllConnections();
          await new Promise((resolve) => server.close(resolve));
          await portal.close();
        },
      };
    },
    close: () => gateway.close(),
  };
}
