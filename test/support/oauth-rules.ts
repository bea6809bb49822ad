/** Rules of an upstream that speaks OAuth 2.0 as RFC 6749 says. */

import type { OAuth2Part, OAuth2Rules } from '../../server/contract/index.ts';

export function oauth2Rules(origin: string, changes: Partial<OAuth2Rules> = {}): OAuth2Rules {
  return {
    flow: 'authorization_code',
    authorizationUrl: `${origin}/authorize`,
    tokenUrl: `${origin}/token`,
    refreshUrl: null,
    revocationUrl: `${origin}/revoke`,
    issuer: null,
    scopes: [],
    scopeSeparator: ' ',
    scopeParameter: 'scope',
    authorizeParameters: {},
    tokenParameters: {},
    clientAuthentication: 'basic',
    tokenRequest: 'form',
    answer: {
      accessToken: '/access_token',
      refreshToken: '/refresh_token',
      expiresIn: '/expires_in',
      scope: '/scope',
    },
    expiresInSeconds: null,
    prefix: 'Bearer ',
    refreshTokenIdleSeconds: null,
    pkce: true,
    ...changes,
  };
}

export function oauth2Part(origin: string, changes: Partial<OAuth2Rules> = {}): OAuth2Part {
  return { id: 'oauth', type: 'oauth2', label: 'Sign in', oauth2: oauth2Rules(origin, changes) };
}
