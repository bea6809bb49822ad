/** Which hosts and web origins may talk to the gateway: the guard against DNS rebinding and foreign pages. */

import type { IncomingMessage } from 'node:http';
import { RequestError } from './errors.ts';
import { isLoopbackHostname } from './loopback.ts';
import type { GatewayMiddleware } from './state.ts';

/** Which names are the gateway's own. */
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
 * Accepts requests for the host of `publicUrl` only, and for any loopback name when that is one.
 *
 * `Host` alone counts: anyone can add an `X-Forwarded-Host` to a request for another host.
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
 * Says whether a host, as `Host` names it, is the gateway's.
 *
 * The port of a loopback name is not compared: a rebound page reaches this machine under its own name, on any port.
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
 * Says whether pages of an origin, as browsers write it, may call the MCP endpoint (MCP 2026-07-28, Streamable HTTP,
 * Security Warning).
 *
 * When `publicUrl` is this machine, so may its pages on any port, such as a local inspector's.
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
