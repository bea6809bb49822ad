/** The frame of every page, and its headers. */

import { raw } from 'hono/html';
import type { GatewayContext } from '../http/state.ts';
import { accentStyle, type Brand } from './brand.ts';
import { caution } from './components.ts';
import { type PublicText, toPublicText } from './etag.ts';
import { FRAME_SCRIPT } from './frame.ts';
import { type Html, html } from './html.ts';
import { hashSource, STYLE_PATH } from './style.ts';

/** One page. */
export interface Page {
  /** Title of the tab, which screen readers read first; the heading is the same. */
  readonly title: string;
  readonly content: Html;
  /**
   * Origins that forms of the page may lead to, in addition to the gateway itself: source expressions of a Content Security Policy. Chromium also
   * checks the redirects that follow a form against it.
   */
  readonly formTargets?: readonly string[];
  /** The partner that the page is about. Default: none. */
  readonly brand?: Brand | undefined;
  /** Default: one card in the middle, for a page that asks one question. */
  readonly layout?: Layout;
}

/** The frame around the content of a page. */
export interface Layout {
  /** Class of the body, for the part of the style sheet about this layout. */
  readonly name: 'card-page' | 'card-page framed' | 'document' | 'dashboard';
  /** Runs when the document is loaded. The page must work without it. Default: none. */
  readonly script?: string;
  /** Whether the script may send requests to the gateway itself. Default: it may not. */
  readonly readsFromHere?: boolean;
  /** Origin of the gateway, on a page that another process serves: the page may show its images and frames, and run its scripts. Default: it may not. */
  readonly gateway?: string;
  /** The body of the document. @param brand of the page. */
  frame(content: Html, brand?: Brand): Html;
}

const NAME = 'Unified Tool Gateway';

/** Names the gateway, unless the partner of the page has removed that. */
export function footer(brand?: Brand): Html | null {
  return brand?.footer === false ? null : html`<footer>${NAME}</footer>`;
}

/** One card in the middle. */
export const CARD: Layout = {
  name: 'card-page',
  frame: (content, brand) => html`<main>
${content}
</main>
${footer(brand)}`,
};

/** On every page about a user of test mode. */
const TEST_MARK = caution('Test mode', 'Sample data only: nothing here reaches a real service or account.');

/** The complete document, shown once it is whole. It loads only the style sheet and logos, and runs only the script of its layout. */
function renderPage(page: Page, accent: string): string {
  const { name, script, frame } = page.layout ?? CARD;
  return `${html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${page.title}${page.brand?.footer === false ? null : ` · ${NAME}`}</title>
<link rel="icon" href="data:,">
<link rel="expect" href="#end" blocking="render">
<link rel="stylesheet" href="${STYLE_PATH}">
${accent === '' ? null : html`<style>${raw(accent)}</style>`}</head>
<body class="${name}">
${frame(page.brand?.realm === 'test' ? html`${TEST_MARK}\n${page.content}` : page.content, page.brand)}
${script === undefined ? null : html`<script>${raw(script)}</script>`}<div id="end" hidden></div></body>
</html>
`}`;
}

/** A logo. Untrusted texts are escaped, so they cannot look like one. */
const OWN_IMAGE = /<img [^>]*src="\//;

/**
 * Adds the parts of a framed page.
 *
 * @param origin the only origin that may frame it.
 */
function framed(layout: Layout, origin: string): Layout {
  return {
    name: 'card-page framed',
    script: (layout.script ?? '') + FRAME_SCRIPT,
    frame: (content, brand) =>
      html`${layout.frame(content, brand)}<div id="frame" data-origin="${origin}" hidden></div>`,
  };
}

/** Renders a page that is the same for everyone, and may be cached for five minutes. */
export function toPublicPage(page: Page): PublicText {
  const { text, headers } = toAnswer(page);
  return toPublicText(text, TYPE, headers);
}

/** Answers with a page that must not be cached, and that only the origin in the state of the request may frame. */
export function sendPage(ctx: GatewayContext, status: number, page: Page): void {
  const { framedBy } = ctx.state;
  const { text, headers } =
    framedBy === undefined
      ? toAnswer(page)
      : toAnswer({ ...page, layout: framed(page.layout ?? CARD, framedBy) }, framedBy);
  // It names no origin. Browsers that know `frame-ancestors` ignore it.
  if (framedBy !== undefined) ctx.remove('X-Frame-Options');
  ctx.set({ ...headers, 'Cache-Control': 'no-store' });
  ctx.status = status;
  ctx.type = TYPE;
  ctx.body = text;
}

const TYPE = 'text/html; charset=utf-8';

/** Returns the directives that let only these scripts run. Without a script there is none, so that `default-src` counts. */
function scriptSources({ script, gateway }: Layout): string[] {
  if (script === undefined) return [];
  return gateway === undefined
    ? [`script-src ${hashSource(script)}`]
    : [`script-src ${hashSource(script)} ${gateway}`, `frame-src ${gateway}`];
}

/** A page as it is sent. */
interface PageAnswer {
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Returns the document and headers of a page. Only the given origin may frame it.
 *
 * Another site may open the page in a window, and its callback page later sends that site a message. So the link between the two windows is not cut
 * (`Cross-Origin-Opener-Policy`).
 */
function toAnswer(page: Page, framedBy = "'none'"): PageAnswer {
  const accent = page.brand === undefined ? '' : accentStyle(page.brand.accentColor);
  const text = String(renderPage(page, accent));
  const layout = page.layout ?? CARD;
  const ownImages = OWN_IMAGE.test(text) ? " 'self'" : '';
  const policy = [
    "default-src 'none'",
    `style-src 'self'${accent === '' ? '' : ` ${hashSource(accent)}`}`,
    ...scriptSources(layout),
    ...(layout.readsFromHere === true ? ["connect-src 'self'"] : []),
    `img-src data:${ownImages}${layout.gateway === undefined ? '' : ` ${layout.gateway}`}`,
    `form-action ${["'self'", ...(page.formTargets ?? [])].join(' ')}`,
    `frame-ancestors ${framedBy}`,
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

/** A host-source of a policy (CSP Level 3 §2.3.1): no IPv6 address, and nothing that could end a directive. */
const ORIGIN = /^https?:\/\/[a-z0-9.-]+(:\d+)?$/;

/** Tells whether a policy can name this origin. */
export function isHostSource(origin: string): boolean {
  return ORIGIN.test(origin);
}

/**
 * The source expressions that let the answer reach a redirect URI.
 *
 * Chromium checks every redirect that follows a form against `form-action`: the redirect to the client, and those of the
 * client's callback page. So the policy names the redirect URI's origin (its scheme if a policy cannot name the
 * origin), and https for callbacks that redirect to another page of the client.
 *
 * @param redirectUri verified.
 */
export function formTargetsOf(redirectUri: string): readonly string[] {
  const { origin, protocol } = new URL(redirectUri);
  const target = isHostSource(origin) ? origin : protocol;
  return target.startsWith('https:') ? ['https:'] : [target, 'https:'];
}
