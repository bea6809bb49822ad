/** Several nodes on the store of one test. */

import { Agent, fetch } from 'undici';
import { afterEach } from 'vitest';
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
