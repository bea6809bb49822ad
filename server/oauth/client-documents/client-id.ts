/** Which client ids are the URL of a metadata document. */

const MAX_CLIENT_ID_LENGTH = 2000;

/** True for a client id that means a URL. None that the gateway makes begins like this. */
export function isClientIdUrl(clientId: string): boolean {
  return clientId.startsWith('https://');
}

/**
 * True for a URL that may name a client: https with a path, without a user, a fragment or dot segments
 * (draft-ietf-oauth-client-id-metadata-document, Client Identifier URL).
 *
 * It must be written as URLs are when they are parsed, so that no two ids mean one address.
 */
export function isUsableClientIdUrl(clientId: string): boolean {
  if (clientId.length > MAX_CLIENT_ID_LENGTH || clientId.includes('#') || !URL.canParse(clientId)) return false;
  const { href, username, password } = new URL(clientId);
  return href === clientId && username === '' && password === '';
}
