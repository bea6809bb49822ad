/** The user's own AI clients: a connection code gives one access, and revoking its grant takes the access away. */

import { answerOf, type Schemas } from '../../packages/partner/index.ts';
import { button, CONNECT_FIRST, copyable, escapeHtml, redirect, sendPage } from './page.ts';
import { type App, endpointOf, type Visit } from './visit.ts';

/** Creates a code for the consent page, valid once and for ten minutes. */
export async function mintCode(app: App, user: string): Promise<string> {
  const { session_token } = await answerOf(app.partner.POST('/api/mcp/oauth/sessions', { body: { user_id: user } }));
  return session_token;
}

/** The gateway answers 404 for a user who has not connected anything yet. */
export async function listConnections({ partner }: App, user: string): Promise<Schemas['Connection'][]> {
  const params = { path: { user_id: user } };
  const { data } = await partner.GET('/api/partner/users/{user_id}/connections', { params });
  return data?.connections ?? [];
}

/** `GET /clients` */
export async function showClients(visit: Visit): Promise<void> {
  const { app, session } = visit;
  const [connections, grants] = await Promise.all([listConnections(app, session.user), listGrants(app, session.user)]);
  // The gateway creates no code for a user whom it does not know yet.
  const isConnected = connections.length > 0;
  const code = session.code === null ? '' : `<p>Valid once, for ten minutes: ${copyable('code', session.code)}</p>`;
  sendPage(
    visit,
    'AI clients',
    `<p class="lead">Use your services from Claude, ChatGPT, or any other MCP client.</p>
<section class="panel"><h2>Add a client</h2>
<ol class="steps"><li>Add the gateway to your client, for example:<pre tabindex="0">claude mcp add --transport http unified-tools ${escapeHtml(endpointOf(app))}</pre></li>
<li>Sign in there. The page that opens asks for a connection code.</li></ol>
${code}${isConnected ? '' : `<p><strong>${CONNECT_FIRST}</strong></p>`}
${button('/code', 'Get a connection code', {}, { kind: 'primary', isEnabled: isConnected })}</section>
<section class="panel"><h2>Your clients</h2>${grantList(app, grants)}
${isConnected ? button('/own-page', 'See and change what clients may do') : ''}</section>`,
  );
}

async function listGrants({ partner }: App, user: string): Promise<Schemas['Grant'][]> {
  const { data } = await partner.GET('/api/partner/users/{user_id}/grants', { params: { path: { user_id: user } } });
  return data?.grants ?? [];
}

function grantList(app: App, grants: readonly Schemas['Grant'][]): string {
  const clients = grants.flatMap(({ id, client, last_call }) => {
    if (client === null) return [];
    const used = last_call === null ? 'No action yet' : lastAction(app, last_call);
    const name = client.client_name ?? client.client_id;
    return [
      `<li><span><strong>${escapeHtml(name)}</strong> <span class="quiet">${escapeHtml(used)}</span></span> ${button('/revoke', `Revoke ${name}`, { grant: id })}</li>`,
    ];
  });
  return clients.length === 0 ? '<p class="quiet">None yet.</p>' : `<ul class="list">${clients.join('')}</ul>`;
}

const ACTION_RESULTS: Readonly<Record<string, string>> = {
  ok: 'succeeded',
  needs_approval: 'waiting for you',
  awaiting_approval: 'waiting for you',
};

/** For example `Last action: Delete a contact list, waiting for you`. */
function lastAction({ toolTitleOf }: App, { tool, outcome }: NonNullable<Schemas['Grant']['last_call']>): string {
  return `Last action: ${toolTitleOf(tool)}, ${ACTION_RESULTS[outcome] ?? `failed (${outcome.replaceAll('_', ' ')})`}`;
}

/** `POST /code` */
export async function getCode({ app, session, response }: Visit): Promise<void> {
  session.code = await mintCode(app, session.user);
  redirect(response, '/clients');
}

/** `POST /revoke` */
export async function revoke({ app, session, form, response }: Visit): Promise<void> {
  const path = { user_id: session.user, grant: form.get('grant') ?? '' };
  await answerOf(app.partner.DELETE('/api/partner/users/{user_id}/grants/{grant}', { params: { path } }));
  session.notice = 'The client is revoked. Its next request is refused.';
  redirect(response, '/clients');
}

/** `POST /own-page`: opens a page of this user at the gateway. */
export async function openOwnPage({ app, session, form, response }: Visit): Promise<void> {
  redirect(response, await createUserLink(app, session.user, form.get('target')));
}

/** Returns a link that works once. @param target the page that it leads to. Null for the first page. */
export async function createUserLink(app: App, user: string, target: string | null): Promise<string> {
  const params = { path: { user_id: user } };
  const answer = app.partner.POST('/api/partner/users/{user_id}/links', { params, body: { target } });
  return (await answerOf(answer)).url;
}
