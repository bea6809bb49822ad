/** The page of a question that an MCP server asks before it answers a call, for clients that cannot ask their user. */

import { alert, button, facts, foreign, hidden } from '../../base/pages/components.ts';
import { type Html, html } from '../../base/pages/html.ts';
import { PageError } from '../../base/pages/page-errors.ts';
import { relativeTime } from '../../base/pages/times.ts';
import { findClient } from '../../base/store/repositories/oauth-clients.ts';
import { escapeUnseen } from '../../call/tools/approvals/visible-text.ts';
import { type Field, readEntries, readFields } from '../../call/tools/questions/fields.ts';
import { pageOf, type WaitingQuestion } from '../../call/tools/questions/store.ts';
import { USER_PAGE_PATH, USER_QUESTIONS_PATH } from '../../identity/partners/user-links.ts';
import { clientOf } from './approvals.ts';
import { questionFields } from './question-fields.ts';
import type { Outcome, UserAction, UserRequest } from './request.ts';
import { serviceTitle, userPage } from './view.ts';

/** One of the questions of a call, and what was entered for it. */
interface Part {
  /** Prefix of the fields of the form. */
  readonly prefix: string;
  readonly key: string;
  readonly request: WaitingQuestion['requests'][string];
  readonly fields: readonly Field[];
}

/** A form that was sent and not accepted. */
interface Refused {
  readonly form: URLSearchParams;
  /** Sentences by the name of a field of the form. */
  readonly problems: ReadonlyMap<string, string>;
}

/** Shows a question with its form. @throws {PageError} 404. */
export async function showQuestion(request: UserRequest, refused?: Refused): Promise<Outcome> {
  const question = await findQuestion(request);
  const service = serviceTitle(question.service, request);
  const isPage = partsOf(question).every(({ request: { mode } }) => mode === 'url');
  const content = html`${await callFacts(question, service, request)}
<form method="post" action="${USER_QUESTIONS_PATH}/${question.id}">${hidden('csrf', request.csrf)}${hidden('question', question.digest)}
${partsOf(question).map((part) => partHtml(part, service, refused))}
<p class="quiet">${service} gets what you send. Never enter a password here.</p>
<div class="actions">${button(isPage ? 'I have done that' : `Send to ${service}`, { kind: 'primary', sends: ['decision', 'send'] })}${button('Decline', { sends: ['decision', 'decline'], more: html` formnovalidate` })}</div></form>
<p><a href="${USER_PAGE_PATH}">Back to everything that you have allowed</a></p>`;
  const problem =
    refused === undefined ? null : alert('Nothing was sent', 'Correct the marked fields, then send again.');
  return userPage(request, { title: `${service} asks you something`, content, problem });
}

/** Stores the answer of the form, for the question as it was shown. @throws {PageError} 404. */
export async function answerQuestion(action: UserAction): Promise<Outcome> {
  const { deps, form, user } = action;
  const question = await findQuestion(action);
  const decision = form.get('decision');
  if (form.get('question') !== question.digest || (decision !== 'send' && decision !== 'decline'))
    throw noSuchQuestion();
  const responses: Record<string, unknown> = {};
  const problems = new Map<string, string>();
  for (const { key, prefix, request, fields } of partsOf(question)) {
    const { content, problems: fieldProblems } = readEntries(fields, (_, index) => form.getAll(`${prefix}${index}`));
    for (const [index, { name }] of fields.entries()) {
      const problem = fieldProblems.get(name);
      if (problem !== undefined) problems.set(`${prefix}${index}`, problem);
    }
    if (decision === 'decline') responses[key] = { action: 'decline' };
    else responses[key] = request.mode === 'url' ? { action: 'accept' } : { action: 'accept', content };
  }
  if (decision === 'send' && problems.size > 0) return showQuestion(action, { form, problems });
  const isStored = await deps.db
    .transaction()
    .execute((transaction) => deps.questions.answer(transaction, question, { userId: user.id, responses }));
  if (!isStored) throw noSuchQuestion();
  return { redirect: `${USER_PAGE_PATH}?done=${decision === 'send' ? 'answered' : 'declined'}` };
}

async function findQuestion({ deps, user, param }: UserRequest): Promise<WaitingQuestion> {
  const question = await deps.questions.find(user.id, param('question'));
  if (question === undefined) throw noSuchQuestion();
  return question;
}

function partsOf({ requests }: WaitingQuestion): readonly Part[] {
  return Object.entries(requests).map(([key, request], position) => {
    const fields = request.mode === 'url' ? [] : (readFields(request.requestedSchema) ?? []);
    return { prefix: `q${position}.`, key, request, fields };
  });
}

async function callFacts(question: WaitingQuestion, service: string, request: UserRequest): Promise<Html> {
  const { tool, grantId, clientId, askedAt } = question;
  const client = clientId === null ? undefined : await findClient(request.deps.db, clientId);
  const asker = { grantId, clientId, clientName: client?.clientName ?? null };
  return facts([
    { term: 'Service', value: service },
    { term: 'For the call', value: request.deps.catalogue.find(tool)?.tool.title ?? tool },
    { term: 'With', value: html`<code class="value"><bdi>${escapeUnseen(question.arguments)}</bdi></code>` },
    { term: 'Called by', value: clientOf(asker, request) },
    { term: 'Asked', value: relativeTime(askedAt, request.now) },
  ]);
}

function partHtml(part: Part, service: string, refused: Refused | undefined): Html {
  const { request, fields, prefix } = part;
  const message = typeof request.message === 'string' ? request.message : '';
  const page = request.mode === 'url' ? pageOf(request) : null;
  const entered = (index: number) => refused?.form.getAll(`${prefix}${index}`);
  const problemOf = (index: number) => refused?.problems.get(`${prefix}${index}`);
  return html`<h2>${service} asks</h2>
<blockquote>${foreign(escapeUnseen(message))}</blockquote>
${page === null ? null : pageLink(page, service)}
${questionFields(fields, { prefix, entered, problemOf })}`;
}

/** The address of a page of the service. The gateway never opens it. */
function pageLink({ href, host }: URL, service: string): Html {
  return html`<p>${service} wants you to open a page at <strong>${foreign(host)}</strong>. Open it only if you know this address:</p>
<p><a href="${href}" rel="noopener noreferrer external" target="_blank">${foreign(escapeUnseen(href))}</a></p>`;
}

function noSuchQuestion(): PageError {
  return new PageError(404, {
    title: 'No such question',
    text: 'There is no such question for you: it was answered, it has changed, or it waited more than 10 minutes. Nothing was sent.',
    advice: 'Ask the client to make the call again.',
  });
}
