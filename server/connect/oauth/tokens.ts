/** Tokens of an upstream on the connect page: requests them, and converts them to the fields of a connection. */

import type { GatewayContext } from '../../base/http/state.ts';
import { type TokenAnswer, TokenRequestError } from '../../call/upstream/oauth/types.ts';
import type { OAuth2Field, OAuth2Part } from '../../contract/index.ts';
import type { ConnectProblem } from '../page/problems.ts';

/** Longer than an authorization server needs. */
const TOKEN_TIMEOUT_MS = 30_000;

/** The fields of an `oauth2` part. @param asked scopes to assume if the answer names none (RFC 6749 §5.1). */
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

/** Asks the token endpoint. Only the operator is told when the gateway's own registration is refused. */
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
