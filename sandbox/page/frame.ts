/** The HTML document and headers that all pages of the sandbox share. */

import type { PlainAnswer } from '../plain-answer.ts';
import { PAGE_STYLE } from './style.ts';

/** No `form-action`: the form of an authorization page redirects to the client. */
export const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

/**
 * @param title plain text.
 * @param content HTML.
 * @param headers added to the common ones.
 */
export function toPage(
  status: number,
  title: string,
  content: string,
  headers: Readonly<Record<string, string>> = {},
): PlainAnswer {
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${PAGE_STYLE}</style></head>
<body><main>
${content}
</main></body>
</html>
`;
  const fixed = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': POLICY,
  };
  return { status, headers: { ...fixed, ...headers }, body: Buffer.from(html) };
}

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
