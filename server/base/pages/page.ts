/** The frame of every page, and its headers. */

import { raw } from 'hono/html';
import type { GatewayContext } from '../http/state.ts';
import { accentStyle, type Brand } from './brand.ts';
import { type PublicText, toPublicText } from './etag.ts';
import { type Html, html } from './html.ts';
import { hashSource, STYLE } from './style.ts';

/** One page. */
export interface Page {
  /** Title of the tab, which screen readers read first; the heading is the same. */
  readonly title: string;
  readonly content: Html;
  /**
   * Where forms of the page may lead, in addition to the gateway itself: source expressions of a Content Security Policy.
   * Chromium also checks the redirects that follow a form against it.
   */
  readonly formTargets?: readonly string[];
  /** The partner that the page is about. Default: none. */
  readonly brand?: Brand;
  /** Default: one card in the middle, for a page that asks one question. */
  readonly layout?: Layout;
}

/** What surrounds the content of a page. */
export interface Layout {
  /** The complete style sheet. */
  readonly style: string;
  /** Runs when the document is loaded. The page must work without it. Default: none. */
  readonly script?: string;
  /** The body of the document. */
  frame(content: Html): Html;
}

const NAME = 'Unified Tool Gateway';

/** One card in the middle. */
export const CARD: Layout = {
  style: STYLE,
  frame: (content) => html`<main>
${content}
</main>
<footer>${NAME}</footer>`,
};

/** The complete document. It loads only logos, and runs only the script of its layout. */
function renderPage(page: Pick<Page, 'title' | 'content' | 'layout' | 'brand'>): string {
  const { script, frame } = page.layout ?? CARD;
  return `${html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${page.title} · ${NAME}</title>
<link rel="icon" href="data:,">
<style>${raw(styleOf(page))}</style>
</head>
<body>
${frame(page.content)}
${script === undefined ? null : html`<script>${raw(script)}</script>`}</body>
</html>
`}`;
}

/** A logo. Untrusted texts are escaped, so they cannot look like one. */
const OWN_IMAGE = /<img [^>]*src="\//;

function styleOf({ layout = CARD, brand }: Pick<Page, 'layout' | 'brand'>): string {
  return brand === undefined ? layout.style : layout.style + accentStyle(brand);
}

type PageContext = Pick<GatewayContext, 'set' | 'status' | 'type' | 'body'>;

/** Renders a page that is the same for everyone, and may be cached for five minutes. */
export function toPublicPage(page: Page): PublicText {
  const { text, headers } = toAnswer(page);
  return toPublicText(text, TYPE, headers);
}

/** Answers with a page that must not be cached. */
export function sendPage(ctx: PageContext, status: number, page: Page): void {
  const { text, headers } = toAnswer(page);
  ctx.set({ ...headers, 'Cache-Control': 'no-store' });
  ctx.status = status;
  ctx.type = TYPE;
  ctx.body = text;
}

const TYPE = 'text/html; charset=utf-8';

/**
 * The document and headers of a page that no one may frame.
 *
 * Another site may open the page in a window, and its callback page later sends that site a message. So the link between the
 * two windows is not cut (`Cross-Origin-Opener-Policy`).
 */
function toAnswer(page: Page): Pick<PublicText, 'text' | 'headers'> {
  const text = String(renderPage(page));
  const policy = [
    "default-src 'none'",
    `style-src ${hashSource(styleOf(page))}`,
    ...(page.layout?.script === undefined ? [] : [`script-src ${hashSource(page.layout.script)}`]),
    `img-src data:${OWN_IMAGE.test(text) ? " 'self'" : ''}`,
    `form-action ${["'self'", ...(page.formTargets ?? [])].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ];
  return {
    text,
    headers: {
      'Content-Security-Policy': policy.join('; '),
      'Cross-Origin-Opener-Policy': 'unsafe-none',
      'X-Robots-Tag': 'noindex',
    },
  };
}
