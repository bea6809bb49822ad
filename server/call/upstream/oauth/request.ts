/** Writes token and revocation requests: parameters, and how the client authenticates. */

import type { OAuth2Rules } from '../../../contract/index.ts';
import type { UpstreamClient } from './types.ts';

/** Parameters of a request's body, by name. */
export type Parameters = Readonly<Record<string, string>>;

/** Names that a connector's `tokenParameters` may never set, even when the request does not have them. */
const OWN_PARAMETERS = new Set([
  'grant_type',
  'client_id',
  'client_secret',
  'client_assertion',
  'client_assertion_type',
  'code',
  'code_verifier',
  'redirect_uri',
  'refresh_token',
  'token',
  'token_type_hint',
]);

/** @returns headers by lower-case name, and the body, of a request by `client`. */
export function writeTokenRequest(
  rules: OAuth2Rules,
  client: UpstreamClient,
  parameters: Parameters,
): { headers: Readonly<Record<string, string>>; body: string } {
  const more = Object.entries(rules.tokenParameters).filter(([name]) => !OWN_PARAMETERS.has(name));
  const { authorization, ...own } = authenticate(rules, client);
  const all = { ...Object.fromEntries(more), ...parameters, ...own };
  const isJson = rules.tokenRequest === 'json';
  return {
    headers: {
      accept: 'application/json',
      'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded',
      ...(authorization === undefined ? {} : { authorization }),
    },
    body: isJson ? JSON.stringify(all) : new URLSearchParams(all).toString(),
  };
}

/** RFC 6749 §2.3.1: in the header, id and secret are form-encoded first. A client without a secret only sends its id. */
function authenticate(
  { clientAuthentication }: OAuth2Rules,
  { clientId, clientSecret }: UpstreamClient,
): { authorization?: string; client_id?: string; client_secret?: string } {
  if (clientAuthentication === 'none' || clientSecret === null) return { client_id: clientId };
  if (clientAuthentication === 'body') return { client_id: clientId, client_secret: clientSecret };
  const pair = `${formEncode(clientId)}:${formEncode(clientSecret)}`;
  return { authorization: `Basic ${Buffer.from(pair, 'utf8').toString('base64')}` };
}

function formEncode(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}
