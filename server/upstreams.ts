/** Opens the upstreams of each realm: requests of calls, sign-ins, renewals and revocations. */

import type { CredentialVault } from './base/credentials/index.ts';
import {
  registerClientCommand,
  type UpstreamClient,
  type UpstreamClients,
} from './base/credentials/upstream-clients.ts';
import type { Outgoing } from './base/guarded-fetch/outgoing.ts';
import { createUpstreamSlots } from './base/limits/upstream-slots.ts';
import type { PerRealm } from './base/per-realm.ts';
import { type AnyEvent, addSubscriber } from './base/store/events.ts';
import type { Store } from './base/store/index.ts';
import { findRealm } from './base/store/repositories/partners.ts';
import type { Executor } from './base/store/schema.ts';
import type { Workers } from './base/workers/worker.ts';
import { type CircuitFigures, type CircuitsOfOthers, createCircuits, reportCircuit } from './call/upstream/circuits.ts';
import { createUpstream, type Upstream } from './call/upstream/index.ts';
import { createCredentialOpener, createLeases, type IdleLeases, type Leases } from './call/upstream/lease.ts';
import { createUpstreamOAuth } from './call/upstream/oauth/index.ts';
import { registerAgain } from './call/upstream/oauth/registration.ts';
import { createRevocations } from './call/upstream/oauth/revocation.ts';
import { createRealmUpstreams, type RealmUpstreams } from './call/upstream/realms.ts';
import type { Closing } from './closing.ts';
import { describeClientOf } from './connect/client-metadata.ts';
import type { GatewayFacts, Watch } from './module.ts';
import { USER_AGENT } from './product.ts';

/** Sessions at MCP servers of all workers of this gateway. */
const MAX_MCP_SESSIONS = 1000;

/** Topic of the workers: row id of a removed connection. */
const REMOVED_CONNECTION = 'removed connection';

/** See `CoreOptions`. */
interface UpstreamsOptions extends GatewayFacts {
  readonly workers?: Workers | undefined;
  readonly watch: Watch | null;
  readonly closing: Closing;
}

interface UpstreamsState {
  readonly vault: CredentialVault;
  readonly store: Store;
  readonly upstreamClients: UpstreamClients;
}

/** The requests to services, with the credentials that they need. */
export function openUpstreams(
  { config, log, now, connectors, watch, closing, workers }: UpstreamsOptions,
  { vault, store, upstreamClients }: UpstreamsState,
  outgoing: Outgoing,
) {
  const circuits = createCircuits({
    maxInFlight: Math.floor(config.upstreamConcurrency / (workers?.count ?? 1)),
    now,
    ...(workers && { others: circuitsOfOtherWorkers(workers) }),
    onChange: (figures) => {
      reportCircuit(log, figures);
      watch?.onCircuit(figures);
    },
  });
  const onSlotError = (error: unknown) =>
    log.warn({ err: error }, 'a turn to call an upstream could not be counted, or given back');
  const upstreamSlots = createUpstreamSlots(
    store,
    { now, onError: onSlotError },
    workers && { slots: workers.slots, counts: workers.counts('turns') },
  );
  closing.add('slots of upstreams were not given back', () => upstreamSlots.settle());
  const openCredential = createCredentialOpener({ vault });
  const replaceClient = createReplacement({ config, log, now, connectors, upstreamClients, outgoing });
  const openRealm = (realmUpstreams: RealmUpstreams) => {
    const { baseUrls, dispatcher, clients } = realmUpstreams;
    const upstream = createUpstream({
      circuits,
      baseUrls,
      dispatcher,
      timeoutMs: config.upstreamTimeoutMs,
      maxResultBytes: config.maxResultBytes,
      userAgent: USER_AGENT,
      around: watch?.aroundRequest,
      mcpDrift: config.mcpDrift,
      maxMcpSessions: Math.ceil(MAX_MCP_SESSIONS / (workers?.count ?? 1)),
    });
    closing.add('sessions at MCP servers did not end', () => upstream.close());
    const oauth = createUpstreamOAuth({ dispatcher, userAgent: USER_AGENT, circuits, now, replaceClient });
    const leases = createLeases({
      db: store.db,
      openCredential,
      oauth,
      clients,
      vault,
      now,
      onProblem: ({ error, ...problem }) => log.warn({ err: error, ...problem }, 'a connection was not renewed'),
    });
    closing.add('renewals of credentials did not end', () => leases.close());
    return { ...realmUpstreams, upstream, oauth, leases };
  };
  const realms = createRealmUpstreams(config, { connectors, outgoing, clients: upstreamClients }).map(openRealm);
  endSessionsOfRemoved(store.db, realms, workers);
  const revocations = createRevocations({
    db: store.db,
    openCredential,
    realms,
    onProblem: ({ error, service }) => log.warn({ err: error, service }, 'tokens were not revoked at their upstream'),
  });
  closing.add('revocations at upstreams did not end', () => revocations.close());
  return { circuits, upstreamSlots, openCredential, realms, revocations, leases: leasesOf(store.db, realms) };
}

