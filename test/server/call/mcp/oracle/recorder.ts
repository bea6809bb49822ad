/** A proxy between a client and an endpoint that records the requests of the client. */

import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Sent } from './pair.ts';

export interface ClientRecorder {
  readonly url: string;
  readonly sent: Sent[];
  close(): Promise<void>;
}

export async function startClientRecorder(target: string): Promise<ClientRecorder> {
  const sent: Sent[] = [];
  const server = createServer(async (incoming, response) => {
    const { method = '', headers } = incoming;
    let body = '';
    for await (const chunk of incoming) body += chunk;
    const { host, connection, 'content-length': length, 'transfer-encoding': coding, ...kept } = headers;
    const names = Object.entries(kept).map(([name, value]) => [name, String(value)] as const);
    sent.push({ method, headers: names, body });
    const outgoing = httpRequest(target, { method, headers: Object.fromEntries(names) }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    outgoing.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${new URL(target).pathname}`,
    sent,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
