/** Which hosts and web origins may talk to the gateway: the guard against DNS rebinding and foreign pages. */

import { RequestError } from './errors.ts';
import { isLoopbackHostname } from './loopback.ts';
import type { GatewayMiddleware } from './state.ts';

/** Whose pages and which names are the gateway's own. */
interface OriginRules {
  /** The gateway's origin as clients see it. */
  readonly publicUrl: string;
  /** Further origins whose pages may call the MCP endpoint. */
  readonly allowedOrigins: readonly string[];
}

/**
 * Accepts requests for the host of `publicUrl` only, and for any loopback name when that is one.
 *
 * The port of a loopback name is not compared: a rebound page reaches this machine under its own name, on any port.
 *
 * @throws {RequestError} `invalid_host`, status 403.
 */
export function checkHost(rules: Pick<OriginRules, 'publicUrl'>): GatewayMiddleware {
  const { host, hostname } = new URL(rules.publicUrl);
  const local = isLoopbackHostname(hostname);
  return async (ctx, next) => {
    if (ctx.host.toLowerCase() !== host && !(local && isLoopbackHostname(hostnameOf(ctx.host)))) {
      throw new RequestError(403, 'invalid_host', 'The Host of the request is not a name of this gateway.');
    }
    await next();
  };
}

/**
 * Refuses requests from web pages of other origins (MCP 2026-07-28, Streamable HTTP, Security Warning).
 *
 * Requests without `Origin` pass: they are not a browser's. When `publicUrl` is this machine, so do its pages on any
 * port, such as a local inspector's.
 *
 * @throws {RequestError} `invalid_origin`, status 403.
 */
export function checkOrigin(rules: OriginRules): GatewayMiddleware {
  const isAllowed = createOriginTest(rules);
  return async (ctx, next) => {
    const origin = ctx.get('Origin');
    if (origin !== '' && !isAllowed(origin)) {
      throw new RequestError(403, 'invalid_origin', 'Pages of this origin may not call the gateway.');
    }
    await next();
  };
}

/** Says whether pages of an origin, as browsers write it, may call the MCP endpoint. */
export function createOriginTest(rules: OriginRules): (origin: string) => boolean {
  const allowed = new Set([rules.publicUrl, ...rules.allowedOrigins]);
  const local = isLoopbackHostname(new URL(rules.publicUrl).hostname);
  return (origin) =>
    allowed.has(origin) ||
    (local && /^https?:\/\//.test(origin) && URL.canParse(origin) && isLoopbackHostname(new URL(origin).hostname));
}

function hostnameOf(host: string): string {
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '';
}
