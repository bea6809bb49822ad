/** One form per kind of credential that a service accepts, one to continue without the service, and what was typed. */

import { formsOf, isFit, oauth2PartOf } from '../base/credentials/kinds.ts';
import { button, hidden } from '../base/pages/components.ts';
import { AFTER_WINDOW, OPENS_WINDOW } from '../base/pages/frame.ts';
import { type Html, html } from '../base/pages/html.ts';
import { PAGE_STATE_FIELD } from '../base/pages/sealed-form.ts';
import { findVerifyingTool } from '../call/tools/catalogue/permitted.ts';
import { scopesOf } from '../call/upstream/oauth/scopes.ts';
import type { CredentialKind, CredentialPart } from '../contract/index.ts';
import { CONNECT_PATH } from './client-metadata.ts';
import { type ConnectProblem, isAboutFields } from './problems.ts';
import { type ConnectVisit, isReconnect } from './visit.ts';

const MAX_FIELD_LENGTH = 4096;

interface FormState {
  readonly sealed: string;
  readonly problem: ConnectProblem | null;
  /** Index of the kind of credential that the problem concerns. */
  readonly kindIndex: number;
}

/** A form that the page shows. */
interface OfferedForm {
  readonly kind: CredentialKind;
  /** Position among all forms of the connector (see `formsOf`), which the form sends. */
  readonly index: number;
  readonly isExtra: boolean;
}

/** Returns the forms that can work, the preferred kind first: a sign-in needs a client that is registered at the service. */
function offeredForms({ request, canSignIn }: ConnectVisit): readonly OfferedForm[] {
  return formsOf(request.connector.credential)
    .map((kind, index) => ({ kind, index, isExtra: kind.isExtra === true }))
    .filter(({ kind }) => canSignIn || oauth2PartOf(kind) === undefined);
}

/** Returns the kinds of credential of which a person chooses one, and that can work. */
export function offeredKinds(visit: ConnectVisit): readonly CredentialKind[] {
  return offeredForms(visit).flatMap(({ kind, isExtra }) => (isExtra ? [] : [kind]));
}

/** The forms, the preferred kind first. */
export function kindForms(visit: ConnectVisit, state: FormState): Html {
  const kinds = offeredForms(visit).filter(({ isExtra }) => !isExtra);
  const extras = offeredForms(visit).filter(({ isExtra }) => isExtra);
  const headingOf = (kind: CredentialKind, position: number) => {
    if (kinds.length === 1) return null;
    return html`<h2>${position === 0 ? '' : 'Or: '}${kind.label}</h2>`;
  };
  return html`${kinds.map(({ kind, index }, position) => html`${headingOf(kind, position)}${kindForm(visit, kind, index, state)}`)}${extras.map(({ kind, index }) => extraForm(visit, kind, index, state))}`;
}

/** Returns the folded form for a credential that only few tools need, open if it was sent. Null if no tool that is served needs it. */
function extraForm(visit: ConnectVisit, kind: CredentialKind, index: number, state: FormState): Html | null {
  const { connector } = visit.request;
  const count = connector.tools.filter(({ extra }) => extra === kind.label).length;
  if (count === 0) return null;
  const isOpen = state.problem === null ? visit.extra === kind.label : state.kindIndex === index;
  return html`<details${isOpen ? html` open` : null}><summary>Already connected? Add: ${kind.label}</summary>
<p class="quiet">${count === 1 ? 'One tool needs it' : `${count} tools need it`}, all others work without. It is kept with your connection.</p>
${kindForm(visit, kind, index, state)}</details>`;
}

/** In a frame: continues once the person has signed in, in the window that another form has opened. */
export function waitForm(visit: ConnectVisit, sealed: string): Html | null {
  if (visit.session?.frame?.isInside !== true) return null;
  return html`<form method="post" action="${actionOf(visit)}" id="${AFTER_WINDOW}" hidden>
${hidden(PAGE_STATE_FIELD, sealed)}
<p role="status">Sign in to ${visit.request.connector.title} in the window that opened, then continue here.</p>
<div class="actions">${button('Continue', { kind: 'primary', sends: ['decision', 'continue'] })}</div>
</form>`;
}

