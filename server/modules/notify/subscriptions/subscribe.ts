/**
 * `events/subscribe` and `events/unsubscribe`. An address is asked once whether it accepts the events, and a subscription is refreshed by repeating
 * it.
 */

import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { z } from 'zod';
import type { Outgoing } from '../../../base/guarded-fetch/outgoing.ts';
import type { RateLimiter } from '../../../base/limits/limiter.ts';
import type { Principal } from '../../../base/principal/principal.ts';
import { findLiveGrant } from '../../../base/store/repositories/oauth-grants.ts';
import { lockUser } from '../../../base/store/repositories/users.ts';
import { countRows } from '../../../base/store/rows.ts';
import type { Executor } from '../../../base/store/schema.ts';
import { McpError } from '../../../call/mcp/additions.ts';
import { InvalidCallError } from '../../../call/tools/provider.ts';
import { type AnswerOf, writeAnswer } from '../../../partners/answer.ts';
import { type Answer, keyOfSecret, SECRET_PREFIX, sendSigned } from '../delivery/send.ts';
import { NEW_SUBSCRIBER } from '../delivery/subscribers.ts';
import { readTargetUrl } from '../delivery/target-url.ts';
import type { EventsContext } from './available-events.ts';
import { findPosition, toCursor } from './occurrences.ts';
import {
  CODES,
  type Params,
  readParams,
  SUBSCRIBE_PARAMS,
  SUBSCRIBED,
  selectEvent,
  UNSUBSCRIBE_PARAMS,
} from './params.ts';
import { SEALED_SUBSCRIPTIONS, selectLive } from './subscriptions.ts';
import type { SubscriptionRow } from './tables.ts';

export interface SubscribeContext extends EventsContext {
  readonly outgoing: Outgoing;
  readonly userAgent: string;
  /** Networks in addition to public addresses that subscribers may be in. */
  readonly networks: readonly string[];
  /** Limits the challenges to one host. */
  readonly challenges: RateLimiter;
  /** Limits the challenges that one user causes. They are counted first. */
  readonly challengesOfUser: RateLimiter;
  /** Most subscriptions of one user. */
  readonly perUser: number;
}

const MIN_TTL_MS = 300_000;
/** Longest time until a subscription must be refreshed. */
const MAX_TTL_MS = 86_400_000;
/** Most subscriptions of all users. */
const MAX_SUBSCRIPTIONS = 100_000;
/** Time for which the secret before a refresh signs too. */
const PREVIOUS_MS = 600_000;
const CHALLENGE_MS = 5_000;

/** A valid request to subscribe. */
interface SubscriptionRequest extends z.output<typeof SUBSCRIBE_PARAMS> {
  readonly id: string;
  readonly principal: Principal;
  /** Row id. */
  readonly connectionId: string;
  readonly url: string;
  readonly secret: string;
  /** Milliseconds since 1970. */
  readonly refreshBefore: number;
}

export async function subscribe(principal: Principal, params: Params, context: SubscribeContext) {
  const parsed = readParams(SUBSCRIBE_PARAMS, params);
  const { url, secret } = readDelivery(parsed, context.networks);
  checkSecret(secret);
  const { connectionId } = await selectEvent(context, principal, parsed);
  const request: SubscriptionRequest = {
    ...parsed,
    id: subscriptionId(principal, url, parsed),
    principal,
    connectionId,
    url,
    secret,
    refreshBefore: context.now() + (await grantTtl(principal, parsed.ttlMs, context)),
  };
  await checkSubscriptionLimits(request, context.db, context);
  if (!(await isConfirmed(request, context))) await challengeReceiver(request, context);

  return context.db.transaction().execute(async (transaction) => {
    const existing = await selectLive(transaction, context.now())
      .selectAll()
      .where('id', '=', request.id)
      .where('inlet_id', '=', connectionId)
      .executeTakeFirst();
    const renewed = existing && (await renewSubscription(transaction, existing, request, context));
    if (renewed === undefined) {
      // Others of this user may have begun while the receiver was asked.
      await lockUser(transaction, principal.userId);
      await checkSubscriptionLimits(request, transaction, context);
    }
    const answer = renewed ?? (await createSubscription(transaction, request, context));
    return writeAnswer(SUBSCRIBED, answer) as Params;
  });
}

export async function unsubscribe(principal: Principal, params: Params, { db, networks }: SubscribeContext) {
  const parsed = readParams(UNSUBSCRIBE_PARAMS, params);
  const id = subscriptionId(principal, readDelivery(parsed, networks).url, parsed);
  const removed = await db
    .deleteFrom('event_subscriptions')
    .where('id', '=', id)
    .where('ended', 'is', null)
    .returning('id')
    .executeTakeFirst();
  if (removed === undefined) {
    throw new McpError(CODES.notFound, 'There is no such subscription.', { kind: 'subscription' });
  }
  return {};
}

