/** Guards outgoing requests: which IP addresses may be connected to, and which document URLs may be fetched. */

import type { LookupFunction } from 'node:net';
import { GuardedFetchError } from './error.ts';
import { createNetworkCheck, mayReach } from './networks.ts';
import { isPublicAddress } from './public-address.ts';
import { createResolver, type Resolve } from './resolver.ts';

/** The rules of a guard. */
export interface GuardRules {
  /** Addresses and CIDR ranges in addition to public addresses; see `parseNetworks`. */
  readonly networks: readonly string[];
  /** Default: the resolver of `createResolver`. */
  readonly resolve?: Resolve | undefined;
  /** True if only the networks may be connected to. Default: public addresses too. */
  readonly networksOnly?: boolean;
}

/** Checks addresses when a connection is made. */
export interface Guard {
  /** Returns true if an IP address may be connected to. */
  isAllowed(address: string): boolean;
  /**
   * Resolves for a socket. The socket gets exactly the addresses that were checked, so that a name that resolves
   * differently a moment later (DNS rebinding) changes nothing. One address that is not allowed rejects them all.
   */
  readonly lookup: LookupFunction;
}

/** Creates a guard. */
export function createGuard(rules: GuardRules): Guard {
  const resolve = rules.resolve ?? createResolver();
  const isIncluded = createNetworkCheck(rules.networks);
  const isAllowed = (address: string) => (!rules.networksOnly && isPublicAddress(address)) || isIncluded(address);
  return {
    isAllowed,
    lookup(hostname, options, callback) {
      resolve(hostname).then(
        (found) => {
          const [first] = found;
          if (first === undefined) callback(new GuardedFetchError('unresolvable'), '');
          else if (!found.every(({ address }) => isAllowed(address))) callback(addressError(), '');
          else if (options.all === true) callback(null, [...found]);
          else callback(null, first.address, first.family);
        },
        (cause: unknown) => callback(new GuardedFetchError('unresolvable', { cause }), ''),
      );
    },
  };
}

/** A request to an address that is not allowed. */
export function addressError(): GuardedFetchError {
  const detail = 'its address is not public, and OUTGOING_NETWORKS does not include it';
  return new GuardedFetchError('address', { detail });
}

/**
 * Accepts https without a user, at its default port; at others too if there are networks, in which alone the connection then may go. An
 * IP address as host is checked like a resolved one.
 *
 * @throws {GuardedFetchError} `url`, `address`.
 */
export function checkDocumentUrl(text: string, networks: readonly string[]): URL {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') throw new GuardedFetchError('url');
  if (url.port !== '' && networks.length === 0) throw new GuardedFetchError('url');
  if (!mayReach(url.hostname, networks)) throw new GuardedFetchError('address');
  return url;
}
