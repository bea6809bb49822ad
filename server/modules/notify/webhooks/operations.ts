/** Operations of the partner API for events: the feed by cursor, webhook endpoints, and their deliveries. */

import { z } from 'zod';
import type { CredentialVault } from '../../../base/credentials/index.ts';
import { RequestError } from '../../../base/http/errors.ts';
import type { Executor } from '../../../base/store/schema.ts';
import { invalid, missing, operationsOf, type PartnerCall, type RequestBody } from '../../../partners/operation.ts';
import { count, limitOf, ROW_ID, time } from '../../../partners/shapes.ts';
import { readTargetUrl } from '../delivery/target-url.ts';
import { listDeliveries, replayDelivery, testEndpoint } from './deliveries.ts';
import {
  addEndpoint,
  changeEndpoint,
  type EndpointChanges,
  findEndpoint,
  listEndpoints,
  MAX_ENDPOINTS,
  PREVIOUS_SECRET_SECONDS,
  removeEndpoint,
  rotateSecret,
} from './endpoints.ts';
import { EVENT, toEventView } from './event-view.ts';
import { listPartnerEvents } from './outbox.ts';
import type { WebhookDeliveryRow, WebhookEndpointRow } from './tables.ts';

const MAX_EVENTS = 200;
const EVENTS_PER_PAGE = 100;
const DELIVERIES_PER_PAGE = 50;
const MAX_PREVIOUS_SECONDS = 7 * 86_400;

const uri = z.string().meta({ format: 'uri' });
const types = z
  .array(z.string())
  .max(50)
  .nullable()
  .meta({ description: 'The types of events that are sent; null for all.' });

const endpoint = z.object({
  id: z.string(),
  url: uri,
  types: z.array(z.string()).nullable(),
  enabled: z.boolean(),
  disabled_reason: z
    .string()
    .nullable()
    .meta({ description: 'by-partner, by-operator, failing (for a day), or gone (it answered 410).' }),
  disabled_at: time.nullable(),
  failing_since: time.nullable(),
  previous_secret_expires_at: time.nullable(),
  created_at: time,
});
const webhookEndpoint = endpoint.meta({ id: 'WebhookEndpoint' });

const delivery = z
  .object({
    id: z.string(),
    event_id: z.string(),
    type: z.string(),
    kind: z.enum(['event', 'replay', 'test']),
    status: z.enum(['waiting', 'delivered', 'failed']),
    attempts: count,
    answer_status: count.nullable(),
    problem: z.string().nullable().meta({
      description:
        'Why there was no answer; timeout, unreachable, address_not_allowed, secret_unreadable or event_gone.',
    }),
    duration_ms: count.nullable(),
    last_attempt_at: time.nullable(),
    next_attempt_at: time.nullable(),
    created_at: time,
  })
  .meta({ id: 'WebhookDelivery' });

const bodyOf = <Schema extends z.ZodObject>(schema: Schema) => ({ schema, explain }) satisfies RequestBody<Schema>;

/** Members of every operation of one endpoint. */
const SHARED = { credentials: 'header', refusals: [404] } as const;
const ENDPOINT_PATH = '/webhook-endpoints/:endpoint';

interface WebhooksContext {
  readonly vault: CredentialVault;
  /** Every type of event that a partner can receive. */
  readonly types: readonly string[];
  /** Networks in addition to public addresses that webhooks may be in. */
  readonly networks: readonly string[];
}

const operation = operationsOf<WebhooksContext>();

