/** Raw upstreams on port 0, and one call through the gateway's upstream side. */

import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createNetServer, type Socket } from 'node:net';
import type { Upstream, UpstreamOptions } from '../../../../server/call/upstream/index.ts';
import type { Connector, CredentialPart } from '../../../../server/contract/index.ts';
import { type FakeToolOptions, fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { createLocalUpstream } from '../../../support/outgoing.ts';

export interface Host {
  readonly origin: string;
  /** Requests, or connections of a raw host, so far. */
  hits(): number;
  close(): Promise<void>;
}

export async function startHost(listener: RequestListener): Promise<Host> {
  let hits = 0;
  const server = createServer((request, response) => {
    hits += 1;
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hits: () => hits,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Answers every request alike: texts and bytes as they are, other bodies as JSON. */
export function answering(status: number, body: unknown, headers: Record<string, string> = {}): RequestListener {
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
  const text = isRaw ? body : JSON.stringify(body);
  return (_, response) => void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}

export async function startRawHost(onRequest: (socket: Socket, request: number) => void): Promise<Host> {
  let hits = 0;
  const sockets = new Set<Socket>();
  const server = createNetServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', () => {
      hits += 1;
      onRequest(socket, hits);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hits: () => hits,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

export interface CallOptions {
  readonly origin: string;
  readonly tool?: Partial<FakeToolOptions>;
  readonly args?: Record<string, unknown>;
  readonly parts?: readonly CredentialPart[];
  readonly fields?: Record<string, string>;
  readonly signal?: AbortSignal;
  readonly upstream?: Partial<UpstreamOptions>;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  header(name: string): string | null;
}

export function upstreamFor(origin: string, options: Partial<UpstreamOptions> = {}) {
  return createLocalUpstream({
    baseUrls: new Map([['library', new Map([['{library_base_url}', origin]])]]),
    timeoutMs: 15_000,
    maxResultBytes: 1024 * 1024,
    userAgent: 'gateway-test/1.0',
    ...options,
  });
}

export async function callUpstream(options: CallOptions): Promise<Answer> {
  const upstream = upstreamFor(options.origin, options.upstream);
  try {
    return await callThrough(upstream, options);
  } finally {
    await upstream.close();
  }
}

export async function callThrough(upstream: Upstream, options: Omit<CallOptions, 'origin'>): Promise<Answer> {
  const args = options.args ?? {};
  const input = { properties: Object.fromEntries(Object.keys(args).map((name) => [name, {}])) };
  const tool = fakeTool({ name: 'library_call', input, ...options.tool });
  const connector: Connector = fakeConnector({ tools: [tool], parts: options.parts ?? [] });
  const signal = options.signal ?? new AbortController().signal;
  const request = upstream.prepare({ connector, tool, args, fields: options.fields ?? {} });
  const { status, body, header } = await upstream.send(request, { signal });
  return { status, text: body.toString('utf8'), header };
}
