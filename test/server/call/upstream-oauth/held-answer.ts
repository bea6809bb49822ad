/** Stands before an authorization server and holds the answer to a refresh until the test lets it go. */

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HeldAnswer {
  /** To be set as the origin of the authorization server. */
  readonly origin: string;
  /** Resolves when the authorization server has answered; nobody else has seen the answer. */
  readonly answered: Promise<void>;
  /** Sends the answer that is held. Resolves when it has left this process. */
  release(): Promise<void>;
  close(): Promise<void>;
}

/** Only the first refresh is held; everything else passes. */
export async function holdFirstRefresh(upstream: string): Promise<HeldAnswer> {
  let held: { response: ServerResponse; body: string; status: number } | null = null;
  let first = true;
  const { promise: answered, resolve: hasAnswered } = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = 'GET', url = '/', headers } = request;
    const answer = await fetch(upstream + url, {
      method,
      headers: { authorization: headers.authorization ?? '', 'content-type': headers['content-type'] ?? '' },
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
    });
    const body = await answer.text();
    if (first && url === '/oauth/refresh') {
      first = false;
      held = { response, body, status: answer.status };
      hasAnswered();
    } else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answered,
    release: () =>
      new Promise((resolve) => {
        const { response, body, status } = held!;
        response.writeHead(status, { 'content-type': 'application/json' }).end(body, () => resolve());
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
