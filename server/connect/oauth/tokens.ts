/** Tokens of an upstream on the connect page: how they are asked for, and as which fields a connection keeps them. */

import type { OAuth2Field, OAuth2Part } from '../../contract/index.ts';
import type { GatewayContext } from '../../http/state.ts';
import { type TokenAnswer, TokenRequestError } from '../../upstream/oauth/types.ts';
import type { ConnectProblem } from '../page/problems.ts';

/** Longer than an authorization server takes. */
const TOKEN_TIMEOUT_MS = 30_000;

/** The fields of an `oauth2` part. @param asked stands for what was granted where the answer does not say (RFC 6749 §5.1). */
export function toFields(
  part: OAuth2Part,
  token: TokenAnswer,
  { client, asked }: { client: string; asked: readonly string[] },
): Record<string, string> {
  const values: Record<OAuth2Field, string | null> = {
    access_token: token.accessToken,
    refresh_token: token.refreshToken,
    expires_at: token.expiresAt === null ? null : String(token.expiresAt),
    scope: (token.scopes ?? asked).join(' '),
    client,
  };
  return Object.fromEntries(
    Object.entries(values).flatMap(([field, value]) => (value === null ? [] : [[`${part.id}.${field}`, value]])),
  );
}

/** Asks the token endpoint. Refusals of the gateway's own registration are the operator's to know. */
export async function askForTokens(
  ctx: GatewayContext,
  service: string,
  ask: (signal: AbortSignal) => Promise<TokenAnswer>,
): Promise<TokenAnswer | ConnectProblem> {
  try {
    return await ask(AbortSignal.timeout(TOKEN_TIMEOUT_MS));
  } catch (error) {
    if (!(error instanceof TokenRequestError)) throw error;
    const isOperators = error.kind === 'invalid_client';
    ctx.state.log[isOperators ? 'error' : 'warn']({ err: error, service }, 'an upstream gave no tokens');
    return toProblem(error);
  }
}

function toProblem({ kind, code }: TokenRequestError): ConnectProblem {
  switch (kind) {
    case 'invalid_grant':
      return { kind: 'not-exchanged' };
    case 'invalid_client':
      return { kind: 'not-set-up' };
    case 'refused':
      return { kind: 'not-granted', said: code };
    case 'unavailable':
      return { kind: 'unavailable', said: 'It gave no answer that can be used.' };
  }
}
