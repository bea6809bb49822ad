/** An upstream with its own token endpoint: access tokens that expire, refresh tokens that rotate, and faults. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

interface TokenFault {
  readonly status: number;
  readonly body: object;
  readonly headers?: Record<string, string>;
}

export interface OAuthUpstream {
  readonly origin: string;
  /** Parameters of every token request so far. */
  readonly tokenRequests: Record<string, string>[];
  /** Tokens that were revoked at the revocation endpoint. */
  readonly revoked: string[];
  /** The access token of every call so far. */
  readonly calls: string[];
  /** The access tokens that calls may use now. */
  readonly accessTokens: Set<string>;
  readonly refreshTokens: Set<string>;
  /** `expires_in` of token answers, in seconds; null: omitted. */
  expiresIn: number | null;
  /** Delay of every token answer. */
  tokenDelayMs: number;
  /** Replaces the answer to token requests; `lost`: issues the tokens, then drops the connection. */
  fault: TokenFault | 'lost' | null;
  /** Runs after a token request took effect and before its answer. */
  onToken: () => void | Promise<void>;
  /** The answer to every call; null: the token decides. */
  broken: { readonly status: number; readonly body: object } | null;
  /** The answer to calls of a path; null: the token decides. */
  onCall: (path: string) => OAuthUpstream['broken'];
  close(): Promise<void>;
}

export async function startOAuthUpstream(): Promise<OAuthUpstream> {
  let issued = 0;
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const upstream: OAuthUpstream = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tokenRequests: [],
    revoked: [],
    calls: [],
    accessTokens: new Set(['at-0']),
    refreshTokens: new Set(['rt-0']),
    expiresIn: 3600,
    tokenDelayMs: 0,
    fault: null,
    onToken: () => {},
    broken: null,
    onCall: () => null,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parameters = Object.fromEntries(new URLSearchParams(await text(request)));
    if (request.url === '/token') return answerToken(parameters, response);
    if (request.url === '/revoke') {
      upstream.revoked.push(parameters.token ?? '');
      return send(response, 200, {});
    }
    const token = (request.headers.authorization ?? String(request.headers['x-key'])).replace('Bearer ', '');
    upstream.calls.push(token);
    const broken = upstream.broken ?? upstream.onCall(request.url ?? '');
    if (broken !== null) return send(response, broken.status, broken.body);
    const isValid = upstream.accessTokens.has(token);
    send(response, isValid ? 200 : 401, isValid ? { things: [], token: 'seen' } : { message: 'Unauthorized' });
  }

  async function answerToken(parameters: Record<string, string>, response: ServerResponse): Promise<void> {
    upstream.tokenRequests.push(parameters);
    const { fault } = upstream;
    await delay(upstream.tokenDelayMs);
    if (fault !== null && fault !== 'lost') {
      for (const [name, value] of Object.entries(fault.headers ?? {})) response.setHeader(name, value);
      return send(response, fault.status, fault.body);
    }
    const isRefresh = parameters.grant_type === 'refresh_token';
    if (isRefresh && !upstream.refreshTokens.delete(parameters.refresh_token ?? '')) {
      return send(response, 400, { error: 'invalid_grant' });
    }
    issued += 1;
    upstream.accessTokens.clear();
    upstream.accessTokens.add(`at-${issued}`);
    if (isRefresh) upstream.refreshTokens.add(`rt-${issued}`);
    await upstream.onToken();
    if (fault === 'lost') return void response.destroy();
    send(response, 200, {
      access_token: `at-${issued}`,
      ...(isRefresh ? { refresh_token: `rt-${issued}` } : {}),
      ...(upstream.expiresIn === null ? {} : { expires_in: upstream.expiresIn }),
    });
  }
  return upstream;
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
