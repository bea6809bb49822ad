/** Grant type `authorization_code`: the partner redeems the code of a connect flow, and the connection becomes active. */

import { CredentialUnreadableError, type CredentialVault } from '../base/credentials/index.ts';
import { saveConnection } from '../base/credentials/save-connection.ts';
import { recordAnonymousEvent } from '../base/http/caller-limits.ts';
import type { RequestOrigin } from '../base/http/request-origin.ts';
import { FULL_PERMISSION, SCOPES, toScopes, writePermission } from '../base/principal/permission.ts';
import { hashSecret } from '../base/principal/secrets.ts';
import { emit } from '../base/store/events.ts';
import {
  findConnectSession,
  redeemConnectSession,
  setGrantOfSession,
} from '../base/store/repositories/connect/connect-sessions.ts';
import {
  type ConnectionAttempt,
  findConnectionAttempt,
  listAttemptsOfSession,
  redeemConnectionAttempt,
  setGrantOfAttempt,
} from '../base/store/repositories/connection-attempts.ts';
import { listAccounts, NEW_ACCOUNT, TooManyAccountsError } from '../base/store/repositories/connections.ts';
import { findGrant, insertGrant } from '../base/store/repositories/oauth-grants.ts';
import { mayOffer, type Partner } from '../base/store/repositories/partners.ts';
import { insertToolFacts } from '../base/store/repositories/tool-facts.ts';
import { ensureUser, type User } from '../base/store/repositories/users.ts';
import type { Executor } from '../base/store/schema.ts';
import { type GrantOutcome, invalidGrant, requireParameter, revokeReplayed } from '../identity/grants/grant-outcome.ts';
import { issueTokens, REFRESH_TOKEN_TTL_SECONDS } from '../identity/grants/issue-tokens.ts';
import { OAuthError } from '../identity/protocol/error.ts';
import type { Form } from '../identity/protocol/form.ts';
import { type AccountToSave, openActiveCredential } from './account.ts';
import type { ConnectContext } from './context.ts';

/** An authenticated partner's request for tokens. */
export interface RedeemRequest {
  readonly partner: Partner;
  readonly form: Form;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** For audit events. */
  readonly origin: RequestOrigin;
}

const UNKNOWN = 'The code is unknown, has expired, or was issued to another partner.';

/** A connection that a code made, or whose credential it replaced. */
interface ConnectedService {
  readonly service: string;
  readonly connectionId: string;
}

/** The outcome, with what is connected now. */
export type RedeemOutcome = GrantOutcome & { readonly connected?: readonly ConnectedService[] };

/**
 * Redeems a code once: of concurrent requests, on any number of gateways, exactly one succeeds.
 *
 * In the same transaction, the user's connections are created, or get the new credential in place of the old one. A replay
 * revokes the tokens of the first use: two parties have the code, and one of them stole it. A request that fails a check does
 * not consume the code.
 *
 * @throws {OAuthError} `invalid_request`, `invalid_grant`, `unauthorized_client` for a service that the partner may not
 * offer, status 400.
 */
export async function redeemCode(
  transaction: Executor,
  request: RedeemRequest,
  deps: ConnectContext,
): Promise<RedeemOutcome> {
  const { partner, form, now } = request;
  const code = requireParameter(form, 'code');
  const redirectUri = requireParameter(form, 'redirect_uri');
  const codeHash = hashSecret(transaction, code);
  const redeemable = await findRedeemable(transaction, codeHash);
  if (redeemable === undefined || redeemable.partnerId !== partner.id) throw invalidGrant(UNKNOWN);
  if (redeemable.isRedeemed) return endReplayed(transaction, redeemable, request);
  if (redeemable.expiresAt <= now || redeemable.attempts.length === 0) throw invalidGrant(UNKNOWN);
  if (redeemable.redirectUri !== redirectUri)
    throw invalidGrant('redirect_uri differs from that of the connect request.');
  const withheld = redeemable.attempts.find(({ service }) => !mayOffer(partner, service));
  if (withheld !== undefined) {
    throw new OAuthError(400, 'unauthorized_client', `This partner may not offer "${withheld.service}".`);
  }
  checkUser(form, redeemable);
  const user = await ensureUser(transaction, { partnerId: partner.id, externalUserId: redeemable.externalUserId, now });
  if (await redeemable.take(transaction, now)) return activate(transaction, { ...request, redeemable, user }, deps);
  const redeemed = await findRedeemable(transaction, codeHash);
  if (redeemed === undefined) throw invalidGrant(UNKNOWN);
  return endReplayed(transaction, redeemed, request);
}

