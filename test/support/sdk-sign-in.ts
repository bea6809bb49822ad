/** The sign-ins of the official clients, with all that they remember in one object. */

import {
  Client as V2Client,
  type OAuthClientProvider as V2Provider,
  StreamableHTTPClientTransport as V2Transport,
  UnauthorizedError as V2Unauthorized,
} from '@modelcontextprotocol/client';
import {
  type OAuthClientProvider as V1Provider,
  UnauthorizedError as V1Unauthorized,
} from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1Transport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

export const REDIRECT_URI = 'http://127.0.0.1:7000/callback';

export interface Memory {
  client?: unknown;
  tokens?: { access_token: string; refresh_token?: string; scope?: string };
  verifier?: string;
  /** The last address that the user was sent to. */
  url?: URL;
  discovery?: unknown;
  /** How often the user was sent away. */
  redirects: number;
  /** What the SDK had the client forget. */
  dropped: string[];
}

/** A client of an SDK. */
export type SdkClient = Pick<V2Client, 'callTool' | 'listTools' | 'close' | 'getNegotiatedProtocolVersion'>;

export interface Sdk {
  readonly memory: Memory;
  readonly Unauthorized: new () => Error;
  /** @throws {Error} `Unauthorized` where the user must sign in first, at `memory.url`. */
  connect(): Promise<SdkClient>;
  /** Takes the answer of the sign-in. */
  finish(callback: URLSearchParams): Promise<void>;
}

/** @param more members of the provider, such as `clientMetadataUrl`. */
function providerOf(memory: Memory, more: object): object {
  return {
    redirectUrl: REDIRECT_URI,
    clientMetadata: { client_name: 'Claude', redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' },
    state: () => 'a-state',
    clientInformation: () => memory.client,
    saveClientInformation(client: unknown) {
      memory.client = client;
    },
    tokens: () => memory.tokens,
    saveTokens(tokens: NonNullable<Memory['tokens']>) {
      memory.tokens = tokens;
    },
    redirectToAuthorization(url: URL) {
      memory.url = url;
      memory.redirects += 1;
    },
    saveCodeVerifier(verifier: string) {
      memory.verifier = verifier;
    },
    codeVerifier: () => memory.verifier ?? '',
    discoveryState: () => memory.discovery,
    saveDiscoveryState(state: unknown) {
      memory.discovery = state;
    },
    invalidateCredentials(what: string) {
      memory.dropped.push(what);
      if (what === 'all' || what === 'tokens') delete memory.tokens;
      if (what === 'all' || what === 'client') delete memory.client;
    },
    ...more,
  };
}

/** @param endpoint URL of the MCP endpoint, all that the client knows. */
export function v1Sdk(endpoint: string, more: object = {}): Sdk {
  const memory: Memory = { redirects: 0, dropped: [] };
  const authProvider = providerOf(memory, more) as unknown as V1Provider;
  return {
    memory,
    Unauthorized: V1Unauthorized,
    async connect() {
      const client = new V1Client({ name: 'v1', version: '1.0.0' });
      const sent: Promise<Response>[] = [];
      const observed = (url: string | URL, init?: RequestInit) => {
        const answer = fetch(url, init);
        sent.push(answer);
        return answer;
      };
      const transport = new V1Transport(new URL(endpoint), { authProvider, fetch: observed });
      await client.connect(transport as Parameters<typeof client.connect>[0]);
      // The client goes on before its first notification is answered, and a test that ends its token must wait for that.
      await client.ping();
      await Promise.allSettled(sent);
      return client as unknown as SdkClient;
    },
    finish: (callback) => new V1Transport(new URL(endpoint), { authProvider }).finishAuth(callback.get('code') ?? ''),
  };
}

export function v2Sdk(endpoint: string, mode: 'auto' | 'legacy' = 'auto', more: object = {}): Sdk {
  const memory: Memory = { redirects: 0, dropped: [] };
  const authProvider = providerOf(memory, more) as unknown as V2Provider;
  const transport = () => new V2Transport(new URL(endpoint), { authProvider });
  return {
    memory,
    Unauthorized: V2Unauthorized,
    async connect() {
      const client = new V2Client({ name: 'v2', version: '1.0.0' }, { versionNegotiation: { mode } });
      await client.connect(transport());
      return client;
    },
    finish: (callback) => transport().finishAuth(callback),
  };
}
