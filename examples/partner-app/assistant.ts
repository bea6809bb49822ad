/** The assistant: an MCP client inside the product. It shows the answer first, and its requests folded below. */

import { listConnections, mintCode } from './clients.ts';
import { shortenSecrets } from './conversation.ts';
import { beginSignIn, finishSignIn } from './mcp-client.ts';
import { button, CONNECT_FIRST, copyable, escapeHtml, problem, redirect, sendPage, showConversation } from './page.ts';
import { answerQuestion, QUESTIONS } from './questions.ts';
import type { Message } from './sessions.ts';
import { endpointOf, type Visit } from './visit.ts';

/** More would make the page long. */
const MAX_MESSAGES = 4;

/** `POST /client`: the client takes the steps that lead to the consent page. */
export async function startSignIn({ app, session, response }: Visit): Promise<void> {
  session.code = await mintCode(app, session.user);
  session.token = null;
  session.messages = [];
  session.signIn = await beginSignIn(endpointOf(app), `${app.origin}/client/callback`);
  redirect(response, '/client');
}

/** `GET /client` */
export async function showAssistant(visit: Visit): Promise<void> {
  const { app, session } = visit;
  const { signIn, code, token } = session;
  if (signIn === null) {
    const isConnected = (await listConnections(app, session.user)).length > 0;
    return sendPage(visit, 'Assistant', `<section class="panel">${startSection(isConnected)}</section>`);
  }
  const requests = showConversation(signIn.conversation);
  if (token === null) {
    const steps = `<section class="panel"><h2>Give the assistant access</h2>
<ol class="steps"><li>Copy this connection code: ${copyable('code', code ?? '')}</li>
<li>Open the gateway’s page, type the code, and choose what the assistant may do.</li></ol>
<p><a class="button" href="${escapeHtml(signIn.authorizeUrl)}" target="_blank">Open the gateway’s page</a> <span class="quiet">in a new tab</span></p>
${requests}</section>`;
    return sendPage(visit, 'Assistant', steps);
  }
  const connected = await connectedSince(visit);
  const [hello, ...rest] = [
    `<article><div class="said"><p>Hello, <span class="name">${escapeHtml(session.user)}</span>. I can use your services now. What would you like to know?</p>${requests}</div></article>`,
    ...session.messages.map((message, index) =>
      showMessage(message, { isLatest: index === session.messages.length - 1, connected }),
    ),
  ];
  // A gateway with other services has no title for these.
  const possible = Object.entries(QUESTIONS).filter(([, { service }]) => app.titleOf(service) !== service);
  const chips = possible.map(
    ([id, { text }]) => `<li><button name="question" value="${id}">${escapeHtml(text)}</button></li>`,
  );
  sendPage(
    visit,
    'Assistant',
    `<p class="lead">Ask about people, policies, invoices and dates.</p>
<div class="chat">${rest.length === MAX_MESSAGES ? '' : hello}${rest.join('')}</div>
<form method="post" action="/ask" class="ask"><h2 id="suggestions">Ask</h2><ul class="chips" aria-labelledby="suggestions">${chips.join('')}</ul>
<p class="quiet">This sample has no language model: each question stands for fixed tool calls. The answers are their results.</p></form>`,
  );
}

function startSection(isConnected: boolean): string {
  return `<h2>Answers from the services that you connected</h2>
<p>The assistant is an MCP client, like Claude or ChatGPT. The gateway asks you first what it may do.</p>
${isConnected ? '' : `<p><strong>${CONNECT_FIRST}</strong></p>`}
${button('/client', 'Start the assistant', {}, { kind: 'primary', isEnabled: isConnected })}`;
}

/** The services that the user was asked to connect, and that work now. */
async function connectedSince({ app, session }: Visit): Promise<readonly string[]> {
  if (session.messages.every(({ answer }) => answer.connects === undefined)) return [];
  const connections = await listConnections(app, session.user);
  return connections.flatMap(({ service, status }) => (status === 'active' ? [service] : []));
}

interface MessageView {
  readonly isLatest: boolean;
  readonly connected: readonly string[];
}

function showMessage({ id, question, answer, conversation }: Message, { isLatest, connected }: MessageView): string {
  const { text, columns = [], rows = [], source, link, connects, waitsAt } = answer;
  const cells = (tag: string, values: readonly string[]): string =>
    `<tr>${values.map((value) => `<${tag}>${escapeHtml(value)}</${tag}>`).join('')}</tr>`;
  const table =
    rows.length === 0
      ? ''
      : `<table><thead>${cells('th', columns)}</thead><tbody>${rows.map((row) => cells('td', row)).join('')}</tbody></table>`;
  const review =
    waitsAt === undefined
      ? ''
      : `<p class="quiet">Look at it and decide on your page. Then let me try again.</p>
<div class="row">${button('/own-page', 'Review', { target: waitsAt }, { kind: 'primary' })}${button('/ask', 'Try again', { question: id })}</div>`;
  let onward = '';
  if (connects !== undefined && connected.includes(connects)) {
    onward = '<p class="quiet">It is connected now. Ask me again.</p>';
  } else if (link !== undefined) {
    onward = `<p><a class="button" href="${escapeHtml(link.address)}">${escapeHtml(link.label)}</a></p>`;
  }
  return `<article${isLatest ? ' id="latest"' : ''}><p class="asked">${escapeHtml(question)}</p>
<div class="said"${isLatest ? ' role="status"' : ''}><p>${escapeHtml(text)}</p>${table}${source === undefined ? '' : `<p class="source">${escapeHtml(source)}</p>`}${onward}${review}
${showConversation(conversation)}</div></article>`;
}

/** `POST /ask` */
export async function ask({ app, session, form, response }: Visit): Promise<void> {
  const id = form.get('question') ?? '';
  const question = Object.hasOwn(QUESTIONS, id) ? QUESTIONS[id] : undefined;
  if (session.token === null || question === undefined) return redirect(response, '/client');
  const client = { conversation: [], endpoint: endpointOf(app), token: session.token };
  const answer = await answerQuestion(client, question, app.titleOf(question.service));
  const message = { id, question: question.text, answer, conversation: client.conversation };
  session.messages = [...session.messages, message].slice(-MAX_MESSAGES);
  redirect(response, '/client#latest');
}

/** `GET /client/callback`: the client's redirect URI. */
export async function continueSignIn(visit: Visit): Promise<void> {
  const { session, url, response } = visit;
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
    return sendPage(visit, 'The assistant has no access', problem((error as Error).message));
  }
  redirect(response, '/client');
}
