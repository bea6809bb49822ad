/** The page Assistant of the demo: an MCP client next to the portal's pages. It shows the answer first, and its requests folded below. */

import { answerOf, PartnerApiError } from '../../../packages/partner/index.ts';
import type { PortalAction, PortalOutcome, PortalPage, PortalRequest } from '../../../packages/portal/request.ts';
import { button, foreign, hidden, hiddenFields } from '../../../server/base/pages/components.ts';
import { type Html, html } from '../../../server/base/pages/html.ts';
import { MCP_PATH } from '../../../server/gateway-paths.ts';
import { type Conversation, shortenSecrets } from './conversation.ts';
import { beginSignIn, finishSignIn, type SignIn } from './mcp-client.ts';
import { type Answer, answerQuestion, QUESTIONS } from './questions.ts';

export const ASSISTANT_PATH = '/assistant';

/** A question to the assistant, its answer, and the requests that led to it. */
interface Message {
  /** Key of `QUESTIONS`. */
  readonly id: string;
  readonly question: string;
  readonly answer: Answer;
  readonly conversation: Conversation;
}

/** The assistant of one session of the portal. */
interface Assistant {
  readonly signIn: SignIn;
  /** The connection code for its sign-in. */
  readonly code: string;
  /** Its access token. Null until the person has allowed it. */
  token: string | null;
  /** The latest questions, oldest first. */
  messages: readonly Message[];
}

/** More would make the page long. */
const MAX_MESSAGES = 4;
const MAX_ASSISTANTS = 1000;

/** @param titles of the services of this gateway, by name. */
export function createAssistantPages(titles: ReadonlyMap<string, string>): readonly PortalPage[] {
  const assistants = new Map<string, Assistant>();

  function show(request: PortalRequest): PortalOutcome {
    const assistant = assistants.get(request.csrf);
    if (assistant === undefined) return page(startContent(request));
    return page(assistant.token === null ? signInContent(assistant) : chatContent(assistant, request, titles));
  }

  async function start(action: PortalAction): Promise<PortalOutcome> {
    const { csrf, gateway, origin, partner, person } = action;
    try {
      const body = { user_id: person.userId };
      const { session_token } = await answerOf(partner.POST('/api/mcp/oauth/sessions', { body }));
      const signIn = await beginSignIn(gateway + MCP_PATH, `${origin}${ASSISTANT_PATH}/callback`);
      assistants.set(csrf, { signIn, code: session_token, token: null, messages: [] });
    } catch (error) {
      if (!(error instanceof PartnerApiError) || error.code !== 'user_not_connected') throw error;
      return { redirect: '/services', flash: 'Connect a service first.' };
    }
    const [oldest] = assistants.keys();
    if (assistants.size > MAX_ASSISTANTS && oldest !== undefined) assistants.delete(oldest);
    return { redirect: ASSISTANT_PATH };
  }

  /** The client's redirect URI. */
  async function continueSignIn({ csrf, origin, ctx }: PortalRequest): Promise<PortalOutcome> {
    const assistant = assistants.get(csrf);
    if (assistant === undefined) return { redirect: ASSISTANT_PATH };
    const { signIn } = assistant;
    const back = new URL(ctx.url, origin);
    signIn.conversation.push({
      title: 'You allowed it in the browser',
      request: `GET ${inLines(signIn.authorizeUrl)}`,
      status: 303,
      answer: `location: ${inLines(back.href)}`,
    });
    try {
      assistant.token = await finishSignIn(signIn, back.searchParams);
    } catch (error) {
      assistants.delete(csrf);
      return { redirect: ASSISTANT_PATH, flash: `The assistant has no access. ${(error as Error).message}` };
    }
    return { redirect: ASSISTANT_PATH };
  }

  async function ask({ csrf, form }: PortalAction): Promise<PortalOutcome> {
    const assistant = assistants.get(csrf);
    const id = form.get('question') ?? '';
    const question = Object.hasOwn(QUESTIONS, id) ? QUESTIONS[id] : undefined;
    if (assistant === undefined || assistant.token === null || question === undefined)
      return { redirect: ASSISTANT_PATH };
    const client = { conversation: [], endpoint: assistant.signIn.endpoint, token: assistant.token };
    const answer = await answerQuestion(client, question, titles.get(question.service) ?? question.service);
    const message = { id, question: question.text, answer, conversation: client.conversation };
    assistant.messages = [...assistant.messages, message].slice(-MAX_MESSAGES);
    return { redirect: `${ASSISTANT_PATH}#latest` };
  }

  return [
    { method: 'GET', path: ASSISTANT_PATH, handle: show },
    { method: 'POST', path: ASSISTANT_PATH, handle: start },
    { method: 'GET', path: `${ASSISTANT_PATH}/callback`, handle: continueSignIn },
    { method: 'POST', path: `${ASSISTANT_PATH}/ask`, handle: ask },
  ];
}

