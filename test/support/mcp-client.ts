/** Connects the official v2 client to a gateway. */

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

export type ClientMode = 'legacy' | 'auto' | '2026-07-28';

export interface ClientOptions {
  /** URL of the MCP endpoint. */
  readonly url: string;
  readonly token: string;
  /** Default `auto`: asks the server which protocol version it supports. */
  readonly mode?: ClientMode;
}

export async function connectClient({ url, token, mode = 'auto' }: ClientOptions): Promise<Client> {
  const client = new Client(
    { name: 'test-client', version: '1.0.0' },
    { versionNegotiation: { mode: mode === '2026-07-28' ? { pin: mode } : mode } },
  );
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  });
  await client.connect(transport);
  return client;
}
