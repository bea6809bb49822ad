/** The user's page: services, clients, and events. */

import { answerOf, type PartnerClient, type Schemas } from '../partner-client/index.ts';
import { button, CONNECT_FIRST, escapeHtml, sendPage } from './page.ts';
import type { App, Visit } from './visit.ts';

/**
 * `GET /`, also the connect URI: the gateway adds `?service=crm` if a user must connect that service again, and `account` where the user has
 * several.
 */
export async function showHome({ app, session, url, response }: Visit): Promise<void> {
  const [services, connections, grants] = await Promise.all([
    listServices(app.partner),
    listConnections(app, session.user),
    listGrants(app, session.user),
  ]);
  const asked = url.searchParams.get('service');
  const isAsked = ({ service }: Schemas['Service']): number => (service === asked ? 0 : 1);
  const ordered = services.toSorted((one, other) => isAsked(one) - isAsked(other));
  const cards = ordered.map((service) => {
    const own = connections.filter((each) => each.service === service.service);
    return serviceCard(app, session.user, service, own);
  });
  const key =
    app.sandbox === undefined
      ? ''
      : `<p>These are sample services. Each accepts the API key <code id="key">${escapeHtml(app.sandbox.key)}</code></p>`;
  const content = `<h1>Hello, <span class="name">${escapeHtml(session.user)}</span></h1>
<section><h2>1. Connect services</h2>${key}<ul class="cards">${cards.join('')}</ul></section>
<section id="clients"><h2>2. Connect your AI client</h2>${clientSection(app, session.code, connections.length > 0)}
<h3>Your clients</h3>${grantList(grants)}${connections.length > 0 ? OWN_PAGE : ''}</section>
<section><h2>3. What happened</h2><p class="quiet">Webhooks that the gateway sent here, newest first. Each signature was verified.</p>
<div id="events" aria-live="polite">${eventList(app, session.user)}</div></section>`;
  sendPage({ app, response, session }, content);
}

/** `GET /events`: only the list, which the script fetches every two seconds. */
export function showEvents({ app, session, response }: Visit): void {
  response.setHeader('Content-Type', 'text/html; charset=utf-8').end(eventList(app, session.user));
}

export async function listServices(partner: PartnerClient): Promise<Schemas['Service'][]> {
  const params = { query: { limit: 50 } };
  return (await answerOf(partner.GET('/api/partner/services', { params }))).services;
}

/** The gateway answers 404 for a user who has not connected anything yet. */
async function listConnections({ partner }: App, user: string): Promise<Schemas['Connection'][]> {
  const params = { path: { user_id: user } };
  const { data } = await partner.GET('/api/partner/users/{user_id}/connections', { params });
  return data?.connections ?? [];
}

async function listGrants({ partner }: App, user: string): Promise<Schemas['Grant'][]> {
  const { data } = await partner.GET('/api/partner/users/{user_id}/grants', { params: { path: { user_id: user } } });
  return data?.grants ?? [];
}

function serviceCard(
  app: App,
  user: string,
  { service, logo_text, title, description, tools, credentials }: Schemas['Service'],
  connections: readonly Schemas['Connection'][],
): string {
  const accounts = (connections.length === 0 ? [undefined] : connections).map((connection) => {
    const name = connection?.account_name === undefined ? '' : `<h4>${escapeHtml(connection.account_name)}</h4>`;
    const actions = actionsOf(app, user, service, connection);
    return `${name}${statusOf(connection, credentials[0]?.type === 'oauth2')}<div class="row">${actions.join('')}</div>`;
  });
  const add =
    connections.length === 0
      ? ''
      : button('/connect', 'Add another account', { service, mode: 'add' }, { kind: 'link' });
  return `<li id="${escapeHtml(service)}"><h3><span class="logo">${escapeHtml(logo_text)}</span> ${escapeHtml(title)}</h3>
<p class="quiet">${escapeHtml(description)} <a href="${app.gateway}/tools/${escapeHtml(service)}">${tools.length} tools</a>.</p>
${accounts.join('')}${add}</li>`;
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

function actionsOf(app: App, user: string, service: string, connection: Schemas['Connection'] | undefined): string[] {
  const account = connection?.account_name;
  const fields = { service, ...(account === undefined ? {} : { account }) };
  if (connection === undefined) {
    return [
      button('/connect', 'Connect', fields, { kind: 'primary popup' }),
      button('/connect', 'Connect without a popup', fields, { kind: 'link' }),
    ];
  }
  const again = { ...fields, mode: 'replace' };
  const isActive = connection.status === 'active';
  // Calls need the tokens that this application got when it redeemed a code for the user.
  const calls = isActive && app.tokens.has(user);
  return [
    button('/connect', 'Reconnect', again, { kind: isActive ? 'popup' : 'primary popup' }),
    button('/connect', 'Reconnect without a popup', again, { kind: 'link' }),
    button('/disconnect', 'Disconnect', fields),
    ...(calls ? [button('/call', 'Call a tool', fields)] : []),
    ...(calls && app.sandbox !== undefined ? [button('/break', 'Break its credential', fields)] : []),
  ];
}

const OWN_PAGE = button('/own-page', 'See and change what clients may do');

/** @param isConnected to any service: the gateway creates no code for a user whom it does not know yet. */
function clientSection({ gateway }: App, code: string | null, isConnected: boolean): string {
  const address = `${gateway}/api/mcp/unified`;
  const shown =
    code === null
      ? ''
      : `<p>Your connection code, valid once within ten minutes: <strong class="code" id="code">${escapeHtml(code)}</strong></p>`;
  return `<ol><li>Add the gateway to your client, for example: <pre tabindex="0">claude mcp add --transport http unified-tools ${escapeHtml(address)}</pre></li>
<li>Sign in there. The page that opens asks for a connection code.</li></ol>
${shown}${isConnected ? '' : `<p>${CONNECT_FIRST}</p>`}<div class="row">${button('/code', 'Get a connection code', {}, { kind: 'primary', isEnabled: isConnected })}${button('/client', 'No client? Use the built-in one', {}, { isEnabled: isConnected })}</div>`;
}

function grantList(grants: readonly Schemas['Grant'][]): string {
  const clients = grants.flatMap(({ id, client, last_call }) => {
    if (client === null) return [];
    const used = last_call === null ? 'no call yet' : `last call: ${last_call.tool} (${last_call.outcome})`;
    const name = client.client_name ?? client.client_id;
    return [
      `<li><strong>${escapeHtml(name)}</strong> <span class="quiet">${escapeHtml(used)}</span> ${button('/revoke', `Revoke ${name}`, { grant: id })}</li>`,
    ];
  });
  return clients.length === 0 ? '<p class="quiet">None yet.</p>' : `<ul class="list">${clients.join('')}</ul>`;
}

function eventList({ webhooks, titleOf }: App, user: string): string {
  const events = webhooks.events.filter(({ data }) => data.user_id === user).slice(0, 20);
  const items = events.map(({ type, timestamp, data }) => {
    const details = Object.entries(data).filter(([name]) =>
      ['service', 'account_name', 'client_id', 'reason', 'by'].includes(name),
    );
    const text = details
      .map(
        ([name, value]) =>
          `${name}: ${name === 'service' ? titleOf(String(value)) : (value ?? 'this application itself')}`,
      )
      .join(', ');
    return `<li><time>${escapeHtml(timestamp.slice(11, 19))} UTC</time> <code>${escapeHtml(type)}</code> ${escapeHtml(text)}</li>`;
  });
  return items.length === 0 ? '<p class="quiet">Nothing yet.</p>' : `<ul class="list">${items.join('')}</ul>`;
}
