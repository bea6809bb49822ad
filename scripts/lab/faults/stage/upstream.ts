/**
 * The gate's own upstream: names the credential it received, or does not answer, answers garbage, or closes the connection early.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { markOf } from '../ledger/ledger.ts';

/** `closes`: answers, each time on a connection of its own. */
export type Mood = 'answers' | 'closes' | 'hangs' | 'garbage' | 'resets';

export interface EchoingUpstream {
  readonly origin: string;
  mood: Mood;
  close(): Promise<void>;
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
 * @param credentialOf reads the credential of a request. @param toBody returns the response body, including a text that names the
 *   credential and the query parameter `cursor`.
 */
export async function openUpstream(
  credentialOf: (request: IncomingMessage) => string,
  toBody: (echo: string) => unknown,
): Promise<EchoingUpstream> {
  let garbage = 0;
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    request.resume();
    if (upstream.mood === 'hangs') return;
    if (upstream.mood === 'resets') {
      request.socket.resetAndDestroy();
      return;
    }
    if (upstream.mood === 'garbage') {
      garbage += 1;
      request.socket.end(GARBAGE[garbage % GARBAGE.length] ?? '');
      return;
    }
    const call = new URL(request.url ?? '/', 'http://upstream').searchParams.get('cursor') ?? '';
    const closing = upstream.mood === 'closes' ? { connection: 'close' } : {};
    response.writeHead(200, { 'content-type': 'application/json', ...closing });
    response.end(JSON.stringify(toBody(`${markOf(credentialOf(request))}:${call}`)));
  };
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const upstream: EchoingUpstream = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mood: 'answers',
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return upstream;
}
