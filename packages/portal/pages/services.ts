/** The page Services: a person connects, reconnects and removes accounts of services. */

import { createHash } from 'node:crypto';
import { serviceMarkOf } from '../../../server/base/pages/brand.ts';
import {
  alert,
  button,
  confirmation,
  connectionBadge,
  emptyState,
  foreign,
  hiddenFields,
} from '../../../server/base/pages/components.ts';
import { type Html, html, shownName } from '../../../server/base/pages/html.ts';
import { relativeTime } from '../../../server/base/pages/times.ts';
import { AS_FORM, answerOf, PartnerApiError } from '../../partner/index.ts';
import type { PortalAction, PortalOutcome, PortalRequest } from '../request.ts';
import { mayUseService } from '../rules/access.ts';
import { type Connection, listConnections, listServices, openOwnPage, type Service } from './api.ts';

const CONNECTED_PATH = '/services/connected';

/**
 * `GET /`, also the connect URI: the gateway adds `service`, and `account` or `extra` where they matter, if something has to be connected again.
 * With `target`, a page of the gateway waits for the person, who is signed in here: a link leads back to it.
 *
 * @param note shown above the services. Default: nothing.
 */
export async function showServices(request: PortalRequest, note: Html | null = null): Promise<PortalOutcome> {
  const target = request.query('target');
  if (target !== null) return openOwnPage(request, target);
  const [services, connections] = await Promise.all([listServices(request), listConnections(request)]);
  const isOffered = ({ service }: { readonly service: string }): boolean => mayUseService(request.access, service);
  const connected = services.filter(({ service }) => connections.some((connection) => connection.service === service));
  const gone = connections.filter(({ service }) => services.every((offered) => offered.service !== service));
  const rows = [
    ...connected.map((service) => connectedService(service, connections, request)),
    ...gone.map((connection) => goneService(connection, request)),
  ];
  const others = services.filter((service) => !connected.includes(service) && isOffered(service));
  const content = html`<h1>Services</h1>
${note}
${requestedService(request, services)}
<h2>Connected</h2>
${rows.length === 0 ? emptyState('Nothing is connected yet', 'Connect a service below. Then add an AI client, which can use it for you.') : html`<ul class="list">${rows}</ul>`}
${others.length === 0 ? null : html`<h2>Not connected</h2>\n<ul class="list tiled">${others.map((service) => otherService(service, request))}</ul>`}`;
  return { title: 'Services', content };
}

/** The service that a page of the gateway, or an assistant, asks the person to connect. Null if none is named. */
function requestedService(request: PortalRequest, services: readonly Service[]): Html | null {
  const service = services.find(({ service }) => service === request.query('service'));
  if (service === undefined) return null;
  const account = request.query('account');
  const extra = request.query('extra');
  const what = account === null ? service.title : `${service.title}: ${account}`;
  const text = extra === null ? `Connect ${what}` : `Connect more of ${what}`;
  return html`<div class="notice caution one-line" role="note"><strong>${text}</strong>
${connectForm(request, { service: service.service, mode: account === null ? 'ask' : 'replace', account, extra }, html`${button('Connect', { kind: 'primary' })}`)}</div>`;
}

function connectedService(service: Service, connections: readonly Connection[], request: PortalRequest): Html {
  const accounts = connections.filter((connection) => connection.service === service.service);
  const isAllowed = mayUseService(request.access, service.service);
  const add = connectForm(
    request,
    { service: service.service, mode: 'add', account: null, extra: null },
    button(html`Add another account<span class="unseen"> of ${service.title}</span>`, { kind: 'plain' }),
  );
  return html`<li class="service" id="${service.service}">${serviceMark(service)}<div><h3>${service.title}</h3> ${toolsLink(service, request)}
${isAllowed ? null : html`<p>Your groups do not include it, so no client can use it for you.</p>`}
${accounts.map((account, index) => accountRow(account, request, { isAllowed, more: isAllowed && index === accounts.length - 1 ? add : null }))}</div></li>`;
}

