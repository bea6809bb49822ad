/**
 * Where requests of each realm go, and whose they are.
 *
 * Nothing is sent to a service without a `Place`, and a place is found by the realm of the partner alone. That of test mode knows only
 * the sandbox: its connectors and base URLs name it, its dispatcher reaches nothing else, and it has no client at an upstream.
 */

import type { Dispatcher } from 'undici';
import { fillVariables } from '../../../shared/server-urls.ts';
import type { UpstreamClients } from '../../base/credentials/upstream-clients.ts';
import { GuardedFetchError } from '../../base/guarded-fetch/error.ts';
import type { Outgoing } from '../../base/guarded-fetch/outgoing.ts';
import { PerRealm } from '../../base/per-realm.ts';
import type { InRealm } from '../../base/realm.ts';
import type { Connector } from '../../contract/index.ts';
import { withOAuthOrigin } from './oauth/origins.ts';

/** Where the requests of one realm go. */
export interface Place extends InRealm {
  readonly connectors: readonly Connector[];
  /** By connector name: base URLs by server template. */
  readonly baseUrls: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly dispatcher: () => Promise<Dispatcher>;
  /** The gateway's registrations at authorization servers. */
  readonly clients: Pick<UpstreamClients, 'find' | 'findById' | 'isRegistered'>;
}

/** What the places are made from. */
interface Ways {
  /** Those that are served, with the origins of their authorization servers. */
  readonly connectors: readonly Connector[];
  readonly outgoing: Pick<Outgoing, 'dispatcher'>;
  readonly clients: Place['clients'];
}

/** @param settings those of the operator. */
export function placesOf(
  { baseUrls, testSandboxUrl: sandbox }: Pick<Place, 'baseUrls'> & { readonly testSandboxUrl: string | null },
  ways: Ways,
): PerRealm<Place> {
  const { connectors, clients, outgoing } = ways;
  const live: Place = { realm: 'live', connectors, baseUrls, dispatcher: outgoing.dispatcher, clients };
  return new PerRealm(live, sandbox === null ? null : inSandbox(sandbox, ways));
}

/** @param sandbox its origin; each service has a path of its own there. */
function inSandbox(sandbox: string, { connectors, outgoing }: Ways): Place {
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

/** The path that the sandbox serves the operations of a server at: that of its URL with the defaults of its variables. */
function basePathOf({ url, variables }: Connector['servers'][number]): string {
  const filled = fillVariables(url, (name) => variables.find((each) => each.name === name)?.default);
  return URL.canParse(filled) ? new URL(filled).pathname.replace(/\/+$/, '') : '';
}

/** Fails every request to another origin, whatever the caller was given. */
function onlyTo(origin: string): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (request, handler) => {
    if (String(request.origin) !== origin)
      throw new GuardedFetchError('address', { detail: 'test mode reaches TEST_SANDBOX_URL alone' });
    return dispatch(request, handler);
  };
}
