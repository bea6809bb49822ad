/** The gate's own upstream: names the credential that it received, or misbehaves. */

import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { markOf } from '../ledger/ledger.ts';

/** `closes`: answers, and closes the connection. */
export type Behavior = 'answers' | 'closes' | 'hangs' | 'garbage' | 'resets';

export interface EchoingUpstream {
  readonly origin: string;
  behavior: Behavior;
  close(): void;
}

/** Invalid and unexpected responses. */
const GARBAGE: readonly string[] = [
  'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 20\r\n\r\n{"data": [1, 2, nul}',
  'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"data": [',
  'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 32\r\n\r\n<html><h1>It works!</h1></html>\n',
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nnot a chunk\r\n',
  '220 mail.example ESMTP ready\r\n',
  `HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(100_000)}\r\n\r\n`,
  'HTTP/1.1 999 \u0000\u0001\r\ncontent-length: 0\r\n\r\n',
];

/**
 * Starts the upstream on a free local port.
 *
 * @param readCredential reads the credential of a request. @param toBody returns the response body, including a text that names the
 *   credential and the query parameter `cursor`.
 */
export async function openUpstream(
  readCredential: (request: IncomingMessage) => string,
  toBody: (echo: string) => unknown,
): Promise<EchoingUpstream> {
  let garbage = 0;
  const server = createServer((request, response) => {
    request.resume();
    switch (upstream.behavior) {
      case 'hangs':
        return;
      case 'resets':
        request.socket.resetAndDestroy();
        return;
      case 'garbage':
        garbage += 1;
        request.socket.end(GARBAGE[garbage % GARBAGE.length] ?? '');
        return;
      case 'closes':
        response.setHeader('connection', 'close');
    }
    const cursor = new URL(request.url ?? '/', 'http://upstream').searchParams.get('cursor') ?? '';
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(toBody(`${markOf(readCredential(request))}:${cursor}`)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const upstream: EchoingUpstream = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behavior: 'answers',
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return upstream;
}
