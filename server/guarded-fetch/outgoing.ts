/** The one way out: every request of the gateway goes through a dispatcher that connects to allowed addresses only. */

import { isIP } from 'node:net';
import type { Agent, buildConnector, Dispatcher, RequestInit } from 'undici';
import { addressError, createGuard, type GuardRules } from './guard.ts';

/** What the way out allows. */
export interface OutgoingOptions extends Partial<GuardRules> {
  /** Longest time until there is a connection. Default: 10 s. */
  readonly connectTimeoutMs?: number;
  /** Certificates that sign those of the servers, as PEM. Default: those that Node trusts. */
  readonly ca?: string;
}

/** The way out. */
export interface Outgoing {
  /**
   * Sends requests. Connections are kept alive. A request to an address that is not allowed fails with `GuardedFetchError`
   * (`address`). It has no deadline of its own, follows no redirect, and uses no proxy of the environment.
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
  let agent: Promise<Agent> | null = null;
  const dispatcher = (): Promise<Agent> => {
    agent ??= createAgent(options);
    return agent;
  };
  return {
    dispatcher,
    async fetch(url, init) {
      const undici = await import('undici');
      const guarded: RequestInit = { ...init, redirect: 'manual', dispatcher: await dispatcher() };
      return (await undici.fetch(url, guarded)) as unknown as Response;
    },
    async close() {
      await (await agent)?.close();
    },
    async destroy() {
      await (await agent)?.destroy();
    },
  };
}

/** Who sends a request sets its deadline, so undici keeps none. */
async function createAgent(options: OutgoingOptions): Promise<Agent> {
  const { Agent, buildConnector } = await import('undici');
  return new Agent({
    allowH2: false,
    connect: createConnect(buildConnector, options),
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: MAX_HEADER_BYTES,
  });
}

/**
 * Checks addresses once for each connection, where it is made: what was resolved and checked is what the socket connects to.
 *
 * A host that is written as an address is never resolved, so it is checked here.
 */
function createConnect(
  build: typeof buildConnector,
  { networks = [], resolve, connectTimeoutMs: timeout = CONNECT_TIMEOUT_MS, ca }: OutgoingOptions,
): buildConnector.connector {
  const guard = createGuard({ networks, ...(resolve === undefined ? {} : { resolve }) });
  const connect = build({ allowH2: false, lookup: guard.lookup, timeout, ...(ca === undefined ? {} : { ca }) });
  return (target, callback) => {
    if (isIP(target.hostname) === 0 || guard.isAllowed(target.hostname)) connect(target, callback);
    else callback(addressError(), null);
  };
}
