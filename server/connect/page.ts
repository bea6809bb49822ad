/** The connect page: names the partner, the user and the service, and offers each kind of credential that the service accepts. */

import { formsOf, kindsOf, oauth2PartOf } from '../base/credentials/kinds.ts';
import type { GatewayContext } from '../base/http/state.ts';
import { markOf, partnerNameOf, serviceLogoPathOf, serviceMarkOf } from '../base/pages/brand.ts';
import { alert, caution, type Fact, facts, foreign } from '../base/pages/components.ts';
import { formTargetsOf } from '../base/pages/form-targets.ts';
import { type Html, html } from '../base/pages/html.ts';
import { type Page, sendPage } from '../base/pages/page.ts';
import { shownName } from '../base/pages/plain-text.ts';
import { kindForms, leaveForm } from './credential-forms.ts';
import { type ConnectProblem, statusOf, wordsOf } from './problems.ts';
import { ADDRESS_WINDOW_SECONDS } from './try-credential.ts';
import { type ConnectVisit, isReconnect, type SessionVisit } from './visit.ts';

interface ShownForm {
  readonly sealed: string;
  /** Why the last form was not accepted; null or absent: the page is shown for the first time. */
  readonly problem?: ConnectProblem | null;
  /** Position of the credential kind in the form that was not accepted. */
  readonly kindIndex?: number;
}

/** Shows the page. Status 200, or the problem's: 400, 429 over a limit, 502 if the upstream is unavailable, 503. */
export function showConnectPage(ctx: GatewayContext, visit: ConnectVisit, form: ShownForm): void {
  const { problem = null } = form;
  if (problem?.kind === 'too-many') ctx.set('Retry-After', String(ADDRESS_WINDOW_SECONDS));
  sendPage(ctx, problem === null ? 200 : statusOf(problem), connectPage(visit, form));
}

function connectPage(visit: ConnectVisit, { sealed, problem = null, kindIndex = 0 }: ShownForm): Page {
  const { request, session } = visit;
  const { connector } = request;
  const heading = `${isReconnect(visit) ? 'Reconnect' : 'Connect'} ${connector.title}`;
  const content = html`${session === null ? null : progress(session, connector.name)}<h1>${serviceMarkOf(serviceLogoPathOf(connector))}${heading}</h1>
${problem === null ? null : alert(...wordsOf(problem, connector.title), 'connect-problem')}
<p>${introduction(visit)}</p>
${facts(factsOf(visit))}
${session?.replaces == null || visit.extra !== null ? null : replaces(visit, session.replaces)}
${kindForms(visit, { sealed, problem, kindIndex })}
${leaveForm(visit, sealed)}`;
  return {
    title: problem === null ? heading : `Error: ${heading}`,
    content,
    brand: request.partner,
    formTargets: [...new Set([...formTargetsOf(request.redirectUri), ...upstreamTargets(visit)])],
  };
}

/** Where forms that continue to the upstream's sign-in may lead. */
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
  return html`<p class="quiet" id="connect-progress">Service ${at} of ${services.length}${done}</p>`;
}

function introduction({ request }: ConnectVisit): Html {
  const { title } = request.connector;
  return html`${foreign(partnerNameOf(request.partner))} can then let the assistants that you allow use ${title} on your behalf.`;
}

function factsOf({ request }: ConnectVisit): readonly Fact[] {
  const user = shownName(request.externalUserId);
  return [
    {
      term: 'Application',
      value: html`${markOf(request.partner)}${foreign(partnerNameOf(request.partner))}`,
    },
    { term: 'Your name there', value: foreign(user ?? 'A name that cannot be shown') },
    { term: 'Sends you back to', value: foreign(new URL(request.redirectUri).host) },
  ];
}

function replaces(
  { request, session }: ConnectVisit,
  { status, updatedAt }: NonNullable<SessionVisit['replaces']>,
): Html {
  const { title, credential } = request.connector;
  const isSure = status === 'attention' || session?.row.account?.mode === 'replace';
  const iso = new Date(updatedAt).toISOString();
  const lost = kindsOf(credential).some((kind) => oauth2PartOf(kind) !== undefined)
    ? 'gives access'
    : 'accepts the key';
  return caution(
    status === 'attention' ? `${title} no longer ${lost}` : `${title} is connected already`,
    html`Since <time datetime="${iso}">${iso.slice(0, 10)} UTC</time>. ${isSure ? 'What you connect now' : 'The same account'} replaces it once ${foreign(partnerNameOf(request.partner))} confirms it.${isSure ? null : ' For another one, you are asked.'}`,
  );
}
