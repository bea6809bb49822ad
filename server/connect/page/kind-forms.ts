/** One form per kind of credential that a service accepts, and one to continue without the service. */

import { kindsOf, oauth2PartOf } from '../../base/credentials/kinds.ts';
import { hidden } from '../../base/pages/components.ts';
import { type Html, html } from '../../base/pages/html.ts';
import { PAGE_STATE_FIELD } from '../../base/pages/sealed-form.ts';
import { scopesToAskFor } from '../../call/upstream/oauth/scopes.ts';
import type { CredentialKind } from '../../contract/index.ts';
import { CONNECT_PATH } from '../paths.ts';
import { type ConnectVisit, isReconnect } from '../visit/index.ts';
import { type CredentialField, inputName, typedFieldsOf } from './fields.ts';
import { type ConnectProblem, isAboutFields } from './problems.ts';

interface FormState {
  readonly sealed: string;
  readonly problem: ConnectProblem | null;
  /** Which kind the problem concerns. */
  readonly kindIndex: number;
}

/** The forms, the preferred kind first. */
export function kindForms(visit: ConnectVisit, state: FormState): Html {
  const kinds = kindsOf(visit.request.connector.credential);
  return html`${kinds.map((kind, index) => html`${kinds.length === 1 ? null : html`<h2>${index === 0 ? '' : 'Or: '}${kind.label}</h2>`}${kindForm(visit, kind, index, state)}`)}`;
}

/** The form that skips a service, or ends the visit. */
export function leaveForm(visit: ConnectVisit, sealed: string): Html {
  const canSkip = visit.session !== null && visit.session.row.services.length > 1;
  return html`<form method="post" action="${actionOf(visit)}">
${hidden(PAGE_STATE_FIELD, sealed)}
<div class="actions">
${canSkip ? html`<button type="submit" name="decision" value="skip">Skip ${visit.request.connector.title}</button>` : null}
<button type="submit" name="decision" value="decline">Cancel</button>
</div>
</form>`;
}

function kindForm(visit: ConnectVisit, kind: CredentialKind, index: number, state: FormState): Html {
  const { title } = visit.request.connector;
  const fields = typedFieldsOf(kind);
  const part = oauth2PartOf(kind);
  const goesAway = part?.oauth2.flow === 'authorization_code';
  const wrong = state.problem !== null && isAboutFields(state.problem) && state.kindIndex === index;
  const key = { index, isWrong: wrong };
  return html`<form method="post" action="${actionOf(visit)}">
${hidden(PAGE_STATE_FIELD, state.sealed)}
${hidden('kind', String(index))}
${fields.length === 0 ? null : inputs(fields, key)}
${help(visit, kind, index)}
${part === undefined ? null : scopes(scopesToAskFor(visit.request.connector, part.oauth2), title)}
<div class="actions">
<button type="submit" class="primary" name="decision" value="connect">${isReconnect(visit) ? (goesAway ? `Reconnect with ${title}` : 'Reconnect') : goesAway ? `Continue with ${title}` : 'Connect'}</button>
</div>
</form>`;
}

function actionOf({ request, session }: ConnectVisit): string {
  return session === null ? `${CONNECT_PATH}/${request.connector.name}` : CONNECT_PATH;
}

function inputs(
  fields: readonly CredentialField[],
  { index: kind, isWrong }: { index: number; isWrong: boolean },
): Html {
  return html`${fields.map(({ label, isSecret, isRequired }, index) => {
    const name = inputName(index);
    const id = kind === 0 ? name : `kind-${kind}-${name}`;
    return html`<label for="${id}">${label}</label>
<input type="${isSecret ? 'password' : 'text'}" id="${id}" name="${name}" autocomplete="${isSecret ? 'new-password' : 'off'}"
 autocapitalize="none" autocorrect="off" spellcheck="false"${isRequired ? REQUIRED : null}${kind === 0 && index === 0 ? AUTOFOCUS : null}${isWrong ? INVALID : null}
 aria-describedby="${isWrong ? 'connect-problem ' : ''}connect-help-${kind}">`;
  })}`;
}

const REQUIRED = html` required`;
const AUTOFOCUS = html` autofocus`;
const INVALID = html` aria-invalid="true"`;

function help({ request, session }: ConnectVisit, kind: CredentialKind, index: number): Html | null {
  const { title } = request.connector;
  if (kind.parts.length === 0) return null;
  const link =
    kind.url === null
      ? null
      : html` <a href="${kind.url}" target="_blank" rel="noopener noreferrer">Open ${title} in a new tab</a>.`;
  const how =
    oauth2PartOf(kind) === undefined
      ? `${title} is asked whether it is valid, then it is stored encrypted.`
      : `The access that ${title} grants is stored encrypted.`;
  const replaced = session === null ? ` If ${title} is already connected, it replaces the earlier one.` : '';
  return html`<p class="quiet" id="connect-help-${index}">${kind.help}${link}</p>
<p class="quiet">${how} No assistant ever sees it.${replaced}</p>`;
}

function scopes(asked: readonly string[], title: string): Html | null {
  if (asked.length === 0) return null;
  return html`<details class="scopes"><summary>What ${title} will be asked for (${asked.length})</summary>
<ul>${asked.map((scope) => html`<li><code>${scope}</code></li>`)}</ul></details>`;
}
