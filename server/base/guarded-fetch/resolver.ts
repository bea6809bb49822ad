/** Resolves host names of outgoing requests, without the threads that the rest of the process shares. */

import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';

/** Every address of a host name. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

const DEADLINE_MS = 2_000;
const TRY_TIMEOUT_MS = 900;
const TRIES = 2;

/** Longest time for which an answer is cached; a name server may say less. */
const MAX_AGE_MS = 30_000;
const FAILURE_MAX_AGE_MS = 1_000;
const MAX_CACHED_NAMES = 1_000;

const HOSTS_FILE = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';

const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Creates a resolver with a short cache.
 *
 * The system's `getaddrinfo` occupies one of libuv's four threads until a silent name server is given up, so that four such names stop every other
 * lookup of the process. This resolver asks over its own sockets. It honours the hosts file, as read at the first lookup, and the name servers of the
 * system. Search domains are not tried.
 *
 * @param options.servers IP addresses with ports. Default: those of the system.
 * @param options.deadlineMs from the question to the last answer that counts. Default: 2000.
 * @returns every address of a name; rejects without an answer until the deadline, and for a name without addresses.
 */
export function createResolver(
  options: { readonly servers?: readonly string[]; readonly now?: () => number; readonly deadlineMs?: number } = {},
): Resolve {
  const { servers, now = Date.now, deadlineMs = DEADLINE_MS } = options;
  const cache = new LRUCache<string, { readonly addresses: Promise<readonly LookupAddress[]>; until: number }>({
    max: MAX_CACHED_NAMES,
  });
  let hosts: Promise<Hosts> | undefined;
  return async (hostname) => {
    hosts ??= readHosts();
    const listed = (await hosts).get(hostname);
    if (listed !== undefined) return listed;
    if (/(^|\.)localhost$/.test(hostname)) return LOOPBACK;
    const cached = cache.get(hostname);
    if (cached !== undefined && cached.until > now()) return cached.addresses;
    const answer = queryNameServers(hostname, servers, deadlineMs);
    const entry = { addresses: answer.then(({ addresses }) => addresses), until: now() + deadlineMs };
    cache.set(hostname, entry);
    answer.then(
      ({ maxAgeMs }) => (entry.until = now() + maxAgeMs),
      () => (entry.until = now() + FAILURE_MAX_AGE_MS),
    );
    return entry.addresses;
  };
}

/** Creates a resolver for each query, because that one knows the current name servers and can be cancelled. */
async function queryNameServers(
  hostname: string,
  servers: readonly string[] | undefined,
  deadlineMs: number,
): Promise<{ addresses: readonly LookupAddress[]; maxAgeMs: number }> {
  const resolver = new Resolver({ timeout: TRY_TIMEOUT_MS, tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  const deadline = setTimeout(() => resolver.cancel(), deadlineMs);
  try {
    const [four, six] = await Promise.allSettled([
      resolver.resolve4(hostname, { ttl: true }),
      resolver.resolve6(hostname, { ttl: true }),
    ]);
    const ipv4 = four.status === 'fulfilled' ? four.value : [];
    const ipv6 = six.status === 'fulfilled' ? six.value : [];
    const addresses = [
      ...ipv4.map(({ address }) => ({ address, family: 4 })),
      ...ipv6.map(({ address }) => ({ address, family: 6 })),
    ];
    if (addresses.length === 0)
      throw four.status === 'rejected' ? four.reason : new Error(`${hostname} has no address`);
    const seconds = Math.min(...[...ipv4, ...ipv6].map(({ ttl }) => ttl));
    return { addresses, maxAgeMs: Math.min(seconds * 1000, MAX_AGE_MS) };
  } finally {
    clearTimeout(deadline);
  }
}

type Hosts = ReadonlyMap<string, readonly LookupAddress[]>;

async function readHosts(): Promise<Hosts> {
  const text = await readFile(HOSTS_FILE, 'utf8').catch(() => '');
  const hosts = new Map<string, LookupAddress[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of names.map((each) => each.toLowerCase())) {
      hosts.set(name, [...(hosts.get(name) ?? []), { address, family }]);
    }
  }
  return hosts;
}
