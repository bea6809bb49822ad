/** Several nodes on the store of one test, whose held requests wait for each other, not for time. */

import { Agent, fetch } from 'undici';
import { afterEach } from 'vitest';
import type { WaitUntil } from '../../../../server/identity/grants/refresh/held-requests.ts';
import type { RefreshDependencies } from '../../../../server/identity/grants/refresh/index.ts';
import { openListeningStore } from '../../../support/listening.ts';
import { type Answer, listen, type OAuthUnderTest, toForm } from '../oauth/support.ts';

/** A gateway of the test. */
export interface RefreshNode {
  refresh(
    refreshToken: string,
    more?: Record<string, string>,
    signal?: AbortSignal,
    localAddress?: string,
  ): Promise<Answer>;
}

export interface Nodes {
  /** Starts a node with its own connection to the store. */
  start(clientId: string, options?: Partial<RefreshDependencies>): Promise<RefreshNode>;
}

/** Call inside `describeOAuth`. */
export function useNodes(given: OAuthUnderTest): Nodes {
  const endings: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of endings.splice(0)) await end();
  });
  return {
    async start(clientId, options = {}) {
      const store = await openListeningStore({ url: given.url });
      const { origin, server } = await listen(
        {
          ...given,
          store,
          get now() {
            return given.now;
          },
        },
        {
          refreshing: { holdMs: 1000, ...options, db: store.db, now: () => given.now },
        },
      );
      endings.push(async () => {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
        await store.close();
      });
      return {
        async refresh(refresh_token, more = {}, signal, localAddress = '127.0.0.1') {
          const form = { grant_type: 'refresh_token', refresh_token, client_id: clientId, ...more };
          const init = { method: 'POST', body: toForm(form), ...(signal === undefined ? {} : { signal }) };
          const dispatcher = new Agent({ localAddress });
          const response = await fetch(`${origin}/api/mcp/oauth/token`, { ...init, dispatcher });
          return {
            status: response.status,
            headers: response.headers,
            body: await response.json(),
          } as unknown as Answer;
        },
      };
    },
  };
}

export interface Gate {
  readonly waitUntil: WaitUntil;
  /** Requests that are held now. */
  held(): number;
  /** Ends the wait of all held requests. */
  open(): void;
}

/** @param size the number of held requests that opens the gate; default: only `open()` does. */
export function createGate(given: OAuthUnderTest, size = Number.POSITIVE_INFINITY): Gate {
  const opened = Promise.withResolvers<void>();
  let held = 0;
  let due = 0;
  const open = () => {
    given.now = Math.max(given.now, due);
    opened.resolve();
  };
  return {
    async waitUntil(time, { signal }) {
      const aborted = Promise.withResolvers<never>();
      const abort = () => aborted.reject(signal.reason);
      signal.addEventListener('abort', abort);
      held += 1;
      due = Math.max(due, time);
      if (held === size) open();
      try {
        await Promise.race([opened.promise, aborted.promise]);
      } finally {
        held -= 1;
        signal.removeEventListener('abort', abort);
      }
    },
    held: () => held,
    open,
  };
}
