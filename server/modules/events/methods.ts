/**
 * The methods of SEP-3415 (Events, `io.modelcontextprotocol/events`, Final; the error codes and details as in its draft of 2026-10-05):
 * `events/list`, `events/poll`, `events/subscribe` and `events/unsubscribe`. There is no `events/stream`.
 */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { CredentialVault } from '../../base/credentials/index.ts';
import type { ValueSealer } from '../../base/credentials/sealed-value.ts';
import { type Answer, sendSigned } from '../../base/deliveries/send.ts';
import { readTargetUrl } from '../../base/deliveries/target-url.ts';
import type { Outgoing } from '../../base/guarded-fetch/outgoing.ts';
import type { RateLimiter } from '../../base/limits/limiter.ts';
import type { Principal } from '../../base/principal/principal.ts';
import { findLiveGrant } from '../../base/store/repositories/oauth-grants.ts';
import type { Database, Executor } from '../../base/store/schema.ts';
import { type McpAddition, McpError } from '../../call/mcp/additions.ts';
import { publishedOutput } from '../../call/tools/catalogue/published-output.ts';
import { isObject } from '../../call/tools/json.ts';
import { InvalidCallError } from '../../call/tools/provider.ts';
import { connectionOf, findArgumentProblem, listOffered, type Offered, type Offering, toPayload } from './offered.ts';
import { findPosition, listKept, openDelivery, sealDelivery, toCursor } from './subscriptions.ts';

/** Codes of SEP-3415, Error Handling. */
export const CODES = {
  notFound: -32023,
  forbidden: -32024,
  exhausted: -32025,
  unsupported: -32026,
  callback: -32027,
} as const;

