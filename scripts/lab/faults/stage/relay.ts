/** A TCP relay that can delay data, reset connections, and change its target. */

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface Relay {
  readonly port: number;
  /** The longest one-way delay of a chunk, in milliseconds; the shortest is a fifth of it. */
  maxDelayMs: number;
  /** The address to which new connections lead. Open ones stay. */
  target: { readonly host: string; readonly port: number };
  /** Resets every open connection. */
  reset(): void;
  close(): void;
}

/** Starts the relay on a free local port. */
export async function openRelay(target: Relay['target']): Promise<Relay> {
  const sockets = new Set<Socket>();
  const forward = (from: Socket, to: Socket): void => {
    let last = Promise.resolve();
    sockets.add(from);
    from.setNoDelay();
    from.on('error', () => {});
    from.on('close', () => {
      sockets.delete(from);
      void last.then(() => to.destroy());
    });
    from.on('data', (chunk: Buffer) => {
      const { maxDelayMs } = relay;
      const wait = maxDelayMs === 0 ? undefined : delay(maxDelayMs * (0.2 + 0.8 * Math.random()));
      // Chunks stay in order.
      last = Promise.all([last, wait]).then(() => {
        if (!to.destroyed) to.write(chunk);
      });
    });
  };
  const server = createServer((client) => {
    const upstream = connect(relay.target);
    forward(client, upstream);
    forward(upstream, client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const relay: Relay = {
    port: (server.address() as AddressInfo).port,
    maxDelayMs: 0,
    target,
    reset() {
      for (const socket of sockets) {
        // Node cannot reset a socket that is ending: it would stay open, and this process would never exit.
        if (socket.writableEnded) socket.destroy();
        else socket.resetAndDestroy();
      }
    },
    close() {
      server.close();
      relay.reset();
    },
  };
  return relay;
}
