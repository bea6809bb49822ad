import { describe, expect, test } from 'vitest';
import { networkOf, siteOf } from '../../../../server/base/http/network.ts';

describe('the network of a client', () => {
  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::ffff:0:1:2', '0:0:0:0::/64'],
    ['1:0:0:0:0:ffff:c000:207', '1:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['::ffff:192.0.2.7', '0:0:0:0:0:ffff:c000:207'],
    ['fe80::1%eth0', 'fe80::1%eth0'],
    ['', ''],
    ['x'.repeat(100), 'x'.repeat(64)],
  ])('%s is %s', (address, want) => {
    expect(networkOf(address)).toBe(want);
  });

  test('is the /64 of an IPv6 address, and the whole IPv4 address', () => {
    expect(networkOf('2001:db8:1:2::a')).toBe(networkOf('2001:db8:1:2:ffff::b'));
    expect(networkOf('2001:db8:1:2::a')).not.toBe(networkOf('2001:db8:1:3::a'));
    expect(networkOf('::ffff:192.0.2.7')).not.toBe(networkOf('::ffff:192.0.2.8'));
  });

  test('has as its site the /48 of an IPv6 address', () => {
    expect(siteOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1::/48');
    expect(siteOf('192.0.2.7')).toBe('192.0.2.7');
  });
});
