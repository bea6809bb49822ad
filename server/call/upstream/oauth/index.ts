/** Talks to the authorization servers of upstreams: authorization URL, token requests, revocation. */

import type { Dispatcher } from 'undici';
import type { UpstreamClient } from '../../../base/credentials/upstream-clients.ts';
import type { OAuth2Rules } from '../../../contract/index.ts';
import type { UpstreamAnswer } from '../answer.ts';
import type { Circuits } from '../circuits.ts';
import { UpstreamFailure } from '../failures.ts';
import { send } from '../send.ts';
import { joinScopes } from './scopes.ts';
import { readTokenAnswer, toRefusal } from './token-answer.ts';
import { type TokenAnswer, TokenRequestError, type UpstreamOAuth } from './types.ts';

interface UpstreamOAuthOptions {
  readonly dispatcher: () => Dispatcher | Promise<Dispatcher>;
  /** `User-Agent` of every request. */
  readonly userAgent: string;
  /** Longest time of one request, including its answer. Default: 10 s. */
  readonly timeoutMs?: number;
  /** Keeps caps and circuit breakers. Default: none. */
  readonly circuits?: Circuits;
  /** Milliseconds since 1970. Default: the system's clock. */
  readonly now?: () => number;
  /** Called when a client is refused (`invalid_client`). Returns true if there is another one now. Default: false. */
  readonly replaceClient?: (client: UpstreamClient) => Promise<boolean>;
}

const DEFAULT_TIMEOUT_MS = 10_000;

/** Stands for the caller of sign-ins. All people who complete one count as one caller. */
const ANY_BROWSER = '';

/** Tokens are a few hundred bytes; a JWT with many claims has some thousands. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** Parameters of an authorization request that the gateway sets, and that no connector can change (RFC 6749 §4.1.1, RFC 7636 §4.3, RFC 9101 §5). */
const OWN_AUTHORIZE_PARAMETERS = new Set([
  'response_type',
  'client_id',
  'redirect_uri',
  'state',
  'code_challenge',
  'code_challenge_method',
  'request',
  'request_uri',
]);

/**
 * Creates the client. Redirects are not followed, answers are bounded in bytes and time, and nothing is sent twice: the caller
 * decides what a lost answer means.
 */
export function createUpstreamOAuth(options: UpstreamOAuthOptions): UpstreamOAuth {
  const { now = Date.now, replaceClient = async () => false } = options;
  const post = createPost(options);

  const requestToken = async (to: Endpoint, signal: AbortSignal): Promise<TokenAnswer> => {
    const sentAt = now();
    const answer = await post(to, signal);
    try {
      return readTokenAnswer(to.rules, answer, { sentAt, secrets: secretsOf(to) });
    } catch (error) {
      const isRefused = error instanceof TokenRequestError && error.kind === 'invalid_client';
      if (!isRefused || !(await replaceClient(to.client))) throw error;
      throw new TokenRequestError('unavailable', error.code, { cause: error });
    }
  };

  return {
    authorizationUrl(rules, { clientId, redirectUri, state, codeChallenge, scopes }) {
      if (rules.authorizationUrl === null) throw new Error('an upstream without a page for users has no such URL');
      const url = new URL(rules.authorizationUrl);
      for (const [name, value] of Object.entries(rules.authorizeParameters)) {
        if (!OWN_AUTHORIZE_PARAMETERS.has(name)) url.searchParams.set(name, value);
      }
      const scope = joinScopes(rules, scopes);
      if (scope !== '') url.searchParams.set(rules.scopeParameter, scope);
      url.searchParams.set('response_type', 'code');
      url.searchParams.set('client_id', clientId);
      url.searchParams.set('redirect_uri', redirectUri);
      url.searchParams.set('state', state);
      if (codeChallenge !== null) {
        url.searchParams.set('code_challenge', codeChallenge);
        url.searchParams.set('code_challenge_method', 'S256');
      }
      return url.href;
    },
    exchangeCode: (rules, { client, code, redirectUri, codeVerifier }, signal) => {
      const verifier = codeVerifier === null ? {} : { code_verifier: codeVerifier };
      const parameters = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, ...verifier };
      return requestToken({ rules, url: rules.tokenUrl, client, parameters }, signal);
    },
    clientCredentials: (rules, { client, scopes }, signal) => {
      const scope = joinScopes(rules, scopes);
      const parameters: Record<string, string> = { grant_type: 'client_credentials' };
      if (scope !== '') parameters.scope = scope;
      return requestToken({ rules, url: rules.tokenUrl, client, parameters }, signal);
    },
    refresh: (rules, { client, refreshToken }, signal) => {
      const parameters = { grant_type: 'refresh_token', refresh_token: refreshToken };
      return requestToken({ rules, url: rules.refreshUrl ?? rules.tokenUrl, client, parameters }, signal);
    },
    async revoke(rules, { client, token, hint }, signal) {
      if (rules.revocationUrl === null) return;
      const parameters = { token, token_type_hint: hint };
      const to = { rules: { ...rules, tokenParameters: {} }, url: rules.revocationUrl, client, parameters };
      const answer = await post(to, signal);
      if (answer.status < 200 || answer.status > 299) throw toRefusal(answer, { secrets: secretsOf(to), now: now() });
    },
  };
}