/**
 * Anyone can write a plain link with any `user_id`, and its code comes back with the state of the victim's browser. Only the
 * partner knows whose session that browser has, so the partner must name the user. The link of a session can be given to someone else,
 * so there the partner names the user or the state that it gave to the session.
 */
function checkUser(form: Form, { externalUserId, pinnedState }: Redeemable): void {
  const userId = form.get('user_id');
  const state = form.get('state');
  if (userId === undefined && (pinnedState === undefined || state === undefined)) {
    const description =
      pinnedState === undefined
        ? 'user_id is required, because anyone can rewrite the link of a connect flow. Send the user who is signed in to your application in the browser that brought the code.'
        : 'user_id or state is required, because a link can be opened in the browser of someone else. Send the user who is signed in to your application in the browser that brought the code, or the state that this browser was given.';
    throw new OAuthError(400, 'invalid_request', description);
  }
  if (userId !== undefined && userId !== externalUserId) {
    throw invalidGrant('The code belongs to a connect flow for another user_id.');
  }
  if (pinnedState !== undefined && state !== undefined && state !== pinnedState) {
    throw invalidGrant('The code belongs to a connect session with another state.');
  }
}

/** A request that consumed its code. */
interface Activation extends RedeemRequest {
  readonly redeemable: Redeemable;
  readonly user: User;
}

async function activate(transaction: Executor, activation: Activation, deps: ConnectContext): Promise<RedeemOutcome> {
  const { redeemable, user, now, origin } = activation;
  const { facts } = deps.catalogue;
  const services = redeemable.attempts.map(({ service }) => service);
  const connected = await connectAll(transaction, activation, deps);
  const grantId = await insertGrant(transaction, {
    clientId: null,
    userId: user.id,
    scopes: SCOPES,
    services: null,
    resource: deps.resource,
    now,
    expiresAt: now + REFRESH_TOKEN_TTL_SECONDS * 1000,
    service: services[0] ?? null,
    permission: writePermission({ ...FULL_PERMISSION, seen: facts.hash }),
  });
  await insertToolFacts(transaction, { ...facts, now });
  const grant = await findGrant(transaction, grantId);
  if (grant === undefined) throw new Error('the grant that was just made is not there');
  await redeemable.setGrant(transaction, grantId);
  const tokens = await issueTokens(transaction, grant, { scopes: toScopes(grant.scopes), now });
  const names = { partnerId: user.partnerId, userId: user.id, grantId };
  for (const connection of connected) {
    const event = { type: 'connection_activated', now, ...names, ...origin, details: { ...connection } } as const;
    await emit(transaction, event);
  }
  return { tokens, grant, connected };
}

/** Creates or replaces the connections. */
async function connectAll(
  transaction: Executor,
  { redeemable, user, now }: Activation,
  { vault }: ConnectContext,
): Promise<ConnectedService[]> {
  const connected: ConnectedService[] = [];
  for (const attempt of redeemable.attempts) {
    const { service } = attempt;
    const account = attempt.account === null ? null : (JSON.parse(attempt.account) as AccountToSave);
    const { isAddition = false, ...accountChoice } = account ?? { replaces: null };
    const accountOptions = account === null ? {} : { ...accountChoice, account: account.replaces ?? NEW_ACCOUNT };
    const attemptFields = openCredential(attempt, vault);
    const fields = isAddition
      ? { ...(await openExtended(transaction, { user, service, id: accountChoice.replaces }, vault)), ...attemptFields }
      : attemptFields;
    const connection = { ...accountOptions, userId: user.id, service, fields, now };
    const connectionId = await saveConnection(transaction, vault, connection).catch((error: unknown) => {
      if (error instanceof TooManyAccountsError) throw invalidGrant(`${error.message} Remove one, then connect again.`);
      throw error;
    });
    connected.push({ service, connectionId });
  }
  return connected;
}

