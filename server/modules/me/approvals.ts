/** Calls that wait for the user: what each would do, to approve or deny it. */

import { originOf } from '../../base/http/request-origin.ts';
import { partnerNameOf } from '../../base/pages/brand.ts';
import {
  alert,
  button,
  type Choice,
  checkbox,
  type Fact,
  facts,
  foreign,
  hidden,
  toast,
} from '../../base/pages/components.ts';
import { type Html, html } from '../../base/pages/html.ts';
import { PageError } from '../../base/pages/page-errors.ts';
import { shownName } from '../../base/pages/plain-text.ts';
import { type ListedApproval, listApprovals } from '../../base/store/repositories/calls/approvals.ts';
import { listConnections } from '../../base/store/repositories/connections.ts';
import { decideAll, STANDING_TTL_MS } from '../../call/tools/approvals/decide.ts';
import { openShown, type Shown } from '../../call/tools/approvals/shown.ts';
import { USER_PAGE_PATH } from '../../identity/partners/user-links.ts';
import type { Outcome, UserAction, UserRequest } from './request.ts';
import { moment, owner } from './view.ts';

export const APPROVALS_PATH = `${USER_PAGE_PATH}/approvals`;

const MAX_SHOWN = 100;

const DONE: Readonly<Record<string, string>> = {
  approved: 'You approved it. Ask the client to continue: it makes the call once, within 10 minutes.',
  denied: 'You denied it. The client is told to stop.',
};

const STATES: Readonly<Record<string, string>> = {
  approved: 'You approved this call. The client makes it once.',
  denied: 'You denied this call.',
  spent: 'You approved this call, and it was made.',
};

/** A call that waits, with what is shown of it. */
interface Waiting {
  readonly row: ListedApproval;
  readonly shown: Shown;
}

/** How many calls wait, at most one more than are listed. */
export async function countWaiting(request: UserRequest): Promise<number> {
  return (await findWaiting(request)).length;
}

/** @param problem why the submitted form was refused. Default: none. */
export async function showApprovals(request: UserRequest, problem: Html | null = null): Promise<Outcome> {
  const waiting = await findWaiting(request);
  const done = DONE[request.query('done') ?? ''];
  const title = 'Calls that wait for you';
  const groups = [...Map.groupBy(waiting, ({ row }) => JSON.stringify([row.grantId, row.tool])).values()];
  const content = html`<h1>${title}</h1>
${problem}
${owner(request)}
${waiting.length === 0 ? html`<p>No call waits for your approval.</p>` : groups.map((group) => groupCard(group, request))}
<p><a href="${USER_PAGE_PATH}">Back to everything that you have allowed</a></p>
${done === undefined ? null : toast(done)}`;
  return { title: problem === null ? title : `Error: ${title}`, content, status: problem === null ? 200 : 400 };
}

/** Shows one call in full. @throws {PageError} 404. */
export async function showApproval(request: UserRequest): Promise<Outcome> {
  const { deps, user, now } = request;
  const [row] = await listApprovals(deps.db, { ...ownOf(request), ids: [request.param('approval')], limit: 1 });
  if (row === undefined) throw noSuchCall();
  const shown = row.status === 'pending' ? openShown(deps.approvals.sealer, row, now) : null;
  const connection = (await listConnections(deps.db, user.id)).find(({ id }) => id === row.connectionId);
  const title = shown?.title ?? row.tool;
  const service = titleOf(row.service, request);
  const about: Fact[] = [
    { term: 'Service', value: service, ...(connection?.account ? { remark: `Account: ${connection.account}` } : {}) },
    { term: 'Asked by', value: foreign(clientOf(row, request)) },
    { term: 'Asked', value: moment(row.createdAt) },
  ];
  const content = html`<h1>${title}</h1>
${owner(request)}
${facts([...about, ...(shown === null ? [] : [{ term: 'Waits until', value: moment(row.expiresAt) }])])}
${shown === null ? html`<p>${STATES[row.status] ?? 'You did not decide within 10 minutes. Nothing was done. The client can ask again.'}</p>` : detail({ row, shown }, service, request)}
<p><a href="${APPROVALS_PATH}">All calls that wait for you</a></p>`;
  return { title, content };
}