export const WEBHOOK_OPERATIONS = [
  operation(
    {
      method: 'get',
      path: '/events',
      id: 'listEvents',
      summary: "What happened to the partner's users, by cursor.",
      credentials: 'header',
      query: {
        after: z
          .string()
          .default('0')
          .refine((text) => /^\d{1,15}$/.test(text), 'after must be the `cursor` of an earlier answer.')
          .meta({
            description: 'The `cursor` of an earlier answer. Without it, from the oldest event that is kept.',
            schema: { type: 'string' },
          }),
        limit: limitOf(MAX_EVENTS, EVENTS_PER_PAGE, `limit must be 1 to ${MAX_EVENTS}.`).meta({
          description: 'How many at most.',
        }),
      },
      answers: { 200: 'The events after the cursor, the oldest first. Events are kept for 30 days.' },
      answer: z.object({
        events: z.array(EVENT),
        cursor: z.string().meta({ description: 'What to send as `after` for the events that follow, now or later.' }),
        has_more: z.boolean(),
      }),
    },
    async ({ partner, query: { after, limit } }, { db }) => {
      const rows = await listPartnerEvents(db, { partnerId: partner.id, after: Number(after), limit: limit + 1 });
      const pageRows = rows.slice(0, limit);
      return {
        events: pageRows.map((each) => toEventView(each, partner)),
        cursor: String(pageRows.at(-1)?.seq ?? after),
        has_more: rows.length > limit,
      };
    },
  ),
  operation(
    {
      method: 'get',
      path: '/webhook-endpoints',
      id: 'listWebhookEndpoints',
      summary: "The partner's webhook endpoints.",
      credentials: 'header',
      answers: { 200: 'The endpoints, the oldest first.' },
      answer: z.object({ webhook_endpoints: z.array(webhookEndpoint) }),
    },
    async ({ partner }, { db }) => ({ webhook_endpoints: (await listEndpoints(db, partner.id)).map(toEndpoint) }),
  ),
  operation(
    {
      method: 'post',
      path: '/webhook-endpoints',
      id: 'addWebhookEndpoint',
      summary: 'Adds a webhook endpoint, which gets the events from now on.',
      credentials: 'header',
      body: bodyOf(
        z.object({
          url: uri.meta({ description: 'An https URL on the public internet.' }),
          types: types.optional(),
        }),
      ),
      answers: { 201: 'The endpoint, with its secret, which is shown this once.' },
      answer: endpoint.extend({ secret: z.string().meta({ description: 'Signs what is sent, `whsec_...`.' }) }),
      refusals: [409],
    },
    async (call, { db, vault, networks, types: knownTypes }) => {
      const { url, types = null } = await call.body();
      const newEndpoint = {
        partnerId: call.partner.id,
        url: parseUrl(url, networks),
        types: parseTypes(types, knownTypes),
      };
      const added = await db
        .transaction()
        .execute((transaction) => addEndpoint(transaction, vault, newEndpoint, call.event()));
      if (added === undefined) {
        const description = `A partner can have at most ${MAX_ENDPOINTS} webhook endpoints.`;
        throw new RequestError(409, 'too_many_webhook_endpoints', description);
      }
      return { ...toEndpoint(added.endpoint), secret: added.secret };
    },
  ),
  operation(
    {
      ...SHARED,
      method: 'get',
      path: ENDPOINT_PATH,
      id: 'getWebhookEndpoint',
      summary: 'One webhook endpoint.',
      answers: { 200: 'The endpoint.' },
      answer: webhookEndpoint,
    },
    async (call, { db }) => toEndpoint(await endpointOf(call, db)),
  ),
  operation(
    {
      ...SHARED,
      method: 'patch',
      path: ENDPOINT_PATH,
      id: 'changeWebhookEndpoint',
      summary: 'Changes what is named of a webhook endpoint.',
      body: bodyOf(
        z.object({
          url: uri.optional(),
          types: types.optional(),
          enabled: z
            .boolean()
            .optional()
            .meta({ description: 'An endpoint that is enabled again gets what waits for it.' }),
        }),
      ),
      answers: { 200: 'The endpoint.' },
      answer: webhookEndpoint,
    },
    async (call, { db, networks, types: knownTypes }) => {
      const endpoint = await endpointOf(call, db);
      const { url, types, enabled } = await call.body();
      const changes: EndpointChanges = {};
      if (url !== undefined) changes.url = parseUrl(url, networks);
      if (types !== undefined) changes.types = parseTypes(types, knownTypes);
      if (enabled !== undefined) changes.enabled = enabled;
      if (Object.keys(changes).length === 0) throw invalid('Name at least one of url, types, enabled.');
      const event = { by: 'partner', ...call.event() } as const;
      await db.transaction().execute((transaction) => changeEndpoint(transaction, endpoint, changes, event));
      return toEndpoint((await findEndpoint(db, { id: endpoint.id, partnerId: call.partner.id })) ?? endpoint);
    },
  ),
  operation(
    {
      ...SHARED,
      method: 'delete',
      path: ENDPOINT_PATH,
      id: 'removeWebhookEndpoint',
      summary: 'Removes a webhook endpoint with what waits for it.',
      answers: { 204: 'It is removed.' },
    },
    async (call, { db }) => {
      const endpoint = await endpointOf(call, db);
      await db.transaction().execute((transaction) => removeEndpoint(transaction, endpoint, call.event()));
    },
  ),
  operation(
    {
      ...SHARED,
      method: 'post',
      path: `${ENDPOINT_PATH}/secret`,
      id: 'rotateWebhookSecret',
      summary: 'Gives a webhook endpoint another secret; the one before signs too for a while.',
      body: {
        ...bodyOf(
          z.object({
            previous_expires_in: z
              .int()
              .min(0)
              .max(MAX_PREVIOUS_SECONDS)
              .default(PREVIOUS_SECRET_SECONDS)
              .meta({ description: 'Seconds for which the secret before signs too.' }),
          }),
        ),
        isOptional: true,
      },
      answers: { 200: 'The secret, which is shown this once.' },
      answer: z.object({ secret: z.string(), previous_expires_at: time.nullable() }),
    },
    async (call, { db, vault }) => {
      const endpoint = await endpointOf(call, db);
      const { previous_expires_in: previousSeconds } = await call.body();
      const event = { previousSeconds, ...call.event() };
      const secret = await db.transaction().execute((transaction) => rotateSecret(transaction, vault, endpoint, event));
      if (secret === undefined) throw noEndpoint();
      const previousUntil = previousSeconds === 0 ? null : event.now + previousSeconds * 1000;
      return { secret, previous_expires_at: previousUntil };
    },
  ),
  operation(
    {
      ...SHARED,
      method: 'post',
      path: `${ENDPOINT_PATH}/test`,
      id: 'testWebhookEndpoint',
      summary: 'Sends an event of type `webhook.test`.',
      answers: { 202: 'The delivery, which waits.' },
      answer: delivery,
    },
    async (call, { db, now }) => toDelivery(await testEndpoint(db, await endpointOf(call, db), now())),
  ),
  operation(
    {
      ...SHARED,
      method: 'get',
      path: `${ENDPOINT_PATH}/deliveries`,
      id: 'listWebhookDeliveries',
      summary: 'What was sent to a webhook endpoint, with the last answers.',
      query: {
        before: z
          .string()
          .refine((id) => ROW_ID.test(id), 'before must be the `next` of the previous page.')
          .optional()
          .meta({ description: 'The `next` of the previous page.' }),
      },
      answers: { 200: 'The deliveries, the newest first.' },
      answer: z.object({
        deliveries: z.array(delivery),
        next: z.string().nullable().meta({ description: 'What to send as `before` for the next page.' }),
      }),
    },
    async (call, { db }) => {
      const { id } = await endpointOf(call, db);
      const { before } = call.query;
      const rows = await listDeliveries(db, { endpointIds: [id], before, limit: DELIVERIES_PER_PAGE + 1 });
      const pageRows = rows.slice(0, DELIVERIES_PER_PAGE);
      const next = rows.length > DELIVERIES_PER_PAGE ? (pageRows.at(-1)?.id ?? null) : null;
      return { deliveries: pageRows.map(toDelivery), next };
    },
  ),
  operation(
    {
      ...SHARED,
      method: 'post',
      path: `${ENDPOINT_PATH}/deliveries/:delivery/replay`,
      id: 'replayWebhookDelivery',
      summary: 'Sends the event of a delivery again, with the same id and a new timestamp.',
      answers: { 202: 'The new delivery, which waits.' },
      answer: delivery,
    },
    async (call, { db, now }) => {
      const replayed = await replayDelivery(db, await endpointOf(call, db), call.param('delivery'), now());
      if (replayed === undefined) throw missing('There is no such delivery, or its event is no longer kept.');
      return toDelivery(replayed);
    },
  ),
];

