/**
 * The authorization endpoint's request and response (RFC 6749 §4.1.1, §4.1.2): every rule that a request must pass before the user is
 * asked anything, and how the browser goes back to the client.
 */

import { originForHost } from '../../base/http/loopback.ts';
import type { GatewayContext } from '../../base/http/state.ts';
import { PageError } from '../../base/pages/page-errors.ts';
import { sendRedirect, withQuery } from '../../base/pages/redirect.ts';
import { readRequestedScopes, type Scope, withinRegistered } from '../../base/principal/permission.ts';
import type { OAuthClient } from '../../base/store/repositories/oauth-clients.ts';
import { OAuthError } from '../protocol/error.ts';
import { checkDuplicates, readParameter, readState, refuse } from '../protocol/parameters.ts';
import { isRegisteredRedirectUri } from '../protocol/redirect-uri.ts';
import { isOwnResource } from '../protocol/resource-indicator.ts';
import { ClientDocumentError, type ClientLookup } from './client-documents.ts';

/** A request that passed every rule, for the user to decide. */
export interface AuthorizationRequest {
  readonly client: OAuthClient;
  /** As sent, byte for byte. */
  readonly redirectUri: string;
  readonly state: string | null;
  /** RFC 7636, method S256. */
  readonly codeChallenge: string;
  /** Resource indicator (RFC 8707). */
  readonly resource: string;
  readonly scopes: readonly Scope[];
}

/** A request of a trusted client that was refused after client and redirect URI were verified: the error is sent to the client. */
interface RefusedRequest {
  readonly refusal: OAuthError;
  readonly redirectUri: string;
  readonly state: string | null;
}

/** Members of `OAuthContext` that the rules need. */
interface CheckContext {
  readonly clients: { readonly forAuthorization: ClientLookup['forAuthorization'] };
  readonly resource: string;
}

/** Parameters that may appear once. `resource` may be repeated (RFC 8707 §2), and unknown parameters are ignored. */
const ONCE = [
  'response_type',
  'response_mode',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
];

const MAX_STATE_LENGTH = 4096;
const MAX_INDICATORS = 5;

/** SHA-256 as base64url without padding (RFC 7636 §4.2): no other text can match a code verifier. */
const CODE_CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/**
 * Applies the rules, in this order.
 *
 * An error is sent to the redirect URI (RFC 6749 §4.1.2.1) of a client that someone has allowed before. Anyone may register a
 * client, so for others the browser goes there only when a user presses a button: the server redirects automatically only to a
 * redirect URI that it trusts (RFC 9700 §4.11.2).
 *
 * @throws {PageError} of the first two rules, and of all others for a client that was never allowed anything: they are shown to
 * the user, and nothing is sent to the redirect URI.
 */
export async function checkAuthorizationRequest(
  parameters: URLSearchParams,
  context: CheckContext,
): Promise<AuthorizationRequest | RefusedRequest> {
  const client = await checkClient(parameters, context);
  const redirectUri = checkClientRedirectUri(parameters, client.redirectUris);
  try {
    checkDuplicates(parameters, ONCE);
    const state = checkState(parameters);
    checkResponseType(parameters);
    const codeChallenge = checkCodeChallenge(parameters);
    const resource = checkResource(parameters, context.resource);
    const scopes = withinRegistered(readRequestedScopes(readParameter(parameters, 'scope') ?? ''), client.scopes);
    return { client, redirectUri, state, codeChallenge, resource, scopes };
  } catch (error) {
    if (!(error instanceof OAuthError) || !error.redirectable) throw error;
    if (!client.wasAllowed) throw faultyRequest(error);
    return { refusal: error, redirectUri, state: readState(parameters, MAX_STATE_LENGTH) };
  }
}

function faultyRequest(cause: OAuthError): PageError {
  return new PageError(400, {
    title: 'This request cannot be answered',
    text: `The application that sent you here made a mistake: ${cause.description}`,
    advice: 'Go back to it and start again. If it happens again, report this text to its makers.',
  });
}

/**
 * Accepts only a `client_id` that is registered here, or whose metadata document can be read.
 *
 * Runs first: only a known client has redirect URIs, so until then nothing may be sent anywhere.
 *
 * @throws {PageError} status 400.
 */
export async function checkClient(parameters: URLSearchParams, { clients }: CheckContext): Promise<OAuthClient> {
  const clientId = readParameter(parameters, 'client_id');
  if (clientId === null) throw unknownClient('The link that brought you here names no application.');
  const client = await clients.forAuthorization(clientId).catch(toPageError);
  if (client !== undefined) return client;
  throw unknownClient('The application that sent you here is not registered, or its registration has expired.');
}

