/** Hears what happens: registers a webhook endpoint, verifies what comes, and keeps the latest events. */

import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { answerOf, type PartnerClient, type Schemas } from '../partner-client/index.ts';

export interface Webhooks {
  /** The latest events, newest first. */
  readonly events: readonly Schemas['Event'][];
  /** @returns false: the signature is wrong, and nothing was read. */
  receive(body: string, headers: IncomingHttpHeaders): boolean;
}

const MAX_EVENTS = 100;

/** Replaces the endpoint of an earlier run, because only a new one tells its secret. */
export async function createWebhooks(partner: PartnerClient, url: string): Promise<Webhooks> {
  const { webhook_endpoints } = await answerOf(partner.GET('/api/partner/webhook-endpoints'));
  for (const { id } of webhook_endpoints.filter((each) => each.url === url)) {
    const params = { path: { endpoint: id } };
    await answerOf(partner.DELETE('/api/partner/webhook-endpoints/{endpoint}', { params }));
  }
  const { secret } = await answerOf(partner.POST('/api/partner/webhook-endpoints', { body: { url, types: null } }));
  const webhook = new Webhook(secret);
  let events: readonly Schemas['Event'][] = [];
  return {
    get events() {
      return events;
    },
    receive(body, headers) {
      try {
        const event = webhook.verify(body, headers as Record<string, string>) as Schemas['Event'];
        // The same event can come twice.
        if (!events.some(({ id }) => id === event.id)) events = [event, ...events].slice(0, MAX_EVENTS);
        return true;
      } catch {
        return false;
      }
    },
  };
}
