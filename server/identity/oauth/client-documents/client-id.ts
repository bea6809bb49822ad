/** Which client ids are the URL of a metadata document. */

const MAX_CLIENT_ID_LENGTH = 2000;

/** True for a client id that is meant as a URL. The gateway's own ids never begin like this. */
export function isClientIdUrl(clientId: string): boolean {
  return clientId.startsWith('https://');
}

/**
 * True for a URL that may name a client: https with a path, without a user, a fragment or dot segments
 * (draft-ietf-oauth-client-id-metadata-document, Client Identifier URL).
 *
 * It must be in the normal form of parsed URLs, so that no two ids mean the same address.
 */
export function isUsableClientIdUrl(clientId: string): boolean {
  if (clientId.length > MAX_CLIENT_ID_LENGTH || clientId.includes('#') || !URL.canParse(clientId)) return false;
  const { href, username, password } = new URL(clientId);
  return href === clientId && username === '' && password === '';
}
