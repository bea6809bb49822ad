/** Dependencies that the endpoints of the authorization server share. */

import type { Kysely } from 'kysely';
import type { EncryptionKey } from '../../base/credentials/index.ts';
import type { JsonSource } from '../../base/guarded-fetch/index.ts';
import { type CallerLimits, createAddressLimiter } from '../../base/http/caller-limits.ts';
import type { Limits } from '../../base/limits/index.ts';
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
  /** Only for clients that partners register, and not for those that register themselves. */
  readonly isOfPartners?: true;
  /** Members that it adds to the metadata of the authorization server. */
  readonly metadata: Readonly<Record<string, readonly string[]>>;
  /** @throws {OAuthError} */
  exchange(context: OAuthContext, request: GrantRequest): Promise<GrantOutcome>;
}

/** Options of the authorization server that its metadata names. */
export interface ServerOffer {
  /** True if the URL of a metadata document is accepted as a client id. */
  readonly clientDocuments: boolean;
  /** The policy that decides which clients may register. */
  readonly registration: RegistrationPolicy;
  /** The grant types that modules add. */
  readonly grantTypes: readonly ClientGrantType[];
}

/** Dependencies of the authorization server. */
export interface OAuthDependencies extends ServerOffer {
  /** The gateway's origin, without a final slash. */
  readonly issuer: string;
  /** The gateway's resource indicator. */
  readonly resource: string;
  /** The key ring, whose first key seals the consent page's state. */
  readonly keys: readonly EncryptionKey[];
  readonly store: Store;
  readonly refresh: Refresh;
  readonly catalogue: Catalogue;
  /** Schemes of redirect URIs that the operator allows in addition to https and loopback http: lower case, without the colon. */
  readonly privateUseSchemes: readonly string[];
  /** Fetches metadata documents of clients, and keys of clients and identity issuers. */
  readonly documents: JsonSource;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Registrations that no user has ever allowed anything, across all addresses. */
  readonly maxUnusedClients: number;
  /** Initial choice of the consent page: everything, or only reading (`CONSENT`). */
  readonly consent: 'all' | 'need';
  /** Longest lifetime of a grant, in milliseconds. Null if each refresh extends it. */
  readonly maxGrantMs: number | null;
  /** Shared budget of the endpoints for clients and partners. */
  readonly callerLimits: CallerLimits;
  readonly limits: Limits;
  /** Registrations per client address and minute. Hosted clients register for all their users. */
  readonly registrationsPerMinute: number;
}

/** Dependencies of every endpoint. */
export interface OAuthContext extends OAuthDependencies {
  readonly db: Kysely<Database>;
  readonly clients: ClientLookup;
  readonly findKeys: FindKeys;
  readonly authenticate: AuthenticateSender;
}

export function createOAuthContext(deps: OAuthDependencies): OAuthContext {
  const { limits, store } = deps;
  const { db } = store;
  const clients = createClientLookup({ ...deps, db });
  const findKeys = createFindKeys(deps);
  const unusedClientLimit = createAddressLimiter(limits.exact, {
    name: 'assertions-unused',
    points: UNUSED_CLIENT_ASSERTIONS_PER_MINUTE,
    durationSeconds: 60,
  });
  const authenticate = createClientAuthentication({ ...deps, db, clients, findKeys, unusedClientLimit });
  return { ...deps, db, clients, findKeys, authenticate };
}
