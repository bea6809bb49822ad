/** Rule: the form was sent from the gateway's own page. */

import { PageError } from './page-errors.ts';

/**
 * Refuses forms that, according to the browser, another site sent.
 *
 * The first and simpler of two guards: the sealed page state only opens with this browser's cookie. A page that
 * sends no Referer sends `Origin: null` with its forms (Fetch §3.2), so that value alone proves nothing.
 *
 * @param get reads a request header; `''` if it is missing.
 * @throws {PageError} status 403.
 */
export function checkSameSite(get: (header: string) => string, publicUrl: string): void {
  const site = get('Sec-Fetch-Site');
  const origin = get('Origin');
  const sameSite = site === '' || site === 'same-origin' || site === 'none';
  const sameOrigin = origin === '' || origin === 'null' || origin === publicUrl;
  if (sameSite && sameOrigin) return;
  throw new PageError(403, {
    title: 'Sent from another site',
    text: 'This form was not sent from a page of this gateway, so nothing was changed.',
    advice: 'Go back to the application and start again.',
  });
}
