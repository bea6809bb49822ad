/** A load balancer for the benchmark: sends requests to nodes in turn, and can delay each request and response. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { Agent, request } from 'undici';

/** Minimum and maximum one-way delay of a message, in milliseconds. */
export type DelayRange = readonly [number, number];

/** A proxy that listens. */
export interface Proxy {
  readonly origin: string;
  /** Sends requests to these nodes in turn from now on, with this delay each way. */
  route(nodes: readonly string[], delay: DelayRange): void;
  close(): Promise<void>;
}

const KEEP_ALIVE_MS = 600_000;

/** Starts the proxy on a free local port. It answers nothing until it has a route. */
export async function startProxy(): Promise<Proxy> {
  // Connections are not reused: a gateway may close an idle one just as the next request is sent.
  const dispatcher = new Agent({ pipelining: 0 });
  let nodes: readonly string[] = [];
  let [least, most]: DelayRange = [0, 0];
  let count = 0;
  const travel = (): Promise<void> => wait(least + Math.random() * (most - least));

  async function forward(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    const node = nodes[count % nodes.length];
    count += 1;
    if (most > 0) await travel();
    const { connection: _, 'content-length': __, ...headers } = incoming.headers;
    const answer = await request(`${node}${incoming.url}`, {
      dispatcher,
      method: incoming.method ?? 'GET',
      headers,
      body: body.length === 0 ? null : body,
    });
    if (most > 0) await travel();
    const { connection: ___, 'keep-alive': ____, ...answered } = answer.headers;
    response.writeHead(answer.statusCode, answered);
    await pipeline(answer.body, response);
  }

  const server = createServer((incoming, response) => {
    forward(incoming, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    route(to, delay) {
      nodes = to;
      [least, most] = delay;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await dispatcher.close();
    },
  };
}
