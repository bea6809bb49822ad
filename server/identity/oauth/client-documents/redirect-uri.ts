/** Rule: a code or grant is valid only while the client's metadata document names its redirect URI. */

import type { OAuthClient } from '../../../base/store/repositories/oauth-clients.ts';
import { isRegisteredRedirectUri } from '../authorize/check-redirect-uri.ts';

/**
 * True unless the client's document no longer names the redirect URI that a code went to.
 *
 * The owner of a document removes a URI that is no longer safe, so codes and grants sent there must not stay valid: the user
 * is asked again (draft-ietf-oauth-client-id-metadata-document, Changes in Client Metadata). A new URI changes nothing for
 * existing grants. The URIs of a registered client never change.
 *
 * @param redirectUri null: no code was sent.
 */
export function acceptsRedirectUri(client: OAuthClient, redirectUri: string | null): boolean {
  if (client.document === null || redirectUri === null) return true;
  return isRegisteredRedirectUri(client.redirectUris, redirectUri);
}
