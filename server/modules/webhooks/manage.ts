/** Changes of partners and operators to webhook endpoints, with their audit events. */

import type { CredentialVault } from '../../base/credentials/index.ts';
import { createWebhookSecret } from '../../base/deliveries/send.ts';
import { readTargetUrl } from '../../base/deliveries/target-url.ts';
import { newId } from '../../base/store/rows.ts';
import type { Executor } from '../../base/store/schema.ts';
import type { ManagementEvent } from '../../identity/partners/manage.ts';
import { findDelivery, insertOwnDelivery, restartWaiting, type WebhookDelivery } from './deliveries.ts';
import {
  type DisabledReason,
  deleteEndpoint,
  insertEndpoint,
  listEndpoints,
  newEndpointId,
  updateEndpoint,
  type WebhookEndpoint,
} from './endpoints.ts';
import { WEBHOOK_EVENTS } from './event-types.ts';
import { TEST_TYPE } from './event-view.ts';
import { findPartnerEvent } from './outbox.ts';
import { endpointBinding, openSecrets } from './secrets.ts';

/** Most endpoints of one partner. */
export const MAX_ENDPOINTS = 10;

/** How long the previous secret also signs, unless a rotation says otherwise. */
export const PREVIOUS_SECRET_SECONDS = 86_400;

/** A setting of an endpoint is invalid. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

/** Reads the URL of an endpoint; see `readTargetUrl`. @throws {WebhookError} */
export function parseWebhookUrl(text: string, networks: readonly string[]): string {
  const read = readTargetUrl(text, networks);
  if ('problem' in read) throw new WebhookError(`url ${read.problem}`);
  return read.url;
}

/** Checks the types of events that an endpoint gets. @throws {WebhookError} */
export function parseTypes(types: readonly string[] | null, known: readonly string[]): readonly string[] | null {
  if (types === null) return null;
  const unknown = types.find((type) => !known.includes(type));
  if (unknown !== undefined || types.length === 0) {
    throw new WebhookError(`types must be null for all, or some of ${known.join(', ')}.`);
  }
  return [...new Set(types)].sort();
}

/** Adds an endpoint. Needs a transaction. @returns it with its secret; null: the partner has `MAX_ENDPOINTS`. */
export async function addEndpoint(
  transaction: Executor,
  vault: CredentialVault,
  endpoint: { partnerId: string; url: string; types: readonly string[] | null },
  event: ManagementEvent,
): Promise<{ endpoint: WebhookEndpoint; secret: string } | null> {
  const { partnerId } = endpoint;
  if ((await listEndpoints(transaction, partnerId)).length >= MAX_ENDPOINTS) return null;
  const id = newEndpointId(event.now);
  const secret = createWebhookSecret();
  const sealedSecrets = vault.seal({ current: secret }, endpointBinding({ id, partnerId }));
  const added = await insertEndpoint(transaction, { ...endpoint, id, sealedSecrets, now: event.now });
  const details = { webhookEndpointId: id, host: new URL(endpoint.url).host };
  await WEBHOOK_EVENTS.tell(transaction, { type: 'webhook_endpoint_added', partnerId, details, ...event });
  return { endpoint: added, secret };
}

/** Changes to an endpoint; absent members stay. */
interface EndpointChanges {
  readonly url?: string;
  readonly types?: readonly string[] | null;
  readonly enabled?: boolean;
}

/** Changes the given members. An endpoint that is enabled again gets its waiting events. Needs a transaction. */
export async function changeEndpoint(
  transaction: Executor,
  { id, partnerId, disabledAt }: WebhookEndpoint,
  changes: EndpointChanges,
  { by, ...event }: ManagementEvent & { readonly by: 'operator' | 'partner' },
): Promise<void> {
  const { url, types, enabled } = changes;
  const reason: DisabledReason = `by-${by}`;
  const isEnabled = disabledAt === null;
  await updateEndpoint(transaction, id, {
    held_until: 0,
    ...(url === undefined ? {} : { url }),
    ...(types === undefined ? {} : { types: types?.join(',') ?? null }),
    ...(enabled === true && !isEnabled ? { disabled_at: null, disabled_reason: null, failing_since: null } : {}),
    ...(enabled === false && isEnabled ? { disabled_at: event.now, disabled_reason: reason } : {}),
  });
  if (enabled === true && !isEnabled) await restartWaiting(transaction, id, event.now);
  const details = { webhookEndpointId: id, by, changed: Object.keys(changes).sort() };
  await WEBHOOK_EVENTS.tell(transaction, { type: 'webhook_endpoint_changed', partnerId, details, ...event });
}

/** Removes an endpoint with its waiting deliveries. Needs a transaction. */
export async function removeEndpoint(
  transaction: Executor,
  { id, partnerId }: WebhookEndpoint,
  event: ManagementEvent,
): Promise<void> {
  if (!(await deleteEndpoint(transaction, id))) return;
  const details = { webhookEndpointId: id };
  await WEBHOOK_EVENTS.tell(transaction, { type: 'webhook_endpoint_removed', partnerId, details, ...event });
}

/**
 * Issues another secret. The previous one also signs for `previousSeconds`. Needs a transaction.
 *
 * @throws {CredentialUnreadableError} when the previous one should stay, but its key is missing.
 */
export async function rotateSecret(
  transaction: Executor,
  vault: CredentialVault,
  endpoint: WebhookEndpoint,
  { previousSeconds, ...event }: ManagementEvent & { readonly previousSeconds: number },
): Promise<string> {
  const secret = createWebhookSecret();
  const kept = previousSeconds === 0 ? {} : { previous: openSecrets(vault, endpoint).current };
  await updateEndpoint(transaction, endpoint.id, {
    sealed_credential: vault.seal({ current: secret, ...kept }, endpointBinding(endpoint)),
    previous_until: previousSeconds === 0 ? null : event.now + previousSeconds * 1000,
  });
  const { id, partnerId } = endpoint;
  const details = { webhookEndpointId: id, previousSeconds };
  await WEBHOOK_EVENTS.tell(transaction, { type: 'webhook_secret_rotated', partnerId, details, ...event });
  return secret;
}

/** Sends a test event, which is in no outbox. @returns the waiting delivery. */
export function testEndpoint(executor: Executor, { id }: WebhookEndpoint, now: number): Promise<WebhookDelivery> {
  const test = { endpointId: id, eventId: `evt_${newId(now)}`, type: TEST_TYPE, kind: 'test', now } as const;
  return insertOwnDelivery(executor, test);
}

/**
 * Sends the event of a delivery again, under its id, whatever the outcome was.
 *
 * @returns the new, waiting delivery; undefined when there is no such delivery, or its event is no longer kept.
 */
export async function replayDelivery(
  executor: Executor,
  endpoint: WebhookEndpoint,
  deliveryId: string,
  now: number,
): Promise<WebhookDelivery | undefined> {
  const delivery = await findDelivery(executor, { id: deliveryId, endpointId: endpoint.id });
  if (delivery === undefined || delivery.type === TEST_TYPE) return undefined;
  const { eventId, type } = delivery;
  const event = await findPartnerEvent(executor, { id: eventId, partnerId: endpoint.partnerId });
  if (event === undefined) return undefined;
  return insertOwnDelivery(executor, { endpointId: endpoint.id, eventId, type, kind: 'replay', now });
}
