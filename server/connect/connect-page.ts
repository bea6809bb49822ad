/** The connect page: names the partner and the service, and asks for what the service's security scheme needs. */

import type { GatewayContext } from '../http/state.ts';
import { alert, type Fact, facts, foreign, hidden } from '../pages/components.ts';
import { formTargetsOf } from '../pages/form-targets.ts';
import { type Html, html } from '../pages/html.ts';
import { type Page, sendPage } from '../pages/page.ts';
import { toPlainText } from '../pages/plain-text.ts';
import { PAGE_STATE_FIELD } from '../pages/sealed-form.ts';
import { ADDRESS_WINDOW_SECONDS } from './guesses.ts';
import { CONNECT_PATH } from './paths.ts';
import type { ConnectRequest } from './request/index.ts';
import { type CredentialField, toConnectSteps } from './steps.ts';

/** Why the last form was not taken. `said` is the upstream's answer in a sentence. */
export type ConnectProblem =
  | { readonly kind: 'missing' | 'unsendable' | 'too-many' }
  | { readonly kind: 'refused' | 'unavailable'; readonly said: string };

const MAX_NAME_LENGTH = 60;
const MAX_SAID_LENGTH = 300;
const NOTHING_KEPT = 'Nothing was saved.';

/** Name of the input of the n-th field. Fields have names of the descriptor's, which pages and browsers need not know. */
export function inputName(index: number): string {
  return `credential-${index}`;
}

/** Shows the page. Status 200, or that of the problem: 400, 429 where no more are tried, 502 where the upstream is away. */
export function showConnectPage(
  ctx: GatewayContext,
  request: ConnectRequest,
  form: { sealed: string; problem?: ConnectProblem },
): void {
  const { sealed, problem = null } = form;
  if (problem?.kind === 'too-many') ctx.set('Retry-After', String(ADDRESS_WINDOW_SECONDS));
  sendPage(ctx, problem === null ? 200 : statusOf(problem), connectPage(request, { sealed, problem }));
}

/** The page itself. */
function connectPage(request: ConnectRequest, form: { sealed: string; problem: ConnectProblem | null }): Page {
  const { connector } = request;
  const { problem } = form;
  const [step] = toConnectSteps(connector.credential);
  const heading = `Connect ${connector.title}`;
  const content = html`<h1>${heading}</h1>
${problem === null ? null : alert(...wordsOf(problem, connector.title), 'connect-problem')}
<p>${introduction(request)}</p>
${facts(factsOf(request))}
<form method="post" action="${CONNECT_PATH}/${connector.name}">
${hidden(PAGE_STATE_FIELD, form.sealed)}
${step.kind === 'type-credential' ? [credentialFields(step.fields, problem), help(request)] : null}
<div class="actions">
<button type="submit" class="primary" name="decision" value="connect">Connect</button>
<button type="submit" name="decision" value="decline" formnovalidate>Cancel</button>
</div>
</form>`;
  return {
    title: problem === null ? heading : `Error: ${heading}`,
    content,
    formTargets: formTargetsOf(request.redirectUri),
  };
}

function introduction(request: ConnectRequest): Html {
  const { title } = request.connector;
  return html`${foreign(partnerName(request))} can then let the assistants that you allow use ${title} in your name.`;
}

function factsOf(request: ConnectRequest): readonly Fact[] {
  const { logoText } = request.partner;
  const logo = logoText === null ? null : toPlainText(logoText, 3);
  const user = toPlainText(request.externalUserId, MAX_NAME_LENGTH);
  return [
    {
      term: 'Application',
      value: html`${logo === null ? null : html`<span class="logo" aria-hidden="true">${logo}</span>`}${foreign(partnerName(request))}`,
    },
    { term: 'Your name there', value: foreign(user ?? 'A name that cannot be shown') },
    { term: 'Sends you back to', value: foreign(new URL(request.redirectUri).host) },
  ];
}

function credentialFields(fields: readonly CredentialField[], problem: ConnectProblem | null): Html {
  const wrong = problem !== null && problem.kind !== 'too-many' && problem.kind !== 'unavailable';
  return html`${fields.map(
    ({ label, isSecret, isRequired }, index) => html`<label for="${inputName(index)}">${label}</label>
<input type="${isSecret ? 'password' : 'text'}" id="${inputName(index)}" name="${inputName(index)}" autocomplete="${isSecret ? 'new-password' : 'off'}"
 autocapitalize="none" autocorrect="off" spellcheck="false"${isRequired ? REQUIRED : null}${index === 0 ? AUTOFOCUS : null}${wrong ? INVALID : null}
 aria-describedby="${wrong ? 'connect-problem ' : ''}connect-help">`,
  )}`;
}

const REQUIRED = html` required`;
const AUTOFOCUS = html` autofocus`;
const INVALID = html` aria-invalid="true"`;

function help({ connector }: ConnectRequest): Html {
  const { help: text, url } = connector.credential;
  const link =
    url === null
      ? null
      : html` <a href="${url}" target="_blank" rel="noopener noreferrer">Open ${connector.title} in a new tab</a>.`;
  return html`<p class="quiet" id="connect-help">${text}${link}</p>
<p class="quiet">It is tried on ${connector.title} once, then kept encrypted. No assistant ever sees it. If ${connector.title} is connected already, it replaces what was entered then.</p>`;
}

function partnerName({ partner }: ConnectRequest): string {
  return toPlainText(partner.name, MAX_NAME_LENGTH) ?? 'An application without a name';
}

function statusOf(problem: ConnectProblem): number {
  if (problem.kind === 'too-many') return 429;
  return problem.kind === 'unavailable' ? 502 : 400;
}

function wordsOf(problem: ConnectProblem, title: string): [title: string, text: string] {
  switch (problem.kind) {
    case 'missing':
      return ['Something is missing', 'Fill in every field, then choose Connect.'];
    case 'unsendable':
      return [
        'This cannot be right',
        `It holds characters that ${title} cannot be sent, or is far too long. Copy it once more. ${NOTHING_KEPT}`,
      ];
    case 'too-many':
      return ['Too many attempts', `Wait 10 minutes, then go back to the application and start again. ${NOTHING_KEPT}`];
    case 'refused':
      return [`${title} did not accept it`, `${shorten(problem.said)} ${NOTHING_KEPT}`];
    case 'unavailable':
      return [`${title} could not be asked`, `${shorten(problem.said)} ${NOTHING_KEPT} Try again in a moment.`];
  }
}

function shorten(said: string): string {
  return toPlainText(said, MAX_SAID_LENGTH) ?? '';
}
