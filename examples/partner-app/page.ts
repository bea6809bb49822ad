/** The frame of every page, and functions that send answers. */

import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Conversation } from './conversation.ts';
import type { Session } from './sessions.ts';
import type { App, Visit } from './visit.ts';

/** The product. Its company is the gateway's partner. */
export const PRODUCT = 'Relay';

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A form that is one button. */
export function button(
  action: string,
  label: string,
  fields: Readonly<Record<string, string>> = {},
  { kind = '', isEnabled = true }: { readonly kind?: string; readonly isEnabled?: boolean } = {},
): string {
  const hidden = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  return `<form method="post" action="${action}">${hidden.join('')}<button class="${kind}"${isEnabled ? '' : ' disabled'}>${escapeHtml(label)}</button></form>`;
}

/** Text in a box, which the script gives a button to copy it. */
export function copyable(id: string, text: string): string {
  return `<span class="copyable"><code id="${id}">${escapeHtml(text)}</code></span>`;
}

/** Twelve hues, as the gateway's own pages have them. White text on each has a contrast of at least 4.5. */
const MARK_COLORS = [
  '#b6303e',
  '#a44c06',
  '#886108',
  '#6d6e0a',
  '#267e05',
  '#0c7b60',
  '#10777c',
  '#0e7397',
  '#2663c9',
  '#6b50c2',
  '#9240a4',
  '#ab3276',
];

/** Returns the logo of a service, or without one its initials on a colour. */
export function markOf(name: string, initials: string, logoUrl: string | null = null): string {
  if (logoUrl !== null) return `<img class="mark" src="${escapeHtml(logoUrl)}" alt="" width="36" height="36">`;
  const [, seed = 0] = createHash('sha256').update(name).digest();
  const fill = MARK_COLORS[seed % MARK_COLORS.length];
  return `<svg class="mark" viewBox="0 0 36 36" width="36" height="36" aria-hidden="true"><rect width="36" height="36" rx="9" fill="${fill}"/><text x="18" y="23" text-anchor="middle">${escapeHtml(initials)}</text></svg>`;
}

const LOGO =
  '<svg class="mark" viewBox="0 0 36 36" width="36" height="36" aria-hidden="true"><rect width="36" height="36" rx="9" class="ground"/><path d="M11 25a7 7 0 0 1 7-7 7 7 0 0 0 7-7" class="line"/><circle cx="11" cy="25" r="3.5"/><circle cx="25" cy="11" r="3.5"/></svg>';

export const CONNECT_FIRST = 'Connect a service first.';

const USERS = {
  maya: ['Maya', 'Sales lead. Nothing is connected yet.'],
  noah: ['Noah', 'Account manager. Nothing is connected yet.'],
  ada: ['Ada', 'Operations. Her services are connected already.'],
};

/** The sign-in page. Each person is a row, all of which is a button. @param next path and query of the page that was asked for. */
export function signInPage(next: string): string {
  const people = Object.entries(USERS).map(([user, [name = '', remark = '']]) => {
    const button = `<button name="user" value="${user}" aria-describedby="about-${user}">Sign in as ${name}</button>`;
    return `<li class="person">${markOf(name, name.slice(0, 1))}<div>${button}<p class="quiet" id="about-${user}">${remark}</p></div></li>`;
  });
  return `<div class="welcome">${LOGO}<h1>Ask your tools, not your team</h1>
<p>${PRODUCT} is the assistant for people who sell. Connect your services, and ask.</p>
<form method="post" action="/sign-in"><input type="hidden" name="next" value="${escapeHtml(next)}"><ul class="people">${people.join('')}</ul></form>
<p class="quiet">A sample product: it plays the role of your application. There is no password.</p></div>`;
}

