/** What the steps of the connect flow need. */

import type { Kysely } from 'kysely';
import type { CredentialVault } from '../base/credentials/index.ts';
import type { BrowserIds } from '../base/pages/browser-id.ts';
import type { SealedForm } from '../base/pages/sealed-form.ts';
import type { RateLimiter } from '../base/rate-limiter.ts';
import type { Database } from '../base/store/schema.ts';
import type { VerifyCredential } from '../call/tools/verify-credential.ts';
import type { UpstreamClient, UpstreamOAuth } from '../call/upstream/oauth/types.ts';
import type { PendingAuthorization } from './oauth/pending.ts';
import type { CheckDependencies } from './request/index.ts';
import type { SessionCookieState } from './session/cookie.ts';
import type { ConnectPageState } from './visit/page-state.ts';

/** The gateway as a client of upstreams' authorization servers. */
export interface UpstreamSignIn {
  readonly oauth: UpstreamOAuth;
  /** Finds the registration for a partner's users; null: no one has set one up. */
  findClient(partnerId: string, service: string): Promise<UpstreamClient | null>;
}

export interface ConnectDependencies extends CheckDependencies {
  readonly db: Kysely<Database>;
  /** The gateway's origin, without a final slash. */
  readonly publicUrl: string;
  readonly vault: CredentialVault;
  readonly verifyCredential: VerifyCredential;
  readonly browserIds: BrowserIds;
  readonly sealedForm: SealedForm<ConnectPageState>;
  readonly sessionCookie: SealedForm<SessionCookieState>;
  readonly pendingAuthorization: SealedForm<PendingAuthorization>;
  readonly upstream: UpstreamSignIn;
  /** Limits the codes that come from plain links, per client address: some services accept any credential. */
  readonly codeLimit: RateLimiter;
  /** Milliseconds since 1970. */
  now(): number;
}
