/** The due deliveries of webhook endpoints, in order per user, for the worker that delivers them. */

import { sql } from 'kysely';
import type { CredentialVault } from '../../../base/credentials/index.ts';
import { findPartner } from '../../../base/store/repositories/partners.ts';
import type { Executor } from '../../../base/store/schema.ts';
import { signingSecrets } from '../delivery/subscribers.ts';
import type { DeliveryQueue } from '../delivery/worker.ts';
import { canCreate, createDeliveries, isDue, listDueDeliveries, recordAttempt } from './deliveries.ts';
import { SEALED_ENDPOINTS, updateEndpoint } from './endpoints.ts';
import { WEBHOOK_EVENTS } from './event-types.ts';
import { TEST_TYPE, toTestEvent, writeEvent } from './event-view.ts';
import { findPartnerEvent } from './outbox.ts';
import type { WebhookDeliveryRow, WebhookEndpointRow } from './tables.ts';

/** Creates the queue. @param vault opens the endpoints' secrets. */
export function createWebhookQueue(vault: CredentialVault): DeliveryQueue<WebhookEndpointRow, WebhookDeliveryRow> {
  return {
    table: 'webhook_endpoints',
    isDue: (now) => sql<boolean>`s.held_until <= ${now} and (${canCreate()} or exists (
      select 1 from webhook_deliveries d where d.endpoint_id = s.id and ${isDue(now)}))`,
    prepare: createDeliveries,
    listDue: listDueDeliveries,
    async messageOf(executor, endpoint, delivery, now) {
      const body = await findBody(executor, endpoint, delivery);
      if (body === undefined) return undefined;
      const secrets = signingSecrets(SEALED_ENDPOINTS.open(vault, endpoint), endpoint.previous_until, now);
      return { id: delivery.event_id, url: endpoint.url, body, secrets };
    },
    async settle(executor, { id, partner_id: partnerId }, delivery, attempt) {
      await recordAttempt(executor, delivery.id, attempt);
      if (attempt.subscriber === undefined) return;
      const { failingSince, heldUntil, disabled: reason } = attempt.subscriber;
      const changes: Partial<WebhookEndpointRow> = { failing_since: failingSince };
      if (heldUntil !== undefined) changes.held_until = heldUntil;
      if (reason === undefined) return updateEndpoint(executor, id, changes);
      const now = attempt.endedAt;
      await updateEndpoint(executor, id, { ...changes, disabled_at: now, disabled_reason: reason });
      const details = { webhookEndpointId: id, reason };
      await WEBHOOK_EVENTS.emit(executor, { type: 'webhook_endpoint_disabled', now, partnerId, details });
    },
  };
}

/** Returns the body of a delivery; undefined if its event is no longer stored. */
async function findBody(
  executor: Executor,
  { id: endpointId, partner_id: partnerId }: WebhookEndpointRow,
  { type, event_id: eventId, created_at: createdAt }: WebhookDeliveryRow,
): Promise<string | undefined> {
  const partner = await findPartner(executor, partnerId);
  const event =
    type === TEST_TYPE
      ? toTestEvent({ eventId, endpointId, createdAt })
      : await findPartnerEvent(executor, { id: eventId, partnerId });
  return partner && event && writeEvent(event, partner);
}