/** @param look.more a further button after those of the account. */
function accountRow(
  connection: Connection,
  request: PortalRequest,
  look: { isAllowed: boolean; more: Html | null },
): Html {
  const { service, title, status, account_name: name = null, account } = connection;
  const what = name === null ? title : `${title}: ${name}`;
  const signedInAs = shownName(account);
  const isBroken = status === 'attention';
  const reconnect = connectForm(
    request,
    { service, mode: 'replace', account: name, extra: null },
    button(html`Reconnect<span class="unseen"> ${what}</span>`, { kind: isBroken ? 'primary' : 'plain' }),
  );
  return html`<div class="account"><p>${name === null ? null : html`<strong>${foreign(name)}</strong> `}${connectionBadge(connection)}
<small>${signedInAs === null ? null : html`Signed in as ${foreign(signedInAs)} · `}Connected ${relativeTime(Date.parse(connection.connected_at), request.now)}</small></p>
${isBroken ? html`<p>${title} refused the credential. Reconnect it, and your clients can use it again.</p>` : null}
<div class="row">${look.isAllowed ? reconnect : null}${removal(connection, what, request)}${look.more}</div>
${name === null ? null : renameForm(connection, name, request)}</div>`;
}

function renameForm({ id, service }: Connection, name: string, { csrf }: PortalRequest): Html {
  return html`<details><summary>Rename ${foreign(name)}</summary>
<form method="post" action="/services/rename">${hiddenFields({ csrf, service, account: name })}
<label for="name-${id}">Name that assistants see</label>
<input type="text" id="name-${id}" name="name" value="${name}" required autocomplete="off" spellcheck="false">
<div class="row">${button('Rename')}</div></form></details>`;
}

/** A service that the gateway has no more, or that the operator took from the portal. */
function goneService(connection: Connection, request: PortalRequest): Html {
  return html`<li class="service"><div><h3>${connection.title}</h3> <p>It is not offered any more, so no client can use it.</p>
<div class="row">${removal(connection, connection.title, request)}</div></div></li>`;
}

function removal({ service, account_name }: Connection, what: string, { csrf }: PortalRequest): Html {
  return confirmation({
    opener: `Remove ${what}`,
    text: `The gateway deletes its credential, and no client can use ${what} any more. You can connect it again.`,
    action: '/services/remove',
    fields: { csrf, service, account: account_name ?? null },
  });
}

function otherService(service: Service, request: PortalRequest): Html {
  const [credential] = service.credentials;
  const way = credential?.type === 'oauth2' ? 'You sign in there.' : 'You enter a key.';
  const press = button(html`Connect<span class="unseen"> ${service.title}</span>`);
  return html`<li class="service" id="${service.service}">${serviceMark(service)}<div><h3>${service.title}</h3> ${toolsLink(service, request)}
<small>${service.description} ${way}</small>
${connectForm(request, { service: service.service, mode: 'ask', account: null, extra: null }, press)}</div></li>`;
}

/** Returns the logo of a service at the gateway, or its initials. Its title is next to it. */
function serviceMark({ service, title, logo_url: logo }: Service): Html {
  if (logo === null) return serviceMarkOf({ name: service, title });
  return html`<img class="logo" src="${logo}" alt="" width="40" height="40">`;
}

function toolsLink({ service, title, tools }: Service, { gateway }: PortalRequest): Html {
  return html`<a class="quiet" href="${gateway}/tools/${service}">${tools.length} tools<span class="unseen"> of ${title}</span></a>`;
}

/** What a form asks the gateway to connect. */
interface ConnectTarget {
  readonly service: string;
  /** As in the partner API: `ask` lets the person choose what becomes of an account that is connected already. */
  readonly mode: 'ask' | 'replace' | 'add';
  /** Name of the account. Null where there is only one. */
  readonly account: string | null;
  /** Null: the credential of the service itself. */
  readonly extra: string | null;
}

function connectForm({ csrf }: PortalRequest, target: ConnectTarget, press: Html): Html {
  const { service, mode, account, extra } = target;
  return html`<form method="post" action="/services/connect" data-connect>${hiddenFields({ csrf, service, mode, account, extra })}${press}</form>`;
}