/** Finds the endpoint of the partner that the path names. */
async function endpointOf(
  { partner, param }: PartnerCall<unknown, unknown>,
  executor: Executor,
): Promise<WebhookEndpointRow> {
  const id = param('endpoint');
  const endpoint = ROW_ID.test(id) ? await findEndpoint(executor, { id, partnerId: partner.id }) : undefined;
  if (endpoint === undefined) throw noEndpoint();
  return endpoint;
}

const noEndpoint = () => missing('There is no such webhook endpoint.');

function explain(issue: z.core.$ZodIssue | undefined): string {
  const name = issue?.path.join('.') ?? '';
  return name === '' ? 'The body must be a JSON object.' : `${name}: ${issue?.message ?? 'cannot be used'}.`;
}

function parseUrl(text: string, networks: readonly string[]): string {
  const target = readTargetUrl(text, networks);
  if ('problem' in target) throw invalid(`url ${target.problem}`);
  return target.url;
}

function parseTypes(types: readonly string[] | null, knownTypes: readonly string[]): readonly string[] | null {
  if (types === null) return null;
  if (types.length === 0 || types.some((type) => !knownTypes.includes(type))) {
    throw invalid(`types must be null for all, or some of ${knownTypes.join(', ')}.`);
  }
  return [...new Set(types)].sort();
}

/** The members of an answer that differ from the row's. The schema of the answer leaves out all that it does not name, such as the secret. */
function toEndpoint(row: WebhookEndpointRow) {
  return {
    ...row,
    types: row.types?.split(',') ?? null,
    enabled: row.disabled_at === null,
    previous_secret_expires_at: row.previous_until,
  };
}

function toDelivery(row: WebhookDeliveryRow) {
  return { ...row, next_attempt_at: row.status === 'waiting' ? row.next_attempt_at : null };
}
