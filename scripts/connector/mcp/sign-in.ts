/** Signs in at the authorization server of an MCP server, in the browser of the person who runs the command (RFC 8252). */

import { spawn } from 'node:child_process';
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { isIP } from 'node:net';
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { UsageError } from '../../../shared/cli/run.ts';

/** Time that a person has to sign in. */
const SIGN_IN_MS = 5 * 60_000;
const PATH = '/callback';

/** Opens an address for a person. Default: the browser of this machine. */
export type OpenBrowser = (url: string) => void;

interface SignInOptions {
  /** A client that is registered already, or the https address of its metadata document. Undefined: it is registered now. */
  readonly clientId: string | undefined;
  readonly open: OpenBrowser;
  readonly say: (line: string) => void;
}

export interface SignIn {
  readonly provider: OAuthClientProvider;
  /** Resolves with the parameters of the authorization response. @throws {UsageError} if none comes. */
  waitForCallback(): Promise<URLSearchParams>;
  /** What discovery found; undefined if nothing was asked for. */
  discovered(): OAuthDiscoveryState | undefined;
  close(): void;
}

/** Listens on the loopback address until it is closed. Everything stays in memory: the tokens end with the command. */
export async function createSignIn({ clientId, open, say }: SignInOptions): Promise<SignIn> {
  const state = randomBytes(32).toString('base64url');
  const callback = Promise.withResolvers<URLSearchParams>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (request.method !== 'GET' || url.pathname !== PATH) return void response.writeHead(404).end();
    if (!isSame(url.searchParams.get('state') ?? '', state)) return void response.writeHead(400).end('Not expected.');
    response.writeHead(200, { 'content-type': 'text/plain' }).end('Signed in. You can close this window.');
    callback.resolve(url.searchParams);
  });
  const redirectUrl = `http://127.0.0.1:${await listen(server)}${PATH}`;
  let client: StoredOAuthClientInformation | undefined;
  let tokens: StoredOAuthTokens | undefined;
  let verifier = '';
  let discovery: OAuthDiscoveryState | undefined;
  const isDocument = clientId?.startsWith('https://') ?? false;
  if (clientId !== undefined && !isDocument) client = { client_id: clientId };
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: {
      client_name: 'Unified Tool Gateway, utg add',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    state: () => state,
    // The person who named a client says that it is of this server.
    clientInformation: (context) =>
      client === undefined || context === undefined ? client : { issuer: context.issuer, ...client },
    saveClientInformation: (information) => {
      client = information;
    },
    tokens: () => tokens,
    saveTokens: (issued) => {
      tokens = issued;
    },
    saveCodeVerifier: (value) => {
      verifier = value;
    },
    codeVerifier: () => verifier,
    saveDiscoveryState: (found) => {
      discovery = found;
    },
    discoveryState: () => discovery,
    redirectToAuthorization: (url) => {
      requireBrowserAddress(url);
      say(`\nSign in here, if no browser opens:\n  ${url.href}\n`);
      open(url.href);
    },
  };
  if (isDocument && clientId !== undefined) provider.clientMetadataUrl = clientId;
  return {
    provider,
    discovered: () => discovery,
    async waitForCallback() {
      const timer = setTimeout(() => {
        callback.reject(new UsageError(`No one signed in within ${SIGN_IN_MS / 60_000} minutes.`));
      }, SIGN_IN_MS);
      try {
        return await callback.promise;
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The address comes from a document of the server: it must not start another program than a browser. */
function requireBrowserAddress(url: URL): void {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const isLoopback = host === 'localhost' || (isIP(host) !== 0 && /^(127\.|::1$)/.test(host));
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback)) return;
  throw new UsageError(`The authorization server names ${url.protocol}//${url.host} to sign in, which is not https.`);
}

export function openBrowser(url: string): void {
  const [command = '', ...args] = { darwin: ['open'], win32: ['rundll32', 'url.dll,FileProtocolHandler'] }[
    process.platform as string
  ] ?? ['xdg-open'];
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  // Without a browser, the printed address is enough.
  child.on('error', () => {});
  child.unref();
}

function isSame(value: string, expected: string): boolean {
  const [left, right] = [Buffer.from(value), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}
