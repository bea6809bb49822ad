/** A TCP relay that can delay data, reset connections, and change its target. */

import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface Relay {
  readonly port: number;
  /** Minimum and maximum one-way delay of each chunk, in milliseconds. */
  slow(range: readonly [number, number]): void;
  /** Resets every open connection. */
  reset(): void;
  /** Connects to another local port from now on; open connections stay where they are. */
  move(port: number): void;
  close(): Promise<void>;
}

/** Starts the relay on a free local port. */
export async function openRelay(first: { readonly host: string; readonly port: number }): Promise<Relay> {
  let target = first;
  let [least, most] = [0, 0];
  const sockets = new Set<Socket>();
  const join = (from: Socket, to: Socket): void => {
    let last = Promise.resolve();
    sockets.add(from);
    from.setNoDelay();
    from.on('error', () => {});
    from.on('close', () => {
      sockets.delete(from);
      void last.then(() => to.destroy());
    });
    from.on('data', (piece: Buffer) => {
      // Chunks keep their order.
      last = Promise.all([last, most === 0 ? null : delay(least + Math.random() * (most - least))]).then(() => {
        if (!to.destroyed) to.write(piece);
      });
    });
  };
  const server = createServer((near) => {
    const far = connect(target);
    join(near, far);
    join(far, near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    slow(range) {
      [least, most] = range;
    },
    reset() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    move(port) {
      target = { host: '127.0.0.1', port };
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
