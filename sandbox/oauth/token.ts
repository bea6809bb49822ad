/** The token endpoint (RFC 6749 §3.2) and the revocation endpoint (RFC 7009) of a service. */

import { type PlainAnswer, type SandboxRequest, toJsonAnswer } from '../http.ts';
import { isObject, type JsonObject } from '../json.ts';
import { toEssence } from '../media-types.ts';
import type { Grants, IssuedTokens, OAuthSettings } from './grants.ts';
import { authenticateClient, OAuthProblem, type Parameters, readBody } from './request.ts';
import type { SandboxOAuthRules } from './rules.ts';

/** The state that every endpoint works with. */
export interface ServerState {
  readonly grants: Grants;
  settings(): OAuthSettings;
  /** The only valid client secret, or null for any that is not empty. */
  readonly credential: string | null;
  /** The existing scopes, or null for any scope. */
  readonly knownScopes: ReadonlySet<string> | null;
}

const DEFAULT_LIFE_SECONDS = 3600;

/** RFC 6749 §4.1.3, §4.4.2, §6. @throws {OAuthProblem} */
export function answerToken(request: SandboxRequest, rules: SandboxOAuthRules, state: ServerState): PlainAnswer {
  checkMediaType(request, rules.tokenRequest);
  const parameters = readBody(request);
  const client = authenticateClient(request, parameters, rules, state.credential);
  checkExtras(parameters, rules.tokenParameters);
  const settings = state.settings();
  const lifeSeconds = settings.accessTokenSeconds ?? rules.expiresInSeconds ?? DEFAULT_LIFE_SECONDS;
  const grantType = parameters.get('grant_type');
  const requestedScopes = splitScopes(parameters.get('scope'), rules);
  let tokens: IssuedTokens;
  if (grantType === 'authorization_code') {
    const grant = state.grants.redeemCode(requireParameter(parameters, 'code'), {
      clientId: client.id,
      redirectUri: parameters.get('redirect_uri'),
      verifier: rules.pkce === false ? undefined : parameters.get('code_verifier'),
    });
    tokens = state.grants.issue(grant, { lifeSeconds, refreshed: false });
  } else if (grantType === 'refresh_token') {
    const grant = state.grants.findRefreshable(requireParameter(parameters, 'refresh_token'), client.id);
    const scopes = requestedScopes.length === 0 ? grant.scopes : requestedScopes;
    if (!scopes.every((scope) => grant.scopes.includes(scope))) {
      throw new OAuthProblem('invalid_scope', 'A refresh cannot widen the scope.');
    }
    tokens = state.grants.issue(grant, { lifeSeconds, refreshed: true, scopes });
  } else {
    if (client.isPublic) throw new OAuthProblem('invalid_client', 'A public client has no rights of its own.', 401);
    checkScopes(requestedScopes, state);
    const grant = { clientId: client.id, user: client.id, scopes: requestedScopes, refreshToken: null, revoked: false };
    tokens = { ...state.grants.issue(grant, { lifeSeconds, refreshed: true }), refreshToken: null };
  }
  const headers = { 'cache-control': 'no-store', pragma: 'no-cache' };
  return toJsonAnswer(200, buildTokenAnswer(tokens, rules, settings), headers);
}

/** RFC 7009 §2.2: 200, even if the token is unknown. @throws {OAuthProblem} */
export function answerRevocation(request: SandboxRequest, rules: SandboxOAuthRules, state: ServerState): PlainAnswer {
  const parameters = readBody(request);
  const client = authenticateClient(request, parameters, rules, state.credential);
  state.grants.revoke(requireParameter(parameters, 'token'), client.id);
  return { status: 200, headers: {}, body: Buffer.alloc(0) };
}

/** @throws {OAuthProblem} `invalid_scope`. */
export function checkScopes(scopes: readonly string[], { knownScopes }: ServerState): void {
  const unknown = scopes.filter((scope) => knownScopes !== null && !knownScopes.has(scope));
  if (unknown.length > 0) throw new OAuthProblem('invalid_scope', `No such scope: ${unknown.join(', ')}.`);
}

/** Checks the parameters that this service requires in addition to those of OAuth. @throws {OAuthProblem} `invalid_request`. */
export function checkExtras(parameters: Parameters, extras: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(extras)) {
    if (parameters.get(name) !== value) throw new OAuthProblem('invalid_request', `${name} must be ${value}.`);
  }
}

export function splitScopes(text: string | undefined, { scopeSeparator }: SandboxOAuthRules): string[] {
  return (text ?? '').split(scopeSeparator).filter((scope) => scope !== '');
}

function checkMediaType({ headers }: SandboxRequest, tokenRequest: SandboxOAuthRules['tokenRequest']): void {
  const requiredType = tokenRequest === 'json' ? 'application/json' : 'application/x-www-form-urlencoded';
  if (toEssence(headers['content-type'] ?? '') !== requiredType) {
    throw new OAuthProblem('invalid_request', `Content-Type must be ${requiredType}.`);
  }
}

function requireParameter(parameters: Parameters, name: string): string {
  const value = parameters.get(name);
  if (value === undefined || value === '') throw new OAuthProblem('invalid_request', `${name} is missing.`);
  return value;
}

/** RFC 6749 §5.1, with each member where the rules put it. */
function buildTokenAnswer(tokens: IssuedTokens, rules: SandboxOAuthRules, settings: OAuthSettings): JsonObject {
  const { answer, scopeSeparator, expiresInSeconds } = rules;
  const body: JsonObject = { token_type: 'Bearer' };
  put(body, answer.accessToken, tokens.accessToken);
  put(body, answer.scope, tokens.scopes.join(scopeSeparator));
  if (tokens.refreshToken !== null) put(body, answer.refreshToken, tokens.refreshToken);
  if (settings.saysExpiresIn && expiresInSeconds === null) {
    put(body, answer.expiresIn, Math.round(tokens.lifeSeconds + settings.clockSkewSeconds));
  }
  return body;
}

/** Sets the member at an RFC 6901 pointer, creating the objects that lead to it. */
function put(body: JsonObject, pointer: string, value: unknown): void {
  const names = pointer.split('/').slice(1);
  const last = names.pop() ?? '';
  let holder = body;
  for (const name of names) {
    const next = holder[name];
    const inner: JsonObject = isObject(next) ? next : {};
    holder[name] = inner;
    holder = inner;
  }
  holder[last] = value;
}
