/**
 * Says where the requests of each realm go, and with which client registrations.
 *
 * Nothing is sent to a service without `RealmUpstreams`, which are found by the realm of the partner alone. Those of test mode know only the
 * sandbox: their connectors and base URLs name it, their dispatcher reaches nothing else, and they have no client at an upstream.
 */

import type { Dispatcher } from 'undici';
import { fillVariables } from '../../../shared/server-urls.ts';
import { GuardedFetchError } from '../../base/guarded-fetch/error.ts';
import type { Outgoing } from '../../base/guarded-fetch/outgoing.ts';
import { PerRealm } from '../../base/per-realm.ts';
import type { InRealm } from '../../base/realm.ts';
import type { Connector } from '../../contract/index.ts';
import { withOAuthOrigin } from './oauth/origins.ts';
import type { ClientLookup } from './oauth/types.ts';

/** The upstreams of one realm. */
export interface RealmUpstreams extends InRealm {
  readonly connectors: readonly Connector[];
  /** By connector name: base URLs by server template. */
  readonly baseUrls: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly dispatcher: () => Promise<Dispatcher>;
  /** The gateway's registrations at authorization servers. */
  readonly clients: RealmClients;
}

/** The gateway's registrations at authorization servers, which say whether there is one. */
export interface RealmClients extends ClientLookup {
  /** Returns true if `find` finds a registration. Opens no secret. */
  isRegistered(partnerId: string, service: string): Promise<boolean>;
}

interface RealmOptions {
  /** Those that are served, with the origins of their authorization servers. */
  readonly connectors: readonly Connector[];
  readonly outgoing: Outgoing;
  readonly clients: RealmClients;
}

/** Returns the upstreams of both realms; those of test mode only if the settings name a sandbox. */
export function createRealmUpstreams(
  settings: { readonly baseUrls: RealmUpstreams['baseUrls']; readonly testSandboxUrl: string | null },
  options: RealmOptions,
): PerRealm<RealmUpstreams> {
  const { baseUrls, testSandboxUrl } = settings;
  const { connectors, clients, outgoing } = options;
  const live: RealmUpstreams = { realm: 'live', connectors, baseUrls, dispatcher: outgoing.dispatcher, clients };
  return new PerRealm(live, testSandboxUrl === null ? null : inSandbox(testSandboxUrl, options));
}

/** @param sandbox its origin, at which each service has its own path. */
function inSandbox(sandbox: string, { connectors, outgoing }: RealmOptions): RealmUpstreams {
  return {
    realm: 'test',
    connectors: connectors.map((connector) => withOAuthOrigin(connector, `${sandbox}/${connector.name}`)),
    baseUrls: new Map(
      connectors.map(({ name, servers }) => [
        name,
        new Map(servers.map((server) => [server.url, `${sandbox}/${name}${basePathOf(server)}`])),
      ]),
    ),
    dispatcher: async () => (await outgoing.dispatcher()).compose(onlyTo(sandbox)),
    clients: {
      find: async (_, service) => ({ id: 'test', service, clientId: 'test-mode', clientSecret: 'test-mode' }),
      findById: async () => null,
      isRegistered: async () => true,
    },
  };
}

/** Returns the path below which the sandbox serves a server: that of its URL with the defaults of its variables. */
function basePathOf({ url, variables }: Connector['servers'][number]): string {
  const filled = fillVariables(url, (name) => variables.find((each) => each.name === name)?.default);
  return URL.parse(filled)?.pathname.replace(/\/+$/, '') ?? '';
}

/** Rejects every request to another origin. */
function onlyTo(origin: string): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (request, handler) => {
    if (String(request.origin) !== origin)
      throw new GuardedFetchError('address', { detail: 'test mode reaches TEST_SANDBOX_URL alone' });
    return dispatch(request, handler);
  };
}
