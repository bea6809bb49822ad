/** The pages of calls that wait for the user, to approve or deny each. */

import { originOf } from '../../base/http/request-origin.ts';
import { partnerNameOf } from '../../base/pages/brand.ts';
import { clientNameHtml } from '../../base/pages/client-name.ts';
import { alert, button, checkbox, type Fact, facts, hidden } from '../../base/pages/components.ts';
import { type Html, html } from '../../base/pages/html.ts';
import { PageError } from '../../base/pages/page-errors.ts';
import { exactTime, relativeTime } from '../../base/pages/times.ts';
import { type ListedApproval, listApprovals } from '../../base/store/repositories/calls/approvals.ts';
import { listConnections } from '../../base/store/repositories/connections.ts';
import { listSharedAccounts } from '../../base/store/repositories/teams.ts';
import {
  type CallDescription,
  openDescription,
  type PreviewLine,
} from '../../call/tools/approvals/call-description.ts';
import { decide, decideAll, STANDING_TTL_MS } from '../../call/tools/approvals/decide.ts';
import { allowTool, findToolToAllow, type ToolToAllow } from '../../identity/grants/allowed/tool-to-allow.ts';
import { toolConsentFacts, toolsChoice } from '../../identity/oauth/tool-consent-page.ts';
import { USER_APPROVALS_PATH, USER_PAGE_PATH } from '../../identity/partners/user-links.ts';
import { sourcesOf } from './allow.ts';
import { argumentList, type CallNames, differences, fitsInList } from './call-summary.ts';
import type { Outcome, UserAction, UserRequest } from './request.ts';
import { serviceTitle, userPage } from './view.ts';

const MAX_SHOWN = 100;

const DONE: Readonly<Record<string, string>> = {
  approved: 'You approved it. Ask the client to continue: it makes the call once, within 10 minutes.',
  allowed:
    'You allowed the tool and approved this call. Ask the client to continue: it makes the call once, within 10 minutes.',
  denied: 'You denied it. The client is told to stop.',
};

const STATES: Readonly<Record<string, string>> = {
  approved: 'You approved this call. The client makes it once.',
  denied: 'You denied this call.',
  spent: 'You approved this call, and it was made.',
};

/** The client of a call. */
type Asker = Pick<ListedApproval, 'grantId' | 'clientId' | 'clientName'>;

/** A call that waits, with its readable form. */
export interface Waiting {
  readonly row: ListedApproval;
  readonly summary: CallDescription;
}

/** @param problem why the submitted form was refused. Default: none. */
export async function showApprovals(request: UserRequest, problem: Html | null = null): Promise<Outcome> {
  const waiting = await findWaiting(request);
  const groups = [...Map.groupBy(waiting, ({ row }) => JSON.stringify([row.grantId, row.tool])).values()];
  const cards = await Promise.all(
    groups.map(async (group) => groupCard(group, await findMissingConsent(group[0]?.row, request), request)),
  );
  const content = html`${waiting.length === 0 ? html`<p>No call waits for your approval.</p>` : cards}
<p><a href="${USER_PAGE_PATH}">Back to everything that you have allowed</a></p>
`;
  return userPage(request, { title: 'Calls that wait for you', content, problem, done: DONE });
}

/** Shows one call in full. @throws {PageError} 404. */
export async function showApproval(request: UserRequest): Promise<Outcome> {
  const { deps, user, now } = request;
  const [row] = await listApprovals(deps.db, { ...keysOf(request), ids: [request.param('approval')], limit: 1 });
  if (row === undefined) throw noSuchCall();
  const summary = row.status === 'pending' ? openDescription(deps.approvals.sealer, row, now) : null;
  const connections = await listConnections(deps.db, user.id);
  const connection = connections.find(({ id }) => id === row.connectionId);
  const shared = await listSharedAccounts(deps.db, user.id, connections);
  const ofTeam = shared.find(({ connectionId }) => connectionId === row.connectionId);
  const account = ofTeam === undefined ? connection?.account : `${ofTeam.accountName}, shared by a team`;
  const service = serviceTitle(row.service, request);
  const about: Fact[] = [
    account ? { term: 'Service', value: service, remark: `Account: ${account}` } : { term: 'Service', value: service },
    { term: 'Asked by', value: clientOf(row, request) },
    { term: 'Asked', value: relativeTime(row.createdAt, now) },
  ];
  if (summary !== null) about.push({ term: 'Expires', value: relativeTime(row.expiresAt, now) });
  const content = html`${facts(about)}
${summary === null ? html`<p>${STATES[row.status] ?? 'You did not decide within 10 minutes. Nothing was done. The client can ask again.'}</p>` : detail({ row, summary }, await findMissingConsent(row, request), request)}
<p><a href="${USER_APPROVALS_PATH}">All calls that wait for you</a></p>`;
  return userPage(request, { title: summary?.title ?? row.tool, content });
}

