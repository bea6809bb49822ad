/** The webhooks of services: one address per connection, whose calls are verified before their events are stored. */

import type Router from '@koa/router';
import type { Kysely } from 'kysely';
import { CredentialUnreadableError, type CredentialVault } from '../../../base/credentials/index.ts';
import type { CallerLimits } from '../../../base/http/caller-limits.ts';
import { RequestError } from '../../../base/http/errors.ts';
import { decodeText, readBytes } from '../../../base/http/exchange.ts';
import type { RequestState } from '../../../base/http/state.ts';
import type { RateLimiter } from '../../../base/limits/limiter.ts';
import { createSecret, hashSecret } from '../../../base/principal/secrets.ts';
import type { Database, Executor } from '../../../base/store/schema.ts';
import { findInfiniteNumber } from '../../../call/tools/argument-numbers.ts';
import { isObject, type ParsedJson, parseExactJson } from '../../../call/tools/json.ts';
import type { Connector, ServiceEvents } from '../../../contract/index.ts';
import { type BoundRow, sealedColumnOf } from '../delivery/subscribers.ts';
import { type EventsContext, memberAt } from './available-events.ts';
import { type Occurrence, storeOccurrence } from './occurrences.ts';
import { headerOf, type SignedRequest, toTime, verifySignature } from './signature.ts';
import type { IncomingWebhookRow } from './tables.ts';

export const EVENTS_PATH = '/api/events';

/** A subscriber is sent at most 256 KiB (SEP-3415, Delivery profile), with what the gateway adds. */
const MAX_BODY_BYTES = 240 * 1024;

const MAX_ID_LENGTH = 200;

/** The incoming webhook of one connection, which its service calls. */
export interface IncomingWebhook extends BoundRow {
  readonly user_id: string;
  /** Connector name. */
  readonly service: string;
}

/** The sealed secrets of services. */
export const SEALED_INCOMING_WEBHOOKS = sealedColumnOf<IncomingWebhook>(
  'event_inlets',
  ({ service }) => `events ${service}`,
);

/** Gives a connection another address, which replaces its present one. Returns the secret end of the address. */
export async function createIncomingWebhook(
  db: Kysely<Database>,
  vault: CredentialVault,
  webhook: IncomingWebhook,
  { secret, now }: { readonly secret: string; readonly now: number },
): Promise<string> {
  const address = createSecret('eventAddress');
  const changes = {
    address_hash: hashSecret(db, address),
    sealed_credential: SEALED_INCOMING_WEBHOOKS.seal(vault, webhook, { secret }),
  };
  await db
    .insertInto('event_inlets')
    .values({ ...webhook, ...changes, created_at: now, seq: 0 })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(changes))
    .execute();
  return address;
}

/** Replaces the secret; the address stays. Returns false if the connection has no address. */
export async function setIncomingSecret(
  db: Executor,
  vault: CredentialVault,
  webhook: IncomingWebhook,
  secret: string,
): Promise<boolean> {
  const sealed_credential = SEALED_INCOMING_WEBHOOKS.seal(vault, webhook, { secret });
  const update = db.updateTable('event_inlets').set({ sealed_credential }).where('id', '=', webhook.id);
  return (await update.returning('id').executeTakeFirst()) !== undefined;
}

interface RouterContext extends Omit<EventsContext, 'rules'> {
  /** Limits the calls of one connection. */
  readonly calls: RateLimiter;
  readonly callerLimits: CallerLimits;
  readonly findConnector: (service: string) => Connector | undefined;
  /** Called once an event is stored for its subscribers. */
  readonly onStored: () => void;
}

/**
 * Adds the route for services: `POST /api/events/<address>`.
 *
 * It answers 204 to each verified call. That includes a call that repeats an event or that has no possible subscriber, so that the service stops
 * sending it. It answers 404 for an address that is not current, 401 without a valid signature, 413 and 415 for other bodies, and 429 for too many
 * calls.
 */
