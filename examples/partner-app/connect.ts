/** Connects a service: asks the gateway for a session, sends the browser there, redeems the returned code. Calls it with the tokens. */

import { AS_FORM, answerOf, type Schemas } from '../../packages/partner/index.ts';
import type { Conversation } from './conversation.ts';
import { callAnyTool } from './mcp-client.ts';
import { escapeHtml, redirect, sendJson, sendPage, showConversation } from './page.ts';
import { type App, endpointOf, type Visit } from './visit.ts';

/** `POST /connect`: sends the browser to the gateway, as a whole page or, if the script asks, in a popup. */
export async function beginConnect({ app, session, form, response }: Visit): Promise<void> {
  const mode = form.get('mode');
  const account: 'ask' | 'replace' | 'add' = mode === 'replace' || mode === 'add' ? mode : 'ask';
  const body = {
    account,
    ...(form.has('account') ? { account_name: form.get('account') } : {}),
    user_id: session.user,
    services: form.getAll('service'),
    redirect_uri: `${app.origin}/connected`,
    state: session.state,
    allowed_origins: [app.origin],
  };
  const { connect_url } = await answerOf(app.partner.POST('/api/partner/connect-sessions', { body }));
  if (form.has('popup')) sendJson(response, { connect_url });
  else redirect(response, connect_url);
}

/** `GET /connected`: the redirect URI. */
export async function finishConnect({ app, session, url, response }: Visit): Promise<void> {
  const { code, state, error_description: problem } = Object.fromEntries(url.searchParams);
  if (state !== session.state) session.notice = 'This answer does not belong to this browser. Press Connect again.';
  else if (code === undefined) session.notice = `Nothing was connected: ${problem ?? 'cancelled'}`;
  else session.notice = await redeem(app, session.user, code);
  redirect(response, '/');
}

/** `POST /connected-in-popup`: the script passes on the code that it got from the popup. */
export async function finishPopup({ app, session, form, response }: Visit): Promise<void> {
  const code = form.get('code');
  session.notice = code === null ? 'Nothing was connected.' : await redeem(app, session.user, code);
  sendJson(response, {});
}

/** `POST /disconnect`: the gateway forgets the credential. */
export async function disconnect({ app, session, form, response }: Visit): Promise<void> {
  const path = { user_id: session.user, service: form.get('service') ?? '' };
  const account = form.get('account');
  const params = { path, query: account === null ? {} : { account } };
  await answerOf(app.partner.DELETE('/api/partner/users/{user_id}/connections/{service}', { params }));
  session.notice = `${app.titleOf(path.service)} is disconnected.`;
  redirect(response, '/');
}

/** Redeeming the code connects the service. `user` is the one who is signed in here, never one from the link. */
async function redeem(app: App, user: string, code: string): Promise<string> {
  const body = {
    grant_type: 'authorization_code' as const,
    code,
    redirect_uri: `${app.origin}/connected`,
    user_id: user,
  };
  const tokens = await answerOf(app.partner.POST('/api/oauth/token', { body, ...AS_FORM }));
  storeTokens(app, user, tokens);
  return `Connected: ${(tokens.services ?? [tokens.service]).map(app.titleOf).join(', ')}.`;
}

/** Returns an access token for the user, or null if the user has not connected anything here yet. */
export async function accessTokenOf(app: App, user: string): Promise<string | null> {
  const tokenEntry = app.tokens.get(user);
  if (tokenEntry === undefined) return null;
  if (Date.now() < tokenEntry.expiresAt) return tokenEntry.tokens.access_token;
  const body = { grant_type: 'refresh_token' as const, refresh_token: tokenEntry.tokens.refresh_token };
  const tokens = await answerOf(app.partner.POST('/api/oauth/token', { body, ...AS_FORM }));
  storeTokens(app, user, tokens);
  return tokens.access_token;
}

const EARLY_SECONDS = 60;

function storeTokens(app: App, user: string, tokens: Schemas['PartnerTokens']): void {
  app.tokens.set(user, { tokens, expiresAt: Date.now() + (tokens.expires_in - EARLY_SECONDS) * 1000 });
}

/** `POST /call`: calls a tool of the service. @param introduction HTML above the answer. */
export async function callService(visit: Visit, introduction = ''): Promise<void> {
  const { app, session, form } = visit;
  const conversation: Conversation = [];
  const service = form.get('service') ?? '';
  const token = await accessTokenOf(app, session.user);
  const client = { conversation, endpoint: endpointOf(app), token: token ?? '' };
  const answer = token === null ? null : await callAnyTool(client, service, form.get('account'));
  const summary =
    answer === null
      ? 'None of its tools can be called without arguments.'
      : (answer.refusal?.text ?? 'It answered. The request and the answer are below.');
  sendPage(
    visit,
    `A call to ${app.titleOf(service)}`,
    `<section class="panel">${introduction}<blockquote class="${answer?.refusal === undefined ? '' : 'refused'}">${escapeHtml(summary)}</blockquote>
${showConversation(conversation.slice(1), { isOpen: true })}
<p><a class="button" href="/">Back to your integrations</a></p></section>`,
  );
}

const WHAT_HAPPENED = `<p>The sample service now refuses this credential, as after a key was revoked. An agent reads the answer below:
it names the page where the user connects the service again. Go back, and press Reconnect.</p>`;

/** `POST /break`: the service rejects the credential during a tool call, because the gateway learns of it only from answers. */
export async function breakCredential(visit: Visit): Promise<void> {
  const service = visit.form.get('service') ?? '';
  const setFault = (fault: string): Promise<Response> => {
    const body = new URLSearchParams({ service, fault, times: '1000000' });
    return fetch(`${visit.app.sandbox?.origin}/__sandbox/fault`, { method: 'POST', body, redirect: 'manual' });
  };
  await setFault('expired-credential');
  await callService(visit, WHAT_HAPPENED);
  // The next key that the user enters represents a new one, which the service accepts.
  await setFault('none');
}
