/** The authorization endpoint (RFC 6749 §3.1): every rule that a request must pass before the user is asked anything. */

import { PageError } from '../../../base/pages/page-errors.ts';
import type { Scope } from '../../../base/principal/scopes.ts';
import type { OAuthClient } from '../../../base/store/repositories/oauth-clients.ts';
import { OAuthError } from '../../protocol/error.ts';
import { checkClient, type FindClient } from './check-client.ts';
import { checkCodeChallenge } from './check-code-challenge.ts';
import { checkDuplicates } from './check-duplicates.ts';
import { checkClientRedirectUri } from './check-redirect-uri.ts';
import { checkResource } from './check-resource.ts';
import { checkResponseType } from './check-response-type.ts';
import { checkScope } from './check-scope.ts';
import { checkState, readState } from './check-state.ts';

/** A request that passed every rule, for the user to decide. */
export interface AuthorizationRequest {
  readonly client: OAuthClient;
  /** As sent, byte for byte. */
  readonly redirectUri: string;
  readonly state: string | null;
  /** RFC 7636, method S256. */
  readonly codeChallenge: string;
  /** Resource indicator (RFC 8707). */
  readonly resource: string;
  readonly scopes: readonly Scope[];
}

/** A request of a trusted client that was refused after client and redirect URI were verified: the error is sent to the client. */
interface RefusedRequest {
  readonly refusal: OAuthError;
  readonly redirectUri: string;
  readonly state: string | null;
}

interface CheckDependencies {
  readonly findClient: FindClient;
  /** The gateway's resource indicator. */
  readonly resource: string;
}

/**
 * Applies the rules, in this order.
 *
 * An error is sent to the redirect URI (RFC 6749 §4.1.2.1) of a client that someone has allowed before. Anyone may register a
 * client, so for others the browser goes there only when a user presses a button: the server redirects automatically only to a
 * redirect URI that it trusts (RFC 9700 §4.11.2).
 *
 * @throws {PageError} of the first two rules, and of all others for a client that no one has ever allowed: they are shown to
 * the user, and nothing is sent to the redirect URI.
 */
export async function checkAuthorizationRequest(
  parameters: URLSearchParams,
  deps: CheckDependencies,
): Promise<AuthorizationRequest | RefusedRequest> {
  const client = await checkClient(parameters, deps.findClient);
  const redirectUri = checkClientRedirectUri(parameters, client.redirectUris);
  try {
    checkDuplicates(parameters);
    const state = checkState(parameters);
    checkResponseType(parameters);
    const codeChallenge = checkCodeChallenge(parameters);
    const resource = checkResource(parameters, deps.resource);
    const scopes = checkScope(parameters);
    return { client, redirectUri, state, codeChallenge, resource, scopes };
  } catch (error) {
    if (!(error instanceof OAuthError) || !error.redirectable) throw error;
    if (!client.wasAllowed) throw faultyRequest(error);
    return { refusal: error, redirectUri, state: readState(parameters) };
  }
}

function faultyRequest(cause: OAuthError): PageError {
  return new PageError(400, {
    title: 'This request cannot be answered',
    text: `The application that sent you here made a mistake: ${cause.description}`,
    advice: 'Go back to it and start again. If it happens again, report this text to its makers.',
  });
}
