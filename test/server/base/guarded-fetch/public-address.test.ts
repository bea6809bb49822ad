import { describe, expect, test } from 'vitest';
import { isLoopbackAddress, isPublicAddress } from '../../../../server/base/guarded-fetch/public-address.ts';

describe('isPublicAddress (RFC 6890)', () => {
  test.each([
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '128.0.0.1',
    '169.253.255.255',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.0',
    '192.167.255.255',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2001:200::1',
    '2606:4700:4700::1111',
    '2a00:1450:4001:81b::200e',
    '2003::1',
    '3ffe::1',
  ])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));

  test.each([
    ['0.0.0.0', 'this network'],
    ['10.0.0.1', 'private'],
    ['100.64.0.1', 'carrier-grade NAT'],
    ['100.100.100.200', 'metadata service in carrier-grade NAT'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.255', 'loopback'],
    ['168.63.129.16', 'platform service'],
    ['169.254.169.254', 'metadata service'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.0.0.192', 'protocol assignments'],
    ['192.0.2.1', 'documentation'],
    ['192.31.196.1', 'AS112'],
    ['192.52.193.1', 'AMT'],
    ['192.88.99.1', '6to4 relay'],
    ['192.168.1.1', 'private'],
    ['192.175.48.1', 'AS112'],
    ['198.18.0.1', 'benchmarking'],
    ['198.51.100.1', 'documentation'],
    ['203.0.113.1', 'documentation'],
    ['224.0.0.1', 'multicast'],
    ['239.255.255.250', 'multicast'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'broadcast'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['::127.0.0.1', 'compatible'],
    ['::ffff:127.0.0.1', 'mapped loopback'],
    ['::ffff:7f00:1', 'mapped loopback'],
    ['::ffff:1.1.1.1', 'mapped public'],
    ['::ffff:0:127.0.0.1', 'translated'],
    ['64:ff9b::10.0.0.1', 'NAT64'],
    ['64:ff9b:1::1', 'local NAT64'],
    ['100::1', 'discard only'],
    ['2001::1', 'Teredo'],
    ['2001:2::1', 'benchmarking'],
    ['2001:10::1', 'ORCHID'],
    ['2001:20::1', 'ORCHID 2'],
    ['2001:db8::1', 'documentation'],
    ['2002:7f00:1::', '6to4'],
    ['2620:4f:8000::1', 'AS112'],
    ['3fff::1', 'documentation'],
    ['4000::1', 'not assigned'],
    ['5f00::1', 'segment routing'],
    ['fc00::1', 'unique local'],
    ['fd00:ec2::254', 'metadata service'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'link-local with a zone'],
    ['fec0::1', 'site-local'],
    ['ff02::1', 'multicast'],
    ['example.com', 'no address'],
    ['', 'no address'],
  ])('%s is not public: %s', (address) => expect(isPublicAddress(address)).toBe(false));
});

describe('isLoopbackAddress', () => {
  test.each(['127.0.0.1', '127.1.2.3', '::1'])('%s is a loopback address', (address) => {
    expect(isLoopbackAddress(address)).toBe(true);
  });

  test.each(['128.0.0.1', '10.0.0.1', '::', '::ffff:127.0.0.1', 'localhost'])(
    '%s is not a loopback address',
    (address) => {
      expect(isLoopbackAddress(address)).toBe(false);
    },
  );
});
