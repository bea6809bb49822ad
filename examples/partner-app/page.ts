/** The common HTML of the pages, and functions that send answers. */

import type { ServerResponse } from 'node:http';
import type { Session } from './sessions.ts';
import type { App } from './visit.ts';

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A form that is one button. */
export function button(
  action: string,
  label: string,
  fields: Readonly<Record<string, string>> = {},
  kind = '',
  isEnabled = true,
): string {
  const hidden = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  return `<form method="post" action="${action}">${hidden.join('')}<button class="${kind}"${isEnabled ? '' : ' disabled'}>${escapeHtml(label)}</button></form>`;
}

export const CONNECT_FIRST = 'Connect a service first.';

export const SIGN_IN = `<h1>Your application</h1>
<p>This plays the role of your application, whose users connect services and use them from their AI clients. Sign in as a sample
user; there is no password.</p>
<form method="post" action="/sign-in" class="row">
<button name="user" value="maya" class="primary">Sign in as Maya</button>
<button name="user" value="noah">Sign in as Noah</button>
<button name="user" value="ada">Sign in as Ada, who has connected services already</button>
</form>`;

export function problem(title: string, message: string): string {
  return `<h1>${escapeHtml(title)}</h1><p>${escapeHtml(message)}</p><p><a href="/">Back</a></p>`;
}

export function sendPage(
  app: App,
  response: ServerResponse,
  session: Session | null,
  content: string,
  status = 200,
): void {
  const user =
    session === null
      ? ''
      : `<span>Signed in as <strong class="name">${escapeHtml(session.user)}</strong></span>${button('/sign-out', 'Sign out')}`;
  const notice = session?.notice ? `<p class="notice" role="status">${escapeHtml(session.notice)}</p>` : '';
  if (session !== null) session.notice = null;
  response.setHeader('Content-Security-Policy', policyOf(app));
  response.setHeader('Cache-Control', 'no-store');
  response.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8' }).end(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Your application</title>
<link rel="stylesheet" href="/style.css">
<script src="${app.gateway}/connect.js" defer></script><script src="/app.js" defer></script></head>
<body data-state="${session?.state ?? ''}">
<header><a href="/">Your application</a>${user}</header>
<main>${notice}
${content}
</main></body>
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