/** Decides about the calls of the form, each as it was shown. */
export async function decideApprovals(action: UserAction): Promise<Outcome> {
  const { deps, form, user, now } = action;
  const decision = form.get('decision');
  const callKeys = form.getAll('call').slice(0, MAX_SHOWN);
  if (decision !== 'approve' && decision !== 'deny') throw noSuchCall();
  const facts = form.get('facts');
  if (decision === 'approve' && facts !== null) return allowAndApprove(action, facts);
  if (callKeys.length === 0) return showApprovals(action, alert('Nothing was decided', 'Select a call first.'));
  const acceptsPage = deps.approvals.channels.includes('page');
  const decisionOptions = { approve: decision === 'approve', channel: 'page', now, ...originOf(action.ctx) } as const;
  const isRemembered = form.get('remember') === 'yes';
  const waiting = new Map((await findWaiting(action, callKeys.map(idOf))).map((each) => [each.row.id, each]));
  const calls = callKeys.flatMap((call) => {
    const [id = '', digest = ''] = call.split('.');
    const waitingCall = waiting.get(id);
    if (waitingCall === undefined) return [];
    const { row, summary } = waitingCall;
    const standing = isRemembered ? summary.standing : null;
    return [{ id, digest, userId: user.id, partnerId: user.partnerId, clientId: row.clientId, standing }];
  });
  const decidedIds = acceptsPage
    ? await deps.db.transaction().execute((transaction) => decideAll(transaction, calls, decisionOptions))
    : new Set();
  const missedCount = callKeys.length - decidedIds.size;
  if (missedCount === 0)
    return { redirect: `${USER_APPROVALS_PATH}?done=${decisionOptions.approve ? 'approved' : 'denied'}` };
  const text = 'It was decided already, waited too long, or its client has lost its access.';
  return showApprovals(action, alert(`${missedCount} of ${callKeys.length} could not be decided`, text));
}

/**
 * Allows the tool of one call and approves the call, both as they were shown.
 *
 * @param facts of the tool that the form showed.
 */
async function allowAndApprove(action: UserAction, facts: string): Promise<Outcome> {
  const { deps, form, user, now, ctx } = action;
  const [id = '', digest = ''] = (form.get('call') ?? '').split('.');
  const [call] = await findWaiting(action, [id]);
  const tool = await findMissingConsent(call?.row, action);
  const isAsShown = tool === null || (tool.facts === facts && !tool.isForReading && action.isFromPartner);
  const event = { now, ...originOf(ctx) };
  const isDone =
    call !== undefined &&
    isAsShown &&
    deps.approvals.channels.includes('page') &&
    (await deps.db.transaction().execute(async (transaction) => {
      const { partnerId, id: userId } = user;
      const decided = { id, digest, userId, partnerId, clientId: call.row.clientId };
      if (!(await decide(transaction, decided, { approve: true, channel: 'page', ...event }))) return false;
      return tool === null || allowTool(transaction, tool, { isEvery: form.get('tools') === 'every', ...event });
    }));
  if (isDone) return { redirect: `${USER_APPROVALS_PATH}?done=${tool === null ? 'approved' : 'allowed'}` };
  const text = 'The call was decided already or waited too long, or the tool or its client has changed since.';
  return showApprovals(action, alert('Nothing was allowed', text));
}

/** Finds the tool of a call if the client that asked may not use it yet. Null if it may. */
async function findMissingConsent(row: ListedApproval | undefined, { deps }: UserRequest): Promise<ToolToAllow | null> {
  if (row === undefined || row.grantId === null) return null;
  return (await findToolToAllow({ grantId: row.grantId, tool: row.tool }, sourcesOf(deps))) ?? null;
}