const TABS = {
  '/': ['Integrations', 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM17 13v8M13 17h8'],
  '/client': ['Assistant', 'M4 5h16v11H10l-5 4v-4H4z'],
  '/clients': ['AI clients', 'M4 5h16v11H4zM9 20h6M12 16v4'],
  '/activity': ['Activity', 'M3 13h4l3-8 4 14 3-6h4'],
};

function navigation(path: string | undefined): string {
  const tabs = Object.entries(TABS).map(([href, [label, line]]) => {
    const icon = `<svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true"><path d="${line}"/></svg>`;
    return `<li><a href="${href}"${href === path ? ' aria-current="page"' : ''}>${icon}${label}</a></li>`;
  });
  return `<nav aria-label="${PRODUCT}"><ul>${tabs.join('')}</ul></nav>`;
}

/** The requests of a client with their answers, folded. */
export function showConversation(conversation: Conversation, { isOpen = false } = {}): string {
  const steps = conversation.map(({ title, request, status, answer, note }) => {
    const isRefused = status >= 400 || answer.includes('"isError": true');
    return `<li><strong>${escapeHtml(title)}</strong>
<pre tabindex="0" class="sent">${escapeHtml(request)}</pre>
<pre tabindex="0" class="${isRefused ? 'got refused' : 'got'}">${status}\n${escapeHtml(answer)}</pre>${note === undefined ? '' : `<p class="quiet">${escapeHtml(note)}</p>`}</li>`;
  });
  const count = steps.length === 1 ? '1 request' : `${steps.length} requests`;
  return `<details class="protocol"${isOpen ? ' open' : ''}><summary>${count}</summary><ol class="conversation">${steps.join('')}</ol></details>`;
}

/** A page that says what went wrong. */
export function problem(message: string): string {
  return `<p>${escapeHtml(message)}</p><p><a class="button" href="/">Back to your integrations</a></p>`;
}

/** The visit that a page answers. `session` is null if no user is signed in, `url` if it is unknown. */
export type PageVisit = Pick<Visit, 'app' | 'response'> & {
  readonly session: Session | null;
  readonly url: URL | null;
};

/** @param title also the heading, but on the page for signing in, which has its own. */
export function sendPage(
  { app, response, session, url }: PageVisit,
  title: string,
  content: string,
  status = 200,
): void {
  const notice = session?.notice ? `<p class="notice" role="status">${escapeHtml(session.notice)}</p>` : '';
  if (session !== null) session.notice = null;
  const user = escapeHtml(session?.user ?? '');
  const body =
    session === null
      ? `<main>${content}</main>`
      : `<header><a class="brand" href="/">${LOGO}${PRODUCT}</a>${navigation(url?.pathname)}
<div class="who"><span>Signed in as <strong class="name">${user}</strong></span>${button('/sign-out', 'Sign out', {}, { kind: 'link' })}</div></header>
<main>${notice}<h1>${escapeHtml(title)}</h1>
${content}</main>`;
  response.setHeader('Content-Security-Policy', policyOf(app));
  response.setHeader('Cache-Control', 'no-store');
  response.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8' }).end(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)} · ${PRODUCT}</title>
<link rel="stylesheet" href="/style.css">
<script src="${app.gateway}/connect.js" defer></script><script src="/app.js" defer></script></head>
<body class="${session === null ? 'outside' : 'inside'}" data-state="${session?.state ?? ''}">
${body}</body>
</html>
`);
}

/** Allows forms to reach the gateway: browsers apply `form-action` to redirects too, such as that of the button Connect. */
function policyOf({ gateway }: App): string {
  const sources = `style-src 'self'; script-src 'self' ${gateway}; img-src ${gateway}; connect-src 'self'`;
  return `default-src 'none'; ${sources}; form-action 'self' ${gateway}; base-uri 'none'; frame-ancestors 'none'`;
}

export function sendJson(response: ServerResponse, value: object): void {
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
}

export function sendNothing(response: ServerResponse, status: number): void {
  response.writeHead(status).end();
}

export function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { Location: location }).end();
}
