/** Assembles the gateway from the core and its modules, and closes them in the reverse order. */

import type { Logger } from 'pino';
import { createApp, createPages, identityOf } from './app.ts';
import { needsUpstreamClient } from './base/credentials/kinds.ts';
import { createOperatorCheck } from './base/credentials/operator-proof.ts';
import { createValueSealer } from './base/credentials/sealed-value.ts';
import { listServicesWithoutClient, registerClientCommand } from './base/credentials/upstream-clients.ts';
import { requirePrincipal } from './base/http/authenticate.ts';
import { createChallenges, resourceOf } from './base/http/challenge.ts';
import type { RequestHandler } from './base/http/front.ts';
import { createAddressReader } from './base/http/origin.ts';
import type { Store } from './base/store/index.ts';
import { markAccessTokenUsed } from './base/store/repositories/access-tokens.ts';
import { createMcpEndpoint, type McpEndpoint } from './call/mcp/endpoint.ts';
import type { StreamLimits } from './call/mcp/list-streams.ts';
import type { ProgressTiming } from './call/mcp/open-calls.ts';
import { toAdditions } from './call/mcp/resources.ts';
import type { WaitingLimits } from './call/mcp/sessions.ts';
import type { Catalogue } from './call/tools/catalogue/catalogue.ts';
import { findProject } from './call/tools/catalogue/connectors.ts';
import { toServed } from './call/tools/catalogue/provenance.ts';
import { loadReviewed } from './call/tools/catalogue/reviewed.ts';
import { isScoped, withRules } from './call/tools/catalogue/withheld.ts';
import type { EndpointTools } from './call/tools/provider.ts';
import { withOAuthOrigin } from './call/upstream/oauth/origins.ts';
import { type Closing, createClosing } from './closing.ts';
import type { Config } from './config/index.ts';
import type { Connector } from './contract/index.ts';
import { type CoreOptions, type OpenCore, openCore } from './core.ts';
import { createListeners, type GatewayListener } from './listeners.ts';
import { configuredModules, type ListenerPages, type OpenModule, type StartLine, type Watch } from './module.ts';
import { openModules } from './open-modules.ts';
import { PRODUCT, SERVER_INFO, writeInstructions } from './product.ts';

/** The parts that a gateway is created from. */
export interface GatewayParts {
  /** As `loadConfig` read it; it names the modules. */
  readonly config: Config;
  /** The connectors to serve. */
  readonly connectors: readonly Connector[];
  readonly log: Logger;
}

/** `GatewayParts`, and parts that tests replace; the default of `now` is the system's clock. */
interface GatewayOptions
  extends GatewayParts,
    Partial<Pick<CoreOptions, 'now' | 'tools' | 'documents' | 'outgoing' | 'alone' | 'workers' | 'recordsEveryMs'>> {
  /** Times of calls that wait for their users. Default: ten minutes in all, asking the store every second. */
  readonly waiting?: Partial<WaitingLimits>;
  /** Limits of the streams that tell clients that their list has changed. Default: `STREAM_LIMITS`. */
  readonly streamLimits?: Partial<StreamLimits>;
  /** The intervals at which slow calls report their progress. Default: after two seconds, then every five. */
  readonly progress?: ProgressTiming;
}

/** A gateway that does not listen. */
export interface ServedGateway {
  /** Answers one request of a `node:http` server. Nothing may have read its body. */
  readonly handle: RequestHandler;
  /** Further addresses, which settings of its modules name, such as `ADMIN_LISTEN`. */
  readonly listeners: readonly GatewayListener[];
  /** From now on the gateway is not ready, and asks clients to use other connections. */
  beginStop(): void;
  /** Aborts exchanges that are still open when the time for a graceful stop is over. */
  cutOff(): Promise<void>;
  /** Writes what is queued and closes the store. Requests must have ended. */
  close(): Promise<void>;
}

/** `ServedGateway` with its store, for commands and tests. */
export interface Gateway extends ServedGateway {
  readonly store: Store;
  /** The tools that it serves. */
  readonly catalogue: Catalogue;
  /** Lines for the terminal of an operator who starts it. */
  readonly startLines: readonly StartLine[];
}

