/** The page AI clients: per client the steps and a connection code, and the clients that may act for the person. */

import { capitalize, readClientName } from '../../../server/base/pages/client-name.ts';
import {
  badge,
  button,
  caution,
  confirmation,
  type Fact,
  facts,
  foreign,
  hidden,
} from '../../../server/base/pages/components.ts';
import { type Html, html, shownName } from '../../../server/base/pages/html.ts';
import { PageError } from '../../../server/base/pages/page-errors.ts';
import { dayOf, exactTime, relativeTime } from '../../../server/base/pages/times.ts';
import { MCP_PATH } from '../../../server/gateway-paths.ts';
import { CLIENTS, type ClientInstructions } from '../../../server/modules/landing/clients.ts';
import { answerOf, answerOrNull, type Schemas } from '../../partner/index.ts';
import type { PortalAction, PortalOutcome, PortalRequest } from '../request.ts';
import { listConnections, listServices, pageQuery } from './api.ts';

type Grant = Schemas['Grant'];
type Client = NonNullable<Grant['client']>;

/** Titles of services by name. */
type Titles = ReadonlyMap<string, string>;

const KINDS = ['Chat', 'Editor', 'Terminal', 'Your own'] as const;
const GRANTS_PER_PAGE = 50;

/** Clients that sign in with a connection code. The portal hands out no tokens. */
const ADDABLE = CLIENTS.filter(({ needsToken = false }) => !needsToken);

/** `GET /clients` */
export async function showClients(request: PortalRequest): Promise<PortalOutcome> {
  const { partner, person } = request;
  const cursor = request.query('before');
  const params = { path: { user_id: person.userId }, query: pageQuery(cursor, GRANTS_PER_PAGE) };
  const answer = await answerOrNull(partner.GET('/api/partner/users/{user_id}/grants', { params }));
  const grants = answer?.grants ?? [];
  const services = grants.length === 0 ? [] : await listServices(request);
  const titles: Titles = new Map(services.map(({ service, title }) => [service, title]));
  const rows = grants.flatMap((grant) =>
    grant.client === null ? [] : [grantRow(grant, grant.client, titles, request)],
  );
  const content = html`<h1>AI clients</h1>
<p>Use your services from Claude, ChatGPT or any other client that speaks MCP.</p>
<h2>Add a client</h2>
${KINDS.map((kind) => html`<h3>${kind}</h3>\n<ul class="chips">${ADDABLE.filter((client) => client.kind === kind).map((client) => html`<li><a href="/clients/${pathName(client)}">${client.name}</a></li>`)}</ul>`)}
<h2>Your clients</h2>
${rows.length === 0 ? html`<p>No client may act for you.</p>` : html`<ul class="list folded">${rows}</ul>`}
${answer?.next == null ? null : html`<p><a href="/clients?before=${answer.next}" rel="next">Older clients</a></p>`}
${cursor === null ? null : html`<p><a href="/clients">Newest clients</a></p>`}`;
  return { title: 'AI clients', content };
}

function pathName({ name }: ClientInstructions): string {
  return name.toLowerCase().replaceAll(/[^a-z]+/g, '-');
}

/** `GET /clients/:client`: the steps that add one client. */
export async function showClient(request: PortalRequest): Promise<PortalOutcome> {
  if (request.access.allows?.length === 0) return clientPage(request, NO_ACCESS);
  const isConnected = (await listConnections(request)).length > 0;
  return clientPage(request, isConnected ? codeForm(request, 'Get a connection code') : CONNECT_FIRST);
}

/**
 * `POST /clients/:client`: the same page with a code. The code is in this answer alone: the portal does not keep it. The gateway limits each
 * client to what the groups of the person allow.
 */
export async function mintCode(action: PortalAction): Promise<PortalOutcome> {
  const { now, partner, person } = action;
  const body = { user_id: person.userId };
  const answer = await answerOf(partner.POST('/api/mcp/oauth/sessions', { body }));
  const end = exactTime(now + answer.expires_in * 1000, 'minute');
  const code = html`<p data-expires-in="${answer.expires_in}"><strong class="code" data-copy="the connection code">${answer.session_token}</strong><br>
<small>For one sign-in, until ${end}. <span class="left" role="timer"></span></small></p>
${codeForm(action, 'Get another code')}`;
  return clientPage(action, code);
}

const NO_ACCESS = caution('Your groups do not include any tool', 'Ask your administrator for access.');

const CONNECT_FIRST = html`<p><strong>Connect a service first.</strong> A client can only use what you have connected.</p>
<p><a class="button" href="/services">Go to the services</a></p>`;

function codeForm(request: PortalRequest, label: string): Html {
  return html`<form method="post" action="${request.ctx.path}">${hidden('csrf', request.csrf)}${button(label, { kind: 'primary' })}</form>`;
}