/** `POST /services/connect`: sends the browser to the connect page, or gives its address to the script, which shows it in a frame. */
export async function connectService(action: PortalAction): Promise<PortalOutcome> {
  const { form, origin, partner, person } = action;
  const service = form.get('service') ?? '';
  if (!mayUseService(action.access, service)) {
    return { redirect: '/services', flash: 'Your groups do not include this service.' };
  }
  const state = stateOf(action);
  const body = {
    user_id: person.userId,
    services: [service],
    redirect_uri: `${origin}${CONNECTED_PATH}`,
    state,
    allowed_origins: [origin],
    account: toMode(form.get('mode')),
    account_name: form.get('account'),
    extra: form.get('extra'),
  };
  const { connect_url } = await answerOf(partner.POST('/api/partner/connect-sessions', { body }));
  return form.get('in') === 'frame' ? { json: { connect_url, state } } : { redirect: connect_url };
}

function toMode(text: string | null): ConnectTarget['mode'] {
  return text === 'replace' || text === 'add' ? text : 'ask';
}

/** Proves that a code belongs to a flow that this session began. It reveals nothing about the session. */
function stateOf({ csrf }: PortalRequest): string {
  return createHash('sha256').update(`${csrf}\nconnect`).digest('base64url');
}

/** `GET /services/connected`: the redirect URI of the connect flow. */
export async function finishConnect(request: PortalRequest): Promise<PortalOutcome> {
  const code = request.query('code');
  if (request.query('state') !== stateOf(request)) {
    const flash = 'Nothing was connected: this answer belongs to another sign-in. Press Connect again.';
    return { redirect: '/services', flash };
  }
  if (code !== null) return { redirect: '/services', flash: await redeem(request, code) };
  if (request.query('error') === 'access_denied') return { redirect: '/services', flash: 'Nothing was connected.' };
  const text = shownName(request.query('error_description')) ?? 'The gateway did not say why.';
  return {
    title: 'Not connected',
    content: html`<h1>Not connected</h1>\n${alert('Nothing was connected', text)}\n<p><a class="button" href="/services">Back to the services</a></p>`,
  };
}

/**
 * Connects what the code stands for. The person is the one who is signed in, never one from the link. The portal does not call tools itself, so
 * it revokes the tokens that it gets.
 */
async function redeem({ origin, partner, person }: PortalRequest, code: string): Promise<string> {
  const redemption = {
    grant_type: 'authorization_code' as const,
    code,
    redirect_uri: `${origin}${CONNECTED_PATH}`,
    user_id: person.userId,
  };
  const tokens = await answerOf(partner.POST('/api/oauth/token', { body: redemption, ...AS_FORM }));
  await answerOf(partner.POST('/api/mcp/oauth/revoke', { body: { token: tokens.refresh_token }, ...AS_FORM }));
  return 'Connected. Your AI clients can use it.';
}

/** `POST /services/remove`: the gateway deletes the credential. */
export async function removeService({ form, partner, person }: PortalAction): Promise<PortalOutcome> {
  const path = { user_id: person.userId, service: form.get('service') ?? '' };
  const account = form.get('account');
  const params = { path, query: account === null ? {} : { account } };
  await answerOf(partner.DELETE('/api/partner/users/{user_id}/connections/{service}', { params }));
  return { redirect: '/services', flash: 'The account and its credential are removed.' };
}

/** `POST /services/rename`: assistants choose one of several accounts by its name. */
export async function renameAccount({ form, partner, person }: PortalAction): Promise<PortalOutcome> {
  const path = { user_id: person.userId, service: form.get('service') ?? '' };
  const params = { path, query: { account: form.get('account') ?? '' } };
  const body = { account_name: form.get('name') ?? '' };
  try {
    await answerOf(partner.PATCH('/api/partner/users/{user_id}/connections/{service}', { params, body }));
  } catch (error) {
    if (!(error instanceof PartnerApiError) || error.status !== 400) throw error;
    return { redirect: '/services', flash: `The account keeps its name. ${error.description}` };
  }
  return { redirect: '/services', flash: 'The account has its new name. Assistants see it from now on.' };
}
