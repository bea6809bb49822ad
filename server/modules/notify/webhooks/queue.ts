/** The due deliveries of webhook endpoints, in order per user, for the worker that delivers them. */

import { sql } from 'kysely';
import type { CredentialVault } from '../../../base/credentials/index.ts';
import { findPartner } from '../../../base/store/repositories/partners.ts';
import type { Executor } from '../../../base/store/schema.ts';
import { signingSecrets } from '../delivery/subscribers.ts';
import type { DeliveryQueue, DueSubscriber } from '../delivery/worker.ts';
import { createDeliveries, isDue, listDueDeliveries, recordAttempt } from './deliveries.ts';
import { openSecrets, updateEndpoint } from './endpoints.ts';
import { WEBHOOK_EVENTS } from './event-types.ts';
import { type EventView, TEST_TYPE, toEventView, toTestView } from './event-view.ts';
import { findPartnerEvent } from './outbox.ts';
import type { WebhookDeliveryRow, WebhookEndpointRow } from './tables.ts';

/** Creates the queue. @param vault opens the endpoints' secrets. */
export function createWebhookQueue(vault: CredentialVault): DeliveryQueue<WebhookEndpointRow, WebhookDeliveryRow> {
  return {
    table: 'webhook_endpoints',
    listDueSubscribers: listDueEndpoints,
    prepare: createDeliveries,
    listDue: listDueDeliveries,
    hold: (executor, { id }, until) => updateEndpoint(executor, id, { held_until: until }),
    async messageOf(executor, endpoint, delivery, now) {
      const event = await findEvent(executor, endpoint, delivery);
      if (event === undefined) return undefined;
      const secrets = signingSecrets(openSecrets(vault, endpoint), endpoint.previous_until, now);
      return { id: event.id, url: endpoint.url, body: JSON.stringify(event), secrets };
    },
    async settle(executor, { id, partner_id: partnerId }, delivery, attempt) {
      await recordAttempt(executor, delivery.id, attempt);
      if (attempt.subscriber === undefined) return;
      const { failingSince, heldUntil, disabled: reason } = attempt.subscriber;
      const now = attempt.endedAt;
      const changes: Partial<WebhookEndpointRow> = { failing_since: failingSince };
      if (heldUntil !== undefined) changes.held_until = heldUntil;
      if (reason !== undefined) {
        changes.disabled_at = now;
        changes.disabled_reason = reason;
      }
      await updateEndpoint(executor, id, changes);
      if (reason === undefined) return;
      const details = { webhookEndpointId: id, reason };
      await WEBHOOK_EVENTS.emit(executor, { type: 'webhook_endpoint_disabled', now, partnerId, details });
    },
  };
}

/** Lists endpoints with due deliveries or new events that no node leases: of each partner its longest waiting, then the next. */
async function listDueEndpoints(
  executor: Executor,
  { now, limit }: { now: number; limit: number },
): Promise<DueSubscriber[]> {
  const { rows } = await sql<DueSubscriber>`
    select e.id, e.partner_id as "partnerId" from webhook_endpoints e
      join partners p on p.id = e.partner_id
      left join partner_event_heads h on h.partner_id = e.partner_id
     where e.disabled_at is null and p.suspended_at is null and e.leased_until <= ${now} and e.held_until <= ${now}
       and (h.seq > e.cursor or exists (
         select 1 from webhook_deliveries d where d.endpoint_id = e.id and ${isDue(now)}))
     order by row_number() over (partition by e.partner_id order by e.leased_until, e.id), e.leased_until, e.id
     limit ${sql.lit(limit)}`.execute(executor);
  return rows;
}

async function findEvent(
  executor: Executor,
  { id: endpointId, partner_id: partnerId }: WebhookEndpointRow,
  { type, event_id: eventId, created_at: createdAt }: WebhookDeliveryRow,
): Promise<EventView | undefined> {
  const partner = await findPartner(executor, partnerId);
  if (partner === undefined) return undefined;
  if (type === TEST_TYPE) return toTestView({ eventId, endpointId, createdAt }, partner);
  const event = await findPartnerEvent(executor, { id: eventId, partnerId });
  return event && toEventView(event, partner);
}
