/** A receiver of signed deliveries on this machine. */

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly event: { id: string; type: string; data: Record<string, string> };
}

export interface Receiver {
  readonly origin: string;
  readonly received: Received[];
  /** Answers each request. Default: 204. */
  answer: (request: Received, response: ServerResponse) => void;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const one = { path: request.url ?? '', headers: request.headers, body, event: JSON.parse(body) };
      receiver.received.push(one);
      receiver.answer(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: Receiver = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: [],
    answer: (_, response) => response.writeHead(204).end(),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

/** Waits until a condition holds, at most ten seconds. */
export async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds() && tries < 1000; tries += 1) await delay(10);
  if (!holds()) throw new Error('what the test waits for did not come about');
}
