/** The parts that a user's own page is made of, and its frame: one column, wide enough for lists. */

import { markOf, partnerNameOf } from '../../base/pages/brand.ts';
import { clientNameText, readClientName } from '../../base/pages/client-name.ts';
import { type Choice, checkbox, foreign, toast } from '../../base/pages/components.ts';
import { type Html, type HtmlValue, html, shownName } from '../../base/pages/html.ts';
import { footer, type Layout } from '../../base/pages/page.ts';
import type { LiveGrant } from '../../base/store/repositories/live-access.ts';
import type { Partner } from '../../base/store/repositories/partners.ts';
import type { Outcome, UserRequest } from './request.ts';

/** Shows exact times in the zone of the browser, with their titles in UTC. Without this script, the page shows UTC. */
const LOCAL_TIMES = `
{
  const local = new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeStyle: 'short' });
  for (const time of document.querySelectorAll('time[datetime*=T]')) {
    const utc = time.textContent.replace(' UTC', '');
    time.title = utc + ' UTC';
    time.textContent = local.format(new Date(time.dateTime)).slice(-utc.length);
  }
}
`;

export const USER_LAYOUT: Layout = {
  name: 'document',
  script: LOCAL_TIMES,
  frame: (content, brand) => html`<main>
${content}
</main>
${footer(brand)}`,
};

/** Names the holder of a grant, next to a remark about the name. */
export function holderName(grant: LiveGrant, partner: Partner): string {
  if (grant.clientId === null) return partnerNameOf(partner);
  return readClientName(grant.clientName, partner.name)?.text ?? 'a client without a name';
}

/** Names the holder of a grant in a text. A client's own name is marked. */
export function holderOf(grant: LiveGrant, partner: Partner): string {
  if (grant.clientId === null) return partnerNameOf(partner);
  return clientNameText(grant.clientName, 'a client without a name', partner.name);
}

interface UserPage {
  readonly title: string;
  /** Heading of the page. Default: the title. */
  readonly heading?: HtmlValue;
  readonly content: Html;
  /** The reason why the submitted form was refused. Default: none. */
  readonly problem?: Html | null;
  /** Texts about a finished action, by the parameter `done` of the address. */
  readonly done?: Readonly<Record<string, string>>;
}

/** Returns a page of the user. Its heading, the reason why the submitted form was refused, and the user's name are above its content. */
export function userPage(request: UserRequest, page: UserPage): Outcome {
  const { title, heading = title, content, problem = null, done = {} } = page;
  const { user, partner } = request;
  const name = shownName(user.externalUserId) ?? 'a user whose name cannot be shown';
  const notice = done[request.query('done') ?? ''];
  return {
    title: problem === null ? title : `Error: ${title}`,
    content: html`<h1>${heading}</h1>
${problem}
<p class="owner">${markOf(partner)}Signed in as <strong>${foreign(name)}</strong> from <strong>${foreign(partnerNameOf(partner))}</strong>.</p>
${content}
${notice === undefined ? null : toast(notice)}`,
    status: problem === null ? 200 : 400,
  };
}

/** Returns the title of a service, or its name if no connector has it. */
export function serviceTitle(service: string, { deps }: UserRequest): string {
  return deps.catalogue.findConnector(service)?.title ?? service;
}

/** Returns unticked boxes under one legend, or null if there are no boxes. */
export function boxes(legend: string, list: readonly (Choice & { readonly name: string })[]): Html | null {
  if (list.length === 0) return null;
  return html`<fieldset><legend>${legend}</legend>${list.map((choice) => checkbox(choice.name, choice, false))}</fieldset>`;
}