export function addIncomingRoute(router: Router<RequestState>, context: RouterContext): Router<RequestState> {
  const { db, vault, sealer, now } = context;
  router.post(`${EVENTS_PATH}/:address`, context.callerLimits.ofAddress, async (ctx) => {
    const { webhook, events } = await findWebhook(ctx.params.address ?? '', context);
    if ((await context.calls.consume(webhook.id)) !== null) {
      throw new RequestError(429, 'too_many_requests', 'Too many calls. Repeat this one later.', {
        headers: { 'Retry-After': '30' },
      });
    }

    const body = await readBytes(ctx.req, { maxBytes: MAX_BODY_BYTES, mediaTypes: ['application/json'] });
    const request = { headers: ctx.req.headers, body };
    const signedId = verifySignature(events.signature, openSecret(vault, webhook), request, now());
    if (signedId === null) {
      throw new RequestError(401, 'invalid_signature', 'The signature is missing, wrong or too old.');
    }

    const occurrence = readOccurrence(events, request, signedId, now());
    if (occurrence !== undefined) {
      await storeOccurrence(db, sealer, webhook.id, occurrence, now());
      context.onStored();
    }
    ctx.status = 204;
  });
  return router;
}

/** @throws {RequestError} `not_found`, status 404. */
async function findWebhook(
  address: string,
  { db, findConnector }: RouterContext,
): Promise<{ readonly webhook: IncomingWebhookRow; readonly events: ServiceEvents }> {
  const query = db.selectFrom('event_inlets').selectAll().where('address_hash', '=', hashSecret(db, address));
  const webhook = await query.executeTakeFirst();
  const events = webhook && findConnector(webhook.service)?.events;
  if (webhook === undefined || events === undefined)
    throw new RequestError(404, 'not_found', 'There is no such address.');
  return { webhook, events };
}

/** @throws {RequestError} `temporarily_unavailable`, status 503. */
function openSecret(vault: CredentialVault, webhook: IncomingWebhookRow): string {
  try {
    return SEALED_INCOMING_WEBHOOKS.open(vault, webhook).secret ?? '';
  } catch (error) {
    if (!(error instanceof CredentialUnreadableError)) throw error;
    throw new RequestError(503, 'temporarily_unavailable', 'The gateway lacks a key. Repeat the call later.', {
      cause: error,
    });
  }
}

function parseBody(body: Buffer): ParsedJson {
  let json: ParsedJson;
  try {
    json = parseExactJson(decodeText(body));
  } catch (cause) {
    if (cause instanceof RequestError) throw cause;
    throw new RequestError(400, 'invalid_request', 'The request body is not valid JSON.', { cause });
  }
  if (findInfiniteNumber(json.rounded) === null) return json;
  throw new RequestError(400, 'invalid_request', 'The request body holds a number that is not finite.');
}

/** Returns undefined if connector.yaml does not choose this event, or it has no payload. */
function readOccurrence(
  events: ServiceEvents,
  { headers, body }: SignedRequest,
  signedId: string,
  now: number,
): Occurrence | undefined {
  const { value } = parseBody(body);
  const textAt = (source = ''): string => {
    const [, from, path = ''] = /^(body|header)\.(.*)$/.exec(source) ?? [];
    const member = from === 'header' ? headerOf(headers, path) : memberAt(value, path);
    return typeof member === 'string' || typeof member === 'number' ? String(member) : '';
  };
  const typeValue = textAt(events.type);
  const type = events.types.find((candidate) => candidate.value === typeValue);
  const data = events.data === undefined ? value : memberAt(value, events.data);
  if (type === undefined || !isObject(data)) return undefined;

  const id = textAt(events.id);
  const time = toTime(textAt(events.time));
  return {
    eventId: id === '' || id.length > MAX_ID_LENGTH ? signedId : id,
    name: type.name,
    occurredAt: Number.isFinite(time) ? time : now,
    data,
  };
}
