/** The connect page: names partner and service, and offers each kind of credential that the service accepts. */

import { formsOf, kindsOf, oauth2PartOf } from '../base/credentials/kinds.ts';
import type { GatewayContext } from '../base/http/state.ts';
import { pairOf, partnerNameOf, serviceMarkOf } from '../base/pages/brand.ts';
import { alert, type Fact, facts, foreign } from '../base/pages/components.ts';
import { type Html, html, shownName } from '../base/pages/html.ts';
import { CARD, formTargetsOf, type Layout, type Page, sendPage } from '../base/pages/page.ts';
import { findVerifyingTool } from '../call/tools/catalogue/permitted.ts';
import { kindForms, leaveForm, offeredKinds, waitForm } from './credential-forms.ts';
import { type ConnectProblem, describeProblem, nounOf, statusOf } from './problems.ts';
import { ADDRESS_WINDOW_SECONDS } from './try-credential.ts';
import { logMissingClient } from './upstream-sign-in.ts';
import { type ConnectVisit, isReconnect, type SessionVisit } from './visit.ts';

interface ShownForm {
  readonly sealed: string;
  /** The reason why the last form was not accepted. Null or undefined if the page is shown for the first time. */
  readonly problem?: ConnectProblem | null;
  /** Position of the credential kind in the form that was not accepted. */
  readonly kindIndex?: number;
}

/** While a form is on its way, its button says what happens, and cannot be pressed again. The form keeps the button's value until it is sent. */
const BUSY_SCRIPT = `
for (const form of document.querySelectorAll('form[data-busy]')) {
  const button = form.querySelector('button.primary');
  const label = button.textContent;
  const show = (isBusy) => {
    button.textContent = isBusy ? form.dataset.busy : label;
    button.ariaBusy = isBusy;
    setTimeout(() => { button.disabled = isBusy; });
  };
  form.addEventListener('submit', () => show(true));
  addEventListener('pageshow', ({ persisted }) => { if (persisted) show(false); });
}
`;

const LAYOUT: Layout = { ...CARD, script: BUSY_SCRIPT };

/** Shows the page. Status 200, or the problem's: 400, 429 over a limit, 502 if the upstream is unavailable, 503. */
export function showConnectPage(ctx: GatewayContext, visit: ConnectVisit, form: ShownForm): void {
  const problem = form.problem ?? findSetupProblem(ctx, visit);
  if (problem?.kind === 'too-many') ctx.set('Retry-After', String(ADDRESS_WINDOW_SECONDS));
  sendPage(ctx, problem === null ? 200 : statusOf(problem), connectPage(visit, { ...form, problem }));
}

/** Returns a problem if no kind of credential can work, and logs what the operator must do. Returns null if one can work. */
function findSetupProblem(ctx: GatewayContext, visit: ConnectVisit): ConnectProblem | null {
  if (offeredKinds(visit).length > 0) return null;
  const { connector, partner } = visit.request;
  logMissingClient(ctx, connector, partner.id);
  return { kind: 'not-set-up' };
}

function connectPage(visit: ConnectVisit, { sealed, problem = null, kindIndex = 0 }: ShownForm): Page {
  const { request, session } = visit;
  const { connector, partner } = request;
  const heading = `${isReconnect(visit) ? 'Reconnect' : 'Connect'} ${connector.title}`;
  const kind = formsOf(connector.credential)[kindIndex];
  const sessionFacts = session === null ? [] : namedFacts(visit);
  const content = html`<header>${pairOf(partner, serviceMarkOf(connector))}
${session === null ? null : progress(session, connector.name)}<h1>${heading}</h1>
<p>Assistants you allow can use ${connector.title} in ${foreign(partnerNameOf(partner))}.</p></header>
${session === null ? html`<p class="asker">${namedFacts(visit).map(({ term, value }) => html`${term} <strong>${value}</strong>. `)}</p>` : null}
${problem === null ? null : alert(...describeProblem(problem, connector.title, nounOf(kind)), 'connect-problem')}
${session?.replaces == null || visit.extra !== null ? null : replaces(visit, session.replaces)}
${kindForms(visit, { sealed, problem, kindIndex })}
${waitForm(visit, sealed)}
${leaveForm(visit, sealed)}
${trust(visit)}
<details><summary>Details</summary>${facts([...sessionFacts, ...factsOf(visit)])}</details>`;
  return {
    title: problem === null ? heading : `Error: ${heading}`,
    content,
    brand: partner,
    formTargets: [...new Set([...formTargetsOf(request.redirectUri), ...upstreamTargets(visit)])],
    layout: LAYOUT,
  };
}

