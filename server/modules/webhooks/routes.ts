/** Routes of the partner API for events: the feed by cursor, webhook endpoints, and their deliveries. */

import Router from '@koa/router';
import type { Context } from 'koa';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { CredentialVault } from '../../base/credentials/index.ts';
import type { CallerLimits } from '../../base/http/caller-limits.ts';
import { RequestError } from '../../base/http/errors.ts';
import { noStore } from '../../base/http/headers.ts';
import { originOf } from '../../base/http/request-origin.ts';
import type { RequestState } from '../../base/http/state.ts';
import type { Database } from '../../base/store/schema.ts';
import { requirePartner } from '../../identity/partners/require-partner.ts';
import { readOAuthJson } from '../../identity/protocol/form.ts';
import { invalid } from '../../partners/operation.ts';
import { ROW_ID, toTime, toTimeOrNull } from '../../partners/shapes.ts';
import { listDeliveries, type WebhookDelivery } from './deliveries.ts';
import { findEndpoint, listEndpoints, type WebhookEndpoint } from './endpoints.ts';
import { toEventView } from './event-view.ts';
import {
  addEndpoint,
  changeEndpoint,
  MAX_ENDPOINTS,
  PREVIOUS_SECRET_SECONDS,
  parseTypes,
  parseWebhookUrl,
  removeEndpoint,
  replayDelivery,
  rotateSecret,
  testEndpoint,
  WebhookError,
} from './manage.ts';
import { listPartnerEvents } from './outbox.ts';

export interface WebhookRoutesDependencies {
  readonly db: Kysely<Database>;
  readonly vault: CredentialVault;
  readonly callerLimits: CallerLimits;
  /** Every type of event that a partner can receive. */
  readonly types: readonly string[];
  /** Networks, in addition to public addresses, that webhooks may be in. */
  readonly networks: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const EVENTS_PATH = '/api/partner/events';
const ENDPOINTS_PATH = '/api/partner/webhook-endpoints';
const MAX_EVENTS = 200;
const EVENTS_PER_PAGE = 100;
const DELIVERIES_PER_PAGE = 50;
const MAX_PREVIOUS_SECONDS = 7 * 86_400;
const CURSOR = /^\d{1,15}$/;

const TYPES = z.array(z.string()).max(50).nullable();
const NEW_ENDPOINT = z.object({ url: z.string(), types: TYPES.default(null) });
const CHANGES = z.object({ url: z.string().optional(), types: TYPES.optional(), enabled: z.boolean().optional() });
const ROTATION = z.object({
  previous_expires_in: z.int().min(0).max(MAX_PREVIOUS_SECONDS).default(PREVIOUS_SECRET_SECONDS),
});

/** Creates the routes. Every one needs the partner's credentials (401 `invalid_client`), in the `Authorization` header. */
export function createWebhookRouter(deps: WebhookRoutesDependencies): Router<RequestState> {
  const { db, vault, networks } = deps;
  const router = new Router<RequestState>();
  router.use('/api/partner', deps.callerLimits.ofAddress);
  const partnerOf = (ctx: Context) => requirePartner(deps, ctx.get('Authorization'));
  const eventOf = (ctx: Parameters<typeof originOf>[0]) => ({ now: deps.now(), ...originOf(ctx) });
  const endpointOf = async (ctx: Context & { params: Record<string, string | undefined> }) => {
    const { id: partnerId } = await partnerOf(ctx);
    const id = ctx.params.endpoint ?? '';
    const endpoint = ROW_ID.test(id) ? await findEndpoint(db, { id, partnerId }) : undefined;
    if (endpoint === undefined) throw new RequestError(404, 'not_found', 'There is no such webhook endpoint.');
    return endpoint;
  };

  addFeed(router, deps, partnerOf);

  router.get(ENDPOINTS_PATH, noStore, async (ctx) => {
    const { id } = await partnerOf(ctx);
    ctx.body = { webhook_endpoints: (await listEndpoints(db, id)).map(toEndpointView) };
  });

  router.post(ENDPOINTS_PATH, noStore, async (ctx) => {
    const { id: partnerId } = await partnerOf(ctx);
    const { url, types } = read(NEW_ENDPOINT, await readOAuthJson(ctx.req));
    const wanted = checked(() => ({
      partnerId,
      url: parseWebhookUrl(url, networks),
      types: parseTypes(types, deps.types),
    }));
    const event = eventOf(ctx);
    const added = await db.transaction().execute((transaction) => addEndpoint(transaction, vault, wanted, event));
    if (added === null) {
      throw new RequestError(
        409,
        'too_many_webhook_endpoints',
        `A partner can have at most ${MAX_ENDPOINTS} webhook endpoints.`,
      );
    }
    ctx.status = 201;
    ctx.body = { ...toEndpointView(added.endpoint), secret: added.secret };
  });

  router.get(`${ENDPOINTS_PATH}/:endpoint`, noStore, async (ctx) => {
    ctx.body = toEndpointView(await endpointOf(ctx));
  });

  router.patch(`${ENDPOINTS_PATH}/:endpoint`, noStore, async (ctx) => {
    const endpoint = await endpointOf(ctx);
    const { url, types, enabled } = read(CHANGES, await readOAuthJson(ctx.req));
    const changes = checked(() => ({
      ...(url === undefined ? {} : { url: parseWebhookUrl(url, networks) }),
      ...(types === undefined ? {} : { types: parseTypes(types, deps.types) }),
      ...(enabled === undefined ? {} : { enabled }),
    }));
    if (Object.keys(changes).length === 0) throw invalid('Name at least one of url, types, enabled.');
    const change = { by: 'partner', ...eventOf(ctx) } as const;
    await db.transaction().execute((transaction) => changeEndpoint(transaction, endpoint, changes, change));
    ctx.body = toEndpointView((await findEndpoint(db, endpoint)) ?? endpoint);
  });

  router.delete(`${ENDPOINTS_PATH}/:endpoint`, noStore, async (ctx) => {
    const endpoint = await endpointOf(ctx);
    const event = eventOf(ctx);
    await db.transaction().execute((transaction) => removeEndpoint(transaction, endpoint, event));
    ctx.status = 204;
  });

  router.post(`${ENDPOINTS_PATH}/:endpoint/secret`, noStore, async (ctx) => {
    const endpoint = await endpointOf(ctx);
    const hasBody = ctx.get('Content-Type') !== '';
    const { previous_expires_in: previousSeconds } = read(ROTATION, hasBody ? await readOAuthJson(ctx.req) : {});
    const change = { previousSeconds, ...eventOf(ctx) };
    const secret = await db.transaction().execute((transaction) => rotateSecret(transaction, vault, endpoint, change));
    const previousUntil = previousSeconds === 0 ? null : toTime(change.now + previousSeconds * 1000);
    ctx.body = { secret, previous_expires_at: previousUntil };
  });

  router.post(`${ENDPOINTS_PATH}/:endpoint/test`, noStore, async (ctx) => {
    ctx.status = 202;
    ctx.body = toDeliveryView(await testEndpoint(db, await endpointOf(ctx), deps.now()));
  });

  router.get(`${ENDPOINTS_PATH}/:endpoint/deliveries`, noStore, async (ctx) => {
    const endpoint = await endpointOf(ctx);
    const before = new URLSearchParams(ctx.querystring).get('before');
    if (before !== null && !ROW_ID.test(before)) throw invalid('before must be the `next` of the previous page.');
    const found = await listDeliveries(db, {
      endpointIds: [endpoint.id],
      limit: DELIVERIES_PER_PAGE + 1,
      ...(before === null ? {} : { before }),
    });
    const shown = found.slice(0, DELIVERIES_PER_PAGE);
    const next = found.length > DELIVERIES_PER_PAGE ? (shown.at(-1)?.id ?? null) : null;
    ctx.body = { deliveries: shown.map(toDeliveryView), next };
  });

  router.post(`${ENDPOINTS_PATH}/:endpoint/deliveries/:delivery/replay`, noStore, async (ctx) => {
    const endpoint = await endpointOf(ctx);
    const replayed = await replayDelivery(db, endpoint, ctx.params.delivery ?? '', deps.now());
    if (replayed === undefined) {
      throw new RequestError(404, 'not_found', 'There is no such delivery, or its event is no longer kept.');
    }
    ctx.status = 202;
    ctx.body = toDeliveryView(replayed);
  });
  return router;
}

/** `GET /api/partner/events`: the events after a cursor, the oldest first; without one, from the oldest kept event. */
function addFeed(
  router: Router<RequestState>,
  { db }: WebhookRoutesDependencies,
  partnerOf: (ctx: Context) => Promise<{ readonly id: string }>,
): void {
  router.get(EVENTS_PATH, noStore, async (ctx) => {
    const { id: partnerId } = await partnerOf(ctx);
    const query = new URLSearchParams(ctx.querystring);
    const after = query.get('after') ?? '0';
    const limit = Number(query.get('limit') ?? EVENTS_PER_PAGE);
    if (!CURSOR.test(after)) throw invalid('after must be the `cursor` of an earlier answer.');
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_EVENTS) throw invalid(`limit must be 1 to ${MAX_EVENTS}.`);
    const found = await listPartnerEvents(db, { partnerId, after: Number(after), limit: limit + 1 });
    const shown = found.slice(0, limit);
    ctx.body = {
      events: shown.map(toEventView),
      cursor: String(shown.at(-1)?.seq ?? after),
      has_more: found.length > limit,
    };
  });
}

