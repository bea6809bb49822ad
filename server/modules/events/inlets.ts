/** The addresses at which services call, and what they told: verified, kept sealed for three days, each event once. */

import Router from '@koa/router';
import type { Kysely } from 'kysely';
import {
  type CredentialBinding,
  CredentialUnreadableError,
  type CredentialVault,
} from '../../base/credentials/index.ts';
import type { ValueSealer } from '../../base/credentials/sealed-value.ts';
import type { CallerLimits } from '../../base/http/caller-limits.ts';
import { RequestError } from '../../base/http/errors.ts';
import { decodeText, readBytes } from '../../base/http/exchange.ts';
import type { RequestState } from '../../base/http/state.ts';
import type { RateLimiter } from '../../base/limits/limiter.ts';
import { createSecret, hashSecret } from '../../base/principal/secrets.ts';
import type { SealedRows } from '../../base/store/repositories/sealed-credentials.ts';
import { newId } from '../../base/store/rows.ts';
import type { Database, Executor } from '../../base/store/schema.ts';
import { findInfiniteNumber } from '../../call/tools/argument-numbers.ts';
import { isObject, type ParsedJson, parseExactJson } from '../../call/tools/json.ts';
import type { Connector, ServiceEvents } from '../../contract/index.ts';
import { memberAt } from './offered.ts';
import { headerOf, toTime, verifyCall } from './signature.ts';
import { wake } from './subscriptions.ts';
import type { EventInletsTable } from './tables.ts';

export const EVENTS_PATH = '/api/events';

/** What subscribers are sent has at most 256 KiB (SEP-3415, Delivery profile); the rest is for what the gateway adds. */
const MAX_BODY_BYTES = 240 * 1024;

/** How long payloads are kept for subscribers, and how many of one connection. */
export const KEEP_MS = 3 * 86_400_000;
const MAX_KEPT = 1_000;

/** How long, and how many, ids are kept: an event that comes again in this time is no other event. */
export const REMEMBER_MS = 90 * 86_400_000;
const MAX_REMEMBERED = 10_000;

const MAX_ID_LENGTH = 200;

type Inlet = Pick<EventInletsTable, 'id' | 'partner_id' | 'user_id' | 'service'>;

function bindingOf({ id, partner_id: partnerId, user_id: userId, service }: Inlet): CredentialBinding {
  return { connectionId: id, partnerId, userId, externalUserId: '', service: `events ${service}` };
}

/** The sealed secrets of services. */
export const SEALED_INLETS: SealedRows = {
  table: 'event_inlets',
  async list(executor, { after, limit }) {
    const rows = executor.selectFrom('event_inlets').selectAll().where('id', '>', after);
    const found = await rows.where('sealed_credential', 'is not', null).orderBy('id').limit(limit).execute();
    return found.map((row) => ({ ...bindingOf(row), sealed: row.sealed_credential }));
  },
};

/** Gives a connection another address, which replaces its present one. @returns the part of it that is secret. */
export async function openInlet(
  db: Kysely<Database>,
  vault: CredentialVault,
  inlet: Inlet,
  { secret, now }: { readonly secret: string; readonly now: number },
): Promise<string> {
  const address = createSecret('eventAddress');
  const changes = {
    address_hash: hashSecret(db, address),
    sealed_credential: vault.seal({ secret }, bindingOf(inlet)),
  };
  await db
    .insertInto('event_inlets')
    .values({ ...inlet, ...changes, created_at: now, seq: 0 })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(changes))
    .execute();
  return address;
}

/** Replaces the secret; the address stays. @returns false: the connection has no address. */
export async function setInletSecret(
  db: Executor,
  vault: CredentialVault,
  inlet: Inlet,
  secret: string,
): Promise<boolean> {
  const sealed = vault.seal({ secret }, bindingOf(inlet));
  const change = db.updateTable('event_inlets').set({ sealed_credential: sealed }).where('id', '=', inlet.id);
  return (await change.returning('id').executeTakeFirst()) !== undefined;
}

interface Receiving {
  readonly db: Kysely<Database>;
  readonly vault: CredentialVault;
  readonly sealer: ValueSealer;
  /** Calls of one connection. */
  readonly calls: RateLimiter;
  readonly callerLimits: Pick<CallerLimits, 'ofAddress'>;
  readonly findConnector: (service: string) => Connector | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called once an event is stored for its subscribers. */
  readonly onKept: () => void;
}

/**
 * The route for services: `POST /api/events/<address>`.
 *
 * 204 for each verified call, also for one that repeats an event or that nobody can subscribe to: the service sends it no more. 404 for
 * an address that is not current, 401 without a valid signature, 413 and 415 for other bodies, 429 for too many calls.
 */
