/** An https server on this machine for documents that the gateway fetches; the test resolves their host names. */

import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Resolve } from '../../server/base/guarded-fetch/resolver.ts';
import { createCertificate } from './certificate.ts';

/** A server that answers under any of its host names. */
export interface DocumentServer {
  /** The handler of every request. */
  answer: RequestListener;
  /** Every request as `host path`. */
  readonly requests: string[];
  /** The certificate to trust. */
  readonly ca: string;
  readonly port: number;
  /** `https://<first host name>:<port>`. */
  readonly origin: string;
  /** Resolves every name to this machine. */
  readonly resolve: Resolve;
  close(): Promise<void>;
}

/** @param hostnames host names in the certificate. */
export async function startDocumentServer(hostnames = ['documents.example', 'localhost']): Promise<DocumentServer> {
  const { key, certificate } = createCertificate(hostnames);
  const requests: string[] = [];
  const server = createServer({ key, cert: certificate }, (request, response) => {
    requests.push(`${request.headers.host} ${request.url}`);
    started.answer(request, response);
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const started: DocumentServer = {
    answer: sendJson({}),
    requests,
    ca: certificate,
    port,
    origin: `https://${hostnames[0]}:${port}`,
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return started;
}

/** Answers with JSON. */
export function sendJson(value: unknown, headers: Readonly<Record<string, string>> = {}): RequestListener {
  return (_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', ...headers });
    response.end(JSON.stringify(value));
  };
}
