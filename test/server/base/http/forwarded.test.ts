import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createLog } from '../../../../server/base/http/log.ts';
import { createAddressReader, parseTrustedProxies } from '../../../../server/base/http/origin.ts';

const PROXIES = ['10.0.0.0/8', '192.0.2.1', '2001:db8:ff::/48'];

function requestFrom(remoteAddress: string | undefined, headers: Record<string, string>): IncomingMessage {
  return { socket: { remoteAddress }, headers } as unknown as IncomingMessage;
}

function givenReader(proxies: readonly string[]) {
  const lines: Record<string, unknown>[] = [];
  const log = createLog({ level: 'warn', destination: { write: (line) => lines.push(JSON.parse(line)) } });
  return { lines, read: createAddressReader(proxies, log) };
}

describe('the address of a client', () => {
  test.each([
    ['nothing forwarded', '10.1.1.1', '', '10.1.1.1'],
    ['a peer that is not a proxy', '203.0.113.9', '6.6.6.6', '203.0.113.9'],
    ['one proxy', '10.1.1.1', '203.0.113.7', '203.0.113.7'],
    ['a forged entry before the proxy’s own', '10.1.1.1', '6.6.6.6, 203.0.113.7', '203.0.113.7'],
    ['a forged entry that names a proxy', '10.1.1.1', '10.9.9.9, 203.0.113.7', '203.0.113.7'],
    ['two proxies', '10.1.1.1', '6.6.6.6, 203.0.113.7, 192.0.2.1', '203.0.113.7'],
    ['only proxies', '10.1.1.1', '10.2.2.2, 192.0.2.1', '10.2.2.2'],
    ['no address', '10.1.1.1', '203.0.113.7, unknown', '10.1.1.1'],
    ['an empty entry', '10.1.1.1', '203.0.113.7, ', '10.1.1.1'],
    ['IPv4 in IPv6', '::ffff:10.1.1.1', '::ffff:203.0.113.7', '203.0.113.7'],
    ['an IPv6 proxy', '2001:db8:ff::1', '2001:db8:1::2', '2001:db8:1::2'],
    ['an IPv4 address with its port', '10.1.1.1', '203.0.113.7:5555', '203.0.113.7'],
    ['an IPv6 address with its port', '10.1.1.1', '[2001:db8:1::2]:5555', '2001:db8:1::2'],
    ['a zone', '10.1.1.1', 'fe80::1%eth0', 'fe80::1'],
    ['an IPv6 address in brackets', '10.1.1.1', '[2001:db8:1::2]', '2001:db8:1::2'],
    ['spaces around an address with its port', '10.1.1.1', ' 203.0.113.7:5555 ', '203.0.113.7'],
    ['text before an address', '10.1.1.1', 'for 203.0.113.7:5555', '10.1.1.1'],
    ['text before an address in brackets', '10.1.1.1', 'x[2001:db8:1::2]', '10.1.1.1'],
    ['text after an address', '10.1.1.1', '203.0.113.7:5555x', '10.1.1.1'],
    ['IPv4 at the end of another IPv6 address', '10.1.1.1', '2001:db8:1::ffff:1.2.3.4', '2001:db8:1::ffff:1.2.3.4'],
  ])('with %s', (_title, peer, forwarded, want) => {
    const { read } = givenReader(PROXIES);
    expect(read(requestFrom(peer, forwarded === '' ? {} : { 'x-forwarded-for': forwarded }))).toBe(want);
  });

  test('of a closed socket is empty', () => {
    expect(givenReader(PROXIES).read(requestFrom(undefined, { 'x-forwarded-for': '6.6.6.6' }))).toBe('');
  });
});

describe('a forwarded header that is ignored', () => {
  test.each([
    ['x-forwarded-for', []],
    ['forwarded', []],
    ['x-real-ip', PROXIES],
    ['x-forwarded-host', PROXIES],
    ['x-forwarded-proto', PROXIES],
  ])('%s is reported once, with the fix', (header, proxies) => {
    const { read, lines } = givenReader(proxies);
    read(requestFrom('203.0.113.9', {}));
    expect(lines).toEqual([]);
    for (let index = 0; index < 3; index += 1) read(requestFrom('203.0.113.9', { [header]: 'x' }));
    expect(lines).toEqual([
      expect.objectContaining({ peer: '203.0.113.9', header, msg: expect.stringContaining('TRUST_PROXY') }),
    ]);
  });

  test('is not reported for a trusted proxy', () => {
    const { read, lines } = givenReader(PROXIES);
    read(requestFrom('10.1.1.1', { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' }));
    expect(lines).toEqual([]);
  });
});

describe('trusted proxies', () => {
  test.each([
    ['none', []],
    ['0', []],
    ['10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
  ])('%s', (text, want) => {
    expect(parseTrustedProxies(text)).toEqual(want);
  });

  test.each(['1', '', 'true'])('%j are invalid', (text) => {
    expect(() => parseTrustedProxies(text)).toThrow(
      'must be none, or the addresses or CIDR ranges of proxies, separated by commas; a number of proxies is not enough',
    );
  });
});