interface ReplacementOptions extends GatewayFacts {
  readonly upstreamClients: UpstreamClients;
  readonly outgoing: Outgoing;
}

/** Returns the function that registers a client again which its authorization server refused. It returns false if there is no other client then. */
function createReplacement({ config, log, now, connectors, upstreamClients, outgoing }: ReplacementOptions) {
  return async (client: UpstreamClient): Promise<boolean> => {
    const { service } = client;
    const connector = connectors.find(({ name }) => name === service);
    const self = connector && describeClientOf(config.publicUrl, connector);
    if (connector === undefined || self === undefined) return false;
    try {
      const isReplaced = await registerAgain(client, { clients: upstreamClients, outgoing, self, now });
      if (isReplaced) log.warn({ service }, 'an upstream refused its client, so the gateway registered again');
      return isReplaced;
    } catch (error) {
      const fix = registerClientCommand(connector);
      log.error({ err: error, service, fix }, 'a client could not be registered again');
      return false;
    }
  };
}

/**
 * Ends the sessions of a connection at MCP servers when it is removed, also with its user: at once in all workers of this gateway. At other nodes
 * nothing can use them any more, and they end when they are idle.
 */
function endSessionsOfRemoved(
  db: Executor,
  realms: PerRealm<{ readonly upstream: Upstream }>,
  workers: Workers | undefined,
): void {
  const end = (connectionId: string) => void realms.map(({ upstream }) => upstream.endSessions(connectionId));
  workers?.hear(REMOVED_CONNECTION, (news) => end(news as string));
  addSubscriber(db, {
    // If the transaction fails, the next call opens another session.
    async onEvents(_, events) {
      for (const event of events) {
        for (const connectionId of removedConnectionsOf(event)) {
          end(connectionId);
          workers?.tell(REMOVED_CONNECTION, connectionId);
        }
      }
    },
  });
}

/** Returns the row ids of the connections that are gone after an event. */
function removedConnectionsOf(event: AnyEvent): readonly string[] {
  if ('module' in event) return [];
  if (event.type === 'user_erased') return event.connectionIds;
  return event.type === 'connection_removed' ? [event.connectionId] : [];
}

/** The leases of all realms, for modules. Nothing of test mode is renewed at a service, or while it is off. */
function leasesOf(db: Executor, realms: PerRealm<RealmUpstreams & { readonly leases: Leases }>): IdleLeases {
  return {
    lacking: realms.of({ realm: 'live' }).leases.lacking,
    async renewIdle(connection, { name: service }) {
      const upstreams = realms.find({ realm: await findRealm(db, connection.partnerId) });
      const connector = upstreams?.connectors.find(({ name }) => name === service);
      return upstreams === null || connector === undefined ? null : upstreams.leases.renewIdle(connection, connector);
    },
  };
}

/** Returns the connection of the circuits to those of the other workers. */
function circuitsOfOtherWorkers({ tell, hear }: Workers): CircuitsOfOthers {
  return {
    tell: (figures) => tell('circuit', figures),
    hear: (listener) => hear('circuit', (news) => listener(news as CircuitFigures)),
  };
}
