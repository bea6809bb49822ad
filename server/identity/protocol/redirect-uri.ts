/** Checks the redirect URIs that a client may register, and compares a redirect URI with the registered ones. */

import { OAuthError } from './error.ts';
import { findKnownCallback } from './known-callbacks.ts';

const MAX_REDIRECT_URI_LENGTH = 2000;

/** The characters of RFC 3986, without `#`: browsers interpret others in ways that a comparison does not see. */
const URI = /^[A-Za-z][A-Za-z0-9+.-]*:[A-Za-z0-9._~:/?[\]@!$&'()*+,;=%-]+$/;

const HTTPS = /^https:\/\/[^/?]/i;
const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?([/?]|$)/i;

/** Host, and what follows the port, of a redirect URI on this machine (RFC 8252 §7.3). */
const LOOPBACK_PARTS = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?((?:[/?].*)?)$/;

/** Schemes that run code, read files or hide another address. No setting allows them. */
const NEVER = ['javascript', 'data', 'vbscript', 'file', 'filesystem', 'blob', 'about', 'view-source', 'intent'];

/** Schemes that have their own rules, or that deliver the response to no application. */
const NOT_PRIVATE = ['http', 'https', 'ws', 'wss', 'ftp', 'mailto', 'tel', 'urn'];

const NOT_ALLOWED = 'has a host that this gateway does not allow';

/** True for a scheme that a setting may allow: an application's own (RFC 8252 §7.1). */
export function isPrivateUseScheme(scheme: string): boolean {
  return /^[a-z][a-z0-9+.-]{1,63}$/.test(scheme) && !NEVER.includes(scheme) && !NOT_PRIVATE.includes(scheme);
}

/** True for `http` on this machine, whose port the application chooses at run time (RFC 8252 §7.3). */
export function isLoopbackRedirectUri(uri: string): boolean {
  return LOOPBACK.test(uri);
}

/** A redirect URI that is not registered, and why. */
export interface DroppedRedirectUri {
  readonly redirectUri: string;
  /** Half a sentence, for the client's developer. */
  readonly reason: string;
}

/**
 * Accepts `https`, `http` on this machine with any port, and private-use schemes that the operator lists.
 *
 * No fragment (RFC 6749 §3.1.2) and no user, so that a browser opens exactly what is written.
 *
 * @param privateUseSchemes lower case, without the colon.
 * @throws {OAuthError} `invalid_redirect_uri`, status 400.
 */
export function checkRegistrableRedirectUri(uri: string, privateUseSchemes: readonly string[]): void {
  checkWellFormed(uri);
  const reason = whyNotAccepted(uri, privateUseSchemes);
  if (reason !== null) refuse(reason);
}

/**
 * Sorts the redirect URIs of a client into accepted and dropped ones.
 *
 * It accepts what `checkRegistrableRedirectUri` accepts, and known callbacks. The server may replace requested metadata
 * (RFC 7591 §3.2.1), so the client is still registered when one of several URIs is not accepted. It is refused when a
 * URI is malformed, or has a scheme that no client may use.
 *
 * @param privateUseSchemes lower case, without the colon.
 * @param limits.isAllowed whether the operator allows an accepted one. Default: all are allowed.
 * @param limits.most accepted ones; further ones are dropped. Default: no limit.
 * @throws {OAuthError} `invalid_redirect_uri`, status 400: one is malformed, or none is accepted.
 */
export function selectRedirectUris(
  uris: readonly string[],
  privateUseSchemes: readonly string[],
  limits: { readonly isAllowed?: ((uri: string) => boolean) | undefined; readonly most?: number } = {},
): { readonly accepted: readonly string[]; readonly dropped: readonly DroppedRedirectUri[] } {
  const { isAllowed = () => true, most = Number.POSITIVE_INFINITY } = limits;
  const accepted: string[] = [];
  const dropped: DroppedRedirectUri[] = [];
  for (const redirectUri of new Set(uris)) {
    checkWellFormed(redirectUri);
    const isKnown = findKnownCallback(redirectUri) !== undefined;
    const reason =
      (isKnown ? null : whyNotAccepted(redirectUri, privateUseSchemes)) ??
      (isAllowed(redirectUri) ? null : NOT_ALLOWED) ??
      (accepted.length < most ? null : `comes after ${most} others, the most that a client may have`);
    if (reason === null) accepted.push(redirectUri);
    else dropped.push({ redirectUri, reason });
  }
  if (accepted.length === 0 && dropped[0] !== undefined) refuse(dropped[0].reason);
  return { accepted, dropped };
}

/** @throws {OAuthError} for a text that can never be a redirect URI. */
function checkWellFormed(uri: string): void {
  if (uri.length > MAX_REDIRECT_URI_LENGTH) refuse(`is longer than ${MAX_REDIRECT_URI_LENGTH} characters`);
  if (uri.includes('#')) refuse('has a fragment');
  if (!URI.test(uri) || !URL.canParse(uri)) refuse('is not an absolute URI');
  const { protocol, username, password } = new URL(uri);
  if (username !== '' || password !== '') refuse('names a user');
  const scheme = protocol.slice(0, -1);
  if (scheme === 'https' && !HTTPS.test(uri)) refuse('has no host');
  if (NEVER.includes(scheme)) refuse('has a scheme that no client may use');
}

/** Returns the reason why this gateway does not accept a well-formed redirect URI. Returns null if it accepts the URI. */
function whyNotAccepted(uri: string, privateUseSchemes: readonly string[]): string | null {
  const scheme = new URL(uri).protocol.slice(0, -1);
  if (scheme === 'https') return null;
  if (scheme === 'http') return LOOPBACK.test(uri) ? null : 'is http, but not on localhost';
  const isAllowed = isPrivateUseScheme(scheme) && privateUseSchemes.includes(scheme);
  return isAllowed ? null : 'has a scheme that is not accepted';
}

function refuse(problem: string): never {
  const advice =
    problem === NOT_ALLOWED
      ? 'Ask the people who run this gateway to allow it.'
      : 'Use https, or http on localhost, 127.0.0.1 or [::1].';
  throw new OAuthError(400, 'invalid_redirect_uri', `A redirect URI ${problem}. ${advice}`);
}

/** True for a URI that the client registered, or that differs from one on this machine only in the port. */
export function isRegisteredRedirectUri(registered: readonly string[], sent: string): boolean {
  return URL.canParse(sent) && registered.some((uri) => uri === sent || differsInPortOnly(uri, sent));
}

function differsInPortOnly(registered: string, sent: string): boolean {
  const [, host, rest] = LOOPBACK_PARTS.exec(registered) ?? [];
  const [, sentHost, sentRest] = LOOPBACK_PARTS.exec(sent) ?? [];
  return host !== undefined && host === sentHost && rest === sentRest;
}
