/** An upstream that answers exactly the requests of a script, and lists those that arrived. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ScriptedUpstream {
  readonly origin: string;
  /** Answers these requests from now on, and forgets those so far. */
  answer(answers: Readonly<Record<string, unknown>>): void;
  /** `GET /path?query`, or `POST /path {"body":1}`, in order. */
  requests(): readonly string[];
  close(): Promise<void>;
}

export async function startScriptedUpstream(): Promise<ScriptedUpstream> {
  let script: Readonly<Record<string, unknown>> = {};
  let requests: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const key = `${request.method} ${request.url}${body === '' ? '' : ` ${body}`}`;
    requests.push(key);
    const isKnown = Object.hasOwn(script, key);
    response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isKnown ? script[key] : { message: 'not found' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer(answers) {
      script = answers;
      requests = [];
    },
    requests: () => requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
