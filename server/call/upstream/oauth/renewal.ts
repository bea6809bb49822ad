/** Renews a connection's access token: one request upstream at a time, across all gateways. */

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { CredentialVault } from '../../../base/credentials/index.ts';
import { markLostCredential } from '../../../base/credentials/lost-credential.ts';
import type { UpstreamClient } from '../../../base/credentials/upstream-clients.ts';
import type { CredentialBinding } from '../../../base/store/repositories/sealed-credentials.ts';
import {
  findRefreshable,
  holdRefresh,
  type RefreshableConnection,
  releaseRefresh,
  saveRefreshed,
} from '../../../base/store/repositories/upstream/connection-refreshes.ts';
import type { Database } from '../../../base/store/schema.ts';
import type { Connector } from '../../../contract/index.ts';
import { UpstreamFailure } from '../failures.ts';
import { scopesToAskFor } from './scopes.ts';
import {
  type OpenCredential,
  type OpenedCredential,
  type StoredToken,
  tokenIn,
  withoutTokens,
  withTokens,
} from './stored-token.ts';
import { type ClientLookup, findClientOf, type TokenAnswer, TokenRequestError, type UpstreamOAuth } from './types.ts';

export interface RenewalDependencies {
  readonly db: Kysely<Database>;
  readonly vault: CredentialVault;
  readonly openCredential: OpenCredential;
  readonly oauth: UpstreamOAuth;
  readonly clients: ClientLookup;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called with the reason why there is no token, for the log. Contains no secret. */
  readonly onProblem: (problem: RenewalProblem) => void;
}

/** A renewal that failed. `client`: no client is registered at the upstream, or it is refused. */
interface RenewalProblem {
  readonly service: string;
  readonly connectionId: string;
  readonly reason: 'invalid_grant' | 'unavailable' | 'client' | 'refused' | 'not_stored';
  readonly error: unknown;
}

/** The outcome of a renewal. */
export type Renewal =
  /** The new values to send, and the connection's new `updatedAt`. */
  | { readonly kind: 'renewed'; readonly fields: OpenedCredential; readonly updatedAt: number }
  /** The upstream revoked the authorization: the user must connect again. */
  | { readonly kind: 'attention' }
  | { readonly kind: 'removed' }
  /** The token was renewed too recently for its age to be the cause of the refusal. */
  | { readonly kind: 'recent' }
  /** No token for now. `byOperator`: the operator has to correct the registration at the upstream first. */
  | { readonly kind: 'delayed'; readonly retryAfterSeconds: number; readonly byOperator: boolean };

/** A connection, and its access token that no longer works. */
interface RenewalRequest {
  readonly connection: CredentialBinding;
  readonly connector: Connector;
  readonly accessToken: string;
  /** `refused`: the upstream rejected the token, perhaps for another reason than its age. */
  readonly reason: 'ending' | 'refused';
  /** Label of the extra whose token it is. Undefined for the token of the connection's kind. */
  readonly extra?: string | undefined;
}

/** After this, another process takes over. Longer than a token request and all attempts to store its answer. */
const CLAIM_MS = 20_000;
const POLL_MS = 100;
const MAX_POLLS = 300;
/** A token that is refused this soon after its renewal is not renewed again: the cause is another. */
const MIN_AGE_MS = 10_000;
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 300_000;
const CLIENT_WAIT_MS = 60_000;
const STORE_ATTEMPTS = 5;

/** Creates the renewals. Concurrent calls of `renew` for one token of a connection share one renewal in this process. */
export function createRenewals(deps: RenewalDependencies) {
  const running = new Map<string, Promise<Renewal>>();
  return {
    renew(request: RenewalRequest): Promise<Renewal> {
      const key = JSON.stringify([request.connection.connectionId, request.extra]);
      const inProgress = running.get(key);
      if (inProgress !== undefined) return inProgress;
      const renewal = renewOnce(deps, request).finally(() => running.delete(key));
      running.set(key, renewal);
      return renewal;
    },
    /** Waits for running renewals: a new refresh token must not be lost. */
    async settle(): Promise<void> {
      await Promise.allSettled(running.values());
    },
  };
}