/** The form that skips a service, or ends the visit. */
export function leaveForm(visit: ConnectVisit, sealed: string): Html {
  const canSkip = visit.session !== null && visit.session.row.services.length > 1;
  return html`<form method="post" action="${actionOf(visit)}">
${hidden(PAGE_STATE_FIELD, sealed)}
<div class="actions leave">
${canSkip ? button(`Skip ${visit.request.connector.title}`, { sends: ['decision', 'skip'] }) : null}
${button('Cancel', { kind: 'link', sends: ['decision', 'decline'] })}
</div>
</form>`;
}

function kindForm(visit: ConnectVisit, kind: CredentialKind, index: number, state: FormState): Html {
  const { title } = visit.request.connector;
  const presetValues = presetValuesOf(visit);
  const fields = typedFieldsOf(kind).filter(({ field }) => !Object.hasOwn(presetValues, field));
  const part = oauth2PartOf(kind);
  const usesRedirect = part?.oauth2.flow === 'authorization_code';
  const wrong = state.problem !== null && isAboutFields(state.problem) && state.kindIndex === index;
  const isFirst = visit.extra === null ? index === offeredForms(visit)[0]?.index : kind.label === visit.extra;
  const key = { index, isWrong: wrong, isFirst };
  const isTest = visit.request.partner.realm === 'test';
  const link = kind.url === null || isTest ? null : linkTo(kind.url, title);
  const inWindow = usesRedirect && visit.session?.frame?.isInside === true;
  const presets = kind.parts.flatMap(({ id, label }) =>
    Object.hasOwn(presetValues, id) ? [html`<p>${label}: <strong>${presetValues[id] ?? ''}</strong></p>`] : [],
  );
  const helpLink = fields.length === 0 && link !== null ? html` ${link}` : null;
  const help =
    kind.parts.length === 0
      ? null
      : html`<p class="quiet" id="connect-help-${index}">${isTest ? testHelp(title) : kind.help}${helpLink}</p>`;
  return html`<form method="post" action="${actionOf(visit)}"${inWindow ? OPENS_WINDOW : html` data-busy="${busyLabel(visit, kind)}"`}>
${hidden(PAGE_STATE_FIELD, state.sealed)}
${hidden('kind', String(index))}
${presets}
${fields.length === 0 ? null : inputs(fields, key, link)}
${help}
${part === undefined ? null : scopes(scopesOf(visit.request.connector, part, kind), title)}
<div class="actions">
${button(connectLabel(visit, usesRedirect), { kind: 'primary', sends: ['decision', 'connect'] })}
</div>
</form>`;
}

/** Returns the text of the button. */
function connectLabel(visit: ConnectVisit, usesRedirect: boolean): string {
  const { title } = visit.request.connector;
  if (isReconnect(visit)) return usesRedirect ? `Reconnect with ${title}` : 'Reconnect';
  return usesRedirect ? `Continue with ${title}` : 'Connect';
}

/** Returns the text of the button while the form is being sent. */
function busyLabel({ request: { connector } }: ConnectVisit, kind: CredentialKind): string {
  if (oauth2PartOf(kind)?.oauth2.flow === 'authorization_code') return `Opening ${connector.title}…`;
  const isChecked = kind.parts.length > 0 && findVerifyingTool(connector) !== null;
  return isChecked ? `Checking with ${connector.title}…` : 'Connecting…';
}

/** Returns the address to which the forms of a visit are sent. */
export function actionOf({ request, session }: ConnectVisit): string {
  return session === null ? `${CONNECT_PATH}/${request.connector.name}` : CONNECT_PATH;
}

function inputs(
  fields: readonly CredentialField[],
  { index: kind, isWrong, isFirst }: { index: number; isWrong: boolean; isFirst: boolean },
  link: Html | null,
): Html {
  return html`${fields.map(({ label, isSecret, isRequired }, index) => {
    const name = inputName(index);
    const id = kind === 0 ? name : `kind-${kind}-${name}`;
    return html`<div class="label"><label for="${id}">${label}</label>${index === 0 ? link : null}</div>
<input type="${isSecret ? 'password' : 'text'}" id="${id}" name="${name}" autocomplete="${isSecret ? 'new-password' : 'off'}"
 autocapitalize="none" autocorrect="off" spellcheck="false"${isRequired ? REQUIRED : null}${isFirst && index === 0 ? AUTOFOCUS : null}${isWrong ? INVALID : null}
 aria-describedby="${isWrong ? 'connect-problem ' : ''}connect-help-${kind}">`;
  })}`;
}

