/** The official clients in each version of the protocol that they speak. */

import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1Transport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { connectClient } from './mcp-client.ts';

/** An endpoint, and the token for it. */
export interface Endpoint {
  readonly url: string;
  readonly token: string;
}

/** The members that all clients have. */
export interface AnyClient {
  listTools(): Promise<{ tools: { name: string; annotations?: object; outputSchema?: object }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<AnyResult>;
  close(): Promise<void>;
}

export interface AnyResult {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string; readonly [member: string]: unknown }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
}

/** Connects the client of the v1 SDK, which speaks 2025-11-25. */
export async function connectV1Client({ url, token }: Endpoint): Promise<V1Client> {
  const client = new V1Client({ name: 'v1', version: '1.0.0' });
  const transport = new V1Transport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } });
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return client;
}

type Connect = (endpoint: Endpoint) => Promise<AnyClient>;

export const CLIENTS: readonly (readonly [title: string, connect: Connect])[] = [
  ['the v1 client', async (endpoint) => (await connectV1Client(endpoint)) as unknown as AnyClient],
  ['the v2 client on 2025', async (to) => (await connectClient({ ...to, mode: 'legacy' })) as unknown as AnyClient],
  ['the v2 client on 2026', async (to) => (await connectClient({ ...to, mode: '2026-07-28' })) as unknown as AnyClient],
];
