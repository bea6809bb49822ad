/** The gateway as a client of an upstream's authorization server: begins a sign-in, and turns its answer into a connection's fields. */

import { createHash, randomBytes } from 'node:crypto';
import { rulesFor } from '../base/credentials/kinds.ts';
import { registerClientCommand } from '../base/credentials/upstream-clients.ts';
import type { GatewayContext } from '../base/http/state.ts';
import { sendRedirect } from '../base/pages/redirect.ts';
import { scopesOf } from '../call/upstream/oauth/scopes.ts';
import { type TokenAnswer, TokenRequestError } from '../call/upstream/oauth/types.ts';
import type { Connector, CredentialKind, OAuth2Field, OAuth2Part } from '../contract/index.ts';
import { callbackOf } from './client-metadata.ts';
import type { ConnectContext, PendingSignIn } from './context.ts';
import type { ConnectProblem } from './problems.ts';
import { type ConnectVisit, toPageState } from './visit.ts';

/** Longer than an authorization server needs. */
const TOKEN_TIMEOUT_MS = 30_000;

/** Characters of an authorization response's error (RFC 6749 §4.1.2.1), and the longest that is shown. */
const ERROR_CODE = /^[\x20-\x21\x23-\x5b\x5d-\x7e]{1,64}$/;

type Fields = Readonly<Record<string, string>>;

/** A form that chose an `oauth2` kind. */
interface ChosenSignIn {
  readonly visit: ConnectVisit;
  readonly kind: CredentialKind;
  readonly part: OAuth2Part;
  /** Position among the connector's kinds of credential. */
  readonly kindIndex: number;
  /** Values that were typed in addition. */
  readonly fields: Fields;
}

/**
 * Begins an upstream's sign-in, or gets its token if no person has to sign in.
 *
 * @returns the fields of `client_credentials`, a problem, or null if the browser was redirected to the upstream.
 */
export async function signInAtUpstream(
  ctx: GatewayContext,
  { visit, kind, part, kindIndex, fields }: ChosenSignIn,
  deps: ConnectContext,
): Promise<{ fields: Fields } | ConnectProblem | null> {
  const { connector, partner } = visit.request;
  const { oauth, clients } = deps.realms.of(partner);
  const client = await clients.find(partner.id, connector.name);
  if (client === null) {
    logMissingClient(ctx, connector, partner.id);
    return { kind: 'not-set-up' };
  }
  const oauth2 = rulesFor(part, kind, fields);
  const scopes = scopesOf(connector, part, kind);
  if (oauth2.flow === 'client_credentials') {
    const token = await askForTokens(ctx, connector.name, (signal) =>
      oauth.clientCredentials(oauth2, { client, scopes }, signal),
    );
    if ('kind' in token) return token;
    return { fields: { ...fields, ...toFields(part, token, { client: client.id, asked: scopes }) } };
  }
  const codeVerifier = oauth2.pkce ? randomBytes(32).toString('base64url') : null;
  const page = toPageState(visit);
  const pending = { page, kindIndex, client: client.id, codeVerifier, scopes, fields: { ...fields } };
  const location = oauth.authorizationUrl(oauth2, {
    clientId: client.clientId,
    redirectUri: callbackOf(deps.publicUrl, connector.name),
    state: deps.pendingSignIn.seal(ctx, pending),
    codeChallenge: codeVerifier === null ? null : createHash('sha256').update(codeVerifier).digest('base64url'),
    scopes,
  });
  sendRedirect(ctx, location);
  return null;
}

/**
 * Tells the operator why no user can sign in at the service, and which command solves it.
 *
 * @param partnerId row id.
 */
export function logMissingClient(ctx: GatewayContext, connector: Connector, partnerId: string): void {
  const fix = registerClientCommand(connector);
  const facts = { service: connector.name, partnerId, fix };
  ctx.state.log.error(facts, 'no user can connect this service: it has no upstream client');
}

/** An authorization response, and the request that it answers. */
interface SignInAnswer {
  readonly visit: ConnectVisit;
  readonly kind: CredentialKind;
  readonly part: OAuth2Part;
  readonly pending: PendingSignIn;
  readonly answer: URLSearchParams;
}

/** Reads an authorization response (RFC 6749 §4.1.2), and exchanges its code for the fields of a connection. */
export async function finishSignIn(
  ctx: GatewayContext,
  { visit, kind, part, pending, answer }: SignInAnswer,
  deps: ConnectContext,
): Promise<{ fields: Fields } | ConnectProblem> {
  const { connector, partner } = visit.request;
  const oauth2 = rulesFor(part, kind, pending.fields);
  // RFC 9207 §2.4: before anything else in the answer is used.
  if (oauth2.issuer !== null && answer.get('iss') !== oauth2.issuer) return { kind: 'mixed-up' };
  const code = answer.get('code');
  if (code === null) {
    const error = answer.get('error') ?? '';
    return { kind: 'not-granted', explanation: ERROR_CODE.test(error) ? error : null };
  }
  const { oauth, clients } = deps.realms.of(partner);
  const client = await clients.find(partner.id, connector.name);
  if (client === null || client.id !== pending.client) return { kind: 'not-exchanged' };
  const redirectUri = callbackOf(deps.publicUrl, connector.name);
  const { codeVerifier, scopes: asked } = pending;
  const token = await askForTokens(ctx, connector.name, (signal) =>
    oauth.exchangeCode(oauth2, { client, code, redirectUri, codeVerifier }, signal),
  );
  if ('kind' in token) return token;
  return { fields: { ...pending.fields, ...toFields(part, token, { client: client.id, asked }) } };
}

/** The fields of an `oauth2` part. @param asked scopes to assume if the answer names none (RFC 6749 §5.1). */
function toFields(
  part: OAuth2Part,
  token: TokenAnswer,
  { client, asked }: { client: string; asked: readonly string[] },
): Fields {
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
async function askForTokens(
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
      return { kind: 'not-granted', explanation: code };
    case 'unavailable':
      return { kind: 'unavailable', explanation: 'It gave no answer that can be used.' };
  }
}
