/** The authorization server, with defaults for what a test does not set. */

import type Router from '@koa/router';
import { GuardedFetchError } from '../../server/base/guarded-fetch/index.ts';
import { createCallerLimits } from '../../server/base/http/caller-limits.ts';
import type { RequestState } from '../../server/base/http/state.ts';
import { createLocalLimits, type Limits } from '../../server/base/limits/index.ts';
import type { ForgivingRateLimiter } from '../../server/base/limits/limiter.ts';
import type { OAuthDependencies } from '../../server/identity/oauth/context.ts';
import { createOAuthRouter } from '../../server/identity/oauth/index.ts';

type Needed = 'issuer' | 'resource' | 'keys' | 'store' | 'refresh' | 'catalogue';

export type OAuthOptions = Pick<OAuthDependencies, Needed> & Partial<OAuthDependencies>;

export function openOAuthRouter(options: OAuthOptions): Router<RequestState> {
  const { now = Date.now, limits = createLocalLimits() } = options;
  return createOAuthRouter({
    grantTypes: [],
    privateUseSchemes: [],
    documents: { getJson: () => Promise.reject(new GuardedFetchError('unreachable')) },
    clientDocuments: false,
    registration: 'open',
    maxUnusedClients: 1000,
    maxGrantMs: null,
    consent: 'all',
    callerLimits: createCallerLimits({ db: options.store.db, limits, now }),
    registrationsPerMinute: 60,
    ...options,
    limits,
    now,
  });
}

const UNLIMITED: ForgivingRateLimiter = {
  consume: async () => null,
  reserve: async () => ({ waitSeconds: null, giveBack: () => {} }),
};

/** The limits of a process, without those whose names begin like this. */
export function limitsWithout(...names: readonly string[]): Limits {
  const limits = createLocalLimits();
  const isOff = (name: string) => names.some((off) => name.startsWith(off));
  return {
    exact: (rule) => (isOff(rule.name) ? UNLIMITED : limits.exact(rule)),
    reconciled: (rule) => (isOff(rule.name) ? UNLIMITED : limits.reconciled(rule)),
  };
}
