/** Rule: the form was sent from the gateway's own page. */

import { PageError } from './page-errors.ts';

/**
 * Refuses forms that the browser says another site sent.
 *
 * The first of two guards, and the plain one: the sealed page state opens with this browser's cookie only. A page that
 * sends no Referer sends `Origin: null` with its forms (Fetch §3.2), so that alone means nothing.
 *
 * @param get reads a request header, as `''` where it is missing.
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
