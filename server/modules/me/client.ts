/** The page of one client: the access that the user can remove. */

import { button, foreign, hidden } from '../../base/pages/components.ts';
import { type Html, html } from '../../base/pages/html.ts';
import { PageError } from '../../base/pages/page-errors.ts';
import { asksFirst } from '../../call/tools/approvals/policy.ts';
import { countEffects, effectName, toolCounts } from '../../call/tools/catalogue/facts.ts';
import { effectsOf } from '../../identity/grants/allowed/consent-options.ts';
import { type AllowedGrant, findAllowed, listUsableServices } from '../../identity/grants/allowed/list.ts';
import { USER_PAGE_PATH } from '../../identity/partners/user-links.ts';
import type { Outcome, UserRequest } from './request.ts';
import { boxes, holderOf, owner } from './view.ts';

const TOOLS_PER_PAGE = 100;

/** @param problem why the submitted form was refused. Default: none. @throws {PageError} 404. */
export async function showClient(request: UserRequest, problem: Html | null = null): Promise<Outcome> {
  const { allowed, connected } = await clientOf(request);
  const { grant, may } = allowed;
  const path = `${USER_PAGE_PATH}/clients/${grant.id}`;
  const later = laterServices(allowed, connected, request);
  const { writes, destroys } = countEffects(may.flatMap(({ tools }) => tools.map(({ effect }) => effect)));
  const content = html`${head(allowed, request, problem)}
<form method="post" action="${path}/narrow">${hidden('csrf', request.csrf)}
${boxes('Services', [
  ...may.map((service) => ({
    name: 'service',
    value: service.name,
    label: service.title,
    remark: toolCounts(effectsOf(service)),
  })),
  ...(later === null ? [] : [{ name: 'later', value: 'yes', label: 'Services that you connect later', remark: later }]),
])}
${boxes('Kinds of tools', [
  ...(writes + destroys === 0
    ? []
    : [
        {
          name: 'writing',
          value: 'yes',
          label: 'Everything that writes',
          remark: `Keeps tools that read. ${toolCounts({ reads: 0, writes, destroys })}.`,
        },
      ]),
  ...(destroys === 0
    ? []
    : [
        {
          name: 'destructive',
          value: 'yes',
          label: 'What deletes or overwrites',
          remark: toolCounts({ reads: 0, writes: 0, destroys }),
        },
      ]),
])}
<div class="actions">${button('Remove what is selected', { kind: 'primary' })}</div></form>
<h2>Single tools</h2>
<ul>${may.map(({ name, title }) => html`<li><a href="${path}/tools/${encodeURIComponent(name)}">Tools of ${title}</a></li>`)}</ul>
<p><a href="${USER_PAGE_PATH}">Back to everything that you have allowed</a></p>`;
  return { title: titleOf(allowed, request, problem), content, status: problem === null ? 200 : 400 };
}

/** Lists the tools of one service that the client may call, to remove one by one. @throws {PageError} 404. */
export async function showTools(request: UserRequest): Promise<Outcome> {
  const { allowed } = await clientOf(request);
  const connector = request.deps.catalogue.findConnector(request.param('service'));
  if (connector === undefined) throw noSuchClient();
  const { deps, partner, user } = request;
  const asks = (tool: string) => asksFirst(deps.approvals, tool, partner, user);
  const { tools = [] } = allowed.may.find(({ name }) => name === connector.name) ?? {};
  const after = request.query('after') ?? '';
  const rest = tools.filter(({ name }) => name > after);
  const shown = rest.slice(0, TOOLS_PER_PAGE);
  const path = `${USER_PAGE_PATH}/clients/${allowed.grant.id}`;
  const content = html`${head(allowed, request, null)}
<form method="post" action="${path}/narrow">${hidden('csrf', request.csrf)}
${
  shown.length === 0
    ? html`<p>There is no tool of ${connector.title} to remove.</p>`
    : html`${boxes(
        `Tools of ${connector.title}`,
        shown.map(({ name, title, effect }) => ({
          name: 'tool',
          value: name,
          label: title,
          remark: `${name}: ${effectName(effect)}${asks(name) ? '; asks you before each call' : ''}`,
        })),
      )}<div class="actions">${button('Remove what is selected', { kind: 'primary' })}</div>`
}</form>
${rest.length > shown.length ? html`<p><a href="${path}/tools/${encodeURIComponent(connector.name)}?after=${encodeURIComponent(shown.at(-1)?.name ?? '')}" rel="next">More tools</a></p>` : null}
<p><a href="${path}">Back to services and kinds of tools</a></p>`;
  return { title: titleOf(allowed, request, null), content };
}

/** The error for a URL that names no live grant of the user. */
export function noSuchClient(): PageError {
  return new PageError(404, {
    title: 'No such client',
    text: 'There is no such client, or it has lost its access already.',
    advice: 'Open your page again to see the clients that have access.',
  });
}

async function clientOf(request: UserRequest): Promise<{ allowed: AllowedGrant; connected: readonly string[] }> {
  const { deps, user, partner, now } = request;
  const connected = await listUsableServices(deps.db, user.id, partner);
  const filter = { userId: user.id, connected, catalogue: deps.catalogue, now, id: request.param('grant') };
  const allowed = await findAllowed(deps.db, filter);
  if (allowed === undefined) throw noSuchClient();
  return { allowed, connected };
}

function head(allowed: AllowedGrant, request: UserRequest, problem: Html | null): Html {
  return html`<h1>Reduce the access of ${foreign(holderOf(allowed, request))}</h1>
${problem}
${owner(request)}
<p>What you remove is gone at once. To give it back, connect the client again.</p>`;
}

function titleOf(allowed: AllowedGrant, request: UserRequest, problem: Html | null): string {
  return `${problem === null ? '' : 'Error: '}Reduce the access of ${holderOf(allowed, request)}`;
}

/** Names the services that the grant includes but the user has not connected; null: none. */
function laterServices({ grant }: AllowedGrant, connected: readonly string[], { deps }: UserRequest): string | null {
  if (grant.services === null) return 'It may use them as soon as they are connected.';
  const titles = grant.services
    .filter((service) => !connected.includes(service))
    .map((service) => deps.catalogue.findConnector(service)?.title ?? service);
  return titles.length === 0 ? null : `Among ${titles.slice(0, 20).join(', ')}`;
}
