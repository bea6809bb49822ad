/** Resource indicators (RFC 8707): whether a client means this gateway's MCP endpoint. */

import { isLoopbackHostname } from '../../base/http/loopback.ts';
import { OAuthError } from './error.ts';

/**
 * Compares a `resource` parameter with the gateway's own.
 *
 * Letter case of scheme and host, the default port and a trailing slash do not matter: clients send it as they were configured. For a local
 * gateway, the name of this machine does not matter either. A fragment is never valid (RFC 8707 §2).
 */
export function isOwnResource(value: string, resource: string): boolean {
  return canonicalOf(value) === canonicalOf(resource);
}

/** @throws {OAuthError} `invalid_target`, status 400, when any of the values is another resource. */
export function checkResources(values: readonly string[], resource: string): void {
  if (values.every((value) => isOwnResource(value, resource))) return;
  throw new OAuthError(400, 'invalid_target', `The resource must be ${resource}.`);
}

function canonicalOf(value: string): string {
  const url = URL.parse(value);
  if (url === null) return value;
  if (isLoopbackHostname(url.hostname)) url.hostname = 'localhost';
  return url.href.replace(/\/$/, '');
}
