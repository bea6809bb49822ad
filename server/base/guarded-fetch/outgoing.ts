/** Sends every outgoing request of the gateway through a dispatcher that connects to allowed addresses only. */

import { isIP } from 'node:net';
import type { buildConnector, Dispatcher, RequestInit } from 'undici';
import { addressError, createGuard, type Guard } from './guard.ts';
import { createProxyCheck, createTunnel, type OutgoingProxy } from './proxy.ts';
import { createResolver, type Resolve } from './resolver.ts';

/** Options of a sender. */
export interface OutgoingOptions {
  /** See `GuardRules`. Default: none. */
  readonly networks?: readonly string[];
  /** Default: the resolver of `createResolver`. */
  readonly resolve?: Resolve | undefined;
  /** The only port of public addresses; other ports are reached directly, in the networks alone. Default: every port. */
  readonly publicPort?: number;
  /** Longest time to connect. Default: 10 s. */
  readonly connectTimeoutMs?: number;
  /** Trusted certificate authorities, as PEM. Default: those that Node trusts. */
  readonly ca?: string;
  /** Default: none. Proxy variables of the environment are ignored. */
  readonly proxy?: OutgoingProxy | null;
  /** Called with what the operator has to fix at the proxy, on every occurrence. Default: no call. */
  readonly onProxyProblem?: (detail: string) => void;
}

/** Sends outgoing requests. */
export interface Outgoing {
  /**
   * Returns the dispatcher that sends requests and keeps connections alive. A request to an address that is not allowed fails with
   * `GuardedFetchError` (`address`), a request that the proxy does not let through with `proxy`. It sets no deadline and follows no redirect.
   */
  dispatcher(): Promise<Dispatcher>;
  /** The same for libraries that take a `fetch`. It does not follow redirects, whatever `init` says. */
  fetch(url: string, init: object): Promise<Response>;
  /** Closes idle connections, and waits for busy ones. */
  close(): Promise<void>;
  /** Aborts open requests. */
  destroy(): Promise<void>;
}

const MAX_HEADER_BYTES = 16_384;
const CONNECT_TIMEOUT_MS = 10_000;

/** Creates a sender with its own connections. undici is loaded on the first request, because that takes a tenth of a second. */
export function createOutgoing(options: OutgoingOptions = {}): Outgoing {
  let created: Promise<readonly [used: Dispatcher, ...others: Dispatcher[]]> | null = null;
  const all = () => {
    created ??= createDispatchers(options);
    return created;
  };
  const dispatcher = async (): Promise<Dispatcher> => (await all())[0];
  return {
    dispatcher,
    fetch: async (url, init) => fetchThrough(await dispatcher(), url, init),
    async close() {
      await Promise.all(((await created) ?? []).map((each) => each.close()));
    },
    async destroy() {
      await Promise.all(((await created) ?? []).map((each) => each.destroy()));
    },
  };
}

/** Loads the library that sends requests, which a start does without. */
export async function loadSender(): Promise<void> {
  await import('undici');
}

/** Fetches through a dispatcher of `Outgoing`. It does not follow redirects, whatever `init` says. */
export async function fetchThrough(dispatcher: Dispatcher, url: string | URL, init: object): Promise<Response> {
  const undici = await import('undici');
  const guarded: RequestInit = { ...init, redirect: 'manual', dispatcher };
  return (await undici.fetch(url, guarded)) as unknown as Response;
}

/** The sender of a request sets its deadline, so undici sets none. @returns the dispatcher for requests, then those that it uses. */
async function createDispatchers(options: OutgoingOptions): Promise<readonly [Dispatcher, ...Dispatcher[]]> {
  const { networks = [], resolve, ca, proxy = null, onProxyProblem: onProblem = () => {} } = options;
  const { connectTimeoutMs = CONNECT_TIMEOUT_MS, publicPort } = options;
  const undici = await import('undici');
  const rules = { networks, resolve: resolve ?? createResolver() };
  const guard = createGuard(rules);
  const settings = { allowH2: false, headersTimeout: 0, bodyTimeout: 0, maxHeaderSize: MAX_HEADER_BYTES };
  const isForAll = (port: string) => publicPort === undefined || Number(port || 443) === publicPort;
  const connecting = { timeout: connectTimeoutMs, ca };
  const toAll = createConnect(undici.buildConnector, guard, connecting);
  const toNetworks = createConnect(undici.buildConnector, createGuard({ ...rules, networksOnly: true }), connecting);
  const connect: buildConnector.connector = (target, callback) =>
    (isForAll(target.port) ? toAll : toNetworks)(target, callback);
  const direct = new undici.Agent({ ...settings, connect });
  if (proxy === null) return [direct];
  const isProxied = createProxyCheck(proxy.directHosts, guard.isAllowed);
  const tunnel = createTunnel(proxy, { undici, settings, connectTimeoutMs, ca, onProblem });
  const routed = direct.compose((dispatch) => (request, handler) => {
    const { hostname, port } = new URL(request.origin ?? '');
    return isProxied(hostname) && isForAll(port) ? tunnel.dispatch(request, handler) : dispatch(request, handler);
  });
  return [routed, tunnel];
}

/**
 * Checks addresses once per connection, when it is made: the socket connects to exactly what was resolved and checked.
 *
 * A host that is written as an address is never resolved, so it is checked here.
 */
function createConnect(
  build: typeof buildConnector,
  { lookup, isAllowed }: Guard,
  { timeout, ca }: { readonly timeout: number; readonly ca: string | undefined },
): buildConnector.connector {
  const connect = build({ allowH2: false, lookup, timeout, ca });
  return (target, callback) => {
    if (isIP(target.hostname) === 0 || isAllowed(target.hostname)) connect(target, callback);
    else callback(addressError(), null);
  };
}
