/** What the endpoints of the authorization server share. */

import type { Kysely } from 'kysely';
import type { EncryptionKey } from '../../base/credentials/index.ts';
import { type GuardedFetch, GuardedFetchError } from '../../base/guarded-fetch/index.ts';
import { type CallerLimits, createAddressLimiter, createCallerLimits } from '../../base/http/caller-limits.ts';
import { createLocalLimits, type Limits } from '../../base/limits/index.ts';
import type { RateLimiter } from '../../base/limits/limiter.ts';
import type { Store } from '../../base/store/index.ts';
import type { Database } from '../../base/store/schema.ts';
import type { Catalogue } from '../../call/tools/catalogue/catalogue.ts';
import type { GrantOutcome } from '../grants/grant-outcome.ts';
import type { Refresh } from '../grants/refresh/index.ts';
import type { RegistrationPolicy } from '../protocol/registration-policy.ts';
import type { GrantRequest } from './authorization-codes.ts';
import {
  type AuthenticateSender,
  createClientAuthentication,
  UNUSED_CLIENT_ASSERTIONS_PER_MINUTE,
} from './client-authentication.ts';
import { type ClientLookup, createClientLookup } from './client-documents.ts';
import { createFindKeys, type FindKeys } from './remote-keys.ts';

/** A grant type that a module adds to the token endpoint, for clients only. */
export interface ClientGrantType {
  /** Value of `grant_type`. A client that names it at registration gets it. */
  readonly name: string;
  /** Members that it adds to the metadata of the authorization server. */
  readonly metadata: Readonly<Record<string, readonly string[]>>;
  /** @throws {OAuthError} */
  exchange(
    context: Pick<OAuthContext, 'db' | 'issuer' | 'resource' | 'findKeys'>,
    request: GrantRequest,
  ): Promise<GrantOutcome>;
}

/** What the authorization server is created from. */
export interface OAuthDependencies {
  /** The gateway's origin, without a final slash. */
  readonly issuer: string;
  /** The gateway's resource indicator. */
  readonly resource: string;
  /** The key ring, whose first key seals the consent page's state. */
  readonly keys: readonly EncryptionKey[];
  readonly store: Pick<Store, 'db'>;
  readonly refresh: Refresh;
  readonly catalogue: Catalogue;
  /** Default: none but those of the core. */
  readonly grantTypes?: readonly ClientGrantType[];
  /** Schemes of redirect URIs that the operator allows in addition to https and loopback http: lower case, without the colon. */
  readonly privateUseSchemes: readonly string[];
  /** Fetches metadata documents of clients, and keys of clients and identity issuers. Default: nothing is fetched. */
  readonly documents?: Pick<GuardedFetch, 'getJson'>;
  /** Whether the URL of a metadata document is accepted as a client id. Default: false. */
  readonly clientDocuments?: boolean;
  /** Milliseconds since 1970. Default: the system's clock. */
  readonly now?: () => number;
  /** Who may register a client. Default: anyone. */
  readonly registration?: RegistrationPolicy;
  /** Registrations that no user has ever allowed anything, across all addresses. Default: 1000. */
  readonly maxUnusedClients?: number;
  /** Longest lifetime of a grant, in milliseconds; null: each refresh extends it. Default: null. */
  readonly maxGrantMs?: number | null;
  /** Shared budget of the endpoints for clients and partners. Default: one of `DEFAULT_CALLER_RATES`. */
  readonly callerLimits?: CallerLimits;
  /** Creates the limits. Default: per process. */
  readonly limits?: Limits;
  /** Registrations per client address and minute. Default: 60, because hosted clients register for all their users. */
  readonly registrationsPerMinute?: number;
  /** The limit of registrations. Default: one of `registrationsPerMinute`. */
  readonly registrationLimit?: RateLimiter;
  /** Requests for pages and their forms, per client address. Default: 600 a minute, because a company may share one. */
  readonly authorizationLimit?: RateLimiter;
}

/** What every endpoint may use. */
export interface OAuthContext extends Required<OAuthDependencies> {
  readonly db: Kysely<Database>;
  readonly clients: ClientLookup;
  readonly findKeys: FindKeys;
  readonly authenticate: AuthenticateSender;
}

const REGISTRATIONS_PER_MINUTE = 60;
const PAGES_PER_MINUTE = 600;
const MAX_UNUSED_CLIENTS = 1000;

const NO_DOCUMENTS = { getJson: () => Promise.reject(new GuardedFetchError('unreachable')) };

export function createOAuthContext(options: OAuthDependencies): OAuthContext {
  const { documents = NO_DOCUMENTS, clientDocuments = false, now = Date.now } = options;
  const { limits = createLocalLimits(), registrationsPerMinute = REGISTRATIONS_PER_MINUTE } = options;
  const { db } = options.store;
  const perMinute = (name: string, points: number) => ({ name, points, durationSeconds: 60 });
  const limitOf = (name: string, points: number) => createAddressLimiter(limits.exact, perMinute(name, points));
  const given = { ...options, db, documents, clientDocuments, now, limits, registrationsPerMinute };
  const clients = createClientLookup({ ...given, documents: clientDocuments ? documents : null });
  const findKeys = createFindKeys(given);
  const unusedClientLimit = limitOf('assertions-unused', UNUSED_CLIENT_ASSERTIONS_PER_MINUTE);
  return {
    ...given,
    clients,
    findKeys,
    authenticate: createClientAuthentication({ ...given, clients, findKeys, unusedClientLimit }),
    grantTypes: options.grantTypes ?? [],
    registration: options.registration ?? 'open',
    maxUnusedClients: options.maxUnusedClients ?? MAX_UNUSED_CLIENTS,
    maxGrantMs: options.maxGrantMs ?? null,
    callerLimits: options.callerLimits ?? createCallerLimits({ db, limits, now }),
    registrationLimit: options.registrationLimit ?? limitOf('registrations', registrationsPerMinute),
    authorizationLimit:
      options.authorizationLimit ??
      createAddressLimiter(limits.reconciled, perMinute('consent-pages', PAGES_PER_MINUTE)),
  };
}
