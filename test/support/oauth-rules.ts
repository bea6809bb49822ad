/** Rules of an upstream that follows RFC 6749. */

import { PLAIN_RULES } from '../../sandbox/oauth/rules.ts';
import type { OAuth2Part, OAuth2Rules } from '../../server/contract/index.ts';

export function oauth2Rules(origin: string, changes: Partial<OAuth2Rules> = {}): OAuth2Rules {
  return {
    ...PLAIN_RULES,
    flow: 'authorization_code',
    authorizationUrl: `${origin}/authorize`,
    tokenUrl: `${origin}/token`,
    revocationUrl: `${origin}/revoke`,
    clientAuthentication: 'basic',
    pkce: true,
    ...changes,
  };
}

export function oauth2Part(origin: string, changes: Partial<OAuth2Rules> = {}): OAuth2Part {
  return { id: 'oauth', type: 'oauth2', label: 'Sign in', oauth2: oauth2Rules(origin, changes) };
}
