/** The page about calls that ask the user first. It has rules of the user, which only add to other rules, and approvals of a tool for one day. */

import { originOf } from '../../base/http/request-origin.ts';
import { button, checkbox, foreign, hidden } from '../../base/pages/components.ts';
import { type Html, html } from '../../base/pages/html.ts';
import { PageError } from '../../base/pages/page-errors.ts';
import { relativeTime } from '../../base/pages/times.ts';
import { emit } from '../../base/store/events.ts';
import { endStanding, type ListedApproval, listApprovals } from '../../base/store/repositories/calls/approvals.ts';
import { listConnections } from '../../base/store/repositories/connections.ts';
import { listSharedAccounts } from '../../base/store/repositories/teams.ts';
import { changeOwnRules } from '../../base/store/repositories/users.ts';
import { isToolApprovalRequired, userRulesOf } from '../../call/tools/approvals/policy.ts';
import { effectName, effectOf } from '../../call/tools/catalogue/facts.ts';
import type { Connector } from '../../contract/index.ts';
import { listUsableServices } from '../../identity/grants/allowed/list.ts';
import { USER_PAGE_PATH } from '../../identity/partners/user-links.ts';
import { clientOf } from './approvals.ts';
import type { Outcome, UserAction, UserRequest } from './request.ts';
import { serviceTitle, userPage } from './view.ts';

export const APPROVAL_RULES_PATH = `${USER_PAGE_PATH}/asking`;

const MAX_CHOICES = 100;

const DONE: Readonly<Record<string, string>> = {
  saved: 'Your choice is saved. It holds from the next call.',
  ended: 'You are asked again, from the next call.',
};

export async function showApprovalRules(request: UserRequest): Promise<Outcome> {
  const { deps, user, partner, now } = request;
  const owner = { partnerId: user.partnerId, userId: user.id };
  const choices = await listApprovals(deps.db, { ...owner, standingAt: now, limit: MAX_CHOICES });
  const connections = await listConnections(deps.db, user.id);
  const shared = await listSharedAccounts(deps.db, user.id, connections);
  const accountOf = ({ connectionId }: ListedApproval) =>
    connections.find(({ id }) => id === connectionId)?.accountName ??
    shared.find((account) => account.connectionId === connectionId)?.accountName;
  const services = new Set(await listUsableServices(deps.db, user.id, partner));
  const content = html`${choices.length === 0 ? null : html`<h2>Not asked for a day</h2>${choices.map((choice) => choiceCard(choice, accountOf(choice) ?? null, request))}`}
<h2>Asked before each call</h2>
<p class="quiet">You can add to what others require, and take back only what you have added yourself.</p>
${[...services].map((service) => serviceCard(service, request))}
<p><a href="${USER_PAGE_PATH}">Back to everything that you have allowed</a></p>
`;
  return userPage(request, { title: 'When to ask me', content, done: DONE });
}

/** @param account name of the account, or null if the service has only one. */
function choiceCard(choice: ListedApproval, account: string | null, request: UserRequest): Html {
  const { id, service, tool, expiresAt } = choice;
  return html`<article><h3>${request.deps.catalogue.find(tool)?.tool.title ?? tool}</h3>
<p class="quiet">${serviceTitle(service, request)}${account === null ? null : html` (${foreign(account)})`}, called by ${clientOf(choice, request)} without asking until ${relativeTime(expiresAt, request.now)}</p>
<form method="post" action="${APPROVAL_RULES_PATH}/choices/${id}/end">${hidden('csrf', request.csrf)}
<div class="actions">${button('Ask again')}</div></form></article>`;
}

function serviceCard(service: string, request: UserRequest): Html | null {
  const { deps, partner, user, csrf } = request;
  const connector = deps.catalogue.findConnector(service);
  const tools = connector === undefined ? [] : writingTools(connector, request);
  if (connector === undefined || tools.length === 0) return null;
  const rules = userRulesOf(user);
  const { required = [], optional = [] } = Object.groupBy(tools, ({ name }) =>
    isToolApprovalRequired(deps.approvals, name, partner, { approvals: null }) ? 'required' : 'optional',
  );
  const everyToolOption = {
    value: service,
    label: 'Every tool that writes',
    remark: 'Also those that are added later',
  };
  return html`<article><h3>${connector.title}</h3>
<form method="post" action="${APPROVAL_RULES_PATH}/services/${encodeURIComponent(service)}">${hidden('csrf', csrf)}
${checkbox('every', everyToolOption, rules.includes(`service:${service}`))}
${
  optional.length === 0
    ? null
    : html`<details><summary>Single tools</summary>${optional.map((tool) =>
        checkbox(
          'tool',
          { value: tool.name, label: tool.title, remark: `${tool.name}: ${effectName(effectOf(tool))}` },
          rules.includes(`tool:${tool.name}`),
        ),
      )}</details>`
}
${required.length === 0 ? null : html`<details><summary>Always ask: ${required.length}</summary><ul>${required.map(({ title }) => html`<li>${title}</li>`)}</ul></details>`}
<div class="actions">${button('Save', { kind: 'primary' })}</div></form></article>`;
}

function writingTools(connector: Connector, { deps: { catalogue } }: UserRequest) {
  return catalogue.toolsOf(connector).filter(({ annotations }) => !annotations.readOnlyHint);
}

/** Replaces the user's rules of one service. @throws {PageError} 404. */
export async function saveRules(action: UserAction): Promise<Outcome> {
  const { deps, form, user, partner, now } = action;
  const service = action.param('service');
  const connector = deps.catalogue.findConnector(service);
  const isUsable = (await listUsableServices(deps.db, user.id, partner)).includes(service);
  if (connector === undefined || !isUsable) throw nothingToChange();
  const tickedRules = form.getAll('tool').map((name) => `tool:${name}`);
  if (form.has('every')) tickedRules.push(`service:${service}`);
  const ofService = [`service:${service}`, ...writingTools(connector, action).map(({ name }) => `tool:${name}`)];
  const selectedRules = ofService.filter((rule) => tickedRules.includes(rule));
  await deps.db.transaction().execute(async (transaction) => {
    await changeOwnRules(transaction, user.id, (rules) => [
      ...rules.filter((rule) => !ofService.includes(rule)),
      ...selectedRules,
    ]);
    const details = { service, asked: selectedRules, by: 'user' };
    await emit(transaction, { type: 'own_rules_changed', ...ofUser(action), now, details });
  });
  return { redirect: `${APPROVAL_RULES_PATH}?done=saved` };
}

/** Ends the approval of calls of a tool. @throws {PageError} 404. */
export async function endStandingApproval(action: UserAction): Promise<Outcome> {
  const { deps, user, now } = action;
  await deps.db.transaction().execute(async (transaction) => {
    const [ended] = await endStanding(transaction, { id: action.param('choice'), userId: user.id });
    if (ended === undefined) throw nothingToChange();
    const { id: approval, service, tool, grantId } = ended;
    const details = { approval, service, tool, by: 'user' };
    await emit(transaction, { type: 'standing_approval_ended', ...ofUser(action), grantId, now, details });
  });
  return { redirect: `${APPROVAL_RULES_PATH}?done=ended` };
}

function ofUser({ ctx, user }: UserAction) {
  return { partnerId: user.partnerId, userId: user.id, ...originOf(ctx) };
}

function nothingToChange(): PageError {
  return new PageError(404, {
    title: 'Nothing was changed',
    text: 'The service is not connected any more, or this choice has ended.',
    advice: 'Open your page again.',
  });
}
