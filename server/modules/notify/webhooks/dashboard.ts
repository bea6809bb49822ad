/** A partner's webhook endpoints and latest deliveries on its page in the dashboard, and what operators can do with them. */

import { buttonForm, dangerButton } from '../../../base/dashboard/forms.ts';
import {
  type Action,
  ADMIN_PATH,
  type DashboardParts,
  type OperatorAction,
  type OperatorRequest,
} from '../../../base/dashboard/pages.ts';
import { figure, moment, table, untrusted } from '../../../base/dashboard/parts.ts';
import { badge } from '../../../base/pages/components.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import { PageError } from '../../../base/pages/page-errors.ts';
import type { Partner } from '../../../base/store/repositories/partners.ts';
import type { Executor } from '../../../base/store/schema.ts';
import { listDeliveries, replayDelivery, testEndpoint } from './deliveries.ts';
import { changeEndpoint, findEndpoint, listEndpoints } from './endpoints.ts';
import type { WebhookDeliveryRow, WebhookEndpointRow } from './tables.ts';

const SHOWN_DELIVERIES = 20;

const DISABLED: Readonly<Record<string, string>> = {
  'by-partner': 'disabled by the partner',
  'by-operator': 'disabled by an operator',
  failing: 'disabled: failed for a day',
  gone: 'disabled: answered 410',
};

/** Returns the section of webhooks on the page of a partner, with its actions. */
export function webhookParts(db: Executor): DashboardParts {
  return {
    partner: {
      section: (request, partner) => webhooksSection(db, request, partner),
      actions: [TEST, switchAction(db), REPEAT],
    },
  };
}

const anchor = 'webhooks';

/** Sends a test event. */
const TEST: Action<Partner> = {
  path: '/webhooks/:endpoint/test',
  anchor,
  async run(action, partner) {
    await change(action, partner, (transaction, endpoint) => testEndpoint(transaction, endpoint, action.now));
    return 'webhook-tested';
  },
  done: { 'webhook-tested': 'A test event is on its way. Reload this page to see the answer.' },
};

/** Enables a disabled endpoint at once, or disables an enabled one after a question. */
const switchAction = (db: Executor): Action<Partner> => ({
  path: '/webhooks/:endpoint/switch',
  anchor,
  async ask({ field, params }, partner) {
    if (field('enabled') === 'yes') return null;
    const endpoint = await findEndpoint(db, { id: params.endpoint ?? '', partnerId: partner.id });
    if (endpoint === undefined || endpoint.disabled_at !== null) return null;
    return {
      title: 'Disable this webhook endpoint?',
      losses: [
        html`Events to <code>${untrusted(endpoint.url)}</code> of ${untrusted(partner.name)} wait until the endpoint is enabled again, for as long as events are kept.`,
      ],
      button: 'Disable endpoint',
    };
  },
  async run(action, partner) {
    const enabled = action.field('enabled') === 'yes';
    await change(action, partner, (transaction, endpoint) =>
      changeEndpoint(transaction, endpoint, { enabled }, { by: 'operator', ...action.event }),
    );
    return enabled ? 'webhook-enabled' : 'webhook-disabled';
  },
  done: {
    'webhook-enabled': 'The endpoint is enabled, and receives the events that waited for it.',
    'webhook-disabled': 'Nothing is sent to the endpoint until it is enabled again.',
  },
});

/** Sends the event of a delivery again. */
const REPEAT: Action<Partner> = {
  path: '/webhooks/:endpoint/deliveries/:delivery/repeat',
  anchor,
  async run(action, partner) {
    await change(action, partner, async (transaction, endpoint) => {
      const repeated = await replayDelivery(transaction, endpoint, action.params.delivery ?? '', action.now);
      if (repeated === undefined) throw missing('delivery of an event that is still kept');
    });
    return 'webhook-repeated';
  },
  done: { 'webhook-repeated': 'The event is on its way again, with the same id.' },
};