interface MethodsContext extends Offering {
  readonly db: Kysely<Database>;
  readonly vault: CredentialVault;
  readonly sealer: ValueSealer;
  readonly outgoing: Outgoing;
  readonly userAgent: string;
  /** Networks, in addition to public addresses, that subscribers may be in. */
  readonly networks: readonly string[];
  /** Challenges to one host. */
  readonly challenges: RateLimiter;
  /** Challenges that one user causes. They are counted first. */
  readonly challengesOfUser: RateLimiter;
  /** Subscriptions of one user. */
  readonly perUser: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

type Params = Readonly<Record<string, unknown>>;

const MIN_TTL_MS = 300_000;
const DEFAULT_TTL_MS = 3_600_000;
/** Longest time until a subscription must be refreshed. */
const MAX_TTL_MS = 86_400_000;
/** Subscriptions of all users. */
const MAX_SUBSCRIPTIONS = 100_000;
const POLL_MS = 15_000;
const MAX_POLLED = 100;
const DEFAULT_POLLED = 50;
/** How long the secret before a refresh signs too. */
const PREVIOUS_MS = 600_000;
const CHALLENGE_MS = 5_000;

/** Creates what the module adds to the endpoint. */
export function createEventMethods(context: MethodsContext): McpAddition {
  return {
    // The AI SDK and ChatGPT look for the name that the first drafts had (SEP-3415, Backward Compatibility).
    capabilities: { events: {}, extensions: { 'io.modelcontextprotocol/events': {} } },
    methods: {
      'events/list': async (principal, params) => {
        if (params.cursor != null) throw new InvalidCallError('There is only one page of events: leave cursor out.');
        return { events: (await listOffered(context.db, principal, context)).map(toListed) };
      },
      'events/poll': (principal, params) => poll(principal, params, context),
      'events/subscribe': (principal, params) => subscribe(principal, params, context),
      'events/unsubscribe': (principal, params) => unsubscribe(principal, params, context),
    },
  };
}

function toListed({ type: { name, description, tool }, connector, inputSchema, payloadSchema }: Offered) {
  const _meta = { 'unified-tool-gateway/service': connector.name, 'unified-tool-gateway/tool': tool };
  return {
    name,
    description,
    delivery: ['webhook', 'poll'],
    inputSchema,
    payloadSchema: publishedOutput(payloadSchema),
    _meta,
  };
}

/** What a caller asks for. @throws {McpError} for an event that it does not have. @throws {InvalidCallError} */
async function readWanted(principal: Principal, params: Params, { db, catalogue, rules }: MethodsContext) {
  const { name, arguments: args = {} } = params;
  if (typeof name !== 'string') throw new InvalidCallError('name must be the name of an event of events/list.');
  if (!isObject(args)) throw new InvalidCallError('arguments must be an object.');
  const all = await listOffered(db, principal, { catalogue, rules });
  const offered = all.find(({ type }) => type.name === name);
  const inletId =
    offered && findArgumentProblem(offered, args) === null ? connectionOf(offered, principal, args) : undefined;
  if (offered === undefined) {
    const isKnown = catalogue.connectors.some(({ events }) => events?.types.some((type) => type.name === name));
    if (isKnown) throw new McpError(CODES.forbidden, 'This access has no such event: events/list names what it has.');
    throw new McpError(CODES.notFound, 'There is no such event.', { kind: 'event' });
  }
  if (inletId === undefined)
    throw new InvalidCallError(findArgumentProblem(offered, args) ?? 'There is no such account.');
  return { offered, args, inletId };
}

function readFrom({ cursor = null, maxAgeMs }: Params) {
  if (cursor !== null && typeof cursor !== 'string') throw new InvalidCallError('cursor must be a string or null.');
  return { cursor, maxAgeMs: readCount(maxAgeMs, 'maxAgeMs') };
}

function readCount(value: unknown, name: string): number | undefined {
  if (value === undefined || (Number.isSafeInteger(value) && Number(value) >= 0)) return value as number | undefined;
  throw new InvalidCallError(`${name} must be a whole number.`);
}

async function poll(principal: Principal, params: Params, context: MethodsContext) {
  const { db, sealer, now } = context;
  const { offered, args, inletId } = await readWanted(principal, params, context);
  const limit = Math.min(readCount(params.maxEvents, 'maxEvents') || DEFAULT_POLLED, MAX_POLLED);
  const { name } = offered.type;
  const { seq: head } = await findPosition(db, inletId, { cursor: null, now: now() });
  const { seq: after, truncated } = await findPosition(db, inletId, { ...readFrom(params), now: now() });
  const { kept, last, isFull } = await listKept(db, sealer, { inletId, name, after, limit, now: now() });
  const events = kept.flatMap(({ eventId, timestamp, data }) => {
    const payload = toPayload(offered, args, data);
    return payload === null ? [] : [{ eventId, name, timestamp, data: payload }];
  });
  const seq = isFull ? last : Math.max(after, last, head);
  return { events, cursor: toCursor(inletId, seq), truncated, hasMore: isFull, nextPollMs: POLL_MS };
}

/** What identifies a subscription (SEP-3415, Subscription identity): the user and its client, the address, the event and the arguments. */
function idOf({ userId, clientId }: Principal, url: string, name: unknown, args: Params): string {
  const key = JSON.stringify([userId, clientId, url, name, Object.entries(args).sort()]);
  return `sub_${createHash('sha256').update(key).digest('hex').slice(0, 32)}`;
}

const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

function readDelivery({ delivery }: Params, networks: readonly string[]) {
  const { mode = 'webhook', url, secret } = isObject(delivery) ? delivery : ({} as Params);
  if (mode !== 'webhook') {
    throw new McpError(CODES.unsupported, 'Only delivery by webhook has subscriptions.', {
      feature: 'deliveryMode',
      value: mode,
    });
  }
  const read = readTargetUrl(typeof url === 'string' ? url : '', networks);
  if ('problem' in read) throw new InvalidCallError(`delivery.url ${read.problem}`);
  return { url: read.url, secret };
}

async function unsubscribe(principal: Principal, params: Params, { db, networks }: MethodsContext) {
  const { url } = readDelivery(params, networks);
  const id = idOf(principal, url, params.name, isObject(params.arguments) ? params.arguments : {});
  const removed = await db
    .deleteFrom('event_subscriptions')
    .where('id', '=', id)
    .where('ended', 'is', null)
    .returning('id')
    .executeTakeFirst();
  if (removed === undefined)
    throw new McpError(CODES.notFound, 'There is no such subscription.', { kind: 'subscription' });
  return {};
}

async function subscribe(principal: Principal, params: Params, context: MethodsContext) {
  const { db, vault, now, networks } = context;
  const { url, secret } = readDelivery(params, networks);
  const [, encoded = ''] = SECRET.exec(typeof secret === 'string' ? secret : '') ?? [];
  const bytes = Buffer.from(encoded, 'base64').length;
  if (bytes < 24 || bytes > 64)
    throw new InvalidCallError('delivery.secret must be whsec_ and 24 to 64 bytes in base64.');
  const { offered, args, inletId } = await readWanted(principal, params, context);
  const from = { ...readFrom(params), now: now() };
  const refreshBefore = now() + (await grantedTtl(principal, params.ttlMs, context));
  const name = offered.type.name;
  const bound = { id: idOf(principal, url, name, args), partner_id: principal.partnerId, user_id: principal.userId };
  const urlHash = createHash('sha256')
    .update(JSON.stringify([principal.userId, principal.clientId, url]))
    .digest('base64url');
  await checkRoom(db, bound, context);
  const known = db.selectFrom('event_subscriptions').select('id').where('user_id', '=', principal.userId);
  const verified = await known
    .where('url_hash', '=', urlHash)
    .where('ended', 'is', null)
    .where('refresh_before', '>', now())
    .executeTakeFirst();
  if (verified === undefined)
    await challenge({ id: bound.id, userId: bound.user_id, url, secret: String(secret) }, context);
  return db.transaction().execute(async (transaction) => {
    const { id } = bound;
    const before = await transaction
      .selectFrom('event_subscriptions')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    const isLive =
      before !== undefined && before.ended === null && before.refresh_before > now() && before.inlet_id === inletId;
    const start = isLive ? { seq: before.cursor, truncated: false } : await findPosition(transaction, inletId, from);
    const head = (await findPosition(transaction, inletId, { cursor: null, now: now() })).seq;
    const old = isLive ? openDelivery(vault, before) : undefined;
    const isRotated = old !== undefined && old.current !== secret;
    const previous = isRotated ? old.current : old?.previous;
    const waits = isLive ? before.next_attempt_at !== null : start.seq < head;
    const sealed = sealDelivery(vault, bound, { url, args, current: String(secret), ...(previous && { previous }) });
    const changes = {
      ...{
        grant_id: principal.grantId as string,
        sealed_credential: sealed,
        refresh_before: refreshBefore,
        disabled_at: null,
      },
      previous_until: isRotated ? now() + PREVIOUS_MS : (before?.previous_until ?? null),
    };
    const fresh = {
      ...{ cursor: start.seq, next_attempt_at: waits ? now() : null, ended: null, attempts: 0, first_attempt_at: null },
      ...{ failing_since: null, last_error: null, last_delivered_at: null, inlet_id: inletId },
    };
    // What waits is tried again at once, and for a day.
    const again = waits ? { next_attempt_at: now(), first_attempt_at: null, failing_since: null } : {};
    const added = { ...bound, name, url_hash: urlHash, created_at: now(), wakes: 0, leased_by: null, leased_until: 0 };
    await transaction
      .insertInto('event_subscriptions')
      .values({ ...added, ...changes, ...fresh })
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet((row) => ({
          ...changes,
          ...(isLive ? again : fresh),
          wakes: row('event_subscriptions.wakes', '+', 1),
        })),
      )
      .execute();
    return {
      ...{ id, refreshBefore: new Date(refreshBefore).toISOString(), truncated: start.truncated },
      cursor: toCursor(inletId, isLive && !waits ? head : start.seq),
      ...(isLive ? { deliveryStatus: statusOf(before) } : {}),
    };
  });
}

