/** Grant type `jwt-bearer` (RFC 7523) for identity assertions: MCP Enterprise-Managed Authorization, "ID-JAG". */

import { recordAnonymousEvent } from '../../base/http/caller-limits.ts';
import { withinRegistered } from '../../base/principal/permission.ts';
import { hashSecret } from '../../base/principal/secrets.ts';
import { emit } from '../../base/store/events.ts';
import { markClientUsed } from '../../base/store/repositories/oauth-clients.ts';
import { findGrant, insertGrant } from '../../base/store/repositories/oauth-grants.ts';
import { findPartner } from '../../base/store/repositories/partners.ts';
import { takeOnce } from '../../base/store/repositories/single-use-codes.ts';
import { findUser, type User } from '../../base/store/repositories/users.ts';
import type { Executor } from '../../base/store/schema.ts';
import { ACCESS_TOKEN_TTL_SECONDS, issueAccessToken } from '../../identity/grants/access-token.ts';
import { type GrantOutcome, invalidGrant, requireParameter } from '../../identity/grants/grant-outcome.ts';
import type { GrantRequest } from '../../identity/oauth/authorization-codes.ts';
import type { ClientGrantType } from '../../identity/oauth/context.ts';
import { OAuthError } from '../../identity/protocol/error.ts';
import { CLOCK_TOLERANCE_SECONDS, JWT_BEARER_GRANT } from '../../identity/protocol/jwt.ts';
import { checkActive } from '../../identity/protocol/partner-suspended.ts';
import { checkResources } from '../../identity/protocol/resource-indicator.ts';
import { type AssertedAccess, readAssertedAccess } from './claims.ts';
import { ISSUER_EVENTS } from './issuers.ts';
import { markIssuerUsed } from './stored-issuers.ts';
import { type VerifiedAssertion, verifyIdentityAssertion } from './verify.ts';

/** MCP Enterprise-Managed Authorization §6. */
const ID_JAG_PROFILE = 'urn:ietf:params:oauth:grant-profile:id-jag';

/**
 * Exchanges an assertion for an access token, once (§7.4.2): exactly one of several concurrent requests, on any node, gets a
 * token. There is no refresh token: the client asks its identity provider again.
 *
 * Clients must authenticate (draft-ietf-oauth-identity-assertion-authz-grant, Client Authentication): the `client_id` of a
 * public client proves nothing, so anyone could use a stolen assertion.
 *
 * Refusing an assertion with a valid signature writes an audit event. Keys are fetched before the transaction begins.
 *
 * @throws {OAuthError} `unauthorized_client`, `invalid_grant`, `invalid_target`, `invalid_scope` (400), `server_error` (503).
 */
export const IDENTITY_ASSERTION: ClientGrantType = {
  name: JWT_BEARER_GRANT,
  metadata: { authorization_grant_profiles_supported: [ID_JAG_PROFILE] },
  async exchange({ db, issuer: audience, resource, findKeys: keysOf }, request) {
    const { client, form, now } = request;
    if (!client.confidential) {
      const description = 'Only clients that authenticate may use this grant type. Register with a client secret.';
      throw new OAuthError(400, 'unauthorized_client', description);
    }
    const text = requireParameter(form, 'assertion');
    checkResources(form.getAll('resource'), resource);
    const assertion = await verifyIdentityAssertion(db, text, { keysOf, audience, now });
    return db.transaction().execute(async (transaction) => {
      try {
        return await issueFor(transaction, assertion, request, resource);
      } catch (error) {
        if (!(error instanceof OAuthError)) throw error;
        return refuse(transaction, assertion, request, error);
      }
    });
  },
};

