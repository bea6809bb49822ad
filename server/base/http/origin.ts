/** Which hosts and web origins may call the gateway: the protection against DNS rebinding and foreign pages. */

import type { IncomingMessage } from 'node:http';
import { RequestError } from './errors.ts';
import { isLoopbackHostname } from './loopback.ts';
import type { GatewayMiddleware } from './state.ts';

/** Which host names belong to the gateway. */
export interface HostRules {
  /** The gateway's origin as clients see it. */
  readonly publicUrl: string;
}

/** Whose pages may call the MCP endpoint. */
export interface OriginRules {
  readonly publicUrl: string;
  /** Other origins whose pages may call the MCP endpoint. */
  readonly allowedOrigins: readonly string[];
}

/**
 * Accepts requests for the host of `publicUrl` only; for any loopback name if `publicUrl` is one.
 *
 * Only `Host` counts: anyone can add an `X-Forwarded-Host` to a request for another host.
 *
 * @throws {RequestError} `invalid_host`, status 403.
 */
export function checkHost(rules: HostRules): GatewayMiddleware {
  const isOwn = createHostTest(rules);
  return async (ctx, next) => {
    if (!isOwn(hostOf(ctx.req))) throw invalidHost();
    await next();
  };
}

/**
 * Creates a test of whether a host, as `Host` names it, is the gateway's.
 *
 * The port of a loopback name is not compared: a page that uses DNS rebinding sends its own host name, on any port.
 */
export function createHostTest({ publicUrl }: Pick<HostRules, 'publicUrl'>): (host: string) => boolean {
  const own = new URL(publicUrl);
  const local = isLoopbackHostname(own.hostname);
  return (host) => host.toLowerCase() === own.host || (local && isLoopbackHostname(hostnameOf(host)));
}

/** The host that a request names, with its port; empty when it names none. */
export function hostOf({ headers }: IncomingMessage): string {
  return headers.host?.trim() ?? '';
}

/** The refusal of a request for another host: `invalid_host`, status 403. */
export function invalidHost(): RequestError {
  return new RequestError(
    403,
    'invalid_host',
    'The Host of the request does not match PUBLIC_URL. A proxy in front must pass Host on unchanged: in nginx, proxy_set_header Host $http_host.',
  );
}

/**
 * Creates a test of whether pages of an origin, as browsers write it, may call the MCP endpoint (MCP 2026-07-28, Streamable HTTP,
 * Security Warning).
 *
 * If `publicUrl` is this machine, pages of this machine may too, on any port: a local inspector, for example.
 */
export function createOriginTest(rules: OriginRules): (origin: string) => boolean {
  const allowed = new Set([rules.publicUrl, ...rules.allowedOrigins]);
  const local = isLoopbackHostname(new URL(rules.publicUrl).hostname);
  return (origin) =>
    allowed.has(origin) ||
    (local && /^https?:\/\//.test(origin) && URL.canParse(origin) && isLoopbackHostname(new URL(origin).hostname));
}

/** The refusal of a request from a page of another origin: `invalid_origin`, status 403. */
export function invalidOrigin(): RequestError {
  return new RequestError(403, 'invalid_origin', 'Pages of this origin may not call the gateway.');
}

function hostnameOf(host: string): string {
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '';
}