function readDelivery({ delivery }: { readonly delivery: Params }, networks: readonly string[]) {
  const { mode = 'webhook', url, secret } = delivery;
  if (mode !== 'webhook') {
    const data = { feature: 'deliveryMode', value: mode };
    throw new McpError(CODES.unsupported, 'Only delivery by webhook has subscriptions.', data);
  }
  const target = readTargetUrl(typeof url === 'string' ? url : '', networks);
  if ('problem' in target) throw new InvalidCallError(`delivery.url ${target.problem}`);
  return { url: target.url, secret };
}

function checkSecret(secret: unknown): asserts secret is string {
  if (typeof secret === 'string' && secret.startsWith(SECRET_PREFIX) && keyOfSecret(secret) !== undefined) return;
  throw new InvalidCallError('delivery.secret must be whsec_ and 24 to 64 bytes in base64.');
}

/** Identifies a subscription by the user and its client, the address, the event and the arguments (SEP-3415, Subscription identity). */
function subscriptionId(
  { userId, clientId }: Principal,
  url: string,
  { name, arguments: args }: { readonly name?: unknown; readonly arguments: Params },
): string {
  const key = JSON.stringify([userId, clientId, url, name, Object.entries(args).sort()]);
  return `sub_${hash('sha256', key).slice(0, 32)}`;
}

function hashUrl({ principal: { userId, clientId }, url }: SubscriptionRequest): string {
  return hash('sha256', JSON.stringify([userId, clientId, url]), 'base64url');
}

/** Returns a time that is never longer than the grant. A subscription without end gets the longest time (SEP-3415, Subscription TTL). */
async function grantTtl({ grantId }: Principal, ttlMs: number | null, { db, now }: SubscribeContext): Promise<number> {
  const grant = grantId === null ? undefined : await findLiveGrant(db, grantId);
  if (grant === undefined) {
    throw new McpError(
      CODES.forbidden,
      'A subscription needs access that a user gave a client by OAuth: this token has no grant.',
    );
  }
  const untilGrantEnds = Math.min(grant.expiresAt, grant.endsAt ?? grant.expiresAt) - now();
  return Math.min(Math.max(ttlMs ?? MAX_TTL_MS, MIN_TTL_MS), MAX_TTL_MS, untilGrantEnds);
}

async function checkSubscriptionLimits(
  { id, principal }: SubscriptionRequest,
  executor: Executor,
  { perUser, now }: SubscribeContext,
): Promise<void> {
  const otherSubscriptions = executor
    .selectFrom('event_subscriptions')
    .where('id', '<>', id)
    .where('refresh_before', '>', now());
  if ((await countRows(otherSubscriptions.where('user_id', '=', principal.userId))) >= perUser) {
    const text = 'This user has as many subscriptions as it may have: end one first.';
    throw exhausted(text, { limit: 'subscriptions', max: perUser });
  }
  if ((await countRows(otherSubscriptions)) >= MAX_SUBSCRIPTIONS) {
    const text = 'The gateway has as many subscriptions as it may have.';
    throw exhausted(text, { limit: 'gateway_subscriptions', max: MAX_SUBSCRIPTIONS });
  }
}

function exhausted(text: string, details: { readonly limit: string; readonly max?: number }): McpError {
  return new McpError(CODES.exhausted, text, details);
}

/** Returns true if the address has confirmed another live subscription of this user and client. */
async function isConfirmed(request: SubscriptionRequest, { db, now }: SubscribeContext): Promise<boolean> {
  const confirmed = await selectLive(db, now())
    .select('id')
    .where('user_id', '=', request.principal.userId)
    .where('url_hash', '=', hashUrl(request))
    .executeTakeFirst();
  return confirmed !== undefined;
}

