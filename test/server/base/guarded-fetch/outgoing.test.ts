import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import {
  addressOf,
  createNetworkCheck,
  LOOPBACK_NETWORKS,
  mayReach,
  parseNetworks,
} from '../../../../server/base/guarded-fetch/networks.ts';
import { createOutgoing, type OutgoingOptions } from '../../../../server/base/guarded-fetch/outgoing.ts';
import { toUpstreamFailure } from '../../../../server/call/upstream/failures.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function startServer() {
  const sockets = new Set<unknown>();
  const server = createServer((_, response) => response.end('here'));
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, sockets };
}

function open(options: OutgoingOptions) {
  const outgoing = createOutgoing(options);
  closing.push(() => outgoing.destroy());
  return async (url: string): Promise<string> => {
    const { origin, pathname } = new URL(url);
    const dispatcher = await outgoing.dispatcher();
    const answer = await dispatcher.request({ origin, path: pathname, method: 'GET' });
    return answer.body.text();
  };
}

describe('outgoing connections', () => {
  test.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '169.254.169.254', '10.1.2.3', '0.0.0.0'])(
    'go to no address that is not public: %s',
    async (host) => {
      await expect(open({})(`http://${host}:9/`)).rejects.toMatchObject({ reason: 'address' });
    },
  );

  test('go to no name with an address that is not public', async () => {
    const resolve = async () => [
      { address: '1.1.1.1', family: 4 },
      { address: '192.168.0.1', family: 4 },
    ];
    await expect(open({ resolve })('http://mixed.example/')).rejects.toMatchObject({ reason: 'address' });
  });

  test('go to allowed networks, by address and by name', async () => {
    const { port } = await startServer();
    const get = open({ networks: ['127.0.0.0/8'], resolve: async () => [{ address: '127.0.0.1', family: 4 }] });
    expect(await get(`http://127.0.0.1:${port}/`)).toBe('here');
    expect(await get(`http://here.example:${port}/`)).toBe('here');
  });

  test('resolve and check a name once per connection, which is reused', async () => {
    const { port, sockets } = await startServer();
    let asked = 0;
    const resolve = async () => {
      asked += 1;
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const get = open({ networks: ['127.0.0.1'], resolve });
    for (let sent = 0; sent < 5; sent += 1) await get(`http://here.example:${port}/`);
    expect(asked).toBe(sockets.size);
    expect(asked).toBeLessThan(5);
  });

  test('tell the operator which setting allows an address', async () => {
    const error = await open({})('http://10.0.0.1/').catch((caught: unknown) => caught);
    expect(toUpstreamFailure(error)).toMatchObject({
      kind: 'unreachable',
      message: expect.stringContaining('OUTGOING_NETWORKS does not include it'),
    });
  });
});

describe('networks', () => {
  test.each([
    ['none', []],
    ['10.0.0.0/8, fd00::/8,::1', ['10.0.0.0/8', 'fd00::/8', '::1']],
    ['10.0.0.1/32,128.0.0.0/1,::1/128', ['10.0.0.1/32', '128.0.0.0/1', '::1/128']],
  ])('%s', (text, want) => {
    expect(parseNetworks(text)).toEqual(want);
  });

  test.each([
    '',
    'crm.internal',
    '10.0.0.0/33',
    '10.0.0.0/0',
    '10.0.0.0/8/8',
    '10.0.0.1,',
    '10.0.0.0/x8',
    '10.0.0.0/8x',
    '::/129',
    '/8',
  ])('%j is not a network', (text) => {
    expect(() => parseNetworks(text)).toThrow('must be none, or addresses or CIDR ranges');
  });

  test.each([
    ['10.1.2.3', true],
    ['11.1.2.3', false],
    ['192.0.2.1', true],
    ['192.0.2.2', false],
    ['fd00::1', true],
    ['fe80::1', false],
    ['::ffff:10.1.2.3', false],
    ['crm.internal', false],
    ['', false],
  ])('include %j: %s', (address, want) => {
    expect(createNetworkCheck(['10.0.0.0/8', '192.0.2.1', 'fd00::/8'])(address)).toBe(want);
  });

  test.each([
    ['localhost', '127.0.0.1'],
    ['[::1]', '::1'],
    ['x[::1]', 'x[::1]'],
    ['[::1]x', '[::1]x'],
    ['crm.internal', 'crm.internal'],
  ])('the host %s is the address %s', (hostname, want) => {
    expect(addressOf(hostname)).toBe(want);
  });

  test.each([
    ['localhost', [], false],
    ['localhost', LOOPBACK_NETWORKS, true],
    ['[::1]', LOOPBACK_NETWORKS, true],
    ['10.0.0.1', LOOPBACK_NETWORKS, false],
    ['1.1.1.1', [], true],
    ['[2606:4700::1111]', [], true],
    ['crm.internal', [], true],
  ])('the host %s with the networks %j may be reached: %s', (hostname, networks, want) => {
    expect(mayReach(hostname, networks)).toBe(want);
  });
});
