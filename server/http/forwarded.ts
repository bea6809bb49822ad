/** Which host a request is for and where it came from, as far as proxies in front are trusted to say so. */

import type { IncomingMessage } from 'node:http';

/**
 * The host that the client asked for, with its port; empty when it named none.
 *
 * @param trustedProxies how many proxies stand in front; 0: `X-Forwarded-Host` counts for nothing.
 */
export function hostOf({ headers }: IncomingMessage, trustedProxies: number): string {
  const forwarded = trustedProxies > 0 ? headers['x-forwarded-host'] : undefined;
  const host = forwarded || headers.host || '';
  return String(host).split(',', 1)[0]?.trim() ?? '';
}

/**
 * The address of the client.
 *
 * @param trustedProxies how many addresses at the end of `X-Forwarded-For` were written by proxies of ours.
 */
export function addressOf({ headers, socket }: IncomingMessage, trustedProxies: number): string {
  const peer = socket.remoteAddress ?? '';
  const forwarded = headers['x-forwarded-for'];
  if (trustedProxies === 0 || forwarded === undefined) return peer;
  const addresses = String(forwarded).split(',').slice(-trustedProxies);
  return addresses[0]?.trim() || peer;
}