/** Reads a body. @throws {RequestError} `invalid_request` (400). */
function read<Body>(schema: z.ZodType<Body>, body: unknown): Body {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = issue?.path.join('.') ?? '';
  throw invalid(name === '' ? 'The body must be a JSON object.' : `${name}: ${issue?.message ?? 'cannot be used'}.`);
}

function checked<Value>(parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    if (error instanceof WebhookError) throw invalid(error.message);
    throw error;
  }
}

/** An endpoint on the wire. Its secret is shown only on creation. */
function toEndpointView(endpoint: WebhookEndpoint) {
  const { id, url, types, createdAt, disabledAt, disabledReason, failingSince, previousUntil } = endpoint;
  return {
    id,
    url,
    types,
    enabled: disabledAt === null,
    disabled_reason: disabledReason,
    disabled_at: toTimeOrNull(disabledAt),
    failing_since: toTimeOrNull(failingSince),
    previous_secret_expires_at: toTimeOrNull(previousUntil),
    created_at: toTime(createdAt),
  };
}

/** A delivery on the wire, with its last response and without bodies. */
function toDeliveryView(delivery: WebhookDelivery) {
  const { id, eventId, type, kind, status, attempts, answerStatus, problem, durationMs } = delivery;
  return {
    id,
    event_id: eventId,
    type,
    kind,
    status,
    attempts,
    answer_status: answerStatus,
    problem,
    duration_ms: durationMs,
    last_attempt_at: toTimeOrNull(delivery.lastAttemptAt),
    next_attempt_at: status === 'waiting' ? toTime(delivery.nextAttemptAt) : null,
    created_at: toTime(delivery.createdAt),
  };
}
