/** Begins an upstream's sign-in, or gets its token if no one has to sign in. */

import { createHash, randomBytes } from 'node:crypto';
import type { GatewayContext } from '../../base/http/state.ts';
import { sendRedirect } from '../../base/pages/redirect.ts';
import { scopesToAskFor } from '../../call/upstream/oauth/scopes.ts';
import type { OAuth2Part } from '../../contract/index.ts';
import type { ConnectDependencies } from '../dependencies.ts';
import type { ConnectProblem } from '../page/problems.ts';
import { callbackOf } from '../paths.ts';
import type { ConnectVisit } from '../visit/index.ts';
import { toPageState } from '../visit/page-state.ts';
import { askForTokens, toFields } from './tokens.ts';

/** A form that chose an `oauth2` kind. */
interface ChosenSignIn {
  readonly visit: ConnectVisit;
  readonly part: OAuth2Part;
  /** Position among the connector's kinds of credential. */
  readonly kindIndex: number;
  /** Values that were typed in addition. */
  readonly fields: Readonly<Record<string, string>>;
}

/** @returns the fields of `client_credentials`, a problem, or null if the browser was redirected to the upstream. */
export async function signInAtUpstream(
  ctx: GatewayContext,
  chosen: ChosenSignIn,
  deps: ConnectDependencies,
): Promise<{ fields: Readonly<Record<string, string>> } | ConnectProblem | null> {
  const { visit, part, kindIndex, fields } = chosen;
  const { connector, partner } = visit.request;
  const { oauth, findClient } = deps.upstream;
  const client = await findClient(partner.id, connector.name);
  if (client === null) {
    const names = { service: connector.name, partnerId: partner.id };
    ctx.state.log.error(names, 'nobody can connect this service: it has no upstream client');
    return { kind: 'not-set-up' };
  }
  const { oauth2 } = part;
  const scopes = scopesToAskFor(connector, oauth2);
  if (oauth2.flow === 'client_credentials') {
    const token = await askForTokens(ctx, connector.name, (signal) =>
      oauth.clientCredentials(oauth2, { client, scopes }, signal),
    );
    if ('kind' in token) return token;
    return { fields: { ...fields, ...toFields(part, token, { client: client.id, asked: scopes }) } };
  }
  const codeVerifier = oauth2.pkce ? randomBytes(32).toString('base64url') : null;
  const pending = {
    page: toPageState(visit),
    kindIndex,
    client: client.id,
    codeVerifier,
    scopes,
    fields: { ...fields },
  };
  const location = oauth.authorizationUrl(oauth2, {
    clientId: client.clientId,
    redirectUri: callbackOf(deps.publicUrl, connector.name),
    state: deps.pendingAuthorization.seal(ctx, pending),
    codeChallenge: codeVerifier === null ? null : createHash('sha256').update(codeVerifier).digest('base64url'),
    scopes,
  });
  sendRedirect(ctx, location);
  return null;
}
