/** The parts that a user's own page is made of, and its frame: one column, wide enough for lists. */

import { markOf, partnerNameOf } from '../../base/pages/brand.ts';
import { type Choice, checkbox, foreign, hidden } from '../../base/pages/components.ts';
import { type Html, html } from '../../base/pages/html.ts';
import type { Layout } from '../../base/pages/page.ts';
import { shownName } from '../../base/pages/plain-text.ts';
import { STYLE } from '../../base/pages/style.ts';
import type { AllowedGrant } from '../../identity/grants/allowed/list.ts';
import type { UserRequest } from './request.ts';

export const USER_LAYOUT: Layout = {
  style: `${STYLE}
body { display: block; }
main { max-width: 46rem; margin: 1rem auto; }
footer { margin: 0 auto; }
h2 { margin: 2rem 0 .75rem; font-size: 1.25rem; }
h3 { margin: 0 0 .25rem; font-size: 1.0625rem; }
article { margin: 0 0 1rem; padding: 1rem; border: 1px solid var(--line); border-radius: .5rem; }
article > :last-child { margin-bottom: 0; }
article dl { border: 0; margin: .5rem 0; }
article dl div, article dl div + div { display: grid; grid-template-columns: 8.5rem 1fr; gap: 0 .75rem; padding: .25rem 0; border: 0; }
article > dl + p { margin: .875rem 0 0; }
article dt { line-height: 1.7; }
article .actions { margin-top: .75rem; }
article ul, dd ul { margin: 0; }
summary { display: inline-block; min-height: 1.5rem; cursor: pointer; color: var(--accent); text-decoration: underline; }
form, main > ul { margin: 0 0 1rem; }
details { margin: .25rem 0 0; }
details form { margin: .5rem 0 0; }
details p { margin: 0; }
button { flex: 0 1 auto; }
details.danger > summary, button.danger { color: var(--alert); border-color: var(--alert); }
.activity { padding: 0; list-style: none; }
.activity li { padding: .5rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
.activity small { display: block; color: var(--quiet); font-size: .875rem; }
time { white-space: nowrap; }
.owner { padding: .75rem 1rem; background: var(--page); border-radius: .5rem; }
.done { border-color: var(--accent); background: var(--page); }
@media (max-width: 30rem) { main { margin: 0; } article dl div, article dl div + div { grid-template-columns: 4.75rem 1fr; } article ul { padding-left: 1rem; } article .actions button, details button { flex: 1 1 100%; width: 100%; } }
`,
  frame: (content) => html`<main>
${content}
</main>
<footer>Unified Tool Gateway</footer>`,
};

/** A time in UTC, to the minute, with its zone; `datetime` has the exact time. */
export function moment(time: number): Html {
  const iso = new Date(time).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`;
}

/** The minutes from one time to another; on one day, the second one without its date. */
export function period(from: number, until: number): Html {
  const first = new Date(from).toISOString();
  const last = new Date(until).toISOString();
  if (first.slice(0, 16) === last.slice(0, 16)) return moment(until);
  const rest = last.slice(first.slice(0, 10) === last.slice(0, 10) ? 11 : 0, 16).replace('T', ' ');
  return html`<time datetime="${first}">${first.slice(0, 16).replace('T', ' ')}</time> to <time datetime="${last}">${rest} UTC</time>`;
}

/** What the page calls the holder of a grant. */
export function holderOf({ grant }: Pick<AllowedGrant, 'grant'>, request: Pick<UserRequest, 'partner'>): string {
  if (grant.clientId === null) return `${partnerNameOf(request.partner)} itself`;
  return shownName(grant.clientName) ?? 'A client without a name';
}

/** Says whose page it is. */
export function owner(request: UserRequest): Html {
  return html`<p class="owner">${markOf(request.partner)}This is the page of <strong>${foreign(shownName(request.user.externalUserId) ?? 'a user whose name cannot be shown')}</strong> at <strong>${foreign(partnerNameOf(request.partner))}</strong>.</p>`;
}

/** Boxes to tick under one legend, none of them ticked; nothing where there is no box. */
export function boxes(legend: string, list: readonly (Choice & { readonly name: string })[]): Html | null {
  if (list.length === 0) return null;
  return html`<fieldset><legend>${legend}</legend>${list.map((choice) => checkbox(choice.name, choice, false))}</fieldset>`;
}

/**
 * A form of one button that has to be unfolded first, so that no one presses it by accident.
 *
 * @param button.account row id of the account that it is about. Default: the service has one.
 */
export function guardedButton(
  request: UserRequest,
  button: { summary: string; text: string; label: string; action: string; account?: string },
): Html {
  return html`<details class="danger"><summary>${button.summary}</summary>
<form method="post" action="${button.action}">${hidden('csrf', request.csrf)}${button.account === undefined ? null : hidden('account', button.account)}
<p>${button.text}</p>
<div class="actions"><button type="submit" class="danger">${button.label}</button></div></form></details>`;
}
