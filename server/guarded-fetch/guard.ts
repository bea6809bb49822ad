/** The guard of requests to addresses that others choose: which URLs, and which IP addresses behind them. */

import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { GuardedFetchError } from './error.ts';
import { isLoopbackAddress, isPublicAddress } from './public-address.ts';

/** Every address of a host name. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/** What a guard lets through. */
export interface GuardRules {
  /** Lets addresses of this machine through, at any port, and http to a host that is written as one. For tests alone. */
  readonly allowLoopback: boolean;
  /** Default: the system's resolver. */
  readonly resolve?: Resolve;
}

/** Checks a URL before anything is sent, and addresses when a connection is made. */
export interface Guard {
  /**
   * Accepts https at its default port, without a user. An IP address as host is checked like that of a name.
   *
   * @throws {GuardedFetchError} `url`, `address`.
   */
  checkUrl(text: string): URL;
  /**
   * Resolves for a socket. The socket gets exactly the addresses that were checked, so that a name that resolves in another
   * way a moment later (DNS rebinding) changes nothing. One address that is not public refuses them all.
   */
  readonly lookup: LookupFunction;
}

/** Creates a guard. */
export function createGuard(rules: GuardRules): Guard {
  const resolve = rules.resolve ?? resolveBySystem;
  const isAllowed = (address: string) =>
    isPublicAddress(address) || (rules.allowLoopback && isLoopbackAddress(address));
  const isLoopbackHost = (hostname: string) =>
    rules.allowLoopback && (hostname === 'localhost' || isLoopbackAddress(hostname));
  return {
    checkUrl(text) {
      const url = URL.canParse(text) ? new URL(text) : null;
      if (url === null || url.username !== '' || url.password !== '') throw new GuardedFetchError('url');
      const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1');
      const isPlainAllowed = url.protocol === 'http:' && isLoopbackHost(hostname);
      if (url.protocol !== 'https:' && !isPlainAllowed) throw new GuardedFetchError('url');
      if (url.port !== '' && !rules.allowLoopback) throw new GuardedFetchError('url');
      if (isIP(hostname) !== 0 && !isAllowed(hostname)) throw new GuardedFetchError('address');
      return url;
    },
    lookup(hostname, options, callback) {
      resolve(hostname).then(
        (found) => {
          const [first] = found;
          if (first === undefined) callback(new GuardedFetchError('unresolvable'), '');
          else if (!found.every(({ address }) => isAllowed(address))) callback(new GuardedFetchError('address'), '');
          else if (options.all === true) callback(null, [...found]);
          else callback(null, first.address, first.family);
        },
        (cause: unknown) => callback(new GuardedFetchError('unresolvable', { cause }), ''),
      );
    },
  };
}

function resolveBySystem(hostname: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    systemLookup(hostname, { all: true }, (error, found) => (error === null ? resolve(found) : reject(error)));
  });
}
