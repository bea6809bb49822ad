/** An HTTP proxy on this machine for tunnels (CONNECT): resolves every host name to this machine. */

import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';

export interface ConnectProxy {
  readonly port: number;
  /** `host:port` of every requested tunnel. */
  readonly asked: string[];
  /** The status that refuses tunnels; null: tunnels are opened. */
  refusal: number | null;
  /** True: leaves every CONNECT unanswered. */
  isDumb: boolean;
  /** Number of requests other than CONNECT. */
  forwarded(): number;
  close(): Promise<void>;
}

/**
 * @param options.portOf the port that a tunnel leads to. Default: the requested port.
 * @param options.credentials `user:password` that the proxy requires. Default: none.
 */
export async function startConnectProxy(
  options: { portOf?: (target: string) => number; credentials?: string } = {},
): Promise<ConnectProxy> {
  const { portOf = (target) => Number(target.split(':').at(-1)), credentials } = options;
  const wanted = credentials === undefined ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`;
  const sockets = new Set<Duplex>();
  let forwarded = 0;
  const server = createServer((_, response) => {
    forwarded += 1;
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"from":"the proxy"}');
  });
  server.on('connect', (request, socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    const target = request.url ?? '';
    proxy.asked.push(target);
    if (proxy.isDumb) return;
    const status = request.headers['proxy-authorization'] === wanted ? proxy.refusal : 407;
    if (status !== null) {
      socket.end(`HTTP/1.1 ${status} Refused\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const server = connect(portOf(target), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      server.pipe(socket).pipe(server);
    });
    sockets.add(server);
    server.on('error', () => socket.destroy()).on('close', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: ConnectProxy = {
    port: (server.address() as AddressInfo).port,
    asked: [],
    refusal: null,
    isDumb: false,
    forwarded: () => forwarded,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const socket of sockets) socket.destroy();
      }),
  };
  return proxy;
}
