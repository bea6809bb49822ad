/** Checks the addresses that partners registered: those to which users are sent back, and those where they connect. */

import { lookup } from 'node:dns/promises';
import { type CheckResult, count, ok, warning } from '../../base/checks.ts';
import { isAddress } from '../../base/guarded-fetch/networks.ts';
import type { Resolve } from '../../base/guarded-fetch/resolver.ts';
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
): Promise<CheckResult[]> {
  const partners = await listPartners(db, MAX_PARTNERS);
  if (partners.length === 0) {
    return [warning('no application is registered, so no user can connect', 'utg partner add --name <name>')];
  }
  const addresses = partners.flatMap(({ clientId, redirectUris, connectUri }) => {
    const redirectAddresses = redirectUris.map((uri) => ({ clientId, kind: 'redirect URI', uri }));
    if (connectUri === null) return redirectAddresses;
    return [...redirectAddresses, { clientId, kind: 'connect URI', uri: connectUri }];
  });
  const names = new Set(addresses.flatMap(({ uri }) => hostToResolve(uri) ?? []));
  const unresolvedHosts = new Set<string>();
  await Promise.all(
    [...names].map((name) =>
      resolve(name).then(
        (resolvedAddresses) => resolvedAddresses.length === 0 && unresolvedHosts.add(name),
        () => unresolvedHosts.add(name),
      ),
    ),
  );
  const problems = addresses.flatMap(({ clientId, kind, uri }) => {
    const problem = problemOf(uri, unresolvedHosts, isLoopback);
    if (problem === null) return [];
    const fix = `utg partner set --client-id ${clientId} --help`;
    return [
      { ...warning(`a ${kind} of ${clientId} ${problem}`, fix), names: [clientId, hostToResolve(uri) ?? clientId] },
    ];
  });
  const missingRedirects = partners
    .filter(({ redirectUris }) => redirectUris.length === 0)
    .map(({ clientId }) => {
      const fix = `utg partner set --client-id ${clientId} --redirect-uri <uri>`;
      return { ...warning(`${clientId} has no redirect URI, so its users cannot connect`, fix), names: [clientId] };
    });
  const findings = [...problems, ...missingRedirects].slice(0, MAX_SHOWN);
  return findings.length > 0
    ? findings
    : [ok(`${count(addresses.length, 'address')} of ${count(partners.length, 'partner')} can be reached by name`)];
}

function hostToResolve(uri: string): string | null {
  const hostname = URL.parse(uri)?.hostname ?? null;
  return hostname === null || isLoopbackHostname(hostname) || isAddress(hostname) ? null : hostname;
}

function problemOf(uri: string, unresolvedHosts: ReadonlySet<string>, isLoopback: boolean): string | null {
  try {
    checkRegistrableRedirectUri(uri, []);
  } catch (error) {
    if (error instanceof OAuthError) return 'is neither https nor http on localhost';
    throw error;
  }
  const { hostname } = new URL(uri);
  if (unresolvedHosts.has(hostname)) return `names ${hostname}, which does not resolve here`;
  if (!isLoopback && isLoopbackHostname(hostname)) return 'is on localhost, which is for development only';
  return null;
}