/** Creates the sender of requests to token and revocation endpoints. Its only error is `TokenRequestError`, kind `unavailable`. */
function createPost(options: UpstreamOAuthOptions): (to: Endpoint, signal: AbortSignal) => Promise<UpstreamAnswer> {
  const { userAgent, timeoutMs = DEFAULT_TIMEOUT_MS, circuits, now = Date.now } = options;

  const exchange = async (to: Endpoint, signal: AbortSignal): Promise<UpstreamAnswer> => {
    const { origin, pathname, search } = new URL(to.url);
    const { headers, body } = writeTokenRequest(to.rules, to.client, to.parameters);
    const dispatcher = await options.dispatcher();
    const gatewayHeaders = { 'accept-encoding': 'identity', 'user-agent': userAgent };
    const sendWithin = (leftMs: number) =>
      send(
        {
          method: 'POST',
          origin,
          target: pathname + search,
          headers: { ...headers, ...gatewayHeaders },
          body,
          isReading: false,
        },
        {
          dispatcher,
          // The request itself authenticates the client.
          credentialQuery: [],
          signal,
          timeoutMs: leftMs,
          maxResultBytes: MAX_ANSWER_BYTES,
          maxErrorBytes: MAX_ANSWER_BYTES,
          now,
          wait: () => Promise.resolve(),
        },
      );
    if (circuits === undefined) return sendWithin(timeoutMs);
    const { service } = to.client;
    // A code comes from a browser, so it may be anything.
    const caller = 'code' in to.parameters ? ANY_BROWSER : null;
    return circuits.run({ service, origin, caller, signal, timeoutMs, wholeTimeMs: timeoutMs }, sendWithin);
  };

  return async (to, signal) => {
    try {
      return await exchange(to, signal);
    } catch (error) {
      const failure = error instanceof UpstreamFailure ? error : undefined;
      const retryAfterSeconds = failure?.retryAfterSeconds ?? null;
      throw new TokenRequestError('unavailable', null, { cause: failure, retryAfterSeconds });
    }
  };
}

/** One token request, and its URL. */
interface Endpoint {
  readonly rules: OAuth2Rules;
  readonly url: string;
  readonly client: UpstreamClient;
  readonly parameters: Parameters;
}

/** Secrets that an endpoint receives, and whose error texts must not repeat. */
function secretsOf({ client, parameters }: Endpoint): readonly string[] {
  const { grant_type, redirect_uri, scope, token_type_hint, ...secrets } = parameters;
  const values = Object.values(secrets);
  return client.clientSecret === null ? values : [...values, client.clientSecret];
}

/** Parameters of a request's body, by name. */
type Parameters = Readonly<Record<string, string>>;

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
function writeTokenRequest(
  rules: OAuth2Rules,
  client: UpstreamClient,
  parameters: Parameters,
): { headers: Readonly<Record<string, string>>; body: string } {
  const more = Object.entries(rules.tokenParameters).filter(([name]) => !OWN_PARAMETERS.has(name));
  const { authorization, ...own } = authenticate(rules, client);
  const all = { ...Object.fromEntries(more), ...parameters, ...own };
  const isJson = rules.tokenRequest === 'json';
  const headers: Record<string, string> = {
    accept: 'application/json',
    'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded',
  };
  if (authorization !== undefined) headers.authorization = authorization;
  return { headers, body: isJson ? JSON.stringify(all) : new URLSearchParams(all).toString() };
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