/** @param code the form that gets a code, or the code. @throws {PageError} 404. */
function clientPage(request: PortalRequest, code: Html): PortalOutcome {
  const client = ADDABLE.find((each) => pathName(each) === request.param('client'));
  if (client === undefined) {
    const advice = 'Choose a client on the page AI clients.';
    throw new PageError(404, { title: 'No such client', text: 'The portal has no steps for it.', advice });
  }
  const { name, kind, where, links = [], documentation } = client;
  const title = kind === 'Your own' ? name : `Add ${name}`;
  const endpoint = request.gateway + MCP_PATH;
  const content = html`<h1>${title}</h1>
<ol class="steps">
<li><h2>Add the gateway</h2>
${links.length === 0 ? null : html`<p>${links.map(({ label, href }) => html`<a class="button install" href="${href(endpoint)}">${label}</a> `)}</p>`}
<p>${where}</p>
<pre tabindex="0" role="group" aria-label="Text for ${name}" data-copy="the text for ${name}">${client.text(endpoint)}</pre></li>
<li><h2>Sign in</h2>
<p>${name} opens a page of the gateway, which asks for a connection code.</p></li>
<li><h2>Type a connection code</h2>
${code}</li>
<li><h2>Choose what it may do</h2>
<p>The gateway shows your services. You can allow reading only, and take everything back later.</p></li>
</ol>
<p><a href="${documentation}">Documentation of ${name}</a></p>
<p><a href="/clients">Another client</a></p>`;
  return { title, content };
}

function grantRow(grant: Grant, client: Client, titles: Titles, request: PortalRequest): Html {
  const { csrf, now } = request;
  const name = readClientName(client.client_name);
  const shown = name?.text ?? 'a client without a name';
  const mark = name?.kind === 'self-given' ? badge('unverified name') : null;
  const used = grant.last_used_at === null ? 'Never used' : html`Used ${dayOf(Date.parse(grant.last_used_at), now)}`;
  const path = `/grants/${grant.id}`;
  return html`<li><details><summary><div><h3>${foreign(capitalize(shown))}</h3> ${mark}<small>${used}, expires ${dayOf(Date.parse(grant.expires_at), now)}</small></div></summary>
<div class="folded-details">${facts(grantFacts(grant, titles, request))}
<div class="row"><form method="post" action="${path}/open">${hidden('csrf', csrf)}${button(html`Reduce its access<span class="unseen"> (${foreign(shown)})</span>`, { kind: 'plain' })}</form>
${confirmation({ opener: `Revoke ${shown}`, text: 'It loses all access at once. To allow it again, connect it again.', action: `${path}/revoke`, fields: { csrf } })}</div></div></details></li>`;
}

function grantFacts(grant: Grant, titles: Titles, { now }: PortalRequest): readonly Fact[] {
  const { may, last_call: call } = grant;
  const services = may.map((service) => html`<li>${service.title}: ${countTools(service)}</li>`);
  const limits = limitsOf(grant, titles);
  const list: Fact[] = [
    { term: 'May use', value: may.length === 0 ? 'Nothing of what is connected now' : html`<ul>${services}</ul>` },
    { term: 'Allowed', value: relativeTime(Date.parse(grant.allowed_at), now) },
  ];
  if (limits.length > 0)
    list.splice(1, 0, { term: 'Limits', value: html`<ul>${limits.map((limit) => html`<li>${limit}</li>`)}</ul>` });
  if (call !== null)
    list.push({
      term: 'Last call',
      value: html`<code>${call.tool}</code>, ${relativeTime(Date.parse(call.called_at), now)}`,
    });
  return list;
}

/** For example `6 read-only tools, 2 tools that change data. You approve each call of 2 of them`. */
function countTools({ reading, writing, destructive, asking }: Grant['may'][number]): string {
  const texts: string[] = [];
  if (reading > 0) texts.push(reading === 1 ? '1 read-only tool' : `${reading} read-only tools`);
  if (writing > 0) texts.push(writing === 1 ? '1 tool that changes data' : `${writing} tools that change data`);
  if (destructive > 0)
    texts.push(
      destructive === 1 ? '1 tool that deletes or overwrites' : `${destructive} tools that delete or overwrite`,
    );
  return asking === 0 ? texts.join(', ') : `${texts.join(', ')}. You approve each call of ${asking} of them`;
}

function limitsOf(grant: Grant, titles: Titles): readonly string[] {
  const { read_only, services, without, only, accounts, pins } = grant;
  const limits: string[] = [];
  if (read_only) limits.push('It can only read.');
  if (services !== null) limits.push('Services that you connect later are not included.');
  if (only !== null)
    limits.push(`Only ${only.length === 1 ? 'one tool' : `${only.length} tools`}, and none that are added later.`);
  if (without.length > 0) limits.push(`Without ${without.length === 1 ? 'one tool' : `${without.length} tools`}.`);
  for (const [service, account] of Object.entries(accounts))
    limits.push(`${titles.get(service) ?? service}: the account is always ${shownName(account) ?? 'your only one'}.`);
  for (const service of Object.keys(pins)) limits.push(`${titles.get(service) ?? service}: some arguments are fixed.`);
  return limits;
}

/** `POST /grants/:grant/revoke` */
export async function revokeGrant(action: PortalAction): Promise<PortalOutcome> {
  const path = { user_id: action.person.userId, grant: action.param('grant') };
  await answerOf(action.partner.DELETE('/api/partner/users/{user_id}/grants/{grant}', { params: { path } }));
  return { redirect: '/clients', flash: 'The client has lost its access.' };
}
