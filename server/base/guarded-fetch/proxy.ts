/** Outgoing requests through a proxy: for which hosts, and a tunnel (CONNECT, RFC 9110 §9.3.6) to each of them. */

import { isIP } from 'node:net';
import type { Agent, Dispatcher, Pool, ProxyAgent } from 'undici';
import { GuardedFetchError } from './error.ts';
import { addressError } from './guard.ts';
import { addressOf, createNetworkCheck, parseNetworks } from './networks.ts';
import { isLoopbackAddress } from './public-address.ts';

/** A proxy for outgoing requests. It has to refuse addresses that are not public, because the gateway does not see them. */
export interface OutgoingProxy {
  /** `http://` or `https://`, with a user and a password where it requires them. */
  readonly url: string;
  /** Hosts that are reached directly, as `parseDirectHosts` returns them. This machine always is. */
  readonly directHosts: readonly string[];
}

/** Names that have a meaning only in a private network (RFC 6762, RFC 8375, `.internal` by ICANN's resolution of 2024-07-29). */
const PRIVATE_NAME = /^[^.]+$|\.(?:local|internal|home\.arpa)$/;

/** `.example.com` and `*.example.com` mean the same as `example.com`. */
const HOST_NAME = /^(?:\*?\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/;

/**
 * Host names (with their subdomains), IP addresses and CIDR ranges, separated by commas.
 *
 * @throws what is wrong with the text.
 */
export function parseDirectHosts(text: string): string[] {
  return text.split(',').map((part) => {
    const host = part.trim().toLowerCase();
    try {
      if (isNetwork(host)) return parseNetworks(host).join();
    } catch {}
    if (HOST_NAME.test(host)) return host.replace(/^\*?\./, '');
    throw new Error('must be host names, addresses or CIDR ranges, separated by commas, without ports');
  });
}

/**
 * Creates the check whether a host is reached through the proxy.
 *
 * @returns a function that says so, or throws `GuardedFetchError` (`address`) for a host that must not be reached through a proxy: an address that
 * `isAllowed` refuses, or the name of a private network.
 */
export function createProxyCheck(
  directHosts: readonly string[],
  isAllowed: (address: string) => boolean,
): (hostname: string) => boolean {
  const isInNetwork = createNetworkCheck(directHosts.filter(isNetwork));
  const names = directHosts.filter((host) => !isNetwork(host));
  return (hostname) => {
    const host = addressOf(hostname.replace(/\.$/, ''));
    if (isIP(host) !== 0) {
      if (isLoopbackAddress(host) || isInNetwork(host)) return false;
      if (isAllowed(host)) return true;
      throw addressError();
    }
    if (host.endsWith('.localhost')) return false;
    if (names.some((name) => host === name || host.endsWith(`.${name}`))) return false;
    if (!PRIVATE_NAME.test(host)) return true;
    const detail = 'its name belongs to a private network, and OUTGOING_NO_PROXY does not include it';
    throw new GuardedFetchError('address', { detail });
  };
}

function isNetwork(host: string): boolean {
  return isIP(host.split('/')[0] ?? '') !== 0;
}

/** Parts of undici, and the settings of every connection. */
interface TunnelOptions {
  readonly undici: { readonly ProxyAgent: typeof ProxyAgent; readonly Pool: typeof Pool };
  readonly settings: Agent.Options;
  readonly connectTimeoutMs: number;
  /** Trusted certificate authorities, as PEM. */
  readonly ca: string | undefined;
  /** Called with what the operator has to fix. */
  readonly onProblem: (detail: string) => void;
}

/**
 * Creates a dispatcher that tunnels every connection through the proxy, also to http servers, so that a response of the proxy
 * is never taken for one of the server. Certificates are checked as without a proxy.
 *
 * A request fails with `GuardedFetchError` (`proxy`) when the proxy refuses the tunnel.
 */
export function createTunnel({ url }: OutgoingProxy, options: TunnelOptions): Dispatcher {
  const { undici, settings, connectTimeoutMs, ca, onProblem } = options;
  const fail = (error: GuardedFetchError): never => {
    if (error.isOfGateway && error.detail !== null) onProblem(error.detail);
    throw error;
  };
  return new undici.ProxyAgent({
    ...settings,
    uri: url,
    proxyTunnel: true,
    connectTimeout: connectTimeoutMs,
    requestTls: { allowH2: false, ca },
    clientFactory(origin, clientOptions) {
      const pool = new undici.Pool(origin, { ...clientOptions, headersTimeout: connectTimeoutMs });
      const ask = pool.connect.bind(pool) as (request: Dispatcher.ConnectOptions) => Promise<Dispatcher.ConnectData>;
      const connect = async (request: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> => {
        const answer = await ask(request).catch((cause: unknown) => fail(unreachable(cause)));
        if (answer.statusCode === 200) return answer;
        answer.socket.on('error', () => {}).destroy();
        return fail(refused(answer.statusCode));
      };
      return Object.assign(pool, { connect });
    },
  });
}

function unreachable(cause: unknown): GuardedFetchError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error';
  return new GuardedFetchError('proxy', { detail: `the proxy of OUTGOING_PROXY cannot be used (${code})`, cause });
}

function refused(status: number): GuardedFetchError {
  const isOfServer = status >= 502 && status <= 504;
  const what =
    status === 407
      ? 'does not accept the user and password in it'
      : isOfServer
        ? 'could not connect there'
        : 'does not let the gateway connect there';
  return new GuardedFetchError('proxy', {
    detail: `the proxy of OUTGOING_PROXY ${what} (${status})`,
    isOfGateway: !isOfServer,
  });
}