/**
 * Reads the state, claims the refresh, reads again, and asks the upstream. If another gateway has the claim, it waits for that one's
 * result.
 */
async function renewOnce(deps: RenewalDependencies, request: RenewalRequest): Promise<Renewal> {
  const { db, now } = deps;
  const claim = { connectionId: request.connection.connectionId, holder: randomUUID() };
  let isClaimed = false;
  for (let polls = 0; polls < MAX_POLLS; polls += 1) {
    const state = judgeState(deps, request, await findRefreshable(db, claim.connectionId));
    if (state.kind !== 'due') {
      if (isClaimed) await releaseRefresh(db, claim, null);
      return state;
    }
    if (isClaimed) {
      const renewal = await askUpstream(deps, request, { claim, due: state });
      if (renewal !== null) return renewal;
      isClaimed = false;
      continue;
    }
    isClaimed = await holdRefresh(db, { ...claim, now: now(), until: now() + CLAIM_MS });
    if (!isClaimed) await delay(POLL_MS * (0.5 + Math.random()));
  }
  return { kind: 'delayed', retryAfterSeconds: 1, byOperator: false };
}

/** A connection whose token is due for renewal. */
interface Due {
  readonly kind: 'due';
  readonly row: RefreshableConnection;
  readonly fields: OpenedCredential;
  readonly token: StoredToken;
}

/** Judges the store's current state: whether the token is due for renewal, or how the renewal ended. */
function judgeState(
  { openCredential, now }: RenewalDependencies,
  { connection, connector, accessToken, reason, extra }: RenewalRequest,
  row: RefreshableConnection | undefined,
): Renewal | Due {
  if (row === undefined) return { kind: 'removed' };
  if (row.status === 'attention') return { kind: 'attention' };
  const { updatedAt } = row;
  const fields = openCredential({ ...connection, sealedCredential: row.sealedCredential });
  const token = tokenIn(connector, fields, extra);
  // Someone else replaced the token; or took the extra away, and then the request fails for the missing field.
  if (token === null || token.accessToken !== accessToken) return { kind: 'renewed', fields, updatedAt };
  if (reason === 'refused' && now() - row.lastRefreshAt < MIN_AGE_MS) return { kind: 'recent' };
  const waitMs = row.retryAt - now();
  if (waitMs > 0) return { kind: 'delayed', retryAfterSeconds: Math.ceil(waitMs / 1000), byOperator: false };
  return { kind: 'due', row, fields, token };
}

interface ClaimedRefresh {
  readonly claim: { readonly connectionId: string; readonly holder: string };
  readonly due: Due;
}

/** Sends one request, and stores the answer before it is used. @returns null when the connection changed meanwhile. */
async function askUpstream(
  deps: RenewalDependencies,
  request: RenewalRequest,
  refresh: ClaimedRefresh,
): Promise<Renewal | null> {
  const { fields, token } = refresh.due;
  const { partnerId, service } = request.connection;
  try {
    const client = await findClientOf(deps.clients, { partnerId, service, clientRow: token.clientRow });
    if (client === null) throw new TokenRequestError('invalid_client', null);
    const answer = await requestToken(deps.oauth, request.connector, { token, client });
    return await store(deps, request, refresh, withTokens(fields, token.part, { answer, clientRow: client.id }));
  } catch (error) {
    if (!(error instanceof TokenRequestError)) throw error;
    // The extra is forgotten; the rest of the connection works.
    if (error.kind === 'invalid_grant' && request.extra !== undefined)
      return store(deps, request, refresh, withoutTokens(fields, token.part));
    return error.kind === 'invalid_grant'
      ? endConnection(deps, request, refresh, error)
      : delayRenewal(deps, request, refresh, error);
  }
}

