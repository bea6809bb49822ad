/** The checklist of a new gateway, at the top of the overview until every step is done. */

import { ADMIN_PATH } from '../../../base/dashboard/pages.ts';
import { badge } from '../../../base/pages/components.ts';
import { type Html, type HtmlValue, html } from '../../../base/pages/html.ts';
import { readSetup } from '../../../base/store/reports/overview.ts';
import type { AdminRequest } from '../context.ts';

interface Step {
  readonly title: string;
  readonly isDone: boolean;
  /** Says where it is done. */
  readonly how: HtmlValue;
}

/** Returns the steps, as the store has them now. Null if all are done. */
export async function checklist({ deps }: AdminRequest): Promise<Html | null> {
  const { hasKeys, hasPartner, hasConnection, hasCall } = await readSetup(deps.db);
  const steps: readonly Step[] = [
    {
      title: 'Encryption keys',
      isDone: hasKeys,
      how: html`Set <code>ENCRYPTION_KEYS</code>, then start the gateway. <code>utg doctor</code> checks them.`,
    },
    {
      title: 'A partner',
      isDone: hasPartner,
      how: html`<a href="${ADMIN_PATH}/partners">Add a partner</a>: the application whose users connect services.`,
    },
    {
      title: 'A service',
      isDone: deps.catalogue.connectors.length > 0,
      how: html`Add one with <code>utg add</code>. <a href="${ADMIN_PATH}/tools">Tools</a> shows what it offers.`,
    },
    {
      title: 'The first connection',
      // Someone who has called a tool was connected.
      isDone: hasConnection || hasCall,
      how: html`A user connects a service in the application of the partner. <a href="${ADMIN_PATH}/users">Users</a> shows who has begun.`,
    },
    {
      title: 'The first call',
      isDone: hasCall,
      how: html`<a href="${ADMIN_PATH}/tools">Run a tool</a> as a user, or let the client of a user call one.`,
    },
  ];
  const done = steps.filter(({ isDone }) => isDone).length;
  if (done === steps.length) return null;
  return html`<section class="card" aria-labelledby="setup"><h2 id="setup">Set up: ${done} of ${steps.length} done</h2>
<ol class="rows">${steps.map(
    ({ title, isDone, how }) =>
      html`<li>${isDone ? badge('done', 'good') : badge('to do')} <strong>${title}</strong><small>${how}</small></li>`,
  )}</ol></section>`;
}
