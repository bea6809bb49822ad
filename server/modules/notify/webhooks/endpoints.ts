/** Webhook endpoints that a partner's events are sent to, and changes to them with their audit events. */

import type { CredentialVault } from '../../../base/credentials/index.ts';
import { lockPartner } from '../../../base/store/repositories/partner-secrets.ts';
import { newId } from '../../../base/store/rows.ts';
import type { Executor } from '../../../base/store/schema.ts';
import type { ManagementEvent } from '../../../identity/partners/manage.ts';
import { createWebhookSecret } from '../delivery/send.ts';
import { NEW_SUBSCRIBER, sealedColumnOf } from '../delivery/subscribers.ts';
import { WEBHOOK_EVENTS } from './event-types.ts';
import { findEventHead } from './outbox.ts';
import type { WebhookEndpointRow } from './tables.ts';

/** Most endpoints of one partner. */
export const MAX_ENDPOINTS = 10;

/** Time for which the previous secret also signs, unless a rotation says otherwise. */
export const PREVIOUS_SECRET_SECONDS = 86_400;

/** The sealed secrets of endpoints. */
export const SEALED_ENDPOINTS = sealedColumnOf('webhook_endpoints', () => 'webhook');

/** Lists all endpoints of a partner, the oldest first. */
export function listEndpoints(executor: Executor, partnerId: string): Promise<WebhookEndpointRow[]> {
  const query = executor.selectFrom('webhook_endpoints').selectAll().where('partner_id', '=', partnerId);
  return query.orderBy('created_at').orderBy('id').execute();
}

/** Finds one endpoint of a partner. */
export function findEndpoint(
  executor: Executor,
  { id, partnerId }: { id: string; partnerId: string },
): Promise<WebhookEndpointRow | undefined> {
  const query = executor.selectFrom('webhook_endpoints').selectAll().where('id', '=', id);
  return query.where('partner_id', '=', partnerId).executeTakeFirst();
}

/** Replaces the given columns. */
export async function updateEndpoint(
  executor: Executor,
  id: string,
  changes: Partial<WebhookEndpointRow>,
): Promise<void> {
  await executor.updateTable('webhook_endpoints').set(changes).where('id', '=', id).execute();
}

/**
 * Adds an endpoint, which receives events from now on. Needs a transaction.
 *
 * @param endpoint.types null for all types.
 * @returns it with its secret, or undefined if the partner has `MAX_ENDPOINTS`.
 */
export async function addEndpoint(
  transaction: Executor,
  vault: CredentialVault,
  { partnerId, url, types }: { partnerId: string; url: string; types: readonly string[] | null },
  event: ManagementEvent,
): Promise<{ endpoint: WebhookEndpointRow; secret: string } | undefined> {
  await lockPartner(transaction, partnerId);
  if ((await listEndpoints(transaction, partnerId)).length >= MAX_ENDPOINTS) return undefined;
  const id = newId(event.now);
  const secret = createWebhookSecret();
  const endpoint = {
    ...NEW_SUBSCRIBER,
    id,
    partner_id: partnerId,
    url,
    types: types?.join(',') ?? null,
    sealed_credential: SEALED_ENDPOINTS.seal(vault, { id, partner_id: partnerId }, { current: secret }),
    created_at: event.now,
    cursor: await findEventHead(transaction, partnerId),
    disabled_reason: null,
    held_until: 0,
  };
  await transaction.insertInto('webhook_endpoints').values(endpoint).execute();
  const details = { webhookEndpointId: id, host: new URL(url).host };
  await WEBHOOK_EVENTS.emit(transaction, { type: 'webhook_endpoint_added', partnerId, details, ...event });
  return { endpoint, secret };
}

/** Changes to an endpoint. Undefined members stay unchanged. */
export interface EndpointChanges {
  url?: string;
  /** Null for all types. */
  types?: readonly string[] | null;
  enabled?: boolean;
}

/** Changes an endpoint. An endpoint that is enabled again gets its waiting events. Needs a transaction. */
export async function changeEndpoint(
  transaction: Executor,
  { id, partner_id: partnerId, disabled_at: disabledAt }: WebhookEndpointRow,
  changes: EndpointChanges,
  { by, ...event }: ManagementEvent & { readonly by: 'operator' | 'partner' },
): Promise<void> {
  const { url, types, enabled } = changes;
  const update: Partial<WebhookEndpointRow> = { held_until: 0 };
  if (url !== undefined) update.url = url;
  if (types !== undefined) update.types = types?.join(',') ?? null;
  if (enabled === false && disabledAt === null) {
    update.disabled_at = event.now;
    update.disabled_reason = `by-${by}`;
  }
  if (enabled === true && disabledAt !== null) {
    update.disabled_at = null;
    update.disabled_reason = null;
    update.failing_since = null;
  }
  await updateEndpoint(transaction, id, update);
  if (enabled === true && disabledAt !== null) await restartWaiting(transaction, id, event.now);
  const details = { webhookEndpointId: id, by, changed: Object.keys(changes).sort() };
  await WEBHOOK_EVENTS.emit(transaction, { type: 'webhook_endpoint_changed', partnerId, details, ...event });
}

/** Makes the waiting deliveries of an endpoint due now, and restarts their retries. */
async function restartWaiting(transaction: Executor, endpointId: string, now: number): Promise<void> {
  await transaction
    .updateTable('webhook_deliveries')
    .set({ first_attempt_at: null, next_attempt_at: now })
    .where('endpoint_id', '=', endpointId)
    .where('status', '=', 'waiting')
    .execute();
}

/** Removes an endpoint with its deliveries. Needs a transaction. */
export async function removeEndpoint(
  transaction: Executor,
  { id, partner_id: partnerId }: WebhookEndpointRow,
  event: ManagementEvent,
): Promise<void> {
  const query = transaction.deleteFrom('webhook_endpoints').where('id', '=', id).returning('id');
  if ((await query.executeTakeFirst()) === undefined) return;
  const details = { webhookEndpointId: id };
  await WEBHOOK_EVENTS.emit(transaction, { type: 'webhook_endpoint_removed', partnerId, details, ...event });
}

/**
 * Issues another secret. The previous one also signs for `previousSeconds`. Needs a transaction.
 *
 * @returns it, or undefined if the endpoint was removed meanwhile.
 * @throws {CredentialUnreadableError} when the previous one should stay, but its key is missing.
 */
export async function rotateSecret(
  transaction: Executor,
  vault: CredentialVault,
  { id, partner_id: partnerId }: WebhookEndpointRow,
  { previousSeconds, ...event }: ManagementEvent & { readonly previousSeconds: number },
): Promise<string | undefined> {
  // Of two rotations at once, the second one keeps the secret of the first.
  await lockPartner(transaction, partnerId);
  const endpoint = await findEndpoint(transaction, { id, partnerId });
  if (endpoint === undefined) return undefined;
  const current = createWebhookSecret();
  const rotation = { current, previousMs: previousSeconds * 1000, now: event.now };
  await updateEndpoint(transaction, id, SEALED_ENDPOINTS.rotate(vault, endpoint, rotation));
  const details = { webhookEndpointId: id, previousSeconds };
  await WEBHOOK_EVENTS.emit(transaction, { type: 'webhook_secret_rotated', partnerId, details, ...event });
  return current;
}