function page(content: Html): PortalOutcome {
  return { title: 'Assistant', content: html`<h1>Assistant</h1>\n${content}` };
}

/** An address with one parameter a line, and shortened secrets. */
function inLines(address: string): string {
  return shortenSecrets(address).replaceAll(/[?&]/g, '\n$&');
}

function startContent({ csrf }: PortalRequest): Html {
  return html`<p>The assistant answers from the services that you connected. It is an MCP client, like Claude or ChatGPT: the gateway asks you first what it may do.</p>
<form method="post" action="${ASSISTANT_PATH}">${hidden('csrf', csrf)}${button('Start the assistant', { kind: 'primary' })}</form>`;
}

function signInContent({ code, signIn }: Assistant): Html {
  return html`<ol class="steps">
<li><h2>Copy this connection code</h2>
<p><strong class="code" id="code" data-copy="the connection code">${code}</strong></p></li>
<li><h2>Open the gateway’s page</h2>
<p>Type the code there, and choose what the assistant may do.</p>
<p><a class="button" href="${signIn.authorizeUrl}" target="_blank">Open the gateway’s page</a> <span class="quiet">in a new tab</span></p></li>
</ol>
${conversationDetails(signIn.conversation)}`;
}

function chatContent(
  { messages, signIn }: Assistant,
  request: PortalRequest,
  titles: ReadonlyMap<string, string>,
): Html {
  const hello = html`<article><p>Hello, ${foreign(request.person.name)}. I can use your services now. What would you like to know?</p>${conversationDetails(signIn.conversation)}</article>`;
  // A gateway with other services has no title for these.
  const possible = Object.entries(QUESTIONS).filter(([, { service }]) => titles.has(service));
  return html`${messages.length === MAX_MESSAGES ? null : hello}
${messages.map((message, index) => messageArticle(message, index === messages.length - 1, request))}
<form method="post" action="${ASSISTANT_PATH}/ask">${hidden('csrf', request.csrf)}<h2>Ask</h2>
<p class="quiet">This sample has no language model: each question stands for fixed tool calls. The answers are their results.</p>
<div class="row">${possible.map(([id, { text }]) => button(text, { sends: ['question', id] }))}</div></form>`;
}

function messageArticle(
  { id, question, answer, conversation }: Message,
  isLatest: boolean,
  { csrf }: PortalRequest,
): Html {
  const { text, columns = [], rows = [], source, link, waitsAt } = answer;
  const head = html`<thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>`;
  const body = html`<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>`;
  const review = html`<p class="quiet">Look at it and decide on your page. Then let me try again.</p>
<div class="row"><form method="post" action="/approvals/open">${hiddenFields({ csrf, target: waitsAt ?? null })}${button('Review', { kind: 'primary' })}</form>
<form method="post" action="${ASSISTANT_PATH}/ask">${hidden('csrf', csrf)}${button('Try again', { sends: ['question', id] })}</form></div>`;
  return html`<article${isLatest ? html` id="latest"` : null}><h2>${question}</h2>
<p${isLatest ? html` role="status"` : null}>${text}</p>
${rows.length === 0 ? null : html`<div class="scroll"><table>${head}${body}</table></div>`}
${source === undefined ? null : html`<p class="quiet">${source}</p>`}
${link === undefined ? null : html`<p><a class="button" href="${link.address}">${link.label}</a></p>`}
${waitsAt === undefined ? null : review}
${conversationDetails(conversation)}</article>`;
}

/** The requests of a client with their answers, folded. */
function conversationDetails(conversation: Conversation): Html {
  const steps = conversation.map(
    ({ title, request, status, answer, note }) => html`<li><strong>${title}</strong>
<pre tabindex="0" role="group" aria-label="Request">${request}</pre>
<pre tabindex="0" role="group" aria-label="Answer">${status}\n${answer}</pre>${note === undefined ? null : html`<p class="quiet">${note}</p>`}</li>`,
  );
  const count = steps.length === 1 ? '1 request' : `${steps.length} requests`;
  return html`<details><summary>${count}</summary><ol class="steps">${steps}</ol></details>`;
}
