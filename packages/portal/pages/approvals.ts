/** The page Approvals: the calls that wait for the person. They are shown in full, and decided, on the person's own page at the gateway. */

import { capitalize, clientNameText } from '../../../server/base/pages/client-name.ts';
import { button, emptyState, foreign, hiddenFields } from '../../../server/base/pages/components.ts';
import { type Html, html, toPlainText } from '../../../server/base/pages/html.ts';
import { relativeTime } from '../../../server/base/pages/times.ts';
import type { Schemas } from '../../partner/index.ts';
import type { PortalAction, PortalOutcome, PortalRequest } from '../request.ts';
import { listWaiting, openOwnPage } from './api.ts';

/** The page shows the whole call. */
const MAX_SENTENCE_LENGTH = 200;

const OWN_PAGES = { approvals: '/me/approvals', rules: '/me/asking', start: '/me' } as const;

/** `GET /approvals` */
export async function showApprovals(request: PortalRequest): Promise<PortalOutcome> {
  const waiting = await listWaiting(request);
  const rows = waiting.map((approval) => waitingRow(approval, request));
  const content = html`<h1>Approvals</h1>
<p>Some calls of your clients wait until you have seen and approved them.</p>
${rows.length === 0 ? emptyState('No call waits for you', 'A call that needs you appears here. It waits for a few minutes.') : html`<ul class="list">${rows}</ul>`}
<div class="row">${rows.length > 1 ? openForm(request, 'approvals', 'Review all') : null}${openForm(request, 'rules', 'Choose when to be asked')}</div>`;
  return { title: 'Approvals', content };
}

function waitingRow(approval: Schemas['Approval'], { csrf, now }: PortalRequest): Html {
  const { client, sentence, tool, page_url: target, created_at, expires_at } = approval;
  const text = toPlainText(sentence ?? tool, MAX_SENTENCE_LENGTH) ?? tool;
  const name = capitalize(clientNameText(client?.client_name ?? null, 'A client without a name'));
  const review = html`<form method="post" action="/approvals/open">${hiddenFields({ csrf, target })}${button(html`Review<span class="unseen"> ${foreign(text)}</span>`, { kind: 'primary' })}</form>`;
  return html`<li>${foreign(text)}
<small>${foreign(name)} asked ${relativeTime(Date.parse(created_at), now)} · Expires ${relativeTime(Date.parse(expires_at), now)}</small>
${target === null ? null : html`<div class="row">${review}</div>`}</li>`;
}

function openForm({ csrf }: PortalRequest, page: keyof typeof OWN_PAGES, label: string): Html {
  return html`<form method="post" action="/approvals/open">${hiddenFields({ csrf, target: OWN_PAGES[page] })}${button(label)}</form>`;
}

/** `POST /approvals/open`: signs the person in to a page of theirs at the gateway, which refuses every other address. */
export function openApproval(action: PortalAction): Promise<PortalOutcome> {
  return openOwnPage(action, action.form.get('target'));
}

/** `POST /grants/:grant/open`: the page on which the person takes something away from a client. */
export function openGrant(action: PortalAction): Promise<PortalOutcome> {
  return openOwnPage(action, `${OWN_PAGES.start}/clients/${encodeURIComponent(action.param('grant'))}`);
}