export function createInletRouter(deps: Receiving): Router<RequestState> {
  const { db, vault, calls, findConnector, now } = deps;
  const router = new Router<RequestState>();
  router.post(`${EVENTS_PATH}/:address`, deps.callerLimits.ofAddress, async (ctx) => {
    const hash = hashSecret(db, ctx.params.address ?? '');
    const inlet = await db.selectFrom('event_inlets').selectAll().where('address_hash', '=', hash).executeTakeFirst();
    const events = inlet && findConnector(inlet.service)?.events;
    if (inlet === undefined || events === undefined)
      throw new RequestError(404, 'not_found', 'There is no such address.');
    if ((await calls.consume(inlet.id)) !== null) {
      throw new RequestError(429, 'too_many_requests', 'Too many calls. Repeat this one later.', {
        headers: { 'Retry-After': '30' },
      });
    }
    const body = await readBytes(ctx.req, { maxBytes: MAX_BODY_BYTES, mediaTypes: ['application/json'] });
    const { secret = '' } = openOrFail(vault, inlet);
    const signedId = verifyCall(events.signature, secret, { headers: ctx.req.headers, body }, now());
    if (signedId === null)
      throw new RequestError(401, 'invalid_signature', 'The signature is missing, wrong or too old.');
    const occurrence = readOccurrence(
      events,
      { headers: ctx.req.headers, json: parse(body) },
      { signedId, now: now() },
    );
    if (occurrence !== null) {
      await keepOccurrence(deps, inlet, occurrence);
      deps.onKept();
    }
    ctx.status = 204;
  });
  return router;
}

function openOrFail(vault: CredentialVault, inlet: EventInletsTable) {
  try {
    return vault.open(inlet.sealed_credential, bindingOf(inlet));
  } catch (error) {
    if (!(error instanceof CredentialUnreadableError)) throw error;
    throw new RequestError(503, 'temporarily_unavailable', 'The gateway lacks a key. Repeat the call later.', {
      cause: error,
    });
  }
}

function parse(body: Buffer): ParsedJson {
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

interface Occurrence {
  readonly eventId: string;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly data: unknown;
}

type Told = { readonly headers: Parameters<typeof headerOf>[0]; readonly json: ParsedJson };

/** Null: connector.yaml does not choose this event, or it has no payload. */
function readOccurrence(
  events: ServiceEvents,
  told: Told,
  { signedId, now }: { signedId: string; now: number },
): Occurrence | null {
  const textAt = (place = ''): string => {
    const [, from, path = ''] = /^(body|header)\.(.*)$/.exec(place) ?? [];
    const value = from === 'header' ? headerOf(told.headers, path) : memberAt(told.json.value, path);
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  const value = textAt(events.type);
  const type = events.types.find((one) => one.value === value);
  const data = events.data === undefined ? told.json.value : memberAt(told.json.value, events.data);
  if (type === undefined || !isObject(data)) return null;
  const id = textAt(events.id);
  const time = toTime(textAt(events.time));
  const eventId = id === '' || id.length > MAX_ID_LENGTH ? signedId : id;
  return { eventId, name: type.name, at: Number.isFinite(time) ? time : now, data };
}

/** Keeps an event that did not come before, and wakes its subscriptions. */
async function keepOccurrence(
  { db, sealer, now }: Receiving,
  inlet: Inlet,
  { eventId, name, at, data }: Occurrence,
): Promise<void> {
  const id = newId(now());
  const sealed = sealer.seal(JSON.stringify(data), { holder: id, expiresAt: now() + KEEP_MS });
  await db.transaction().execute(async (transaction) => {
    const counted = transaction.updateTable('event_inlets').set((row) => ({ seq: row('seq', '+', 1) }));
    const { seq } = await counted.where('id', '=', inlet.id).returning('seq').executeTakeFirstOrThrow();
    const occurrences = () => transaction.selectFrom('event_occurrences').where('inlet_id', '=', inlet.id);
    if ((await occurrences().select('id').where('event_id', '=', eventId).executeTakeFirst()) !== undefined) {
      await transaction
        .updateTable('event_inlets')
        .set({ seq: seq - 1 })
        .where('id', '=', inlet.id)
        .execute();
      return;
    }
    const row = { id, inlet_id: inlet.id, seq, event_id: eventId, name, occurred_at: at, sealed, created_at: now() };
    await transaction.insertInto('event_occurrences').values(row).execute();
    const old = transaction.updateTable('event_occurrences').set({ sealed: null }).where('inlet_id', '=', inlet.id);
    await old.where('seq', '=', seq - MAX_KEPT).execute();
    const older = transaction.deleteFrom('event_occurrences').where('inlet_id', '=', inlet.id);
    await older.where('seq', '=', seq - MAX_REMEMBERED).execute();
    await wake(transaction, now(), (where) => where('inlet_id', '=', inlet.id).where('name', '=', name));
  });
}
