/** The one way out: every request of the gateway goes through a dispatcher that connects to allowed addresses only. */

import { isIP } from 'node:net';
import type { buildConnector, Dispatcher, RequestInit } from 'undici';
import { addressError, createGuard, type Guard, type GuardRules } from './guard.ts';
import { createProxyCheck, createTunnel, type OutgoingProxy } from './proxy.ts';

/** What the way out allows. */
export interface OutgoingOptions extends Partial<GuardRules> {
  /** Longest time until there is a connection. Default: 10 s. */
  readonly connectTimeoutMs?: number;
  /** Certificates that sign those of the servers, as PEM. Default: those that Node trusts. */
  readonly ca?: string;
  /** Default: there is none. One of the environment never counts. */
  readonly proxy?: OutgoingProxy | null;
  /** Called with what the operator has to correct at the proxy, each time. Default: no one wants to know. */
  readonly onProxyProblem?: (detail: string) => void;
}

/** The way out. */
export interface Outgoing {
  /**
   * Sends requests. Connections are kept alive. A request to an address that is not allowed fails with `GuardedFetchError`
   * (`address`), one that the proxy does not let out with `proxy`. It has no deadline of its own and follows no redirect.
   */
  dispatcher(): Promise<Dispatcher>;
  /** The same for libraries that want a `fetch`. It does not follow redirects, whatever `init` says. */
  fetch(url: string, init: object): Promise<Response>;
  /** Closes idle connections, and waits for busy ones. */
  close(): Promise<void>;
  /** Gives open requests up. */
  destroy(): Promise<void>;
}

const MAX_HEADER_BYTES = 16_384;
const CONNECT_TIMEOUT_MS = 10_000;

/** Creates a way out with connections of its own. undici is loaded with the first request: that takes a tenth of a second. */
export function createOutgoing(options: OutgoingOptions = {}): Outgoing {
  let created: Promise<readonly [used: Dispatcher, ...others: Dispatcher[]]> | null = null;
  const all = () => {
    created ??= createDispatchers(options);
    return created;
  };
  const dispatcher = async (): Promise<Dispatcher> => (await all())[0];
  return {
    dispatcher,
    async fetch(url, init) {
      const undici = await import('undici');
      const guarded: RequestInit = { ...init, redirect: 'manual', dispatcher: await dispatcher() };
      return (await undici.fetch(url, guarded)) as unknown as Response;
    },
    async close() {
      await Promise.all(((await created) ?? []).map((each) => each.close()));
    },
    async destroy() {
      await Promise.all(((await created) ?? []).map((each) => each.destroy()));
    },
  };
}

/** Who sends a request sets its deadline, so undici keeps none. @returns that which requests are sent with, and what it uses. */
async function createDispatchers(options: OutgoingOptions): Promise<readonly [Dispatcher, ...Dispatcher[]]> {
  const { networks = [], resolve, ca, proxy = null, onProxyProblem: onProblem = () => {} } = options;
  const { connectTimeoutMs = CONNECT_TIMEOUT_MS } = options;
  const undici = await import('undici');
  const guard = createGuard({ networks, ...(resolve === undefined ? {} : { resolve }) });
  const settings = { allowH2: false, headersTimeout: 0, bodyTimeout: 0, maxHeaderSize: MAX_HEADER_BYTES };
  const connect = createConnect(undici.buildConnector, guard, { timeout: connectTimeoutMs, ca });
  const direct = new undici.Agent({ ...settings, connect });
  if (proxy === null) return [direct];
  const isProxied = createProxyCheck(proxy.directHosts, guard.isAllowed);
  const tunnel = createTunnel(proxy, { undici, settings, connectTimeoutMs, ca, onProblem });
  const routed = direct.compose((dispatch) => (request, handler) => {
    const { hostname } = new URL(request.origin ?? '');
    return isProxied(hostname) ? tunnel.dispatch(request, handler) : dispatch(request, handler);
  });
  return [routed, tunnel];
}

/**
 * Checks addresses once for each connection, where it is made: what was resolved and checked is what the socket connects to.
 *
 * A host that is written as an address is never resolved, so it is checked here.
 */
function createConnect(
  build: typeof buildConnector,
  { lookup, isAllowed }: Guard,
  { timeout, ca }: { readonly timeout: number; readonly ca: string | undefined },
): buildConnector.connector {
  const connect = build({ allowH2: false, lookup, timeout, ...(ca === undefined ? {} : { ca }) });
  return (target, callback) => {
    if (isIP(target.hostname) === 0 || isAllowed(target.hostname)) connect(target, callback);
    else callback(addressError(), null);
  };
}
