/** A partner's webhook endpoints and latest deliveries, for its page. */

import { hidden } from '../../../base/pages/components.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import { listDeliveries, type WebhookDelivery } from '../../../base/store/repositories/events/webhook-deliveries.ts';
import { listEndpoints, type WebhookEndpoint } from '../../../base/store/repositories/events/webhook-endpoints.ts';
import type { Partner } from '../../../base/store/repositories/partners.ts';
import { ADMIN_PATH, type OperatorRequest } from '../request.ts';
import { badge, buttonForm, figure, moment, table, untrusted } from './parts.ts';

const SHOWN_DELIVERIES = 20;

const DISABLED: Readonly<Record<string, string>> = {
  'by-partner': 'disabled by the partner',
  'by-operator': 'disabled by an operator',
  failing: 'disabled: failed for a day',
  gone: 'disabled: answered 410',
};

/** The section of the partner's page. */
export async function webhooksSection({ deps, csrf }: OperatorRequest, partner: Partner): Promise<Html> {
  const endpoints = await listEndpoints(deps.db, partner.id);
  const endpointIds = endpoints.map(({ id }) => id);
  const deliveries = await listDeliveries(deps.db, { endpointIds, limit: SHOWN_DELIVERIES });
  const pathOf = (id: string) => `${ADMIN_PATH}/partners/${partner.id}/webhooks/${id}`;
  const urls = new Map(endpoints.map(({ id, url }) => [id, url]));
  return html`<h2 id="webhooks">Webhooks</h2>
${table(
  'Webhook endpoints',
  [{ name: 'Endpoint', kind: 'long' }, { name: 'Events' }, { name: 'State' }, { name: '' }, { name: '' }],
  endpoints.map((endpoint) => [
    html`<code>${untrusted(endpoint.url)}</code>`,
    endpoint.types?.join(', ') ?? 'all',
    stateOf(endpoint),
    endpoint.disabledAt === null ? buttonForm(`${pathOf(endpoint.id)}/test`, csrf, 'Send a test') : null,
    switchForm(endpoint, pathOf(endpoint.id), csrf),
  ]),
  'No events are sent to the partner. It adds endpoints through the partner API.',
)}
${
  deliveries.length === 0
    ? null
    : html`<h3>Last deliveries</h3>
${table(
  'Last deliveries',
  [
    { name: 'Event' },
    { name: 'Endpoint', kind: 'long' },
    { name: 'State' },
    { name: 'Answer' },
    { name: 'Attempts', kind: 'number' },
    { name: 'Last' },
    { name: '' },
  ],
  deliveries.map((delivery) => [
    html`${delivery.type}${delivery.kind === 'replay' ? ' (again)' : ''}`,
    untrusted(urls.get(delivery.endpointId) ?? null),
    deliveryBadge(delivery),
    answerOf(delivery),
    delivery.attempts,
    delivery.lastAttemptAt === null ? 'not yet' : moment(delivery.lastAttemptAt),
    delivery.kind === 'test'
      ? null
      : buttonForm(`${pathOf(delivery.endpointId)}/deliveries/${delivery.id}/repeat`, csrf, 'Send again'),
  ]),
)}`
}`;
}

function stateOf({ disabledReason, failingSince }: WebhookEndpoint): Html {
  if (disabledReason !== null) return badge(DISABLED[disabledReason] ?? 'disabled', 'bad');
  return failingSince === null
    ? badge('enabled', 'good')
    : html`${badge('failing', 'warn')} since ${moment(failingSince)}`;
}

function switchForm({ disabledAt }: WebhookEndpoint, path: string, csrf: string): Html {
  return disabledAt === null
    ? buttonForm(`${path}/switch`, csrf, 'Disable', 'danger')
    : html`<form method="post" action="${path}/switch">${hidden('csrf', csrf)}${hidden('enabled', 'yes')}<button type="submit" class="plain">Enable</button></form>`;
}

function deliveryBadge({ status }: WebhookDelivery): Html {
  return badge(status, ({ delivered: 'good', failed: 'bad', waiting: 'quiet' } as const)[status]);
}

function answerOf({ answerStatus, problem, durationMs }: WebhookDelivery): string {
  const answer = answerStatus === null ? (problem?.replaceAll('_', ' ') ?? 'none yet') : String(answerStatus);
  return durationMs === null ? answer : `${answer}, ${figure(durationMs)} ms`;
}