function requestToken(
  oauth: UpstreamOAuth,
  connector: Connector,
  { token, client }: { token: StoredToken; client: UpstreamClient },
): Promise<TokenAnswer> {
  const { oauth2: rules } = token.part;
  const { signal } = new AbortController();
  if (token.refreshToken !== null) return oauth.refresh(rules, { client, refreshToken: token.refreshToken }, signal);
  return oauth.clientCredentials(rules, { client, scopes: scopesToAskFor(connector, rules) }, signal);
}

/**
 * Stores the new credential. Returns null if the connection changed meanwhile.
 *
 * It tries more than once if the store fails: when the upstream rotates refresh tokens, a new one that is not stored is lost.
 */
async function store(
  { db, vault, now, onProblem }: RenewalDependencies,
  { connection, connector }: RenewalRequest,
  { claim, due: { row } }: ClaimedRefresh,
  fields: Record<string, string>,
): Promise<Renewal | null> {
  const { connectionId, service } = connection;
  const hasRefreshToken = tokenIn(connector, fields)?.refreshToken != null;
  const sealed = vault.seal(fields, connection);
  for (let attempt = 1; ; attempt += 1) {
    const at = now();
    const change = { id: connectionId, updatedAt: row.updatedAt, sealed, hasRefreshToken, now: at };
    try {
      const isSaved = await db.transaction().execute((transaction) => saveRefreshed(transaction, change));
      if (isSaved) return { kind: 'renewed', fields, updatedAt: Math.max(at, row.updatedAt + 1) };
      await releaseRefresh(db, claim, null);
      return null;
    } catch (error) {
      onProblem({ service, connectionId, reason: 'not_stored', error });
      if (attempt === STORE_ATTEMPTS) throw error;
      await delay(attempt * POLL_MS * 3);
    }
  }
}

/** The authorization was revoked: marks the connection as needing attention, and notifies the partner. */
async function endConnection(
  { db, now, onProblem }: RenewalDependencies,
  { connection }: RenewalRequest,
  { claim, due: { row } }: ClaimedRefresh,
  error: TokenRequestError,
): Promise<Renewal | null> {
  const { connectionId, service } = connection;
  onProblem({ service, connectionId, reason: 'invalid_grant', error });
  const lost = { ...connection, updatedAt: row.updatedAt };
  const isMarked = await db.transaction().execute(async (transaction) => {
    await releaseRefresh(transaction, claim, null);
    return markLostCredential(transaction, lost, now());
  });
  return isMarked ? { kind: 'attention' } : null;
}

/** Delays the next attempt: the wait doubles with each failure in a row, with jitter, and is at least `Retry-After`. */
async function delayRenewal(
  { db, now, onProblem }: RenewalDependencies,
  { connection }: RenewalRequest,
  { claim, due: { row } }: ClaimedRefresh,
  error: TokenRequestError,
): Promise<Renewal> {
  const { connectionId, service } = connection;
  const byOperator = error.kind !== 'unavailable';
  const reason = error.kind === 'unavailable' || error.kind === 'refused' ? error.kind : 'client';
  onProblem({ service, connectionId, reason, error });
  const isUnsent = error.cause instanceof UpstreamFailure && error.cause.isUnsent;
  const failures = isUnsent ? row.failures : row.failures + 1;
  const backoff = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.max(0, failures - 1)) * (0.75 + Math.random() / 2);
  const requested = Math.min(MAX_WAIT_MS, (error.retryAfterSeconds ?? 0) * 1000);
  const waitMs = Math.ceil(Math.max(backoff, requested, byOperator ? CLIENT_WAIT_MS : 0));
  await releaseRefresh(db, claim, { failures, retryAt: now() + waitMs });
  return { kind: 'delayed', retryAfterSeconds: Math.ceil(waitMs / 1000), byOperator };
}
