/** Which host names mean this machine. */

import { isIP } from 'node:net';

/** True for `localhost`, `127.0.0.0/8` and `[::1]`, as `URL.hostname` writes them. */
export function isLoopbackHostname(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'));
}

/** True for an origin whose host is this machine. */
export function isLoopbackOrigin(origin: string): boolean {
  return isLoopbackHostname(new URL(origin).hostname);
}
