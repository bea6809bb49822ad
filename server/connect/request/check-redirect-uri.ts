/** Rule: the flow ends at a redirect URI that the partner registered. */

import { PageError } from '../../base/pages/page-errors.ts';
import type { Partner } from '../../base/store/repositories/partners.ts';
import { readParameter } from './parameters.ts';

/**
 * Accepts a `redirect_uri` that the partner registered, byte for byte (RFC 9700 §2.1).
 *
 * Before this check, nothing is sent to the redirect URI, so the person sees the error.
 *
 * @throws {PageError} status 400.
 */
export function checkPartnerRedirectUri(parameters: URLSearchParams, partner: Pick<Partner, 'redirectUris'>): string {
  const redirectUri = readParameter(parameters, 'redirect_uri');
  if (redirectUri !== null && partner.redirectUris.includes(redirectUri)) return redirectUri;
  throw new PageError(400, {
    title: 'This link has an unknown return address',
    text: 'The application has not registered the address that it wants you to return to (redirect_uri).',
    advice: 'Go back to the application and start again. If it happens again, tell the people who run it.',
  });
}
