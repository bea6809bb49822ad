/** The page of one client: the access that the user can remove. */

import { button, type Choice, foreign, hidden } from '../../base/pages/components.ts';
import { type Html, html } from '../../base/pages/html.ts';
import { PageError } from '../../base/pages/page-errors.ts';
import { currentAllowance } from '../../base/principal/allowance.ts';
import { isToolApprovalRequired } from '../../call/tools/approvals/policy.ts';
import { countEffects, effectName, toolCounts } from '../../call/tools/catalogue/facts.ts';
import { effectsOf } from '../../identity/grants/allowed/consent-options.ts';
import { type AllowedGrant, findAllowed, listUsableServices } from '../../identity/grants/allowed/list.ts';
import { USER_PAGE_PATH } from '../../identity/partners/user-links.ts';
import type { Outcome, UserRequest } from './request.ts';
import { boxes, holderOf, serviceTitle, userPage } from './view.ts';

const TOOLS_PER_PAGE = 100;

type NamedChoice = Choice & { readonly name: string };

/** @param problem why the submitted form was refused. Default: none. @throws {PageError} 404. */
export async function showClient(request: UserRequest, problem: Html | null = null): Promise<Outcome> {
  const { allowed, connected } = await findClient(request);
  const { grant, may } = allowed;
  const path = `${USER_PAGE_PATH}/clients/${grant.id}`;
  const content = html`<form method="post" action="${path}/narrow">${hidden('csrf', request.csrf)}
${boxes('Services', serviceChoices(allowed, connected, request))}
${boxes('Kinds of tools', kindChoices(allowed))}
<div class="actions">${button('Remove what is selected', { kind: 'primary' })}</div></form>
<h2>Single tools</h2>
<ul>${may.map(({ name, title }) => html`<li><a href="${path}/tools/${encodeURIComponent(name)}">Tools of ${title}</a></li>`)}</ul>
<p><a href="${USER_PAGE_PATH}">Back to everything that you have allowed</a></p>`;
  return clientPage(allowed, request, content, problem);
}

function serviceChoices(
  { grant, may }: AllowedGrant,
  connected: readonly string[],
  request: UserRequest,
): readonly NamedChoice[] {
  const choices: NamedChoice[] = may.map((service) => ({
    name: 'service',
    value: service.name,
    label: service.title,
    remark: toolCounts(effectsOf(service)),
  }));
  const later = grant.services?.filter((service) => !connected.includes(service));
  if (later?.length !== 0) {
    const titles = later?.slice(0, 20).map((service) => serviceTitle(service, request));
    choices.push({
      name: 'later',
      value: 'yes',
      label: 'Services that you connect later',
      remark: titles === undefined ? 'It may use them as soon as they are connected.' : `Among ${titles.join(', ')}`,
    });
  }
  return choices;
}

function kindChoices({ may }: AllowedGrant): readonly NamedChoice[] {
  const { writes, destroys } = countEffects(may.flatMap(({ tools }) => tools.map(({ effect }) => effect)));
  const choices: NamedChoice[] = [];
  if (writes + destroys > 0) {
    choices.push({
      name: 'writing',
      value: 'yes',
      label: 'Everything that writes',
      remark: `Keeps read-only tools. ${toolCounts({ reads: 0, writes, destroys })}.`,
    });
  }
  if (destroys > 0) {
    choices.push({
      name: 'destructive',
      value: 'yes',
      label: 'What deletes or overwrites',
      remark: toolCounts({ reads: 0, writes: 0, destroys }),
    });
  }
  return choices;
}

/** Lists the tools of one service that the client may call, to remove one by one. @throws {PageError} 404. */
export async function showTools(request: UserRequest): Promise<Outcome> {
  const { allowed } = await findClient(request);
  const { deps, partner, user } = request;
  const connector = deps.catalogue.findConnector(request.param('service'));
  if (connector === undefined) throw noSuchClient();
  const { tools = [] } = allowed.may.find(({ name }) => name === connector.name) ?? {};
  const after = request.query('after') ?? '';
  const rest = tools.filter(({ name }) => name > after);
  const page = rest.slice(0, TOOLS_PER_PAGE);
  const choices = page.map(({ name, title, effect }) => {
    const remark = `${name}: ${effectName(effect)}`;
    const asksUser = isToolApprovalRequired(deps.approvals, name, partner, user);
    return {
      name: 'tool',
      value: name,
      label: title,
      remark: asksUser ? `${remark}; you approve each call` : remark,
    };
  });
  const path = `${USER_PAGE_PATH}/clients/${allowed.grant.id}`;
  const content = html`<form method="post" action="${path}/narrow">${hidden('csrf', request.csrf)}
${
  choices.length === 0
    ? html`<p>There is no tool of ${connector.title} to remove.</p>`
    : html`${boxes(`Tools of ${connector.title}`, choices)}<div class="actions">${button('Remove what is selected', { kind: 'primary' })}</div>`
}</form>
${rest.length > page.length ? html`<p><a href="${path}/tools/${encodeURIComponent(connector.name)}?after=${encodeURIComponent(page.at(-1)?.name ?? '')}" rel="next">More tools</a></p>` : null}
<p><a href="${path}">Back to services and kinds of tools</a></p>`;
  return clientPage(allowed, request, content);
}

/** The error for a URL that names no live grant of the user. */
export function noSuchClient(): PageError {
  return new PageError(404, {
    title: 'No such client',
    text: 'There is no such client, or it has lost its access already.',
    advice: 'Open your page again to see the clients that have access.',
  });
}

async function findClient(request: UserRequest): Promise<{ allowed: AllowedGrant; connected: readonly string[] }> {
  const { deps, user, partner, now } = request;
  const connected = await listUsableServices(deps.db, user.id, partner);
  const { catalogue } = deps;
  const filter = {
    userId: user.id,
    allowance: currentAllowance(user, now),
    connected,
    catalogue,
    now,
    id: request.param('grant'),
  };
  const allowed = await findAllowed(deps.db, filter);
  if (allowed === undefined) throw noSuchClient();
  return { allowed, connected };
}

function clientPage(allowed: AllowedGrant, request: UserRequest, content: Html, problem: Html | null = null): Outcome {
  const holder = holderOf(allowed.grant, request.partner);
  return userPage(request, {
    title: `Reduce the access of ${holder}`,
    heading: html`Reduce the access of ${foreign(holder)}`,
    problem,
    content: html`<p>What you remove is gone at once. To give it back, connect the client again.</p>
${content}`,
  });
}