/** Returns the origins that forms which continue to the upstream's sign-in may lead to. */
function upstreamTargets({ request }: ConnectVisit): readonly string[] {
  return formsOf(request.connector.credential).flatMap((kind) => {
    const address = oauth2PartOf(kind)?.oauth2.authorizationUrl ?? null;
    return address === null ? [] : formTargetsOf(address);
  });
}

function progress({ row, connected }: SessionVisit, service: string): Html | null {
  const { services } = row;
  if (services.length === 1) return null;
  const at = services.indexOf(service) + 1;
  const done = connected.length === 0 ? '' : `, ${connected.length} connected`;
  return html`<p id="connect-progress">Service ${at} of ${services.length}${done}</p>`;
}

/** Returns the line, always visible, that says what happens to the credential. */
function trust(visit: ConnectVisit): Html | null {
  const { connector } = visit.request;
  const kind = offeredKinds(visit).find(({ parts }) => parts.length > 0);
  if (kind === undefined) return null;
  const { title } = connector;
  const encrypted =
    nounOf(kind) === 'sign-in'
      ? `The access that ${title} grants is stored encrypted.`
      : findVerifyingTool(connector) === null
        ? `The ${nounOf(kind)} is stored encrypted.`
        : `We check the ${nounOf(kind)} with ${title}, then encrypt it.`;
  return html`<p class="trust"><svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d="M4 7V5a4 4 0 0 1 8 0v2h1v8H3V7zm2 0h4V5a2 2 0 0 0-4 0z"/></svg>${encrypted} No assistant sees it.</p>`;
}

/** Whose connection it becomes, and where the person goes. Anyone can write these in a link without a session, so there they are not folded. */
function namedFacts({ request }: ConnectVisit): readonly Fact[] {
  return [
    { term: 'Signed in as', value: foreign(shownName(request.externalUserId) ?? 'A name that cannot be shown') },
    { term: 'Sends you back to', value: foreign(new URL(request.redirectUri).host) },
  ];
}

function factsOf({ request, session }: ConnectVisit): readonly Fact[] {
  const partner = foreign(partnerNameOf(request.partner));
  const since = session?.replaces == null ? [] : [{ term: 'Connected since', value: day(session.replaces.updatedAt) }];
  return [
    { term: 'Who can use it', value: html`Assistants that you allow, through ${partner}. None can read it.` },
    { term: 'In effect', value: html`Once ${partner} confirms it, until you disconnect it.` },
    ...since,
    ...(session === null
      ? [
          {
            term: 'If connected already',
            value: 'A new key for the same account replaces the old one. For another account, you are asked first.',
          },
        ]
      : []),
  ];
}

function day(time: number): Html {
  const iso = new Date(time).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 10)} UTC</time>`;
}

/** Returns one line about the effect on the existing connection. */
function replaces({ request, session }: ConnectVisit, { status }: NonNullable<SessionVisit['replaces']>): Html {
  const { title, credential } = request.connector;
  const lost = kindsOf(credential).some((kind) => oauth2PartOf(kind) !== undefined)
    ? 'gives access'
    : 'accepts the key';
  const isSure = status === 'attention' || session?.row.account?.mode === 'replace';
  const text = status === 'attention' ? `${title} no longer ${lost}.` : 'Already connected.';
  return html`<p class="notice caution" role="note"><strong>${text}</strong> ${isSure ? 'This replaces it.' : 'A new key for the same account replaces the old one.'}</p>`;
}