function toPageError(error: unknown): never {
  if (!(error instanceof ClientDocumentError)) throw error;
  throw new PageError(400, {
    title: 'This application cannot be identified',
    text: `It identifies itself by a document at an address of its own. The document ${error.description}.`,
    advice: 'Try again in a few minutes. If it happens again, tell the makers of that application.',
  });
}

function unknownClient(text: string): PageError {
  return new PageError(400, {
    title: 'Unknown application',
    text,
    advice: 'In that application, remove this server and add it again: it then registers again.',
  });
}

/**
 * Accepts only a `redirect_uri` that the client registered.
 *
 * Comparison is exact string equality (RFC 9700 §2.1). For an http URI on this machine the port is ignored, because
 * native apps choose it at run time (RFC 8252 §7.3); host and path are compared as written.
 *
 * Runs second, after `checkClient`. Until it has passed, no error may be sent to the redirect URI.
 *
 * @returns the URI as it was sent.
 * @throws {PageError} status 400.
 */
export function checkClientRedirectUri(parameters: URLSearchParams, registered: readonly string[]): string {
  const redirectUri = readParameter(parameters, 'redirect_uri');
  if (redirectUri !== null && isRegisteredRedirectUri(registered, redirectUri)) return redirectUri;
  throw new PageError(400, {
    title: 'Unknown return address',
    text: 'The application wants the answer at an address that it has not registered, so nothing was sent there.',
    advice: 'In that application, remove this server and add it again: it then registers again.',
  });
}

/**
 * Accepts a `state` of printable ASCII characters, at most 4,096 of them, or none.
 *
 * @throws {OAuthError} `invalid_request`.
 */
function checkState(parameters: URLSearchParams): string | null {
  const state = readState(parameters, MAX_STATE_LENGTH);
  if (state === null && readParameter(parameters, 'state') !== null) {
    throw refuse('invalid_request', `state is not 1 to ${MAX_STATE_LENGTH} printable ASCII characters.`);
  }
  return state;
}

/**
 * Accepts `response_type=code`, and `response_mode=query` or none.
 *
 * @throws {OAuthError} `invalid_request` without a type or with another mode, `unsupported_response_type` with another type.
 */
function checkResponseType(parameters: URLSearchParams): void {
  const type = readParameter(parameters, 'response_type');
  if (type === null) throw refuse('invalid_request', 'response_type is missing. It must be code.');
  if (type !== 'code') throw refuse('unsupported_response_type', 'response_type must be code.');
  const mode = readParameter(parameters, 'response_mode');
  if (mode !== null && mode !== 'query') throw refuse('invalid_request', 'response_mode must be query, or left out.');
}

/**
 * Requires a `code_challenge` of method S256, from every client (RFC 9700 §2.1.1), so that only the program that began the request can
 * finish it. A missing method means `plain` (RFC 7636 §4.3), which is refused.
 *
 * @returns the challenge.
 * @throws {OAuthError} `invalid_request` (RFC 7636 §4.4.1).
 */
function checkCodeChallenge(parameters: URLSearchParams): string {
  const challenge = readParameter(parameters, 'code_challenge');
  if (challenge === null) throw refuse('invalid_request', 'code_challenge is missing: PKCE is required.');
  if (readParameter(parameters, 'code_challenge_method') !== 'S256') {
    throw refuse('invalid_request', 'code_challenge_method must be S256.');
  }
  if (!CODE_CHALLENGE.test(challenge)) {
    throw refuse('invalid_request', 'code_challenge is not the base64url form of a SHA-256 hash.');
  }
  return challenge;
}

/**
 * Accepts resource indicators that mean this gateway's MCP endpoint (RFC 8707 §2); none means the same.
 *
 * @param resource the gateway's resource indicator.
 * @returns that indicator, to which the code and its tokens are bound.
 * @throws {OAuthError} `invalid_target`.
 */
function checkResource(parameters: URLSearchParams, resource: string): string {
  const indicators = parameters.getAll('resource').filter((indicator) => indicator !== '');
  if (indicators.length > MAX_INDICATORS || !indicators.every((indicator) => isOwnResource(indicator, resource))) {
    throw refuse('invalid_target', `resource must be ${resource}.`);
  }
  return resource;
}

/**
 * Sends the browser to the client. An existing query of the redirect URI is kept (RFC 6749 §3.1.2).
 *
 * @param target.redirectUri verified.
 * @param target.issuer the `iss` of the response (RFC 9207), under the host that the client asked for.
 * @param answer `code`, or `error` and `error_description`.
 */
export function redirectToClient(
  ctx: GatewayContext,
  target: { readonly redirectUri: string; readonly state: string | null; readonly issuer: string },
  answer: Readonly<Record<string, string>>,
): void {
  const parameters = new URLSearchParams(answer);
  if (target.state !== null) parameters.set('state', target.state);
  parameters.set('iss', originForHost(target.issuer, ctx.host));
  sendRedirect(ctx, withQuery(target.redirectUri, parameters));
}
