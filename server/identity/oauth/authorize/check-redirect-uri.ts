/** Rule: the response goes only to a URI that the client registered. */

import { PageError } from '../../../base/pages/page-errors.ts';
import { readParameter } from './parameters.ts';

/** Host, and what follows the port, of a redirect URI on this machine (RFC 8252 §7.3). */
const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?((?:[/?].*)?)$/;

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
  const sent = readParameter(parameters, 'redirect_uri');
  if (sent === null || !isRegisteredRedirectUri(registered, sent)) {
    throw new PageError(400, {
      title: 'Unknown return address',
      text: 'The application wants the answer at an address that it has not registered, so nothing was sent there.',
      advice: 'In that application, remove this server and add it again: it then registers again.',
    });
  }
  return sent;
}

/** True for a URI that the client registered, or that differs from one on this machine only in the port. */
export function isRegisteredRedirectUri(registered: readonly string[], sent: string): boolean {
  return URL.canParse(sent) && registered.some((uri) => uri === sent || isSameApart(uri, sent));
}

/** True for two URIs on this machine that differ only in the port. */
function isSameApart(registered: string, sent: string): boolean {
  const [, host, rest] = LOOPBACK.exec(registered) ?? [];
  const [, sentHost, sentRest] = LOOPBACK.exec(sent) ?? [];
  return host !== undefined && host === sentHost && rest === sentRest;
}
