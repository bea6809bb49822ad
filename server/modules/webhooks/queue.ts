/** What is due at webhook endpoints, in order per user, for the worker that delivers it. */

import type { CredentialVault } from '../../base/credentials/index.ts';
import type { DeliveryQueue } from '../../base/deliveries/worker.ts';
import { findPartner } from '../../base/store/repositories/partners.ts';
import type { Executor } from '../../base/store/schema.ts';
import { listDueDeliveries, recordAttempt, takeEvents, type WebhookDelivery } from './deliveries.ts';
import { leaseEndpoint, listDueEndpoints, releaseEndpoint, updateEndpoint, type WebhookEndpoint } from './endpoints.ts';
import { WEBHOOK_EVENTS } from './event-types.ts';
import { type EventView, TEST_TYPE, toEventView, toTestView } from './event-view.ts';
import { findPartnerEvent } from './outbox.ts';
import { openSecrets } from './secrets.ts';

/** Creates the queue. @param vault opens the endpoints' secrets. */
export function createWebhookQueue(vault: CredentialVault): DeliveryQueue<WebhookEndpoint, WebhookDelivery> {
  return {
    listDueTargets: listDueEndpoints,
    /** Also creates deliveries for the events since the last time. */
    async lease(transaction, lease) {
      const endpoint = await leaseEndpoint(transaction, lease);
      if (endpoint !== undefined) await takeEvents(transaction, endpoint, lease.now);
      return endpoint;
    },
    release: releaseEndpoint,
    hold: (executor, id, until) => updateEndpoint(executor, id, { held_until: until }),
    listDue: (executor, { id: endpointId }, options) => listDueDeliveries(executor, { endpointId, ...options }),
    async messageOf(executor, endpoint, delivery, now) {
      const event = await findEvent(executor, endpoint, delivery);
      if (event === undefined) return undefined;
      const { current, previous } = openSecrets(vault, endpoint);
      const isValid = endpoint.previousUntil !== null && endpoint.previousUntil > now;
      const secrets = previous !== undefined && isValid ? [current, previous] : [current];
      return { id: event.id, url: endpoint.url, body: JSON.stringify(event), secrets };
    },
    async settle(executor, { id, partnerId }, delivery, attempt) {
      await recordAttempt(executor, delivery.id, attempt);
      if (attempt.target === null) return;
      const { failingSince, heldUntil, disabled: reason } = attempt.target;
      const now = attempt.endedAt;
      await updateEndpoint(executor, id, {
        failing_since: failingSince,
        ...(heldUntil === null ? {} : { held_until: heldUntil }),
        ...(reason === null ? {} : { disabled_at: now, disabled_reason: reason }),
      });
      if (reason === null) return;
      const details = { webhookEndpointId: id, reason };
      await WEBHOOK_EVENTS.tell(executor, { type: 'webhook_endpoint_disabled', now, partnerId, details });
    },
  };
}

async function findEvent(
  executor: Executor,
  { id: endpointId, partnerId }: WebhookEndpoint,
  { type, eventId, createdAt }: WebhookDelivery,
): Promise<EventView | undefined> {
  const partner = await findPartner(executor, partnerId);
  if (partner === undefined) return undefined;
  if (type === TEST_TYPE) return toTestView({ eventId, endpointId, createdAt }, partner);
  const event = await findPartnerEvent(executor, { id: eventId, partnerId });
  return event && toEventView(event, partner);
}
