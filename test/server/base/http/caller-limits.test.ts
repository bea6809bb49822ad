import { describe, expect, test } from 'vitest';
import { createAddressLimiter } from '../../../../server/base/http/caller-limits.ts';
import { siteOf } from '../../../../server/base/http/network.ts';
import { createRateLimiter, type ForgivingRateLimiter, type RateRule } from '../../../../server/base/limits/limiter.ts';

const limiter = () => createAddressLimiter(createRateLimiter, { name: 'test', points: 60, durationSeconds: 60 });

async function allowedOf(addresses: readonly string[]): Promise<number> {
  const { consume } = limiter();
  const answers = await Promise.all(addresses.map((address) => consume(address)));
  return answers.filter((wait) => wait === null).length;
}

const many = (toAddress: (index: number) => string) => Array.from({ length: 300 }, (_, index) => toAddress(index));

describe('a limit by address', () => {
  test('counts an IPv4 address by itself', async () => {
    expect(await allowedOf(many(() => '192.0.2.1'))).toBe(60);
    expect(await allowedOf(many((index) => `192.0.2.${index % 256}`))).toBe(300);
  });

  test('counts all addresses of an IPv6 /64 as one', async () => {
    expect(await allowedOf(many((index) => `2001:db8:1:2::${index.toString(16)}`))).toBe(60);
  });

  test('allows an IPv6 /48 four times as much as one of its networks', async () => {
    expect(await allowedOf(many((index) => `2001:db8:1:${index.toString(16)}::1`))).toBe(240);
    expect(await allowedOf(many((index) => `2001:db8:${index.toString(16)}:1::1`))).toBe(300);
  });

  test('counts an IPv4 address once, and an IPv6 address for its networks of both sizes', async () => {
    const counted: string[] = [];
    const create = ({ name }: RateRule): ForgivingRateLimiter => ({
      consume: async () => null,
      async reserve(key) {
        counted.push(`${name} ${key}`);
        return { waitSeconds: null, giveBack: () => {} };
      },
    });
    const { consume } = createAddressLimiter(create, { name: 'test', points: 60, durationSeconds: 60 });
    await consume('192.0.2.1');
    await consume('2001:db8:1:2::3');
    expect(counted).toEqual(['test 192.0.2.1', 'test-site 2001:db8:1::/48', 'test 2001:db8:1:2::/64']);
  });

  test('gives a use back', async () => {
    const { reserve } = limiter();
    for (let round = 0; round < 200; round += 1) {
      const use = await reserve('2001:db8::1');
      if (use.waitSeconds !== null) throw new Error('refused');
      use.giveBack();
    }
  });
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
  ['2001:db8::1', '2001:db8:0::/48'],
  ['::ffff:192.0.2.7', '0:0:0:0:0:ffff:c000:207'],
  ['', ''],
])('the site of %s is %s', (address, want) => {
  expect(siteOf(address)).toBe(want);
});
