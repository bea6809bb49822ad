/** Opens the upstreams of each realm: requests of calls, sign-ins, renewals and revocations. */

import type { CredentialVault } from './base/credentials/index.ts';
import type { UpstreamClients } from './base/credentials/upstream-clients.ts';
import type { Outgoing } from './base/guarded-fetch/outgoing.ts';
import { createUpstreamSlots } from './base/limits/upstream-slots.ts';
import type { PerRealm } from './base/per-realm.ts';
import type { Store } from './base/store/index.ts';
import { findRealm } from './base/store/repositories/partners.ts';
import type { Executor } from './base/store/schema.ts';
import type { Workers } from './base/workers/worker.ts';
import { type CircuitFigures, type CircuitsOfOthers, createCircuits, reportCircuit } from './call/upstream/circuits.ts';
import { createUpstream } from './call/upstream/index.ts';
import { createCredentialOpener, createLeases, type IdleLeases, type Leases } from './call/upstream/lease.ts';
import { createUpstreamOAuth } from './call/upstream/oauth/index.ts';
import { createRevocations } from './call/upstream/oauth/revocation.ts';
import { createRealmUpstreams, type RealmUpstreams } from './call/upstream/realms.ts';
import type { Closing } from './closing.ts';
import type { GatewayFacts, Watch } from './module.ts';
import { USER_AGENT } from './product.ts';

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
    });
    const oauth = createUpstreamOAuth({ dispatcher, userAgent: USER_AGENT, circuits, now });
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
  const revocations = createRevocations({
    db: store.db,
    openCredential,
    realms,
    onProblem: ({ error, service }) => log.warn({ err: error, service }, 'tokens were not revoked at their upstream'),
  });
  closing.add('revocations at upstreams did not end', () => revocations.close());
  return { circuits, upstreamSlots, openCredential, realms, revocations, leases: leasesOf(store.db, realms) };
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