function statusOf(row: {
  disabled_at: number | null;
  last_delivered_at: number | null;
  last_error: string | null;
  failing_since: number | null;
}) {
  const iso = (time: number | null) => (time === null ? null : new Date(time).toISOString());
  const since = row.failing_since === null ? {} : { failedSince: iso(row.failing_since) };
  return {
    active: row.disabled_at === null,
    lastDeliveryAt: iso(row.last_delivered_at),
    lastError: row.last_error,
    ...since,
  };
}

/** Never longer than the grant. A subscription without end is given the longest time (SEP-3415, Subscription TTL). */
async function grantedTtl({ grantId }: Principal, ttlMs: unknown, { db, now }: MethodsContext): Promise<number> {
  const wanted = ttlMs === null ? MAX_TTL_MS : (readCount(ttlMs, 'ttlMs') ?? DEFAULT_TTL_MS);
  const grant = grantId === null ? undefined : await findLiveGrant(db, grantId);
  if (grant === undefined) {
    throw new McpError(
      CODES.forbidden,
      'A subscription needs access that a user gave a client by OAuth: this token has no grant.',
    );
  }
  const ends = Math.min(grant.expiresAt, grant.endsAt ?? grant.expiresAt) - now();
  return Math.min(Math.max(wanted, MIN_TTL_MS), MAX_TTL_MS, ends);
}

