/** The parts that the steps of the connect flow share: paths, the values that are sealed for the browser between two steps, and one context. */

import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { CredentialVault, EncryptionKey } from '../base/credentials/index.ts';
import type { UpstreamClients } from '../base/credentials/upstream-clients.ts';
import { type CallerLimits, createAddressLimiter } from '../base/http/caller-limits.ts';
import type { Limits } from '../base/limits/index.ts';
import type { RateLimiter } from '../base/limits/limiter.ts';
import { type BrowserIds, type Cookie, createBrowserIds, createCookie } from '../base/pages/cookie.ts';
import { createSealedForm, type SealedForm } from '../base/pages/sealed-form.ts';
import type { PerRealm } from '../base/per-realm.ts';
import type { Store } from '../base/store/index.ts';
import type { Database } from '../base/store/schema.ts';
import type { Accounts } from '../call/tools/accounts.ts';
import type { Catalogue } from '../call/tools/catalogue/catalogue.ts';
import type { VerifyCredential } from '../call/tools/verify-credential.ts';
import type { UpstreamOAuth } from '../call/upstream/oauth/types.ts';
import type { Connector } from '../contract/index.ts';
import type { Refresh } from '../identity/grants/refresh/index.ts';
import { CONNECT_PATH } from './client-metadata.ts';

/** Time that the page may stay open, which is enough to create an API key at the upstream. */
export const CONNECT_PAGE_TTL_SECONDS = 3600;

/** Time that a person may take to sign in at an upstream. */
const SIGN_IN_TTL_SECONDS = 1800;

/** Codes that one address may get from plain links per minute; each code holds a credential. */
const CODES_PER_MINUTE = 30;

const PAGE = {
  id: z.string(),
  /** The attempt with the verified credential, while the person chooses its account. */
  attempt: z.string().optional(),
  /** The account of that credential. Null if the service does not identify it. */
  verified: z.object({ name: z.string(), identity: z.string() }).nullable().optional(),
};

const PLAIN = z.object({
  ...PAGE,
  clientId: z.string(),
  service: z.string(),
  externalUserId: z.string(),
  redirectUri: z.string(),
  state: z.string(),
});

const IN_SESSION = z.object({
  ...PAGE,
  sessionId: z.string(),
  service: z.string(),
  popupOrigin: z.string().nullable(),
  /** Random value of a page in a frame, where it takes the place of the browser's cookie. */
  frame: z.string().optional(),
});

const PAGE_STATE = z.union([IN_SESSION, PLAIN]);

/** One page of one service. `id` is random and identifies the page when refused credentials are counted. */
export type ConnectPageState = Readonly<z.output<typeof PAGE_STATE>>;

/** State of a page that a plain link opened. */
export type PlainPageState = Readonly<z.output<typeof PLAIN>>;

const SESSION_COOKIE = z.object({ sessionId: z.string(), popupOrigin: z.string().nullable() });

/** The session, and the only origin that a popup answers. */
export type SessionCookieState = Readonly<z.output<typeof SESSION_COOKIE>>;

const PENDING_SIGN_IN = z.object({
  page: PAGE_STATE,
  /** Position among the connector's kinds of credential. */
  kindIndex: z.number(),
  /** Row id of the upstream client that sends the request. */
  client: z.string(),
  /** RFC 7636 §4.1. Null if the upstream does not support PKCE. */
  codeVerifier: z.string().nullable(),
  scopes: z.array(z.string()).readonly(),
  /** Values that were typed in addition. */
  fields: z.record(z.string(), z.string()),
});

/** An authorization request to an upstream that waits for its answer. */
export type PendingSignIn = Readonly<z.output<typeof PENDING_SIGN_IN>>;

/** The services of one realm. */
interface ConnectRealm {
  /** @returns undefined if the realm does not serve it. */
  findConnector(name: string): Connector | undefined;
  readonly verifyCredential: VerifyCredential;
  readonly accounts: { readonly note: Accounts['note']; readonly read: Accounts['read'] };
  /** The gateway as a client of upstreams' authorization servers. */
  readonly oauth: UpstreamOAuth;
  /** Finds the registration for a partner's users. Null if there is none. */
  readonly clients: { readonly find: UpstreamClients['find']; readonly isRegistered: UpstreamClients['isRegistered'] };
}

/** Dependencies of the connect flow. */
export interface ConnectDependencies {
  /** The gateway's origin, without a final slash. */
  readonly publicUrl: string;
  /** The gateway's resource indicator. */
  readonly resource: string;
  readonly store: Store;
  /** The key ring; its first key seals the state of the page. */
  readonly keys: readonly EncryptionKey[];
  readonly vault: CredentialVault;
  readonly catalogue: Catalogue;
  /** The services, by the realm of the partner. */
  readonly realms: PerRealm<ConnectRealm>;
  readonly refresh: Refresh;
  readonly callerLimits: CallerLimits;
  readonly limits: Limits;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The context of every step. */
export interface ConnectContext extends ConnectDependencies {
  readonly db: Kysely<Database>;
  readonly browserIds: BrowserIds;
  readonly sealedForm: SealedForm<ConnectPageState>;
  /** A cookie for each session, so that a link that opens in another tab does not continue this one. */
  readonly sessionCookie: (sessionId: string) => Cookie;
  /** The value of the cookie, sealed like the page's forms for the browser that opened the session's address. */
  readonly sessionState: SealedForm<SessionCookieState>;
  /** The `state` is opaque to the upstream, and only opens with the browser's cookie (RFC 9700 §4.7.1). */
  readonly pendingSignIn: SealedForm<PendingSignIn>;
  /** Limits the codes that come from plain links, per client address: some services accept any credential. */
  readonly codeLimit: RateLimiter;
}

export function createConnectContext(deps: ConnectDependencies): ConnectContext {
  const { publicUrl, keys, now, limits } = deps;
  const page = { keys, publicUrl, now, ttlSeconds: CONNECT_PAGE_TTL_SECONDS };
  const codes = { name: 'connect-codes', points: CODES_PER_MINUTE, durationSeconds: 60 };
  const signIn = { ...page, ttlSeconds: SIGN_IN_TTL_SECONDS };
  return {
    ...deps,
    db: deps.store.db,
    browserIds: createBrowserIds(publicUrl),
    sealedForm: createSealedForm<ConnectPageState>({
      ...page,
      purpose: 'connect request',
      schema: PAGE_STATE,
      isFramed: (state) => 'frame' in state,
    }),
    // `Lax`, because the partner's page and an upstream's lead here from another site.
    sessionCookie: (id) => createCookie({ ...page, name: `utg_connect_${id}`, path: CONNECT_PATH, sameSite: 'Lax' }),
    sessionState: createSealedForm({ ...page, purpose: 'connect session', schema: SESSION_COOKIE }),
    pendingSignIn: createSealedForm({ ...signIn, purpose: 'upstream authorization', schema: PENDING_SIGN_IN }),
    codeLimit: createAddressLimiter(limits.exact, codes),
  };
}
