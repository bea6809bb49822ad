/** A load balancer: each request goes to the next node, over a connection of its own. */

import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Balancer {
  readonly origin: string;
  /**
   * Sends new requests to these nodes; resolves when none is on its way to another node. Requests that reached one
   * continue.
   */
  use(origins: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export async function startBalancer(): Promise<Balancer> {
  let nodes: readonly string[] = [];
  let turn = 0;
  const connecting = new Map<string, number>();
  const count = (node: string, by: number) => connecting.set(node, (connecting.get(node) ?? 0) + by);

  const server = createServer((incoming, outgoing) => {
    const node = nodes[turn++ % nodes.length] ?? '';
    count(node, 1);
    const { method, headers, url } = incoming;
    const forwarded = request(new URL(url ?? '/', node), { method, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.once('socket', (socket) => socket.once('connect', () => count(node, -1)));
    forwarded.once('error', (error) =>
      outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end(error.message),
    );
    incoming.pipe(forwarded);
  });
  // A client may reuse a connection at the moment when it is closed.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async use(origins) {
      const left = nodes.filter((node) => !origins.includes(node));
      nodes = origins;
      while (left.some((node) => connecting.get(node) !== 0)) await sleep(1);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