function keysOf({ user }: UserRequest) {
  return { userId: user.id, partnerId: user.partnerId };
}

function idOf(callKey: string): string {
  return callKey.split('.')[0] ?? '';
}

/** Finds the calls that wait, at most as many as are listed. @param ids of the calls. Default: all. */
export async function findWaiting(request: UserRequest, ids?: readonly string[]): Promise<Waiting[]> {
  const { deps, now } = request;
  const selection = { ...keysOf(request), pendingAt: now, limit: MAX_SHOWN };
  const rows = await listApprovals(deps.db, ids === undefined ? selection : { ...selection, ids });
  return rows.flatMap((row) => {
    const summary = openDescription(deps.approvals.sealer, row, now);
    return summary === null ? [] : [{ row, summary }];
  });
}

/** Stands after the values of a call, wherever it can be approved. */
const WRITTEN_BY_CLIENT = html`<p>The client wrote these values. Approve only what you want.</p>`;

/** Calls of one tool by one client, to be decided one by one or together. Those that are too long to list have only links. */
function groupCard(group: readonly Waiting[], toAllow: ToolToAllow | null, request: UserRequest): Html {
  const [first] = group;
  if (first === undefined) throw new Error('a group has a member');
  const { row, summary } = first;
  // The titles of batches say how many calls they are.
  const title = hasOneTitle(group) ? summary.title : (request.deps.catalogue.find(row.tool)?.tool.title ?? row.tool);
  return html`<article><h2>${title}</h2>
<p class="quiet">${serviceTitle(row.service, request)}, asked by ${clientOf(row, request)}</p>
${toAllow === null && fitsInList(group.map((call) => call.summary)) ? decidable(first, group, request) : group.map((call) => linkToDecide(call, toAllow))}</article>`;
}

function hasOneTitle(group: readonly Waiting[]): boolean {
  return group.every(({ summary }) => summary.title === group[0]?.summary.title);
}

function decidable(first: Waiting, group: readonly Waiting[], request: UserRequest): Html {
  const names = namesFor(first, request);
  if (group.length === 1) {
    return html`${argumentList(first.summary, names)}
${WRITTEN_BY_CLIENT}
<p>${linkTo(first, 'See it on a page of its own')}</p>
${decisionForm(group, null, request)}`;
  }
  const calls = group.map((call, index) => ({
    summary: call.summary,
    box: selectBox(call, hasOneTitle(group) ? `Call ${index + 1}` : `Call ${index + 1}: ${call.summary.title}`),
    link: linkTo(call, 'Details'),
  }));
  return decisionForm(group, html`${differences(calls, names)}\n${WRITTEN_BY_CLIENT}`, request);
}

/** The link to a call that is too long to list, or whose tool must be allowed with it. */
function linkToDecide(call: Waiting, toAllow: ToolToAllow | null): Html {
  if (toAllow !== null) return html`<p>${linkTo(call, 'Allow the tool and decide')}</p>`;
  const { length } = call.summary.arguments;
  const what = length === 1 ? 'one argument' : `${length} arguments`;
  return html`<p>${linkTo(call, `See all of it, and decide: ${what}`)}</p>`;
}

function linkTo({ row }: Waiting, text: string): Html {
  return html`<a href="${USER_APPROVALS_PATH}/${row.id}">${text}</a>`;
}

function namesFor({ row }: Waiting, request: UserRequest): CallNames {
  return { service: serviceTitle(row.service, request), partner: partnerNameOf(request.partner) };
}

function detail(call: Waiting, toAllow: ToolToAllow | null, request: UserRequest): Html {
  const { preview, lookedUpAt } = call.summary;
  const names = namesFor(call, request);
  return html`<h2>What would be sent to ${names.service}</h2>
${argumentList(call.summary, names)}
${
  preview === null || lookedUpAt === undefined
    ? null
    : html`<h2>What it is about, as ${names.service} says</h2>${previewList(preview)}<p class="quiet">Looked up at ${exactTime(lookedUpAt, 'minute')}.</p>`
}
${WRITTEN_BY_CLIENT}
${toAllow === null ? decisionForm([call], null, request) : decideWithConsent(call, toAllow, request)}`;
}

