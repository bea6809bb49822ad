/** A relay in front of a server, to simulate broken connections and outages. */

import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export interface Relay {
  /** The server's URL with the relay's host and port. */
  readonly url: string;
  /** Accepts connections again, on the same port. */
  open(): Promise<void>;
  /** Breaks all connections. */
  cut(): void;
  /** Discards everything that open connections send from now on. */
  lose(): void;
  /** Breaks all connections, and accepts no new ones. */
  close(): Promise<void>;
}

/** Opens a relay on a free port of this machine. @param url contains the server's host and port. */
export async function openRelay(url: string): Promise<Relay> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let server: Server | null = null;
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const listen = async (at: number): Promise<number> => {
    const opened = createServer((socket) => {
      const upstream = connect(Number(port), hostname);
      for (const end of [socket, upstream]) {
        sockets.add(end);
        end.on('error', () => {}).on('close', () => sockets.delete(end));
      }
      socket.pipe(upstream).pipe(socket);
    });
    await new Promise<void>((resolve) => opened.listen(at, '127.0.0.1', resolve));
    server = opened;
    return (opened.address() as AddressInfo).port;
  };
  const own = await listen(0);
  const through = new URL(url);
  through.host = `127.0.0.1:${own}`;
  return {
    url: through.href,
    open: async () => void (await listen(own)),
    cut,
    lose() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    async close() {
      const closing = server;
      server = null;
      if (closing === null) return;
      const closed = new Promise((resolve) => closing.close(resolve));
      cut();
      await closed;
    },
  };
}
