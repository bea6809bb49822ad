/** Refusals that a person in a browser sees. */

import { toStoreRefusal } from '../http/error-handler.ts';
import { RequestError } from '../http/errors.ts';
import { isPageVisit } from '../http/origin.ts';
import type { GatewayMiddleware } from '../http/state.ts';
import { type Html, html } from './html.ts';
import { sendPage } from './page.ts';

/** Ends a browser's request with an error page. The texts are for the person: they hold no secret, and nothing from the request. */
export class PageError extends Error {
  override readonly name = 'PageError';
  /** HTTP status, 400 to 599. */
  readonly status: number;
  readonly title: string;
  /** Says what happened. */
  readonly text: string;
  /** Says what to do next. */
  readonly advice: string | Html;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    page: { title: string; text: string; advice: string | Html; headers?: Readonly<Record<string, string>> },
  ) {
    super(`${page.title}: ${page.text}`);
    this.status = status;
    this.title = page.title;
    this.text = page.text;
    this.advice = page.advice;
    this.headers = page.headers ?? {};
  }
}

const REQUEST_ADVICE = 'Go back to the application that sent you here and start again.';

/** Answers every error of a page's route with a page. An unexpected error is a 500 with the request id, and is logged in full. */
export function pageErrors(): GatewayMiddleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const page = toPageError(toStoreRefusal(error) ?? error, ctx.state.requestId);
      ctx.state.log[page.status >= 500 ? 'error' : 'debug']({ err: error }, 'request failed');
      ctx.set(page.headers);
      const content = html`<header><h1>${page.title}</h1>
<p role="alert">${page.text}</p></header>
<p class="advice">${page.advice}</p>`;
      sendPage(ctx, page.status, { title: page.title, content });
    }
  };
}

function toPageError(error: unknown, requestId: string): PageError {
  if (error instanceof PageError) return error;
  if (error instanceof RequestError && error.status < 500) {
    const { status, headers, description } = error;
    return new PageError(status, { title: 'This did not work', text: description, advice: REQUEST_ADVICE, headers });
  }
  if (error instanceof RequestError && error.status === 503) {
    const { description: text, headers } = error;
    return new PageError(503, { title: 'Not available right now', text, advice: 'Reload this page then.', headers });
  }
  return new PageError(500, {
    title: 'Something went wrong here',
    text: 'The gateway could not answer.',
    advice: `Try again. If it happens again, tell the people who run this gateway: their log has this request as ${requestId}.`,
  });
}

/** Answers a person with a page where no route serves the address; programs get the answer of the surrounding middleware. */
export function noPage(): GatewayMiddleware {
  return async (ctx, next) => {
    await next();
    if (ctx.status < 400 || ctx.body !== undefined || ctx.respond === false || !isPageVisit(ctx.req)) return;
    const title = ctx.status === 404 ? 'Page not found' : 'This address is for programs';
    const content = html`<header><h1>${title}</h1>
<p>Compare the address with the one that you were given, or go back to the application that sent you here.</p></header>
<p class="advice"><a href="/">Go to the start page</a></p>`;
    sendPage(ctx, ctx.status, { title, content });
  };
}
