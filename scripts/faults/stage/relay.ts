/** A relay for TCP that can delay what passes, and break connections off. */

import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface Relay {
  readonly port: number;
  /** Milliseconds that each piece takes each way: the least and the most. */
  slow(range: readonly [number, number]): void;
  /** Resets every connection that is open. */
  reset(): void;
  close(): Promise<void>;
}

/** Starts it on a free port of this machine. */
export async function openRelay(target: { readonly host: string; readonly port: number }): Promise<Relay> {
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
      // Pieces keep their order.
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
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
