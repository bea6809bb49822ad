/** The common HTML of the pages, and functions that send answers. */

import type { ServerResponse } from 'node:http';
import type { Session } from './sessions.ts';
import type { App, Visit } from './visit.ts';

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

/** @param visit with the session of who is signed in, or null. */
export function sendPage(
  { app, response, session }: Pick<Visit, 'app' | 'response'> & { readonly session: Session | null },
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

export const STYLE = `
:root { color-scheme: light dark; --page: #f6f5f2; --card: #fff; --text: #1c1b19; --quiet: #5f5b54; --line: #d9d5cd; --accent: #7a3e00; --accent-text: #fff; --good: #17653a; --bad: #b42318; }
@media (prefers-color-scheme: dark) { :root { --page: #151412; --card: #201e1b; --text: #ece9e4; --quiet: #b0aaa0; --line: #423e38; --accent: #ffb56b; --accent-text: #2a1500; --good: #7fd6a3; --bad: #ff9b8f; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
header, main { max-width: 60rem; margin: 0 auto; padding: 1rem; }
header { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; border-bottom: 1px solid var(--line); }
header a { font-weight: 700; color: inherit; text-decoration: none; margin-right: auto; }
h1 { margin: .5rem 0 1rem; } h2 { margin: 2rem 0 .5rem; } h3 { margin: 0 0 .25rem; font-size: 1rem; }
h4 { margin: .75rem 0 .25rem; font-size: 1rem; }
section h3:not(li h3) { margin-top: 1.25rem; }
.quiet a { color: inherit; }
.name { text-transform: capitalize; }
.quiet { color: var(--quiet); margin: 0; }
.row { display: flex; flex-wrap: wrap; gap: .5rem; margin: .75rem 0; }
.cards { list-style: none; margin: 1rem 0; padding: 0; display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 27rem), 1fr)); }
.cards li { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; }
.list { padding: 0; list-style: none; } .list li { padding: .5rem 0; border-top: 1px solid var(--line); } .list form { display: inline; }
.logo { display: inline-grid; place-items: center; min-width: 2rem; height: 2rem; padding: 0 .25rem; border-radius: .375rem; background: var(--quiet); color: var(--card); font-size: .875rem; }
.status { display: block; margin-top: .5rem; font-weight: 600; } .connected { color: var(--good); } .attention { color: var(--bad); }
.notice { padding: .75rem 1rem; background: var(--card); border-left: .25rem solid var(--accent); }
button, .button { display: inline-block; padding: .5rem .875rem; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--quiet); border-radius: .375rem; cursor: pointer; text-decoration: none; }
button.primary, .button { background: var(--accent); border-color: var(--accent); color: var(--accent-text); }
button:disabled { opacity: .5; cursor: not-allowed; }
button.link { border-color: transparent; background: none; text-decoration: underline; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
pre { overflow-x: auto; margin: .5rem 0; padding: .75rem; background: var(--page); border: 1px solid var(--line); border-radius: .375rem; font-size: .8125rem; }
.conversation > li { margin: 1.25rem 0; } .conversation pre { background: var(--card); white-space: pre-wrap; }
.got { border-left: .25rem solid var(--good); } .got.refused { border-left-color: var(--bad); }
.code { white-space: nowrap; font-family: ui-monospace, monospace; font-size: 1.25rem; }
`;