/**
 * Opens the core, then its modules, and returns the handlers of their requests.
 *
 * @throws when the store cannot be opened, or the reviewed tools or the key ring of a local run cannot be read.
 */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const { config, log, now = Date.now } = options;
  for (const warning of config.warnings) log.warn(warning);
  const closing = createClosing(log);
  const { connectors, unreviewed } = await chooseServed(options);
  const watch = await openWatch(options, closing);
  const core = await openCore({ ...options, connectors, unreviewed, now, watch, closing });
  const modules = await openModules(core.modules, { config, core, closing });
  closing.add('modules did not hear of the last calls', core.endedCalls.stop);
  watch?.observe(core, modules);
  await reportServicesWithoutClient(core.store, connectors, log);

  const stop = new AbortController();
  const { store } = core;
  const mcp = createEndpoint({ ...options, connectors, now }, core, { modules, watch, stopping: stop.signal });
  const isOperator = createOperatorCheck(core.keys, now);
  const shared = { log, store, stopping: stop.signal, isOperator, onAnswered: watch?.onAnswered };
  const app = createApp({
    ...shared,
    config,
    mcp: mcp.serve,
    routes: async () => {
      const { createRoutes } = await import('./routes.ts');
      const grantTypes = modules.flatMap((module) => module.grantTypes ?? []);
      const routesOfModules = await Promise.all(modules.map(({ routes }) => routes?.(modules, stop.signal) ?? []));
      // Last, because the core answers every well-known path that is left.
      return [...routesOfModules.flat(), ...createRoutes({ core, config, connectors, now, grantTypes })];
    },
    now,
    onFirstUse: config.refreshRetryMs === 0 ? undefined : (tokenId) => markAccessTokenUsed(store.db, tokenId, now()),
  });
  const observe = (handle: RequestHandler) => watch?.aroundHandler(handle) ?? handle;
  const addressOf = createAddressReader(config.trustedProxies, log);
  const servePages = (publicUrl: string, routes: ListenerPages['routes']) =>
    observe(
      createPages({ ...shared, config: { publicUrl }, addressOf, routes: () => routes(modules, stop.signal) }, null),
    );
  const listeners = [watch?.listener, ...modules.map(({ listener }) => listener)].filter(
    (listener) => listener != null,
  );
  return {
    handle: observe(app),
    listeners: createListeners(listeners, shared, servePages),
    store,
    catalogue: core.catalogue,
    startLines: modules.flatMap(({ startLine }) => startLine ?? []),
    beginStop() {
      stop.abort();
    },
    cutOff: () => mcp.close(),
    close: () => closing.close(),
  };
}

/** Returns the connectors that a review approved, with the origins that settings name and without the members that they withhold. */
async function chooseServed({ config, connectors, log }: GatewayParts): Promise<ReturnType<typeof toServed>> {
  const reviewedOf = config.requireReviewed === null ? null : await loadReviewed(config.requireReviewed, findProject());
  const { connectors: served, unreviewed } = toServed(connectors, reviewedOf);
  for (const refused of unreviewed) log.error(refused, 'what no review approved is not served');
  const rulesForEveryone = config.withhold.filter((rule) => !isScoped(rule));
  return {
    connectors: withRules(served, rulesForEveryone).map((connector) =>
      withOAuthOrigin(connector, config.oauthOrigins.get(connector.name)),
    ),
    unreviewed,
  };
}

/** Opens the module that watches the core. Without one, which is null, watching costs nothing. */
async function openWatch({ config, log, workers }: GatewayOptions, closing: Closing): Promise<Watch | null> {
  for (const { module, settings } of configuredModules(config)) {
    const context = { config, log, product: PRODUCT, workers: workers ?? null };
    const watch = (await module.watch?.(context, settings)) ?? null;
    if (watch === null) continue;
    closing.add('metrics and traces were not sent', watch.close);
    return watch;
  }
  return null;
}

/** Logs the services that no user can connect before the operator registers a client at their authorization server. */
async function reportServicesWithoutClient(
  { db }: Store,
  connectors: readonly Connector[],
  log: Logger,
): Promise<void> {
  const without = await listServicesWithoutClient(db, connectors);
  for (const connector of without.filter(({ credential }) => needsUpstreamClient(credential))) {
    log.info(
      { service: connector.name, fix: registerClientCommand(connector) },
      'no user can connect this service yet',
    );
  }
}

/** Creates the MCP endpoint, with what modules add to it. */
function createEndpoint(
  { config, connectors, log, now, waiting, streamLimits, progress }: GatewayOptions & { readonly now: () => number },
  core: OpenCore,
  { modules, watch, stopping }: { modules: readonly OpenModule[]; watch: Watch | null; stopping: AbortSignal },
): McpEndpoint {
  const identity = identityOf(config);
  const challenges = createChallenges(identity);
  const authenticate = requirePrincipal({ store: core.store, challenges, resource: resourceOf(identity), now });
  return createMcpEndpoint({
    tools: modules.reduce<EndpointTools>((tools, { aroundCalls }) => aroundCalls?.(tools) ?? tools, core.tools),
    serverInfo: core.serverIcons.length === 0 ? SERVER_INFO : { ...SERVER_INFO, icons: core.serverIcons },
    instructions: writeInstructions(connectors),
    logger: log,
    maxBodyBytes: config.maxBodyBytes,
    answerContent: config.answerContent,
    additions: [
      ...modules.flatMap((module) => module.mcp ?? []),
      ...toAdditions(modules.flatMap(({ resources }) => resources ?? [])),
    ],
    limit: core.callLimit,
    challenges,
    around: watch?.aroundMessage,
    progress,
    streamLimits,
    sessions: {
      db: core.store.db,
      now,
      stopping,
      limits: waiting,
      sealer: createValueSealer({ keys: core.keys, purpose: 'mcp session' }),
      authenticate: ({ request, host }) => authenticate(request.headers.authorization ?? '', '', host),
    },
  });
}
