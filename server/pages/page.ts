/** The frame of every page, and the headers that it is sent with. */

import { raw } from 'hono/html';
import type { GatewayContext } from '../http/state.ts';
import { accentStyle, type Brand } from './brand.ts';
import { type PublicText, toPublicText } from './etag.ts';
import { type Html, html } from './html.ts';
import { hashSource, STYLE } from './style.ts';

/** One page. */
export interface Page {
  /** What the tab and screen readers say first; the heading says the same. */
  readonly title: string;
  readonly content: Html;
  /**
   * Where forms of the page may lead, besides the gateway itself: source expressions of a Content Security Policy.
   * Chromium holds the redirects that follow a form against it as well.
   */
  readonly formTargets?: readonly string[];
  /** The partner that the page is about. Default: none. */
  readonly brand?: Brand;
  /** Default: one card in the middle, for a page that asks one thing. */
  readonly layout?: Layout;
}

/** What is around the content of a page. */
export interface Layout {
  /** The whole style sheet. */
  readonly style: string;
  /** Runs when the document is there. The page must work without it. Default: none. */
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

/** The whole document. It loads nothing but a partner's logo, and runs nothing but the script of its layout. */
export function renderPage(page: Pick<Page, 'title' | 'content' | 'layout' | 'brand'>): string {
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

/** A logo. Texts of others are escaped, so that none of them looks like one. */
const OWN_IMAGE = /<img [^>]*src="\//;

function styleOf({ layout = CARD, brand }: Pick<Page, 'layout' | 'brand'>): string {
  return brand === undefined ? layout.style : layout.style + accentStyle(brand);
}

type PageContext = Pick<GatewayContext, 'set' | 'status' | 'type' | 'body'>;

/** Renders a page that is the same for everyone, and may be kept for five minutes. */
export function toPublicPage(page: Page): PublicText {
  const { text, headers } = toAnswer(page);
  return toPublicText(text, TYPE, headers);
}

/** Answers with a page that is nobody's to keep. */
export function sendPage(ctx: PageContext, status: number, page: Page): void {
  const { text, headers } = toAnswer(page);
  ctx.set({ ...headers, 'Cache-Control': 'no-store' });
  ctx.status = status;
  ctx.type = TYPE;
  ctx.body = text;
}

const TYPE = 'text/html; charset=utf-8';

/**
 * The document, and the headers of a page that is nobody's to frame.
 *
 * The page may be opened in a window by another site, whose callback page later speaks to it: that site's hold on the
 * window is therefore not cut (`Cross-Origin-Opener-Policy`).
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
