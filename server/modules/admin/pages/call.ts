/** The page of one call: what happened and the fix in one sentence each, then all recorded facts. */

import { address } from '../../../base/dashboard/list.ts';
import { ADMIN_PATH, noSuchPage } from '../../../base/dashboard/pages.ts';
import { counted, figure, moment, partnerLink, toolLink, untrusted, userLink } from '../../../base/dashboard/parts.ts';
import { connectionBadge, type Fact, facts } from '../../../base/pages/components.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import { type FoundCall, findCall } from '../../../base/store/reports/call-search.ts';
import { findConnection } from '../../../base/store/reports/connection-list.ts';
import { listConnections } from '../../../base/store/repositories/connections.ts';
import { findPartner } from '../../../base/store/repositories/partners.ts';
import { isUnsent } from '../../../call/tools/results/outcomes.ts';
import { explainOutcome } from '../../../call/tools/results/why-texts.ts';
import { type AdminPage, type AdminRequest, titleOf } from '../context.ts';
import { callerLink, clientLink, INVALID, outcomeBadge } from './calls.ts';
import { accountTitle, CALLS_PATH, callsAddress, DASHBOARD_TOKEN_ID, trailLink } from './links.ts';

/** One call. Its arguments and answer are not recorded. */
export const CALL: AdminPage<FoundCall> = {
  path: `${CALLS_PATH}/:id`,
  section: CALLS_PATH,
  async find({ deps, params }) {
    const call = await findCall(deps.db, params.id ?? '');
    if (call !== undefined) return call;
    const text = 'No call has this address. Records are kept for CALL_RECORD_RETENTION_DAYS.';
    throw noSuchPage('call', text, 'Search for it in the list of calls.');
  },
  async show(request, call) {
    const content = html`<h1>Call of <code>${call.tool}</code></h1>
${facts(await explanationFacts(request, call))}
<h2>Who and what</h2>
${facts(await subjectFacts(request, call))}
<h2>Details</h2>
<p>Arguments and answers are not kept.${request.mayAct ? runAgainLink(request.deps, call) : null}</p>
${facts(detailFacts(request, call))}`;
    return { title: `Call of ${call.tool}`, content };
  },
};

/** Leads to the form of the tool with the same user and no values. Nothing if the tool or the user is gone. */
function runAgainLink({ catalogue }: AdminRequest['deps'], { tool, userId, externalUserId }: FoundCall): Html | null {
  if (catalogue.find(tool) === undefined || externalUserId === null) return null;
  return html` <a href="${address(`${ADMIN_PATH}/tools/${tool}`, { user: userId, values: 'none' })}">Run again</a> with values that you type.`;
}

/** What happened, and what to do about it. */
async function explanationFacts({ deps }: AdminRequest, call: FoundCall): Promise<readonly Fact[]> {
  const list: Fact[] = [{ term: 'Outcome', value: outcomeBadge(call.outcome) }];
  const { outcome, service, tool, userId } = call;
  const partner = (await findPartner(deps.db, call.partnerId))?.clientId ?? '';
  const explanation = explainOutcome(outcome, { partner, service, resource: deps.resource });
  if (explanation === undefined || outcome === 'ok') return list;
  list.push(
    { term: 'What happened', value: fromMarkdown(firstSentence(explanation.text)) },
    { term: 'Fix', value: fromMarkdown(explanation.fix) },
    { term: 'Who can fix it', value: FIXERS[explanation.fixedBy] },
  );
  if (isUnsent(outcome) && call.externalUserId !== null) {
    const why = address(`${ADMIN_PATH}/users/${userId}/why`, { tool, client: call.clientId });
    list.push({ term: 'Now', value: html`<a href="${why}">Check whether the client may call it now</a>` });
  }
  return list;
}

const FIXERS = {
  caller: 'the client that calls',
  user: 'the user',
  partner: 'the partner',
  operator: 'you, the operator',
  service: 'the service',
  nobody: 'no one: it passes',
} as const;

/** Text that documents share: links become their text, and code stays code. */
function fromMarkdown(text: string): Html {
  const parts = text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').split('`');
  return html`<span>${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}</span>`;
}

function firstSentence(text: string): string {
  return text.split(/(?<=\.) (?=[A-Z`])/, 1)[0] ?? text;
}

