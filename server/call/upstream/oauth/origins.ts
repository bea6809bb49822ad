/** Moves authorization servers to origins that the operator sets. */

import { mapOAuthUrls } from '../../../base/credentials/kinds.ts';
import type { Connector, CredentialPart } from '../../../contract/index.ts';

/**
 * Returns the connector with every URL of its authorization server at that origin: scheme, host and port change, paths stay.
 *
 * @returns the same object if there is no origin.
 */
export function withOAuthOrigin(connector: Connector, origin: string | undefined): Connector {
  if (origin === undefined) return connector;
  const move = <Kind extends { readonly parts: readonly CredentialPart[] }>(kind: Kind): Kind => ({
    ...kind,
    parts: kind.parts.map((part) =>
      part.type === 'oauth2'
        ? { ...part, oauth2: mapOAuthUrls(part.oauth2, (url) => origin + url.slice(new URL(url).origin.length)) }
        : part,
    ),
  });
  let credential = move(connector.credential);
  const { alternatives, extras } = credential;
  if (alternatives !== undefined) credential = { ...credential, alternatives: alternatives.map(move) };
  if (extras !== undefined) credential = { ...credential, extras: extras.map(move) };
  return { ...connector, credential };
}