const REQUIRED = html` required`;
const AUTOFOCUS = html` autofocus`;
const INVALID = html` aria-invalid="true"`;

function testHelp(title: string): string {
  return `A sandbox stands in for ${title} and accepts any value or account. Never use real ones here.`;
}

function linkTo(url: string, title: string): Html {
  return html`<a href="${url}" target="_blank" rel="noopener noreferrer">Find it in ${title}<span class="unseen"> (new tab)</span></a>`;
}

function scopes(requestedScopes: readonly string[], title: string): Html | null {
  if (requestedScopes.length === 0) return null;
  return html`<details class="scopes"><summary>What ${title} will be asked for (${requestedScopes.length})</summary>
<ul>${requestedScopes.map((scope) => html`<li><code>${scope}</code></li>`)}</ul></details>`;
}

/** One typed value. */
interface CredentialField {
  /** Name under which the connection stores it (see `CredentialPart`). */
  readonly field: string;
  readonly label: string;
  /** Hidden while it is typed, and never written back into a page. */
  readonly isSecret: boolean;
  readonly isRequired: boolean;
}

/** The fields of a kind of credential, in order, without duplicates. Values from an authorization server are not typed. */
function typedFieldsOf({ parts }: CredentialKind): readonly CredentialField[] {
  const fields = parts.flatMap(toFields);
  return fields.filter(({ field }, index) => fields.findIndex((candidate) => candidate.field === field) === index);
}

function toFields(part: CredentialPart): CredentialField[] {
  const { id, label, type } = part;
  if (type === 'oauth2') return [];
  if (type !== 'basic') return [{ field: id, label, isSecret: part.isPublic !== true, isRequired: true }];
  return [
    // A service that takes its API key as the user name needs no password.
    { field: `${id}.username`, label: `${label}: user name`, isSecret: false, isRequired: true },
    { field: `${id}.password`, label: `${label}: password`, isSecret: true, isRequired: false },
  ];
}

/** Name of the n-th input. The descriptor's names stay hidden from pages and browsers. */
function inputName(index: number): string {
  return `credential-${index}`;
}

/** Values by field name. Null for an open service. */
export type CredentialValues = Readonly<Record<string, string>> | null;

/** Returns the values that the partner's session has set, such as the tenant. The page shows them, and the form cannot change them. */
function presetValuesOf({ request, session }: ConnectVisit): Readonly<Record<string, string>> {
  return session?.row.account?.values?.[request.connector.name] ?? {};
}

/** Reads every typed field of the credential kind. */
export function readFields(
  form: URLSearchParams,
  kind: CredentialKind,
  visit: ConnectVisit,
): { readonly fields: CredentialValues } | ConnectProblem {
  if (kind.parts.length === 0) return { fields: null };
  const presetValues = presetValuesOf(visit);
  const typedFields = typedFieldsOf(kind).filter(({ field }) => !Object.hasOwn(presetValues, field));
  const typed = [
    ...typedFields.map(({ field, isRequired }, index) => {
      return { field, isRequired, value: (form.get(inputName(index)) ?? '').trim() };
    }),
    ...kind.parts.flatMap(({ id: field }) => {
      const value = Object.hasOwn(presetValues, field) ? presetValues[field] : undefined;
      return value === undefined ? [] : [{ field, isRequired: true, value }];
    }),
  ];
  if (typed.some(({ isRequired, value }) => isRequired && value === '')) return { kind: 'missing' };
  if (typed.some(({ value }) => value.length > MAX_FIELD_LENGTH)) return { kind: 'unsendable' };
  const fields = Object.fromEntries(typed.map(({ field, value }) => [field, value]));
  const unfit = kind.parts.find(
    (part) => part.type !== 'oauth2' && part.type !== 'basic' && !isFit(part, fields[part.id] ?? ''),
  );
  return unfit === undefined ? { fields } : { kind: 'unfit', label: unfit.label };
}