async function subjectFacts({ deps }: AdminRequest, call: FoundCall): Promise<readonly Fact[]> {
  const { userId, externalUserId, tool, createdAt, tokenId, clientId } = call;
  const timeline = address(`${ADMIN_PATH}/users/${userId}`, { before: String(createdAt + 1) });
  const atThatMoment =
    externalUserId === null ? null : html`, <a href="${timeline}#timeline">the timeline at that moment</a>`;
  const byOperator = tokenId === DASHBOARD_TOKEN_ID;
  const clientCalls = clientId === null ? null : html`, <a href="${callsAddress({ client: clientId })}">all calls</a>`;
  return [
    { term: 'When', value: moment(createdAt) },
    {
      term: 'User',
      value: html`${callerLink(call)}${atThatMoment}, <a href="${callsAddress({ user: userId })}">all calls</a>`,
    },
    { term: 'Partner', value: call.partnerName === null ? 'removed' : partnerLink(call) },
    {
      term: 'Client (unverified name)',
      value: byOperator ? 'none: an operator ran the tool in the dashboard' : html`${clientLink(call)}${clientCalls}`,
    },
    { term: 'Tool', value: html`${toolLink(tool)}, <a href="${callsAddress({ tool })}">all calls</a>` },
    { term: 'Connection', value: await connectionValue(deps, call) },
  ];
}

/** Links the connection that the call used, as it is today: one of the user, or one of someone else that a team shares. */
async function connectionValue(deps: AdminRequest['deps'], call: FoundCall): Promise<Html> {
  const { service, connectionId, userId } = call;
  const title = titleOf(deps, service);
  const own = (await listConnections(deps.db, userId)).find(
    (one) => one.service === service && one.id === (connectionId ?? one.id),
  );
  const shared = own === undefined && connectionId !== null ? await findConnection(deps.db, connectionId) : undefined;
  const connection = own ?? shared;
  if (connection === undefined) return html`${title}: not connected now`;
  const { account, userId: ownerId } = connection;
  const signedInAs = account === null ? null : html`, signed in as ${untrusted(account)}`;
  const owner = shared === undefined ? null : html` of ${userLink(shared)}, shared by a team`;
  return html`<a href="${ADMIN_PATH}/users/${ownerId}#connections">${accountTitle(title, own?.accountName ?? null)}</a>${owner}${signedInAs} ${connectionBadge(connection)}`;
}

function detailFacts({ deps }: AdminRequest, call: FoundCall): readonly Fact[] {
  const { outcome, upstreamStatus, upstreamCode, requestId, approvedBy } = call;
  const code = (text: string | null, otherwise: string) => (text === null ? otherwise : html`<code>${text}</code>`);
  const withoutStatus = isUnsent(outcome) ? 'none: nothing was sent' : 'none: no answer';
  const events = deps.trail === null ? null : html` and ${trailLink(deps, { q: requestId }, 'events')}`;
  const list: Fact[] = [
    { term: 'Upstream status', value: upstreamStatus === null ? withoutStatus : String(upstreamStatus) },
    {
      term: outcome === INVALID ? 'Arguments that are not valid' : 'Upstream code',
      value: code(upstreamCode, 'none'),
    },
    { term: 'Duration', value: `${figure(call.durationMs)} ms` },
    { term: 'Arguments', value: counted(call.requestBytes, 'byte') },
    { term: 'Result', value: counted(call.responseBytes, 'byte') },
    {
      term: 'Request id',
      value: html`<code>${requestId}</code>: <a href="${callsAddress({ request: requestId })}">calls</a>${events} of the request`,
    },
    { term: 'Grant', value: code(call.grantId, 'none') },
    { term: 'Tool definition', value: code(call.definition, 'not known') },
  ];
  if (approvedBy !== null) list.unshift({ term: 'Approved', value: APPROVED[approvedBy] });
  return list;
}

const APPROVED: Readonly<Record<NonNullable<FoundCall['approvedBy']>, string>> = {
  page: "on the user's own page",
  partner: 'in the application of the partner',
  client: 'by the client that asked',
  standing: 'by a standing choice of the user, who approved all calls of the tool by this client for a day',
};
