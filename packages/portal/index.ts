/** The portal: a partner application that signs a company's people in. It listens nowhere itself. */

import type { Logger } from 'pino';
import { createPages as createFront } from '../../server/app.ts';
import { createValueSealer } from '../../server/base/credentials/sealed-value.ts';
import { createOutgoing } from '../../server/base/guarded-fetch/outgoing.ts';
import type { RequestHandler } from '../../server/base/http/front.ts';
import { createAddressReader } from '../../server/base/http/origin.ts';
import { createLocalLimits } from '../../server/base/limits/index.ts';
import { createPartnerClient, type PartnerClient } from '../partner/index.ts';
import { startChecks } from './checks/checks.ts';
import type { GatewaySettings, PortalConfig } from './config.ts';
import { createPages, type PortalExtras } from './pages/index.ts';
import type { PortalParts } from './parts.ts';
import { createPortalRouter } from './router.ts';
import { createProviderClient } from './sign-in/routes.ts';
import { createSessions } from './sign-in/sessions.ts';
import { openTables } from './store/open.ts';
import { People } from './store/people.ts';
import { PORTAL_TABLES, type PortalDatabase } from './store/tables.ts';

export interface PortalOptions {
  readonly config: PortalConfig;
  readonly log: Logger;
  /** What is added to the pages of `pages/`, such as those of the demo. Default: nothing. */
  readonly extras?: PortalExtras;
  /** Milliseconds since 1970. Default: the system's clock. */
  readonly now?: () => number;
}

/** A portal that can answer requests. */
export interface Portal {
  readonly handle: RequestHandler;
  /** Checks everyone whose check is due at the provider, which also happens each second. Resolves when that is done. */
  checkPeople(): Promise<void>;
  /** Reports not ready from now on. */
  beginStop(): void;
  /** Lets running checks end, and closes the store. */
  close(): Promise<void>;
}

/** Longest wait for an answer of the gateway. */
const GATEWAY_TIMEOUT_MS = 15_000;

/** Creates the client of the partner API. A request that is not answered in time fails. */
export function createGatewayClient({ url, clientId, clientSecret }: GatewaySettings): PartnerClient {
  return createPartnerClient(
    url,
    { clientId, clientSecret },
    { fetch: (request) => fetch(request, { signal: AbortSignal.timeout(GATEWAY_TIMEOUT_MS) }) },
  );
}

/** Opens the portal's store and connects it with the provider and the gateway. @throws {StoreUnavailableError} for its store. */
export async function openPortal({ config, log, extras, now = Date.now }: PortalOptions): Promise<Portal> {
  const stopping = new AbortController();
  const store = await openTables<PortalDatabase>({
    url: config.databaseUrl,
    setting: 'PORTAL_DATABASE_URL',
    set: PORTAL_TABLES,
    onError: (error) => log.error({ err: error }, 'a connection to the database broke'),
  });
  const outgoing = createOutgoing({ networks: config.networks });
  const people = new People(store.db, createValueSealer({ keys: config.keys, purpose: 'portal refresh token' }));
  const sessions = createSessions({ people, publicUrl: config.publicUrl, now });
  const { publicUrl, provider } = config;
  const client = provider === null ? null : createProviderClient(provider, { publicUrl, outgoing, now });
  const partner = createGatewayClient(config.gateway);
  const parts: PortalParts = { config, people, sessions, partner, client, outgoing, now };
  const limits = createLocalLimits(now);
  const checks = provider === null || client === null ? null : startChecks({ ...parts, client, provider, log });
  const handle = createFront(
    {
      config: { publicUrl },
      log,
      addressOf: createAddressReader(config.trustedProxies, log),
      stopping: stopping.signal,
      store,
      routes: () => [createPortalRouter(parts, createPages(extras), limits)],
    },
    null,
  );
  return {
    handle,
    checkPeople: async () => checks?.runDue(),
    beginStop: () => stopping.abort(),
    async close() {
      stopping.abort();
      await checks?.close();
      await outgoing.destroy();
      await store.close();
    },
  };
}
