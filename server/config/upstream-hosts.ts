/** Finds upstreams that would be called without encryption, or that requests cannot reach. */

import { addressOf, mayReach } from '../base/guarded-fetch/networks.ts';
import { isLoopbackHostname } from '../base/http/loopback.ts';
import type { ConfigProblem } from './setting.ts';

type BaseUrls = Iterable<readonly [name: string, ReadonlyMap<string, string>]>;

/** Finds base URLs to which credentials would be sent unencrypted. @param allowed hosts that permit it, in addition to this machine. */
export function findPlainHttp(baseUrls: BaseUrls, allowed: readonly string[]): ConfigProblem[] {
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

/** Finds base URLs to which requests would be refused. Other names are resolved when they are called. */
export function findUnreachable(baseUrls: BaseUrls, networks: readonly string[]): ConfigProblem[] {
  return [...baseUrls].flatMap(([name, byServer]) => {
    const hosts = [...new Set([...byServer.values()].map((url) => new URL(url).hostname))];
    return hosts.flatMap((host) => {
      if (mayReach(host, networks)) return [];
      return {
        variable: 'OUTGOING_NETWORKS',
        problem: `does not include ${host}, but the base URL of ${name} is there: the gateway sends requests to public addresses and to these networks alone`,
        example: [...networks, addressOf(host)].join(','),
      };
    });
  });
}