async function issueFor(
  transaction: Executor,
  assertion: VerifiedAssertion,
  request: GrantRequest,
  resource: string,
): Promise<GrantOutcome> {
  const { client, form, now, origin } = request;
  const { clientId } = client;
  const { issuer } = assertion;
  const access = readAssertedAccess(assertion, { clientId, scope: form.get('scope'), resource });
  const user = await requireUser(transaction, assertion, access);
  await use(transaction, assertion, access, request);

  const scopes = withinRegistered(access.scopes, client.scopes);
  const token = { userId: user.id, scopes, services: null, resource, now };
  const expiresAt = now + ACCESS_TOKEN_TTL_SECONDS * 1000;
  const grantId = await insertGrant(transaction, { ...token, clientId, expiresAt, issuerId: issuer.id });
  const accessToken = await issueAccessToken(transaction, { ...token, grantId });
  await emit(transaction, {
    type: 'tokens_issued',
    now,
    partnerId: issuer.partnerId,
    userId: user.id,
    clientId,
    grantId,
    ...origin,
    details: { issuer: issuer.issuer, scopes },
  });
  const grant = await findGrant(transaction, grantId);
  if (grant === undefined) throw new Error('a grant is gone within its own transaction');
  return {
    grant,
    tokens: {
      access_token: accessToken.token,
      token_type: 'Bearer',
      expires_in: ACCESS_TOKEN_TTL_SECONDS,
      scope: scopes.join(' '),
    },
  };
}

/**
 * Returns the user of an assertion. An issuer vouches only for existing users of its partner, because users are created when they connect a service.
 */
async function requireUser(
  transaction: Executor,
  { issuer }: VerifiedAssertion,
  { externalUserId }: AssertedAccess,
): Promise<User> {
  const { partnerId, subjectClaim } = issuer;
  const partner = await findPartner(transaction, partnerId);
  if (partner !== undefined) checkActive(partner);
  const user = await findUser(transaction, { partnerId, externalUserId });
  if (user !== undefined) return user;
  const where = partner?.connectUri == null ? '' : ` at ${partner.connectUri}`;
  const description = `The user that ${subjectClaim} names has connected nothing yet. Let the user connect a service first${where}.`;
  throw invalidGrant(description);
}

/** Consumes the assertion, and locks issuer and client against removal until the transaction ends. */
async function use(
  transaction: Executor,
  { issuer, claims }: VerifiedAssertion,
  { jti }: AssertedAccess,
  { client, now }: GrantRequest,
): Promise<void> {
  if (!(await markIssuerUsed(transaction, issuer.id, now))) throw invalidGrant('The issuer is no longer registered.');
  if (!(await markClientUsed(transaction, client.clientId, now))) throw invalidGrant('The client no longer exists.');
  const purpose = 'identity-assertion';
  const hash = hashSecret(transaction, JSON.stringify([purpose, issuer.issuer, issuer.tenant, jti]));
  const expiresAt = (claims.exp + CLOCK_TOLERANCE_SECONDS) * 1000;
  if (await takeOnce(transaction, { hash, purpose, now, expiresAt })) return;
  throw invalidGrant('The assertion was already used. Ask the identity provider for another.');
}

/** An assertion that is sent repeatedly writes one audit event. */
async function refuse(
  transaction: Executor,
  { issuer, claims }: VerifiedAssertion,
  { client, form, now, origin }: GrantRequest,
  refusal: OAuthError,
): Promise<GrantOutcome> {
  const event = { type: 'identity_assertion_refused', now, ...origin } as const;
  const purpose = 'identity-assertion-refused';
  const hash = hashSecret(transaction, JSON.stringify([purpose, form.get('assertion')]));
  const expiresAt = (claims.exp + CLOCK_TOLERANCE_SECONDS) * 1000;
  const isFirst = await takeOnce(transaction, { hash, purpose, now, expiresAt });
  const details = { issuer: issuer.issuer, reason: refusal.description };
  const names = { partnerId: issuer.partnerId, clientId: client.clientId };
  if (isFirst) await ISSUER_EVENTS.emit(transaction, { ...event, ...names, details });
  else await recordAnonymousEvent(transaction, event);
  return { refusal };
}
