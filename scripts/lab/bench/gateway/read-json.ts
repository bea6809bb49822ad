/** Reads a request body as cheaply as possible, for benchmark servers, which trust their only client. */

import type { IncomingMessage } from 'node:http';

/** @returns the parsed body. */
export function readJson(request: IncomingMessage): Promise<unknown> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString('utf8'))));
  });
}
