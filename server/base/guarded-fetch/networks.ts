/** Networks that an operator allows in addition to the public internet. */

import { BlockList, isIP } from 'node:net';
import { isPublicAddress } from './public-address.ts';

/** This machine. */
export const LOOPBACK_NETWORKS = ['127.0.0.0/8', '::1'] as const;

/**
 * Addresses and CIDR ranges separated by commas, or `none`.
 *
 * @throws what is wrong with the text.
 */
export function parseNetworks(text: string): string[] {
  if (text === 'none') return [];
  return text.split(',').map((part) => {
    const range = part.trim();
    const [address = '', prefix, ...more] = range.split('/');
    const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
    const isRange = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= bits);
    if (bits > 0 && isRange && more.length === 0) return range;
    throw new Error('must be none, or addresses or CIDR ranges, separated by commas');
  });
}

/**
 * Creates the check whether an IP address is in one of the networks. An IPv4-mapped IPv6 address (`::ffff:10.0.0.1`) is in
 * none: no legitimate caller writes it so, and a `BlockList` of both families would match it as IPv4.
 *
 * @param networks as `parseNetworks` returns them.
 */
export function createNetworkCheck(networks: readonly string[]): (address: string) => boolean {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const range of networks) {
    const [address = '', prefix] = range.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) lists[family].addAddress(address, family);
    else lists[family].addSubnet(address, Number(prefix), family);
  }
  return (address) => {
    const version = isIP(address);
    const family = version === 6 ? 'ipv6' : 'ipv4';
    return version !== 0 && lists[family].check(address, family);
  };
}

/** The IP address in a URL's host, without brackets. `localhost` counts as `127.0.0.1`; any other name stays as it is. */
export function addressOf(hostname: string): string {
  return hostname === 'localhost' ? '127.0.0.1' : hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Returns true if a URL's host is an address and no name. */
export function isAddress(hostname: string): boolean {
  return isIP(addressOf(hostname)) !== 0;
}

/** Returns true if a URL's host may be reached, as far as that is known without resolving it. */
export function mayReach(hostname: string, networks: readonly string[]): boolean {
  const address = addressOf(hostname);
  return isIP(address) === 0 || isPublicAddress(address) || createNetworkCheck(networks)(address);
}
