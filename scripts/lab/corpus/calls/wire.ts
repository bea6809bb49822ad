/** A local server that receives every request, whatever its host, and stores each as it arrived. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, type Dispatcher } from 'undici';
import type { Outgoing } from '../../../../server/base/guarded-fetch/outgoing.ts';

export interface ArrivedRequest {
  readonly method: string;
  /** Origin that the request was for. */
  readonly origin: string;
  /** Path and query as sent. */
  readonly url: string;
  /** Names in lower case, each with its values in order. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly body: Buffer;
}

export interface Wire {
  /** Sends a gateway's requests to this server. */
  readonly outgoing: Outgoing;
  /** Requests since the last call. */
  take(): ArrivedRequest[];
  close(): Promise<void>;
}

export async function openWire(): Promise<Wire> {
  let arrived: ArrivedRequest[] = [];
  const origins: string[] = [];
  const server = createServer((request, response) => {
    void keep(request, response, origins.shift() ?? '').then((one) => arrived.push(one));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const here = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const agent = new Agent({ allowH2: false });
  const dispatcher = agent.compose((dispatch) => (options, handler) => {
    origins.push(String(options.origin));
    return dispatch({ ...options, origin: here }, handler);
  }) as Dispatcher;
  return {
    outgoing: {
      dispatcher: async () => dispatcher,
      fetch: () => Promise.reject(new Error('Nothing is fetched here.')),
      close: () => agent.close(),
      destroy: () => agent.destroy(),
    },
    take() {
      const taken = arrived;
      arrived = [];
      return taken;
    },
    async close() {
      await agent.destroy();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function keep(request: IncomingMessage, response: ServerResponse, origin: string): Promise<ArrivedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const headers = Object.fromEntries(
    Object.entries(request.headersDistinct).map(([name, values]) => [name, values ?? []]),
  );
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end('{}');
  return { method: request.method ?? '', origin, url: request.url ?? '', headers, body: Buffer.concat(chunks) };
}