/** The credential that an extra is added to, as it is now. */
async function openExtended(
  transaction: Executor,
  { user, service, id }: { readonly user: User; readonly service: string; readonly id: string | null },
  vault: CredentialVault,
): Promise<Record<string, string>> {
  const connection = (await listAccounts(transaction, user.id, service)).find((candidate) => candidate.id === id);
  const owner = { partner: { id: user.partnerId }, externalUserId: user.externalUserId };
  const fields = connection === undefined ? null : openActiveCredential(connection, owner, vault);
  if (fields === null) throw invalidGrant(`${service} is not connected any more. Let the user connect it again.`);
  return fields;
}

function openCredential(attempt: ConnectionAttempt, vault: CredentialVault): Record<string, string> | null {
  const { id: connectionId, partnerId, externalUserId, service, sealedCredential } = attempt;
  if (sealedCredential === null) return null;
  try {
    return vault.open(sealedCredential, {
      connectionId,
      partnerId,
      userId: externalUserId,
      externalUserId,
      service,
    });
  } catch (cause) {
    if (!(cause instanceof CredentialUnreadableError)) throw cause;
    throw invalidGrant('The credential cannot be read any more. Let the user connect the service again.');
  }
}

async function endReplayed(
  transaction: Executor,
  { grantId, attempts }: Redeemable,
  { now, origin }: RedeemRequest,
): Promise<RedeemOutcome> {
  const type = 'connect_code_replayed';
  const grant = grantId === null ? undefined : await findGrant(transaction, grantId);
  const details = { service: attempts.map(({ service }) => service).join(' ') };
  if (grant === undefined) await recordAnonymousEvent(transaction, { type, now, ...origin });
  else await revokeReplayed(transaction, grant, { type, now, origin, details });
  return { refusal: invalidGrant('The code was already used.') };
}

/**
 * The connections that a code stands for, even if it cannot be redeemed any more: one service of a plain link, or all that were completed in a
 * session.
 */
interface Redeemable {
  /** Row id. */
  readonly partnerId: string;
  readonly externalUserId: string;
  readonly redirectUri: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  readonly isRedeemed: boolean;
  readonly grantId: string | null;
  /** The state that the partner's server gave to a connect session. Undefined for the code of a plain link. */
  readonly pinnedState: string | null | undefined;
  /** One per service, in the order of the pages. Empty if its connections were removed meanwhile. */
  readonly attempts: readonly ConnectionAttempt[];
  /** Consumes the code; of concurrent callers exactly one gets true. */
  take(executor: Executor, now: number): Promise<boolean>;
  /** Stores the grant that the code was redeemed for. */
  setGrant(executor: Executor, grantId: string): Promise<void>;
}

/** Finds a code by its hash. */
async function findRedeemable(executor: Executor, codeHash: string): Promise<Redeemable | undefined> {
  const attempt = await findConnectionAttempt(executor, codeHash);
  if (attempt !== undefined) {
    return {
      ...attempt,
      isRedeemed: attempt.redeemedAt !== null,
      pinnedState: undefined,
      attempts: [attempt],
      take: (transaction, now) => redeemConnectionAttempt(transaction, attempt.id, now),
      setGrant: (transaction, grantId) => setGrantOfAttempt(transaction, attempt.id, grantId),
    };
  }
  const session = await findConnectSession(executor, { codeHash });
  if (session === undefined) return undefined;
  const positionOf = ({ service }: ConnectionAttempt): number => session.services.indexOf(service);
  const completed = await listAttemptsOfSession(executor, session.id);
  const attempts = completed.toSorted((a, b) => positionOf(a) - positionOf(b));
  return {
    ...session,
    isRedeemed: session.redeemedAt !== null,
    pinnedState: session.state,
    attempts,
    async take(transaction, now) {
      if (!(await redeemConnectSession(transaction, session.id, now))) return false;
      for (const { id } of attempts) await redeemConnectionAttempt(transaction, id, now);
      return true;
    },
    setGrant: (transaction, grantId) => setGrantOfSession(transaction, session.id, grantId),
  };
}
