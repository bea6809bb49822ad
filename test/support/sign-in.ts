/** Signs a client in with a connection code, from its registration to its tokens. */

import { createHash } from 'node:crypto';
import type { OAuthGateway } from './oauth-gateway.ts';
import { consent } from './scripted-browser.ts';

const REDIRECT_URI = 'http://127.0.0.1:7000/callback';
const VERIFIER = 'v'.repeat(43);

/** @param limits limits of the connection code. */
export async function signIn(
  gateway: OAuthGateway,
  limits: Parameters<OAuthGateway['connectionCode']>[0],
): Promise<{ clientId: string; tokens: Record<string, string> }> {
  const { client_id: clientId = '' } = await postForJson(gateway, '/api/mcp/oauth/register', {
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' }),
  });
  const url = new URL('/api/mcp/oauth/authorize', gateway.issuer);
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString();
  const { searchParams } = await consent({ url, connectionCode: await gateway.connectionCode(limits) });
  const form = {
    grant_type: 'authorization_code',
    client_id: clientId,
    code: searchParams.get('code') ?? '',
    redirect_uri: REDIRECT_URI,
    code_verifier: VERIFIER,
  };
  return { clientId, tokens: await postForJson(gateway, '/api/mcp/oauth/token', { body: new URLSearchParams(form) }) };
}

/** Sends a POST and returns the JSON answer. */
export async function postForJson(
  gateway: OAuthGateway,
  path: string,
  init: RequestInit,
): Promise<Record<string, string>> {
  const response = await fetch(new URL(path, gateway.issuer), { method: 'POST', ...init });
  return (await response.json()) as Record<string, string>;
}