/** One decision that allows the tool and approves the call. A user whom a connection code signed in allows the tool with a code first. */
function decideWithConsent(call: Waiting, toAllow: ToolToAllow, request: UserRequest): Html {
  const { grant, entry, facts: shownFacts } = toAllow;
  const about = html`<h2>The client may not use this tool yet</h2>
${toolConsentFacts(toAllow)}`;
  if (toAllow.isForReading) {
    return html`${about}
<p>Nobody can allow it: the application registered here for tools that read.</p>
<form method="post" action="${USER_APPROVALS_PATH}/decide">${hidden('csrf', request.csrf)}${hidden('call', nameOf(call))}
<div class="actions">${button('Deny', { sends: ['decision', 'deny'] })}</div></form>`;
  }
  if (!request.isFromPartner) {
    const consentRequest = { grantId: grant.id, tool: entry.tool.name, facts: shownFacts };
    const url = request.deps.toolConsent.links.urlOf(consentRequest, request.now);
    return html`${about}
<p><a href="${url}">Allow the tool with a connection code</a>, then come back to approve the call.</p>`;
  }
  return html`${about}
<form method="post" action="${USER_APPROVALS_PATH}/decide">${hidden('csrf', request.csrf)}${hidden('call', nameOf(call))}${hidden('facts', shownFacts)}
${toolsChoice(toAllow)}
<div class="actions">${button('Allow the tool and approve this call', { kind: 'primary', sends: ['decision', 'approve'] })}${button('Deny', { sends: ['decision', 'deny'] })}</div></form>`;
}

function previewList(lines: readonly PreviewLine[]): Html {
  return html`<div class="sent">${facts(
    lines.map(({ name, value }) => ({ term: name, value: html`<code class="value"><bdi>${value}</bdi></code>` })),
  )}</div>`;
}

/**
 * One decision about one call, or about those of several that the user selects.
 *
 * @param selection boxes that select among several calls, or null for one call.
 */
function decisionForm(calls: readonly Waiting[], selection: Html | null, request: UserRequest): Html {
  const [approve, deny] =
    selection === null ? ['Approve', 'Deny'] : ['Approve what is selected', 'Deny what is selected'];
  const mayRemember = calls.every(({ summary }) => summary.standing !== null);
  const remember = {
    value: 'yes',
    label: html`If I approve: do not ask again for this tool and client until tomorrow, ${exactTime(request.now + STANDING_TTL_MS, 'minute')}`,
    remark:
      'It then calls the tool with whatever arguments and the same account, without you. Your page shows this choice, and ends it.',
  };
  return html`<form method="post" action="${USER_APPROVALS_PATH}/decide">${hidden('csrf', request.csrf)}
${selection ?? calls.map((call) => hidden('call', nameOf(call)))}
${mayRemember ? checkbox('remember', remember, false) : null}
<div class="actions">${button(approve, { kind: 'primary', sends: ['decision', 'approve'] })}${button(deny, { sends: ['decision', 'deny'] })}</div></form>`;
}

/** Names the call as it is shown: another call has another digest. */
function nameOf({ row }: Waiting): string {
  return `${row.id}.${row.digest ?? ''}`;
}

function selectBox(call: Waiting, label: string): Html {
  const value = nameOf(call);
  return html`<span class="check"><input type="checkbox" name="call" id="call-${value}" value="${value}"><label for="call-${value}">${label}</label></span>`;
}

/** Names who asked for it. A client's own name is marked. */
export function clientOf({ grantId, clientId, clientName }: Asker, { partner }: UserRequest): Html {
  if (grantId === null) return html`The operator of this gateway`;
  if (clientId === null) return html`<bdi>${partnerNameOf(partner)}</bdi> itself`;
  return clientNameHtml(clientName, 'a client without a name', partner.name);
}

function noSuchCall(): PageError {
  return new PageError(404, {
    title: 'No such call',
    text: 'There is no such call of yours, its client took it back, or it waited more than a day ago.',
    advice: 'Open the list of calls that wait for you.',
  });
}
