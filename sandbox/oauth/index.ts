/** The authorization server of one service: its endpoints by path, its tokens, and its request counts. */

import { type PlainAnswer, type SandboxRequest, toJsonAnswer } from '../http.ts';
import { answerAuthorize } from './authorize.ts';
import {
  changeSettings,
  createGrants,
  DEFAULT_OAUTH_SETTINGS,
  type OAuthChange,
  type OAuthSettings,
  TOKEN_PREFIX,
} from './grants.ts';
import { OAuthProblem, readBody, toProblemAnswer } from './request.ts';
import { type SandboxOAuthRules, toEndpointPath } from './rules.ts';
import { answerRevocation, answerToken, type ServerState } from './token.ts';

/** Names for planning failures; `oauth:refresh` is the token endpoint with a refresh request. */
export const OAUTH_ENDPOINTS = ['oauth:authorize', 'oauth:token', 'oauth:refresh', 'oauth:revoke'] as const;
type OAuthEndpointId = (typeof OAUTH_ENDPOINTS)[number];

/** `granted` counts requests that took effect, even if their answer was lost. */
type OAuthCounts = Readonly<Record<OAuthEndpointId, { asked: number; granted: number }>>;

/** A problem of an access token (RFC 6750 §3.1). */
interface TokenProblem {
  readonly status: 401 | 403;
  readonly reason: string;
  readonly challenge: string;
}

export interface AuthorizationServer {
  /** Paths of the endpoints, at the root of the origin. */
  readonly paths: readonly string[];
  readonly settings: OAuthSettings;
  readonly counts: OAuthCounts;
  /** Finds the endpoint of a request and counts the request. Returns null if the path is no endpoint. */
  find(request: SandboxRequest): { readonly id: OAuthEndpointId; answer(): PlainAnswer } | null;
  /** Returns null if the Authorization header has a valid access token with these scopes. */
  checkToken(authorization: string | undefined, scopes: readonly string[]): TokenProblem | null;
  change(settings: OAuthChange): void;
  /** Expires every access token that was issued so far. */
  expireAccessTokens(): void;
  /** Revokes every grant, as if each user had withdrawn it. */
  revokeGrants(): void;
}

interface AuthorizationServerOptions {
  /** The name of the service on the page. */
  readonly title: string;
  readonly rules: readonly SandboxOAuthRules[];
  readonly knownScopes: ReadonlySet<string> | null;
  readonly credential: string | null;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Returns true if an Authorization header carries a token that a sandbox issued. */
export function hasSandboxToken(authorization: string | undefined): boolean {
  return (authorization ?? '').includes(TOKEN_PREFIX);
}

export function createAuthorizationServer(options: AuthorizationServerOptions): AuthorizationServer {
  const { rules, title, credential, knownScopes } = options;
  let settings = DEFAULT_OAUTH_SETTINGS;
  const grants = createGrants(() => settings, options.now);
  const state: ServerState = { grants, settings: () => settings, credential, knownScopes };
  const counts = Object.fromEntries(OAUTH_ENDPOINTS.map((id) => [id, { asked: 0, granted: 0 }])) as OAuthCounts;
  const paths = rules.flatMap(({ authorizationUrl, tokenUrl, refreshUrl, revocationUrl }) =>
    [authorizationUrl, tokenUrl, refreshUrl, revocationUrl].filter((url) => url !== null).map(toEndpointPath),
  );

  return {
    paths,
    get settings() {
      return settings;
    },
    counts,

    find(request) {
      if (!paths.includes(request.pathname)) return null;
      const id = toEndpointId(request, rules);
      counts[id].asked += 1;
      return {
        id,
        answer() {
          try {
            const answer = answerEndpoint(id, request);
            if (request.method === 'POST' && answer.status < 400 && !isError(answer)) counts[id].granted += 1;
            return answer;
          } catch (error) {
            if (error instanceof OAuthProblem) return toProblemAnswer(error);
            throw error;
          }
        },
      };
    },

    checkToken(authorization = '', scopes) {
      const prefix = rules.find(({ prefix }) => authorization.startsWith(prefix))?.prefix;
      const accessToken = prefix === undefined ? null : grants.findAccess(authorization.slice(prefix.length));
      if (accessToken === null) {
        const reason = authorization === '' ? 'the access token is missing' : 'the access token is unknown or expired';
        const error = authorization === '' ? '' : `, error="invalid_token", error_description="${reason}"`;
        return { status: 401, reason, challenge: `Bearer realm="sandbox"${error}` };
      }
      const missing = scopes.filter((scope) => !accessToken.scopes.includes(scope));
      if (missing.length === 0) return null;
      const challenge = `Bearer realm="sandbox", error="insufficient_scope", scope="${scopes.join(' ')}"`;
      return { status: 403, reason: `the access token lacks the scope ${missing.join(', ')}`, challenge };
    },

    change(next) {
      settings = changeSettings(settings, next);
    },
    expireAccessTokens: () => grants.expireAccessTokens(),
    revokeGrants: () => grants.revokeAll(),
  };

  function answerEndpoint(id: OAuthEndpointId, request: SandboxRequest): PlainAnswer {
    const isAtPath = (url: string | null): boolean => url !== null && toEndpointPath(url) === request.pathname;
    if (id === 'oauth:authorize') {
      const authorizeRules = rules.find(({ authorizationUrl }) => isAtPath(authorizationUrl));
      if (authorizeRules === undefined || !['GET', 'POST'].includes(request.method)) return notAllowed('GET, POST');
      return answerAuthorize(request, authorizeRules, state, title);
    }
    if (request.method !== 'POST') return notAllowed('POST');
    if (id === 'oauth:revoke') {
      const revocationRules = rules.find(({ revocationUrl }) => isAtPath(revocationUrl));
      return revocationRules === undefined ? notAllowed('') : answerRevocation(request, revocationRules, state);
    }
    const grantType = readBody(request).get('grant_type') ?? '';
    const flow = grantType === 'refresh_token' ? 'authorization_code' : grantType;
    const tokenRules = rules.find(
      (candidate) =>
        candidate.flow === flow &&
        isAtPath(grantType === 'refresh_token' ? (candidate.refreshUrl ?? candidate.tokenUrl) : candidate.tokenUrl),
    );
    if (tokenRules !== undefined) return answerToken(request, tokenRules, state);
    throw new OAuthProblem('unsupported_grant_type', `This endpoint does not support the grant type "${grantType}".`);
  }
}

function toEndpointId(request: SandboxRequest, rules: readonly SandboxOAuthRules[]): OAuthEndpointId {
  const isAt = (urls: readonly (string | null)[]): boolean =>
    urls.some((url) => url !== null && toEndpointPath(url) === request.pathname);
  if (isAt(rules.map(({ authorizationUrl }) => authorizationUrl))) return 'oauth:authorize';
  if (isAt(rules.map(({ revocationUrl }) => revocationUrl))) return 'oauth:revoke';
  return /refresh_token/.test(grantTypeOf(request)) ? 'oauth:refresh' : 'oauth:token';
}

function grantTypeOf(request: SandboxRequest): string {
  try {
    return readBody(request).get('grant_type') ?? '';
  } catch {
    return '';
  }
}

/** An authorization endpoint also reports errors in the address that it redirects to. */
function isError({ headers }: PlainAnswer): boolean {
  return new URL(headers.location ?? 'http://sandbox.invalid').searchParams.has('error');
}

function notAllowed(allow: string): PlainAnswer {
  return toJsonAnswer(405, { error: 'invalid_request', error_description: `Use ${allow}.` }, { allow });
}
