/** The origin of a request: its client behind trusted proxies, and the hosts and web origins that may call the gateway. */

import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Logger } from 'pino';
import { createNetworkCheck, parseNetworks } from '../guarded-fetch/networks.ts';
import { RequestError } from './errors.ts';
import { isLoopbackHostname } from './loopback.ts';
import type { GatewayMiddleware } from './state.ts';

/** The host names of the gateway. */
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

/** Refuses requests that name more than one host, on every path: a proxy in front may have routed them by the other (RFC 9112 §3.2). */
export function requireOneHost(): GatewayMiddleware {
  return async (ctx, next) => {
    checkOneHost(ctx.req);
    await next();
  };
}

/** @throws {RequestError} status 400, when a request names more than one host. */
export function checkOneHost(request: IncomingMessage): void {
  if (countHosts(request) > 1) throw new RequestError(400, 'invalid_request', 'The request has more than one Host.');
}

/**
 * Creates a test of whether a host, as `Host` names it, is the gateway's.
 *
 * The port of a loopback name is not compared: a page that uses DNS rebinding sends its own host name, on any port.
 */
export function createHostTest({ publicUrl }: HostRules): (host: string) => boolean {
  const gateway = new URL(publicUrl);
  const local = isLoopbackHostname(gateway.hostname);
  return (host) =>
    host.toLowerCase() === gateway.host || (local && isLoopbackHostname(URL.parse(`http://${host}`)?.hostname ?? ''));
}

/** The host that a request names, with its port; empty when it names none, or several. */
export function hostOf(request: IncomingMessage): string {
  return countHosts(request) > 1 ? '' : (request.headers.host?.trim() ?? '');
}

function countHosts({ rawHeaders }: IncomingMessage): number {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts;
}

/**
 * Turns a target in absolute form into the same one in origin form (RFC 9112 §3.2.2), if it names the host that `Host` names too.
 *
 * Any other stays as it is: it is not a path, so it is refused later. Thus no request names two hosts.
 */
export function readAbsoluteTarget(request: IncomingMessage): void {
  const { url = '' } = request;
  if (url.startsWith('/')) return;
  const [, authority = '', rest = ''] = /^https?:\/\/([^/?#]+)(.*)$/i.exec(url) ?? [];
  if (authority === '' || authority.toLowerCase() !== hostOf(request).toLowerCase()) return;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
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
    (local && /^https?:\/\//.test(origin) && isLoopbackHostname(URL.parse(origin)?.hostname ?? ''));
}

/** The refusal of a request from a page of another origin: `invalid_origin`, status 403. */
export function invalidOrigin(): RequestError {
  return new RequestError(403, 'invalid_origin', 'Pages of this origin may not call the gateway.');
}

/**
 * True for a request that accepts HTML explicitly, as browsers do when a person opens an address.
 *
 * MCP clients accept `application/json` and `text/event-stream`, other programs anything: neither counts. Nor does
 * a request with credentials, or from a page of another origin.
 */
export function isPageVisit({ method, headers }: IncomingMessage): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  if (headers.authorization !== undefined || headers.origin !== undefined) return false;
  const accept = headers.accept ?? '';
  return /(^|[\s,])text\/html\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(accept) && !/text\/event-stream/i.test(accept);
}

/** Returns the client's address of a request. */
export type AddressReader = (request: IncomingMessage) => string;

/** Headers that proxies add. Only the first one is ever trusted. */
export const FORWARDED_HEADERS = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'x-forwarded-host', 'x-forwarded-proto'];

const FORWARDED_IGNORED =
  'a forwarded header is ignored, because TRUST_PROXY does not name its sender: if that is a proxy of yours, add its address there';

/**
 * Reads which proxies are trusted: addresses and CIDR ranges, separated by commas; `none` or `0` for no proxy.
 *
 * @throws {Error} with a message that completes a sentence after the setting's name.
 */
export function parseTrustedProxies(text: string): string[] {
  try {
    return text === '0' ? [] : parseNetworks(text);
  } catch (cause) {
    const problem =
      'must be none, or the addresses or CIDR ranges of proxies, separated by commas; a number of proxies is not enough';
    throw new Error(problem, { cause });
  }
}

/**
 * Reads client addresses from `X-Forwarded-For`, last entry first: a trusted proxy vouches for the address that it added, so the
 * first address that is no trusted proxy is the client's. The header is ignored unless the socket belongs to a trusted proxy;
 * the log reports that once.
 *
 * @param trustedProxies as `parseTrustedProxies` returns them.
 */
export function createAddressReader(trustedProxies: readonly string[], log: Logger): AddressReader {
  const isTrusted = createNetworkCheck(trustedProxies);
  let isReported = false;
  return ({ socket, headers }) => {
    const peer = toAddress(socket.remoteAddress) ?? '';
    if (trustedProxies.length === 0 || !isTrusted(peer)) {
      const header = isReported ? undefined : FORWARDED_HEADERS.find((name) => headers[name] !== undefined);
      if (header !== undefined) {
        isReported = true;
        log.warn({ peer, header }, FORWARDED_IGNORED);
      }
      return peer;
    }
    const hops = String(headers['x-forwarded-for'] ?? '').split(',');
    let client = peer;
    while (isTrusted(client)) {
      const before = toAddress(hops.pop());
      if (before === null) break;
      client = before;
    }
    return client;
  };
}

/** Returns an address without port, brackets, zone, and the prefix of IPv4 in IPv6. Returns null for any other text. */
function toAddress(text: string | undefined): string | null {
  if (text !== undefined && isIP(text) === 4) return text;
  const [, inBrackets, ipv4] = /^(?:\[([^\]]*)\](?::\d+)?|(\d+(?:\.\d+){3}):\d+)$/.exec(text?.trim() ?? '') ?? [];
  const address = (inBrackets ?? ipv4 ?? text?.trim() ?? '').replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '');
  return isIP(address) === 0 ? null : address;
}
