/** An upstream that records each request as it arrived and sends the answer that the test set. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RecordedCall {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty: no body. */
  readonly body: string;
}

export interface RecorderReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A Buffer or string is sent as it is, anything else as JSON; undefined: no body. */
  readonly body: unknown;
}

export interface Recorder {
  readonly origin: string;
  /** Sets the answer to later calls, and forgets earlier calls. */
  answer(reply: RecorderReply): void;
  calls(): readonly RecordedCall[];
  close(): Promise<void>;
}

export async function startRecorder(): Promise<Recorder> {
  let calls: RecordedCall[] = [];
  let reply: RecorderReply = { status: 200, body: {} };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
    );
    const body = Buffer.concat(chunks).toString('utf8');
    calls.push({ method: request.method ?? '', url: request.url ?? '', headers, body });
    const bytes = toBytes(reply.body);
    const isJson = typeof reply.body !== 'string' && !Buffer.isBuffer(reply.body);
    response.writeHead(reply.status, {
      ...(isJson && reply.body !== undefined ? { 'content-type': 'application/json' } : {}),
      ...reply.headers,
    });
    response.end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer(next) {
      reply = next;
      calls = [];
    },
    calls: () => calls,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function toBytes(body: unknown): Buffer | string {
  if (body === undefined) return '';
  return typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
}
