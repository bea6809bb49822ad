/** Recognises host names that mean this machine. */

/** True for `localhost`, `127.0.0.0/8` and `[::1]`, as `URL.hostname` writes them. */
export function isLoopbackHostname(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/**
 * The gateway's origin under the name that a request used.
 *
 * A local gateway has several names, and clients compare its metadata with the name that they were given. So a request to any
 * loopback name on the port of `publicUrl` is answered under that name. Otherwise the origin is `publicUrl`.
 *
 * @param host value of `Host`.
 */
export function originForHost(publicUrl: string, host: string): string {
  const publicOrigin = new URL(publicUrl);
  if (host === publicOrigin.host || !isLoopbackHostname(publicOrigin.hostname)) return publicUrl;
  const requestUrl = URL.parse(`${publicOrigin.protocol}//${host}`);
  const isSameGateway =
    requestUrl !== null && isLoopbackHostname(requestUrl.hostname) && requestUrl.port === publicOrigin.port;
  return isSameGateway ? requestUrl.origin : publicUrl;
}

/** True for an origin whose host is this machine. */
export function isLoopbackOrigin(origin: string): boolean {
  return isLoopbackHostname(new URL(origin).hostname);
}
