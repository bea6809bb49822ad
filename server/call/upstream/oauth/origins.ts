/** Moves authorization servers to origins that the operator sets. */

import type { Connector, CredentialPart, OAuth2Rules } from '../../../contract/index.ts';

/**
 * The connector with every URL of its authorization server at that origin: scheme, host and port change, paths stay.
 *
 * @returns the same object when there is no origin.
 */
export function withOAuthOrigin(connector: Connector, origin: string | undefined): Connector {
  if (origin === undefined) return connector;
  const { credential } = connector;
  const move = <Of extends { readonly parts: readonly CredentialPart[] }>(of: Of): Of => ({
    ...of,
    parts: of.parts.map((part) =>
      part.type === 'oauth2' ? { ...part, oauth2: moveRules(part.oauth2, origin) } : part,
    ),
  });
  const { alternatives, extras } = credential;
  const moved = {
    ...(alternatives === undefined ? {} : { alternatives: alternatives.map(move) }),
    ...(extras === undefined ? {} : { extras: extras.map(move) }),
  };
  return { ...connector, credential: { ...move(credential), ...moved } };
}

function moveRules(rules: OAuth2Rules, origin: string): OAuth2Rules {
  const { authorizationUrl, tokenUrl, refreshUrl, revocationUrl, issuer } = rules;
  const move = (url: string): string => origin + url.slice(new URL(url).origin.length);
  return {
    ...rules,
    authorizationUrl: authorizationUrl === null ? null : move(authorizationUrl),
    tokenUrl: move(tokenUrl),
    refreshUrl: refreshUrl === null ? null : move(refreshUrl),
    revocationUrl: revocationUrl === null ? null : move(revocationUrl),
    issuer: issuer === null ? null : move(issuer),
  };
}
