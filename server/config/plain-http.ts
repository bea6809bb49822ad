/** Finds upstreams that would be called without encryption. */

import { isLoopbackHostname } from '../http/loopback.ts';
import type { ConfigProblem } from './problem.ts';

/** Credentials would travel unencrypted. @param allowed hosts that may be called so, besides this machine. */
export function findPlainHttp(
  baseUrls: Iterable<readonly [name: string, ReadonlyMap<string, string>]>,
  allowed: readonly string[],
): ConfigProblem[] {
  const urls = [...baseUrls].flatMap(([name, byServer]) =>
    [...byServer.values()].map((url) => ({ name, url: new URL(url) })),
  );
  return urls
    .filter(
      ({ url }) => url.protocol === 'http:' && !isLoopbackHostname(url.hostname) && !allowed.includes(url.hostname),
    )
    .map(({ name, url }) => ({
      variable: 'PLAIN_HTTP_UPSTREAMS',
      problem: `does not name ${url.hostname}, but the base URL of ${name} begins with http://: use https://, or accept that its credentials travel unencrypted`,
      example: [...allowed, url.hostname].join(','),
    }));
}
