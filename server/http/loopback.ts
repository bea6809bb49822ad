/** Which host names mean this machine. */

/** True for `localhost`, `127.0.0.0/8` and `[::1]`, as `URL.hostname` writes them. */
export function isLoopbackHostname(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** True for an origin whose host is this machine. */
export function isLoopbackOrigin(origin: string): boolean {
  return isLoopbackHostname(new URL(origin).hostname);
}
