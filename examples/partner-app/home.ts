/** The pages Integrations and Activity: services that the user can connect, and events about them. */

import { answerOf, type PartnerClient, type Schemas } from '../../packages/partner/index.ts';
import { createUserLink, listConnections } from './clients.ts';
import { button, copyable, escapeHtml, markOf, redirect, sendPage } from './page.ts';
import type { App, Visit } from './visit.ts';

/**
 * `GET /`, also the connect URI: the gateway adds `?service=crm` if a user must connect that service again, and `account` where the user has
 * several. With `target`, a page of the gateway waits for the user, who is signed in here: a link leads back to it.
 */
export async function showHome(visit: Visit): Promise<void> {
  const { app, session, url, response } = visit;
  const target = url.searchParams.get('target');
  if (target !== null) return redirect(response, await createUserLink(app, session.user, target));
  const [services, connections] = await Promise.all([listServices(app.partner), listConnections(app, session.user)]);
  const requestedService = url.searchParams.get('service');
  const sortRank = ({ service }: Schemas['Service']): number => (service === requestedService ? 0 : 1);
  const ordered = services.toSorted((one, other) => sortRank(one) - sortRank(other));
  const cards = ordered.map((service) => {
    const serviceConnections = connections.filter((connection) => connection.service === service.service);
    return serviceCard(app, session.user, service, serviceConnections);
  });
  const key =
    app.sandbox === undefined
      ? ''
      : `<p class="hint">Sample services: each accepts the API key ${copyable('key', app.sandbox.key)}</p>`;
  sendPage(
    visit,
    'Integrations',
    `<p class="lead">Connect the services that you work with. <a href="/client">Ask the assistant</a> when you are done.</p>
${key}<ul class="cards">${cards.join('')}</ul>`,
  );
}

/** `GET /activity` */
export function showActivity(visit: Visit): void {
  sendPage(
    visit,
    'Activity',
    `<p class="lead">Webhooks that the gateway sent here, newest first. Each signature was verified.</p>
<section class="panel"><div id="events" aria-live="polite">${eventList(visit.app, visit.session.user)}</div></section>`,
  );
}

/** `GET /events`: only the list, which the script fetches every two seconds. */
export function showEvents({ app, session, response }: Visit): void {
  response.setHeader('Content-Type', 'text/html; charset=utf-8').end(eventList(app, session.user));
}

export async function listServices(partner: PartnerClient): Promise<Schemas['Service'][]> {
  const params = { query: { limit: 50 } };
  const { services } = await answerOf(partner.GET('/api/partner/services', { params }));
  return services.toSorted((a, b) => a.title.localeCompare(b.title, 'en'));
}

function serviceCard(
  app: App,
  user: string,
  { service, logo_text, logo_url, title, description, tools, credentials }: Schemas['Service'],
  connections: readonly Schemas['Connection'][],
): string {
  const accounts = (connections.length === 0 ? [undefined] : connections).map((connection) => {
    const name = connection?.account_name === undefined ? '' : `<h3>${escapeHtml(connection.account_name)}</h3>`;
    const { primaryButton, moreButtons } = actionsOf(app, user, service, connection);
    const more = `<details><summary class="more">More<span class="hidden"> for ${escapeHtml(connection?.account_name ?? title)}</span></summary><div class="row">${moreButtons.join('')}</div></details>`;
    return `<div class="account">${name}${statusOf(connection, credentials[0]?.type === 'oauth2')}<div class="row">${primaryButton}${more}</div></div>`;
  });
  return `<li id="${escapeHtml(service)}"><div class="head">${markOf(service, logo_text, logo_url)}<div><h2>${escapeHtml(title)}</h2>
<a class="quiet" href="${app.gateway}/tools/${escapeHtml(service)}">${tools.length} tools</a></div></div>
<p class="quiet">${escapeHtml(description)}</p>
${accounts.join('')}</li>`;
}

function statusOf(connection: Schemas['Connection'] | undefined, isOAuth: boolean): string {
  if (connection === undefined) {
    return `<span class="status">Not connected: ${isOAuth ? 'you sign in there' : 'you paste an API key'}</span>`;
  }
  if (connection.status === 'attention') {
    return '<span class="status attention">Needs attention: the service refused the credential. Reconnect it.</span>';
  }
  const account = connection.account === null ? '' : ` as ${escapeHtml(connection.account)}`;
  return `<span class="status connected">Connected${account}</span>`;
}

/** Returns the buttons of a connection: the button that the user needs next, and those behind More. */
function actionsOf(
  app: App,
  user: string,
  service: string,
  connection: Schemas['Connection'] | undefined,
): { primaryButton: string; moreButtons: string[] } {
  const account = connection?.account_name;
  const fields = { service, ...(account === undefined ? {} : { account }) };
  if (connection === undefined) {
    return {
      primaryButton: button('/connect', 'Connect', fields, { kind: 'primary popup' }),
      moreButtons: [button('/connect', 'Connect without a popup', fields)],
    };
  }
  const reconnectFields = { ...fields, mode: 'replace' };
  const isActive = connection.status === 'active';
  const reconnect = button('/connect', 'Reconnect', reconnectFields, { kind: isActive ? 'popup' : 'primary popup' });
  const disconnect = button('/disconnect', 'Disconnect', fields);
  // Calls need the tokens that this application got when it redeemed a code for the user.
  const canCall = isActive && app.tokens.has(user);
  return {
    primaryButton: isActive ? disconnect : reconnect,
    moreButtons: [
      isActive ? reconnect : disconnect,
      button('/connect', 'Reconnect without a popup', reconnectFields),
      button('/connect', 'Add another account', { service, mode: 'add' }),
      ...(canCall ? [button('/call', 'Call a tool', fields)] : []),
      ...(canCall && app.sandbox !== undefined ? [button('/break', 'Break its credential', fields)] : []),
    ],
  };
}

const SHOWN_DETAILS = ['service', 'account_name', 'client_id', 'reason', 'by'];
const MAX_SHOWN_EVENTS = 20;

function eventList({ webhooks, titleOf }: App, user: string): string {
  const events = webhooks.events
    .filter(({ data }) => 'user_id' in data && data.user_id === user)
    .slice(0, MAX_SHOWN_EVENTS);
  const items = events.map(({ type, timestamp, data }) => {
    const details = Object.entries(data).filter(([name]) => SHOWN_DETAILS.includes(name));
    const text = details.map(
      ([name, value]) =>
        `${name}: ${name === 'service' ? titleOf(String(value)) : (value ?? 'this application itself')}`,
    );
    return `<li><time>${escapeHtml(timestamp.slice(11, 19))} UTC</time> <code>${escapeHtml(type)}</code> ${escapeHtml(text.join(', '))}</li>`;
  });
  return items.length === 0 ? '<p class="quiet">Nothing yet.</p>' : `<ul class="list events">${items.join('')}</ul>`;
}
