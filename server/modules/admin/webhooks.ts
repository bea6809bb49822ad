/** Actions on a partner's webhook endpoints: test or disable one, send an event again. */

import { originOf } from '../../base/http/request-origin.ts';
import { html } from '../../base/pages/html.ts';
import { PageError } from '../../base/pages/page-errors.ts';
import { findEndpoint, type WebhookEndpoint } from '../../base/store/repositories/events/webhook-endpoints.ts';
import type { Executor } from '../../base/store/schema.ts';
import { changeEndpoint, replayDelivery, testEndpoint } from '../webhooks/manage.ts';
import { partnerOf } from './partner.ts';
import { ADMIN_PATH, type OperatorAction, type Outcome } from './request.ts';
import type { Question } from './view/confirm.ts';
import { untrusted } from './view/parts.ts';

/** Sends a test event. */
export function testWebhook(action: OperatorAction): Promise<Outcome> {
  return act(action, 'webhook-tested', async (db, endpoint) => {
    await testEndpoint(db, endpoint, action.now);
  });
}

/** What a disabled endpoint misses; null when the endpoint is about to be enabled. */
export async function askToSwitchWebhook(action: OperatorAction): Promise<Question | null> {
  if (action.field('enabled') === 'yes') return null;
  const partner = await partnerOf(action);
  const endpoint = await findEndpoint(action.deps.db, { id: action.params.endpoint ?? '', partnerId: partner.id });
  if (endpoint === undefined || endpoint.disabledAt !== null) return null;
  return {
    title: 'Disable this webhook endpoint?',
    section: '/partners',
    losses: [
      html`Events to <code>${untrusted(endpoint.url)}</code> of ${untrusted(partner.name)} wait until the endpoint is enabled again, for as long as events are kept.`,
    ],
    button: 'Disable endpoint',
    back: `${ADMIN_PATH}/partners/${partner.id}#webhooks`,
  };
}

/** Enables a disabled endpoint, or disables an enabled one. */
export function switchWebhook(action: OperatorAction): Promise<Outcome> {
  const enabled = action.field('enabled') === 'yes';
  return act(action, enabled ? 'webhook-enabled' : 'webhook-disabled', async (db, endpoint) => {
    const change = { by: 'operator', now: action.now, ...originOf(action.ctx) } as const;
    await changeEndpoint(db, endpoint, { enabled }, change);
  });
}

/** Sends the event of a delivery again. */
export function repeatDelivery(action: OperatorAction): Promise<Outcome> {
  return act(action, 'webhook-repeated', async (db, endpoint) => {
    const repeated = await replayDelivery(db, endpoint, action.params.delivery ?? '', action.now);
    if (repeated === undefined) throw missing('delivery of an event that is still kept');
  });
}

async function act(
  action: OperatorAction,
  done: string,
  work: (transaction: Executor, endpoint: WebhookEndpoint) => Promise<void>,
): Promise<Outcome> {
  const partner = await partnerOf(action);
  await action.deps.db.transaction().execute(async (transaction) => {
    const endpoint = await findEndpoint(transaction, { id: action.params.endpoint ?? '', partnerId: partner.id });
    if (endpoint === undefined) throw missing('webhook endpoint of this partner');
    await work(transaction, endpoint);
  });
  return { redirect: `${ADMIN_PATH}/partners/${partner.id}?done=${done}#webhooks` };
}

function missing(what: string): PageError {
  return new PageError(404, {
    title: 'Nothing was changed',
    text: `There is no such ${what}.`,
    advice: "Go back to the partner's page, which shows what there is.",
  });
}
