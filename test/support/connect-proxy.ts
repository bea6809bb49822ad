/** An HTTP proxy on this machine that makes tunnels (CONNECT): it knows every host name, and they all are this machine. */

import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';

export interface ConnectProxy {
  readonly port: number;
  /** `host:port` of every tunnel that was asked for. */
  readonly asked: string[];
  /** What tunnels are refused with; null: they are made. */
  refusal: number | null;
  /** Drops every request without an answer. */
  isDumb: boolean;
  /** How many requests came that were no CONNECT. */
  forwarded(): number;
  close(): Promise<void>;
}

/**
 * @param options.portOf where a tunnel leads. Default: the port that was asked for.
 * @param options.credentials `user:password` that a tunnel needs. Default: none.
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
