/** Pages of the built-in client: its requests and their answers. */

import { mintCode } from './clients.ts';
import { accessTokenOf } from './connect.ts';
import { type Conversation, shortenSecrets } from './conversation.ts';
import { beginSignIn, deleteList, findList, finishSignIn, listAndCall } from './mcp-client.ts';
import { button, escapeHtml, problem, redirect, sendPage } from './page.ts';
import type { App, Visit } from './visit.ts';

const endpointOf = ({ gateway }: App): string => `${gateway}/api/mcp/unified`;

/** `POST /client`: the client takes the steps that lead to the consent page. */
export async function startSignIn({ app, session, response }: Visit): Promise<void> {
  session.code = await mintCode(app, session.user);
  session.token = null;
  session.deletion = null;
  session.signIn = await beginSignIn(endpointOf(app), `${app.origin}/client/callback`);
  redirect(response, '/client');
}

/** `GET /client` */
export function showSignIn({ app, session, response }: Visit): void {
  const { signIn, code, token } = session;
  if (signIn === null) {
    redirect(response, '/');
    return;
  }
  const conversation = showConversation(signIn.conversation);
  const content =
    token !== null
      ? `<h1>The built-in client is signed in</h1>
${conversation}
${app.titleOf('mailer') === 'mailer' ? '' : button('/delete', 'Let it delete a contact list')}
<p><a class="button" href="/#clients">See your clients</a></p>`
      : `<h1>The built-in client signs in</h1>
<h2>Now it is your turn</h2>
<p>The client opens the gateway’s page in your browser. Type this connection code there, and allow it:
<strong class="code" id="code">${escapeHtml(code ?? '')}</strong></p>
<p><a class="button" href="${escapeHtml(signIn.authorizeUrl)}" target="_blank">Open the gateway’s page</a> (in a new tab)</p>
${conversation}`;
  sendPage({ app, response, session }, content);
}

/** `GET /client/callback`: the client's redirect URI. */
export async function continueSignIn({ app, session, url, response }: Visit): Promise<void> {
  if (session.signIn === null) return redirect(response, '/');
  const { conversation, authorizeUrl } = session.signIn;
  const browser = `GET ${shortenSecrets(authorizeUrl).replaceAll(/[?&]/g, '\n$&')}`;
  const back = shortenSecrets(url.href).replaceAll(/[?&]/g, '\n$&');
  conversation.push({
    title: 'You allowed it in the browser',
    request: browser,
    status: 303,
    answer: `location: ${back}`,
  });
  session.code = null;
  try {
    session.token = await finishSignIn(session.signIn, url.searchParams);
  } catch (error) {
    session.signIn = null;
    return sendPage({ app, response, session }, problem('The client is not signed in', (error as Error).message));
  }
  redirect(response, '/client');
}

/** `POST /delete`: the client asks to delete a contact list, and asks for the same again when the user comes back. */
export async function deleteByClient({ app, session, response }: Visit): Promise<void> {
  if (session.token === null) return redirect(response, '/');
  const client = { conversation: [] as Conversation, endpoint: endpointOf(app), token: session.token };
  session.deletion ??= await findList(client);
  if (session.deletion !== null) await deleteList(client, session.deletion);
  const content = session.deletion === null ? '<p>Connect the mailer first: it has no contact list.</p>' : WAITS;
  sendPage(
    { app, response, session },
    `<h1>The built-in client wants to delete</h1>${content}${showConversation(client.conversation)}`,
  );
}

const WAITS = `<p>Nothing is deleted until you have seen the call and approved it. Open your page, look at it, and let the client ask again.
An approval is for one call: asked once more, the client needs another.</p>
<div class="row">${button('/own-page', 'Open your page', {}, { kind: 'primary' })}${button('/delete', 'Let it ask again')}</div>`;

/** `POST /call`: the same list and call with the application's own token. @param introduction HTML above the answers. */
export async function callService({ app, session, form, response }: Visit, introduction = ''): Promise<void> {
  const conversation: Conversation = [];
  const token = await accessTokenOf(app, session.user);
  const of = { service: form.get('service'), account: form.get('account') };
  if (token !== null) await listAndCall(conversation, endpointOf(app), token, of);
  const title = `A call of ${escapeHtml(form.get('service') ?? '')}`;
  const called = conversation.slice(1);
  const content =
    called.length === 0 ? '<p>None of its tools can be called without arguments.</p>' : showConversation(called);
  sendPage(
    { app, response, session },
    `<h1>${title}</h1>${introduction}${content}<p><a class="button" href="/">Back to your services</a></p>`,
  );
}

function showConversation(conversation: Conversation): string {
  const steps = conversation.map(({ title, request, status, answer, note }) => {
    const isRefused = status >= 400 || answer.includes('"isError": true');
    return `<li><h3>${escapeHtml(title)}</h3>
<pre tabindex="0" class="sent">${escapeHtml(request)}</pre>
<pre tabindex="0" class="${isRefused ? 'got refused' : 'got'}">${status}\n${escapeHtml(answer)}</pre>${note === undefined ? '' : `<p>${escapeHtml(note)}</p>`}</li>`;
  });
  return `<h2>The conversation</h2><ol class="conversation">${steps.join('')}</ol>`;
}

const WHAT_HAPPENED = `<p>The sample service now refuses this credential, as after a key was revoked. The answer below is what an agent reads:
it names the page where the user connects the service again. Go back, and press Reconnect.</p>`;

/** `POST /break`: the service rejects the credential during a tool call, because the gateway learns of it only from answers. */
export async function breakCredential(visit: Visit): Promise<void> {
  const service = visit.form.get('service') ?? '';
  const switchOf = (fault: string): Promise<Response> => {
    const body = new URLSearchParams({ service, fault, times: '1000000' });
    return fetch(`${visit.app.sandbox?.origin}/__sandbox/fault`, { method: 'POST', body, redirect: 'manual' });
  };
  await switchOf('expired-credential');
  await callService(visit, WHAT_HAPPENED);
  // The next key that the user enters represents a new one, which the service accepts.
  await switchOf('none');
}
