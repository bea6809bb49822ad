/** The IP addresses of the public internet. */

import { BlockList, isIP } from 'node:net';

/**
 * IPv4 addresses that are not public: the IANA IPv4 Special-Purpose Address Registry (RFC 6890), multicast, and the
 * address of Azure's platform services.
 */
const SPECIAL_IPV4 = [
  ['0.0.0.0', 8, 'this network (RFC 791)'],
  ['10.0.0.0', 8, 'private (RFC 1918)'],
  ['100.64.0.0', 10, 'shared, carrier-grade NAT (RFC 6598)'],
  ['127.0.0.0', 8, 'loopback (RFC 1122)'],
  ['168.63.129.16', 32, 'Azure platform services'],
  ['169.254.0.0', 16, 'link-local, with the metadata services of clouds (RFC 3927)'],
  ['172.16.0.0', 12, 'private (RFC 1918)'],
  ['192.0.0.0', 24, 'IETF protocol assignments (RFC 6890)'],
  ['192.0.2.0', 24, 'documentation (RFC 5737)'],
  ['192.31.196.0', 24, 'AS112 (RFC 7535)'],
  ['192.52.193.0', 24, 'AMT (RFC 7450)'],
  ['192.88.99.0', 24, '6to4 relays (RFC 7526)'],
  ['192.168.0.0', 16, 'private (RFC 1918)'],
  ['192.175.48.0', 24, 'AS112 (RFC 7534)'],
  ['198.18.0.0', 15, 'benchmarking (RFC 2544)'],
  ['198.51.100.0', 24, 'documentation (RFC 5737)'],
  ['203.0.113.0', 24, 'documentation (RFC 5737)'],
  ['224.0.0.0', 4, 'multicast (RFC 5771)'],
  ['240.0.0.0', 4, 'reserved, and limited broadcast (RFC 1112, RFC 919)'],
] as const;

/**
 * Global unicast IPv6 (RFC 4291 §2.4). Nothing else is public: not loopback, link-local, unique local, multicast, nor
 * addresses that embed an IPv4 address (mapped, compatible, NAT64).
 */
const GLOBAL_IPV6 = ['2000::', 3] as const;

/** Parts of it that are not public: the IANA IPv6 Special-Purpose Address Registry. */
const SPECIAL_IPV6 = [
  ['2001::', 23, 'IETF protocol assignments: Teredo, ORCHID, benchmarking (RFC 2928)'],
  ['2001:db8::', 32, 'documentation (RFC 3849)'],
  ['2002::', 16, '6to4, which holds an IPv4 address (RFC 3056)'],
  ['2620:4f:8000::', 48, 'AS112 (RFC 7534)'],
  ['3fff::', 20, 'documentation (RFC 9637)'],
] as const;

const specialIpv4 = toBlockList(SPECIAL_IPV4, 'ipv4');
const globalIpv6 = toBlockList([GLOBAL_IPV6], 'ipv6');
const specialIpv6 = toBlockList(SPECIAL_IPV6, 'ipv6');
const loopbackIpv4 = toBlockList([['127.0.0.0', 8]], 'ipv4');

/** True for an address that any machine on the internet could reach. False for a text that is no address. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !specialIpv4.check(address, 'ipv4');
  return family === 6 && globalIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');
}

/** True for `127.0.0.0/8` and `::1`. */
export function isLoopbackAddress(address: string): boolean {
  return address === '::1' || (isIP(address) === 4 && loopbackIpv4.check(address, 'ipv4'));
}

type Network = readonly [network: string, prefix: number, ...rest: readonly string[]];

function toBlockList(networks: readonly Network[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of networks) list.addSubnet(network, prefix, family);
  return list;
}
