/** Starts another gateway next to one of `startGateway`, with its store and settings, as behind a load balancer. */

import { createServer, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLog } from '../../server/base/http/log.ts';
import type { Connector } from '../../server/contract/index.ts';
import { createGateway } from '../../server/gateway.ts';
import { MCP_PATH } from '../../server/gateway-paths.ts';
import { loadConfig } from '../../server/index.ts';
import type { RunningGateway } from './gateway.ts';

/** One address for several gateways, which get requests in turn. */
export interface SharedAddress {
  readonly origin: string;
  /** Origins of the gateways. */
  readonly gateways: string[];
  /** Index of the gateway of each request to the MCP endpoint, in their order. */
  readonly calls: number[];
  close(): Promise<void>;
}

export async function openSharedAddress(): Promise<SharedAddress> {
  const gateways: string[] = [];
  const calls: number[] = [];
  let turn = 0;
  const server = createServer((request, response) => {
    const index = turn++ % gateways.length;
    if (request.url === MCP_PATH && request.method === 'POST') calls.push(index);
    const { method, headers } = request;
    const forwarded = sendRequest(gateways[index] + (request.url ?? ''), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    response.on('close', () => forwarded.destroy());
    request.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    gateways,
    calls,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export async function listenBeside(
  first: RunningGateway,
  connectors: readonly Connector[],
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly origin: string; close(): Promise<void> }> {
  const env = {
    PUBLIC_URL: first.listensAt,
    DATABASE_URL: first.databaseUrl,
    ENCRYPTION_KEYS: first.encryptionKeys,
    LOG_LEVEL: 'silent',
    ...more,
  };
  const config = loadConfig({ connectors, env });
  const gateway = await createGateway({
    config,
    connectors,
    alone: false,
    recordsEveryMs: 20,
    log: createLog({ level: 'silent' }),
  });
  const server = createServer(gateway.handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      gateway.beginStop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await gateway.close();
    },
  };
}