/** Asks the address whether it wants events of this subscription (SEP-3415, Endpoint verification). @throws {McpError} */
async function challengeReceiver(
  { id, principal, url, secret }: SubscriptionRequest,
  { outgoing, userAgent, challenges, challengesOfUser, now }: SubscribeContext,
): Promise<void> {
  const limit = 'challenges';
  if ((await challengesOfUser.consume(principal.userId)) !== null) {
    throw exhausted('You asked for too many new addresses: try again in a minute.', { limit });
  }
  if ((await challenges.consume(new URL(url).host)) !== null) {
    throw exhausted('This address was asked too often: try again in a minute.', { limit });
  }

  const nonce = randomBytes(32).toString('base64url');
  const message = {
    id: `msg_verification_${randomBytes(12).toString('base64url')}`,
    url,
    secrets: [secret],
    body: JSON.stringify({ type: 'verification', challenge: nonce }),
    headers: { 'x-mcp-subscription-id': id },
    readsBody: true,
  };
  const answer = await sendSigned(message, {
    dispatcher: await outgoing.dispatcher(),
    userAgent,
    now: now(),
    signal: new AbortController().signal,
    timeoutMs: CHALLENGE_MS,
  });
  const reason =
    deliveryErrorOf(answer.status, answer.problem) ??
    (hasChallenge(answer.body ?? '', nonce) ? null : 'challenge_failed');
  if (reason !== null) {
    throw new McpError(CODES.callback, 'delivery.url did not confirm that it wants these events.', { reason });
  }
}

function hasChallenge(body: string, nonce: string): boolean {
  try {
    const challenge = Buffer.from(String((JSON.parse(body) as { challenge?: unknown }).challenge));
    return challenge.length === nonce.length && timingSafeEqual(challenge, Buffer.from(nonce));
  } catch {
    return false;
  }
}

/**
 * Returns the category of SEP-3415, Webhook delivery status, or null if the message was accepted. A private address gets the same category as any
 * other failure.
 */
export function deliveryErrorOf(status: Answer['status'], problem: Answer['problem']): string | null {
  if (status === null) return problem === 'timeout' ? 'timeout' : 'connection_refused';
  if (status >= 200 && status < 300) return null;
  return status >= 500 ? 'http_5xx' : 'http_4xx';
}

async function createSubscription(
  transaction: Executor,
  request: SubscriptionRequest,
  { vault, now }: SubscribeContext,
): Promise<AnswerOf<typeof SUBSCRIBED>> {
  const { id, principal, connectionId, url, secret, refreshBefore } = request;
  const { seq, head, truncated } = await findPosition(transaction, connectionId, request, now());
  const owner = { id, partner_id: principal.partnerId, user_id: principal.userId };
  const fields = { url, arguments: JSON.stringify(request.arguments), current: secret };
  const { leased_by, leased_until, ...unsent } = NEW_SUBSCRIBER;
  const state = {
    ...unsent,
    grant_id: principal.grantId as string,
    inlet_id: connectionId,
    sealed_credential: SEALED_SUBSCRIPTIONS.seal(vault, owner, fields),
    refresh_before: refreshBefore,
    cursor: seq,
    next_attempt_at: seq < head ? now() : null,
    ended: null,
    attempts: 0,
    first_attempt_at: null,
    last_delivered_at: null,
    last_error: null,
  };
  const identity = { ...owner, name: request.name, url_hash: hashUrl(request), created_at: now() };
  await transaction
    .insertInto('event_subscriptions')
    .values({ ...identity, ...state, wakes: 0, leased_by, leased_until })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((row) => ({ ...state, wakes: row('event_subscriptions.wakes', '+', 1) })),
    )
    .execute();
  return { id, refreshBefore, truncated, cursor: toCursor(connectionId, seq) };
}

/** Renews a live subscription. Returns undefined if it was removed meanwhile. */
async function renewSubscription(
  transaction: Executor,
  existing: SubscriptionRow,
  request: SubscriptionRequest,
  { vault, now }: SubscribeContext,
): Promise<AnswerOf<typeof SUBSCRIBED> | undefined> {
  const { id, principal, connectionId, secret: current, refreshBefore } = request;
  const { head } = await findPosition(transaction, connectionId, { cursor: null }, now());
  const isRotated = SEALED_SUBSCRIPTIONS.open(vault, existing).current !== current;
  const isWaiting = existing.next_attempt_at !== null;
  const renewed = await transaction
    .updateTable('event_subscriptions')
    .set((row) => ({
      grant_id: principal.grantId as string,
      refresh_before: refreshBefore,
      disabled_at: null,
      wakes: row('wakes', '+', 1),
    }))
    .$if(isRotated, (update) =>
      update.set(SEALED_SUBSCRIPTIONS.rotate(vault, existing, { current, previousMs: PREVIOUS_MS, now: now() })),
    )
    // Waiting events are retried immediately, and then for another day.
    .$if(isWaiting, (update) => update.set({ next_attempt_at: now(), first_attempt_at: null, failing_since: null }))
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  if (renewed === undefined) return undefined;
  return {
    id,
    refreshBefore,
    truncated: false,
    cursor: toCursor(connectionId, isWaiting ? existing.cursor : head),
    deliveryStatus: {
      active: existing.disabled_at === null,
      lastDeliveryAt: existing.last_delivered_at,
      lastError: existing.last_error,
      failedSince: existing.failing_since,
    },
  };
}
