/** Checks the addresses that partners registered: those to which users are sent back, and those where they connect. */

import { lookup } from 'node:dns/promises';
import { count, ok, type Seen, warning } from '../../base/checks.ts';
import type { Resolve } from '../../base/guarded-fetch/guard.ts';
import { isAddress } from '../../base/guarded-fetch/networks.ts';
import { isLoopbackHostname } from '../../base/http/loopback.ts';
import type { Store } from '../../base/store/index.ts';
import { listPartners } from '../../base/store/repositories/partners.ts';
import type { Config } from '../../config/index.ts';
import { OAuthError } from '../../identity/protocol/error.ts';
import { checkRegistrableRedirectUri } from '../../identity/protocol/redirect-uri.ts';

const MAX_PARTNERS = 200;
const MAX_SHOWN = 20;

export async function checkPartnerAddresses(
  { db }: Store,
  { isLoopback }: Config,
  resolve: Resolve = (hostname) => lookup(hostname, { all: true }),
): Promise<Seen[]> {
  const partners = await listPartners(db, MAX_PARTNERS);
  if (partners.length === 0) {
    return [warning('no application is registered, so no user can connect', 'utg partner add --name <name>')];
  }
  const addresses = partners.flatMap(({ clientId, redirectUris, connectUri }) => [
    ...redirectUris.map((uri) => ({ clientId, kind: 'redirect URI', uri })),
    ...(connectUri === null ? [] : [{ clientId, kind: 'connect URI', uri: connectUri }]),
  ]);
  const names = new Set(addresses.flatMap(({ uri }) => hostToResolve(uri) ?? []));
  const unknown = new Set<string>();
  await Promise.all(
    [...names].map((name) =>
      resolve(name).then(
        (found) => found.length === 0 && unknown.add(name),
        () => unknown.add(name),
      ),
    ),
  );
  const problems = addresses.flatMap(({ clientId, kind, uri }) => {
    const problem = problemOf(uri, unknown, isLoopback);
    if (problem === null) return [];
    const fix = `utg partner set --client-id ${clientId} --help`;
    return [
      { ...warning(`a ${kind} of ${clientId} ${problem}`, fix), names: [clientId, hostToResolve(uri) ?? clientId] },
    ];
  });
  const useless = partners
    .filter(({ redirectUris }) => redirectUris.length === 0)
    .map(({ clientId }) => {
      const fix = `utg partner set --client-id ${clientId} --redirect-uri <uri>`;
      return { ...warning(`${clientId} has no redirect URI, so its users cannot connect`, fix), names: [clientId] };
    });
  const found = [...problems, ...useless].slice(0, MAX_SHOWN);
  return found.length > 0
    ? found
    : [ok(`${count(addresses.length, 'address')} of ${count(partners.length, 'partner')} can be reached by name`)];
}

function hostToResolve(uri: string): string | null {
  if (!URL.canParse(uri)) return null;
  const { hostname } = new URL(uri);
  return isLoopbackHostname(hostname) || isAddress(hostname) ? null : hostname;
}

function problemOf(uri: string, unknown: ReadonlySet<string>, isLoopback: boolean): string | null {
  try {
    checkRegistrableRedirectUri(uri, []);
  } catch (refused) {
    if (refused instanceof OAuthError) return 'is neither https nor http on localhost';
    throw refused;
  }
  const { hostname } = new URL(uri);
  if (unknown.has(hostname)) return `names ${hostname}, which does not resolve here`;
  if (!isLoopback && isLoopbackHostname(hostname)) return 'is on localhost, which is for development only';
  return null;
}
