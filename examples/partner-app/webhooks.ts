/** Registers a webhook endpoint, verifies the events that it receives, and keeps the latest. */

import type { IncomingHttpHeaders } from 'node:http';
import { answerOf, type PartnerClient, type PartnerEvent, verifyWebhook } from '../../packages/partner/index.ts';

export interface Webhooks {
  /** The latest events, newest first. */
  readonly events: readonly PartnerEvent[];
  /** @returns false if the signature is invalid; the event is then ignored. */
  receive(body: string, headers: IncomingHttpHeaders): boolean;
}

const MAX_EVENTS = 100;

/** Replaces the endpoint of an earlier run, because the API returns a secret only when it creates an endpoint. */
export async function createWebhooks(partner: PartnerClient, url: string): Promise<Webhooks> {
  const { webhook_endpoints } = await answerOf(partner.GET('/api/partner/webhook-endpoints'));
  for (const { id } of webhook_endpoints.filter((each) => each.url === url)) {
    const params = { path: { endpoint: id } };
    await answerOf(partner.DELETE('/api/partner/webhook-endpoints/{endpoint}', { params }));
  }
  const { secret } = await answerOf(partner.POST('/api/partner/webhook-endpoints', { body: { url, types: null } }));
  let events: readonly PartnerEvent[] = [];
  return {
    get events() {
      return events;
    },
    receive(body, headers) {
      try {
        const event = verifyWebhook(secret, body, headers);
        // The same event can be delivered twice.
        if (!events.some(({ id }) => id === event.id)) events = [event, ...events].slice(0, MAX_EVENTS);
        return true;
      } catch {
        return false;
      }
    },
  };
}