/** Changes the endpoint that the address names. */
function change(
  { params, commit }: OperatorAction,
  partner: Partner,
  work: (transaction: Executor, endpoint: WebhookEndpointRow) => Promise<unknown>,
): Promise<void> {
  return commit(async (transaction) => {
    const endpoint = await findEndpoint(transaction, { id: params.endpoint ?? '', partnerId: partner.id });
    if (endpoint === undefined) throw missing('webhook endpoint of this partner');
    await work(transaction, endpoint);
  });
}

function missing(what: string): PageError {
  return new PageError(404, {
    title: 'Nothing was changed',
    text: `There is no such ${what}.`,
    advice: "Go back to the partner's page, which shows what there is.",
  });
}

async function webhooksSection(db: Executor, request: OperatorRequest, partner: Partner): Promise<Html> {
  const endpoints = await listEndpoints(db, partner.id);
  const endpointIds = endpoints.map(({ id }) => id);
  const deliveries = await listDeliveries(db, { endpointIds, limit: SHOWN_DELIVERIES });
  const pathOf = (id: string) => `${ADMIN_PATH}/partners/${partner.id}/webhooks/${id}`;
  const urls = new Map(endpoints.map(({ id, url }) => [id, url]));
  return html`<h2 id="webhooks">Webhooks</h2>
${table(endpoints, {
  caption: 'Webhook endpoints',
  columns: {
    Endpoint: ['long', ({ url }) => html`<code>${untrusted(url)}</code>`],
    Events: ({ types }) => types?.replaceAll(',', ', ') ?? 'all',
    State: ['state', stateOf],
  },
  buttons: [
    ({ id, disabled_at: disabledAt }) =>
      disabledAt === null ? buttonForm(request, `${pathOf(id)}/test`, { label: 'Send a test' }) : null,
    ({ id, disabled_at: disabledAt }) =>
      disabledAt === null
        ? dangerButton(request, `${pathOf(id)}/switch`, 'Disable')
        : buttonForm(request, `${pathOf(id)}/switch`, { label: 'Enable', fields: { enabled: 'yes' } }),
  ],
  empty: 'No events are sent to the partner. It adds endpoints through the partner API.',
})}
${
  deliveries.length === 0
    ? null
    : html`<h3>Last deliveries</h3>
${table(deliveries, {
  caption: 'Last deliveries',
  columns: {
    Event: ({ type, kind }) => html`${type}${kind === 'replay' ? ' (again)' : ''}`,
    Endpoint: ['long', ({ endpoint_id: endpointId }) => untrusted(urls.get(endpointId) ?? null)],
    State: ['state', deliveryBadge],
    Answer: answerOf,
    Attempts: ['number', ({ attempts }) => attempts],
    Last: ({ last_attempt_at: at }) => (at === null ? 'not yet' : moment(at)),
  },
  buttons: [
    ({ id, kind, endpoint_id: endpointId }) =>
      kind === 'test'
        ? null
        : buttonForm(request, `${pathOf(endpointId)}/deliveries/${id}/repeat`, { label: 'Send again' }),
  ],
})}`
}`;
}

function stateOf({ disabled_reason: disabledReason, failing_since: failingSince }: WebhookEndpointRow): Html {
  if (disabledReason !== null) return badge(DISABLED[disabledReason] ?? 'disabled', 'bad');
  return failingSince === null
    ? badge('enabled', 'good')
    : html`${badge('failing', 'warn')} since ${moment(failingSince)}`;
}

function deliveryBadge({ status }: WebhookDeliveryRow): Html {
  return badge(status, ({ delivered: 'good', failed: 'bad', waiting: 'quiet' } as const)[status]);
}

function answerOf({ answer_status: status, problem, duration_ms: duration }: WebhookDeliveryRow): string {
  const answer = status === null ? (problem?.replaceAll('_', ' ') ?? 'none yet') : String(status);
  return duration === null ? answer : `${answer}, ${figure(duration)} ms`;
}
