/** A small partner application: sends its user to the connect page, checks the state, redeems the code, and shows codes. */

import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AS_FORM, answerOf, createPartnerClient, type Schemas } from '../../packages/partner/index.ts';

export interface PartnerApp {
  readonly origin: string;
  /** The gateway's answer to the last redeemed code. */
  tokens: Schemas['PartnerTokens'] | null;
  /** Set once the gateway knows the partner. */
  credentials: { clientId: string; clientSecret: string };
  close(): Promise<void>;
}

/** @param options.user the only user, who is signed in. */
export async function startPartnerApp(options: { gateway: () => string; user: string }): Promise<PartnerApp> {
  const states = new Set<string>();
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.statusCode = 500;
      response.end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const app: PartnerApp = {
    origin,
    tokens: null,
    credentials: { clientId: '', clientSecret: '' },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', origin);
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    if (url.pathname === '/connections') return sendToGateway(url.searchParams.get('service') ?? '', response);
    if (url.pathname === '/back') return takeBack(url.searchParams, response);
    if (url.pathname === '/code') return showCode(response);
    response.end('<h1>Done</h1>');
  }

  function sendToGateway(service: string, response: ServerResponse): void {
    const state = randomBytes(16).toString('base64url');
    states.add(state);
    const query = new URLSearchParams({
      client_id: app.credentials.clientId,
      user_id: options.user,
      redirect_uri: `${origin}/back`,
      state,
    });
    response.writeHead(302, { Location: `${options.gateway()}/connect/${service}?${query}` });
    response.end();
  }

  async function takeBack(query: URLSearchParams, response: ServerResponse): Promise<void> {
    if (!states.delete(query.get('state') ?? '')) {
      response.end('<h1>That was not you</h1>');
      return;
    }
    const code = query.get('code');
    if (code === null) {
      response.end(`<h1>Not connected: ${query.get('error')}</h1>`);
      return;
    }
    const body = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: `${origin}/back`,
      user_id: options.user,
    } as const;
    app.tokens = await answerOf(client().POST('/api/oauth/token', { body, ...AS_FORM }));
    response.end(`<h1>Connected ${app.tokens.service}</h1>`);
  }

  async function showCode(response: ServerResponse): Promise<void> {
    const body = { user_id: options.user };
    const session = await answerOf(client().POST('/api/mcp/oauth/sessions', { body }));
    response.end(`<h1 id="code">${session.session_token}</h1>`);
  }

  const client = () => createPartnerClient(options.gateway(), app.credentials);
  return app;
}
