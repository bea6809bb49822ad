/** The parts that a user's own page is made of. */

import { markOf } from '../../../base/pages/brand.ts';
import { type Choice, checkbox, foreign, hidden } from '../../../base/pages/components.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import { toPlainText } from '../../../base/pages/plain-text.ts';
import type { AllowedGrant } from '../../../identity/grants/allowed/list.ts';
import type { UserRequest } from '../request.ts';

const MAX_NAME_LENGTH = 60;

/** A time in UTC, to the minute, with its zone; `datetime` has the exact time. */
export function moment(time: number): Html {
  const iso = new Date(time).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`;
}

/** A name that someone else chose, safe to show. */
export function nameOf(text: string | null, otherwise: string): string {
  return toPlainText(text ?? '', MAX_NAME_LENGTH) ?? otherwise;
}

/** The name of the user's partner. */
export function partnerNameOf({ partner }: Pick<UserRequest, 'partner'>): string {
  return nameOf(partner.name, 'An application without a name');
}

/** What the page calls the holder of a grant. */
export function holderOf({ grant }: Pick<AllowedGrant, 'grant'>, request: Pick<UserRequest, 'partner'>): string {
  if (grant.clientId === null) return `${partnerNameOf(request)} itself`;
  return nameOf(grant.clientName, 'A client without a name');
}

/** Says whose page it is. */
export function owner(request: UserRequest): Html {
  return html`<p class="owner">${markOf(request.partner)}This is the page of <strong>${foreign(nameOf(request.user.externalUserId, 'a user whose name cannot be shown'))}</strong> at <strong>${foreign(partnerNameOf(request))}</strong>.</p>`;
}

/** Boxes to tick under one legend, none of them ticked; nothing where there is no box. */
export function boxes(legend: string, list: readonly (Choice & { readonly name: string })[]): Html | null {
  if (list.length === 0) return null;
  return html`<fieldset><legend>${legend}</legend>${list.map((choice) => checkbox(choice.name, choice, false))}</fieldset>`;
}

/** A form of one button that has to be unfolded first, so that no one presses it by accident. */
export function guardedButton(
  request: UserRequest,
  button: { summary: string; text: string; label: string; action: string },
): Html {
  return html`<details class="danger"><summary>${button.summary}</summary>
<form method="post" action="${button.action}">${hidden('csrf', request.csrf)}
<p>${button.text}</p>
<div class="actions"><button type="submit" class="danger">${button.label}</button></div></form></details>`;
}
