/** The network of a client, by which requests of unknown callers are counted. */

const GROUPS = 8;
/** Groups of 16 bits each. */
const NETWORK_GROUPS = 4;
const SITE_GROUPS = 3;

/** Longer than any IP address; a proxy's header may hold anything. */
const MAX_ADDRESS_LENGTH = 64;

/** An IPv4 address unchanged; the /64 of an IPv6 address, within which a host picks its addresses freely. */
export function networkOf(address: string): string {
  return prefixOf(address, NETWORK_GROUPS);
}

/** An IPv4 address unchanged; the /48 of an IPv6 address, within which a provider's customer picks networks freely (RFC 6177 §2). */
export function siteOf(address: string): string {
  return prefixOf(address, SITE_GROUPS);
}

/** Returns true if the addresses are not all of one range: the /16 of an IPv4 address, the /48 of an IPv6 address. */
export function areApart(addresses: readonly string[]): boolean {
  return new Set(addresses.map((address) => siteOf(address).replace(/^(\d+\.\d+)\.\d+\.\d+$/, '$1'))).size > 1;
}

function prefixOf(address: string, count: number): string {
  const groups = groupsOf(address);
  if (groups === null) return address.slice(0, MAX_ADDRESS_LENGTH);
  const holdsIpv4 = groups.slice(0, 5).every((group) => group === '0') && groups[5] === 'ffff';
  return holdsIpv4 ? groups.join(':') : `${groups.slice(0, count).join(':')}::/${count * 16}`;
}

/** Returns the eight groups of an IPv6 address, or null for any other text. */
function groupsOf(address: string): string[] | null {
  const url = URL.parse(`http://[${address}]`);
  if (url === null) return null;
  const [head = '', tail = ''] = url.hostname.slice(1, -1).split('::');
  const before = head === '' ? [] : head.split(':');
  const behind = tail === '' ? [] : tail.split(':');
  const missing = Math.max(0, GROUPS - before.length - behind.length);
  return [...before, ...Array<string>(missing).fill('0'), ...behind];
}