/** Decides about the calls of the form, each as it was shown. */
export async function decideApprovals(action: UserAction): Promise<Outcome> {
  const { deps, form, user, now } = action;
  const decision = form.get('decision');
  const named = form.getAll('call').slice(0, MAX_SHOWN);
  if (decision !== 'approve' && decision !== 'deny') throw noSuchCall();
  if (named.length === 0) return showApprovals(action, alert('Nothing was decided', 'Select a call first.'));
  const accepted = deps.approvals.channels.includes('page');
  const how = { approve: decision === 'approve', channel: 'page', now, ...originOf(action.ctx) } as const;
  const isRemembered = form.get('remember') === 'yes';
  const waiting = new Map((await findWaiting(action)).map((each) => [each.row.id, each]));
  const calls = named.map((call) => {
    const [id = '', digest = ''] = call.split('.');
    const { row, shown } = waiting.get(id) ?? {};
    const standing = isRemembered ? (shown?.standing ?? null) : null;
    return { id, digest, userId: user.id, partnerId: user.partnerId, clientId: row?.clientId ?? null, standing };
  });
  const decided = accepted
    ? await deps.db.transaction().execute((transaction) => decideAll(transaction, calls, how))
    : new Set();
  const missed = calls.filter(({ id }) => !decided.has(id)).length;
  if (missed === 0) return { redirect: `${APPROVALS_PATH}?done=${how.approve ? 'approved' : 'denied'}` };
  const text = 'It was decided already, waited too long, or its client has lost its access.';
  return showApprovals(action, alert(`${missed} of ${calls.length} could not be decided`, text));
}

function ownOf({ user }: UserRequest) {
  return { userId: user.id, partnerId: user.partnerId };
}

async function findWaiting(request: UserRequest): Promise<Waiting[]> {
  const { deps, now } = request;
  const rows = await listApprovals(deps.db, { ...ownOf(request), pendingAt: now, limit: MAX_SHOWN });
  return rows.flatMap((row) => {
    const shown = openShown(deps.approvals.sealer, row, now);
    return shown === null ? [] : [{ row, shown }];
  });
}

/** Calls of one tool by one client, to be decided one by one or together. */
function groupCard(group: readonly Waiting[], request: UserRequest): Html {
  const [first] = group;
  if (first === undefined) throw new Error('a group has a member');
  const { row, shown } = first;
  return html`<article><h3>${shown.title}</h3>
<p class="quiet">${titleOf(row.service, request)}, asked by ${foreign(clientOf(row, request))}</p>
${group.length === 1 ? html`<p><a href="${APPROVALS_PATH}/${row.id}">${foreign(shown.sentence)}</a></p>` : null}
${decisionForm(group, request)}</article>`;
}

function detail({ row, shown }: Waiting, service: string, request: UserRequest): Html {
  const { preview } = shown;
  return html`<h2>What would be sent to ${service}</h2>
${shown.arguments.length === 0 ? html`<p>No arguments.</p>` : lines(shown.arguments)}
${preview === null ? null : html`<h2>What it is about, as ${service} says</h2>${lines(preview)}`}
<p>The client wrote these values. Approve the call only if it is what you want.</p>
${decisionForm([{ row, shown }], request)}`;
}

function lines(list: Shown['arguments']): Html {
  return facts(
    list.map(({ name, value }) => ({ term: shownName(name) ?? '?', value: html`<code>${foreign(value)}</code>` })),
  );
}

/** One decision about one call, or about those of several that stay selected. */
function decisionForm(calls: readonly Waiting[], request: UserRequest): Html {
  const [approve, deny] =
    calls.length === 1 ? ['Approve', 'Deny'] : ['Approve what is selected', 'Deny what is selected'];
  return html`<form method="post" action="${APPROVALS_PATH}/decide">${hidden('csrf', request.csrf)}
${calls.map((call) => (calls.length === 1 ? hidden('call', nameOf(call)) : selectable(call)))}
${calls.every(({ shown }) => shown.standing !== null) ? checkbox('remember', rememberChoice(request), false) : null}
<div class="actions">${button(approve, { kind: 'primary', sends: ['decision', 'approve'] })}${button(deny, { sends: ['decision', 'deny'] })}</div></form>`;
}

function rememberChoice({ now }: UserRequest): Choice {
  return {
    value: 'yes',
    label: html`If I approve: do not ask again for this tool and client until tomorrow, ${moment(now + STANDING_TTL_MS)}`,
    remark:
      'It then calls the tool with whatever arguments and the same account, without you. Your page shows this choice, and ends it.',
  };
}

/** Names the call as it is shown: another call has another digest. */
function nameOf({ row }: Waiting): string {
  return `${row.id}.${row.digest ?? ''}`;
}

function selectable(call: Waiting): Html {
  const { row, shown } = call;
  const choice = { value: nameOf(call), label: foreign(shown.sentence), remark: '' };
  return html`${checkbox('call', choice, true)}<p><a href="${APPROVALS_PATH}/${row.id}">Everything that would be sent</a></p>`;
}

/** Who asked for it. */
export function clientOf({ grantId, clientId, clientName }: ListedApproval, { partner }: UserRequest): string {
  if (grantId === null) return 'The operator of this gateway';
  return clientId === null ? `${partnerNameOf(partner)} itself` : (shownName(clientName) ?? 'A client without a name');
}

function titleOf(service: string, { deps }: UserRequest): string {
  return deps.catalogue.findConnector(service)?.title ?? service;
}

function noSuchCall(): PageError {
  return new PageError(404, {
    title: 'No such call',
    text: 'There is no such call of yours, or it waited more than a day ago.',
    advice: 'Open the list of calls that wait for you.',
  });
}
