/** Rule: what was sent to an address continues only while the client's metadata document names it. */

import type { OAuthClient } from '../../store/repositories/oauth-clients.ts';
import { isRegisteredRedirectUri } from '../authorize/check-redirect-uri.ts';

/**
 * True unless the client's document no longer names the redirect URI that a code went to.
 *
 * The owner of a document takes an address out when it is no longer safe, so what went there must not live on: the user is
 * asked again (draft-ietf-oauth-client-id-metadata-document, Changes in Client Metadata). An address that is new there changes
 * nothing for what was allowed before. What a client registered itself does not change.
 *
 * @param redirectUri null: no code was sent.
 */
export function acceptsRedirectUri(client: OAuthClient, redirectUri: string | null): boolean {
  if (client.document === null || redirectUri === null) return true;
  return isRegisteredRedirectUri(client.redirectUris, redirectUri);
}