async function checkRoom(
  db: Executor,
  { id, user_id }: { id: string; user_id: string },
  { perUser, now }: MethodsContext,
): Promise<void> {
  const others = db.selectFrom('event_subscriptions').select((row) => row.fn.countAll().as('count'));
  const count = async (query: typeof others) =>
    Number((await query.where('id', '<>', id).where('refresh_before', '>', now()).executeTakeFirstOrThrow()).count);
  const full = (limit: string, max: number, text: string) => new McpError(CODES.exhausted, text, { limit, max });
  if ((await count(others.where('user_id', '=', user_id))) >= perUser) {
    throw full('subscriptions', perUser, 'This user has as many subscriptions as it may have: end one first.');
  }
  if ((await count(others)) >= MAX_SUBSCRIPTIONS) {
    throw full('gateway_subscriptions', MAX_SUBSCRIPTIONS, 'The gateway has as many subscriptions as it may have.');
  }
}

/** Asks the address whether it wants events of this subscription (SEP-3415, Endpoint verification). @throws {McpError} */
async function challenge(
  {
    id,
    userId,
    url,
    secret,
  }: { readonly id: string; readonly userId: string; readonly url: string; readonly secret: string },
  { outgoing, userAgent, challenges, challengesOfUser, now }: MethodsContext,
): Promise<void> {
  if ((await challengesOfUser.consume(userId)) !== null) {
    throw new McpError(CODES.exhausted, 'You asked for too many new addresses: try again in a minute.', {
      limit: 'challenges',
    });
  }
  if ((await challenges.consume(new URL(url).host)) !== null) {
    throw new McpError(CODES.exhausted, 'This address was asked too often: try again in a minute.', {
      limit: 'challenges',
    });
  }
  const nonce = randomBytes(32).toString('base64url');
  const message = {
    ...{ id: `msg_verification_${randomBytes(12).toString('base64url')}`, url, secrets: [secret], asks: true as const },
    body: JSON.stringify({ type: 'verification', challenge: nonce }),
    headers: { 'x-mcp-subscription-id': id },
  };
  const options = { userAgent, now: now(), signal: new AbortController().signal, timeoutMs: CHALLENGE_MS };
  const answer = await sendSigned(message, { ...options, dispatcher: await outgoing.dispatcher() });
  const reason = errorOf(answer) ?? (repeats(answer.body ?? '', nonce) ? null : 'challenge_failed');
  if (reason !== null)
    throw new McpError(CODES.callback, 'delivery.url did not confirm that it wants these events.', { reason });
}

function repeats(body: string, nonce: string): boolean {
  try {
    const said = Buffer.from(String((JSON.parse(body) as { challenge?: unknown }).challenge));
    return said.length === nonce.length && timingSafeEqual(said, Buffer.from(nonce));
  } catch {
    return false;
  }
}

/** The category of SEP-3415, Webhook delivery status; null: it was accepted. A private address is told from no other failure. */
export function errorOf({ status, problem }: Pick<Answer, 'status' | 'problem'>): string | null {
  if (status === null) return problem === 'timeout' ? 'timeout' : 'connection_refused';
  if (status >= 200 && status < 300) return null;
  return status >= 500 ? 'http_5xx' : 'http_4xx';
}
