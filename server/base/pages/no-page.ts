/** The page for an address that no route serves. */

import type { GatewayMiddleware } from '../http/state.ts';
import { html } from './html.ts';
import { sendPage } from './page.ts';
import { isPageVisit } from './page-visit.ts';

/** Answers a person with a page; programs get the answer of the surrounding middleware. */
export function noPage(): GatewayMiddleware {
  return async (ctx, next) => {
    await next();
    if (ctx.status < 400 || ctx.body !== undefined || ctx.respond === false || !isPageVisit(ctx.req)) return;
    const title = ctx.status === 404 ? 'Page not found' : 'This address is for programs';
    const content = html`<h1>${title}</h1>
<p>Compare the address with the one that you were given, or go back to the application that sent you here.</p>
<p><a href="/">What this gateway is</a></p>`;
    sendPage(ctx, ctx.status, { title, content });
  };
}
