/** Identity issuers on the wire of the partner API. */

import { z } from 'zod';
import { RequestError } from '../base/http/errors.ts';
import type { IdentityIssuer } from '../base/store/repositories/identity-issuers.ts';
import type { Executor } from '../base/store/schema.ts';
import { IssuerError, parseIssuer, registerIssuer } from '../identity/partners/issuers.ts';
import type { ManagementEvent } from '../identity/partners/manage.ts';

const text = z.string().nullish();

/** Null counts as absent. Unknown members are ignored. */
const BODY = z.object({
  issuer: z.string(),
  tenant: text,
  jwks_uri: text,
  jwks: z.unknown().optional(),
  subject_claim: text,
});

const WIRE_NAMES: Readonly<Record<IssuerError['setting'], string>> = {
  issuer: 'issuer',
  tenant: 'tenant',
  jwksUri: 'jwks_uri',
  jwks: 'jwks',
  subjectClaim: 'subject_claim',
};

/**
 * Registers the issuer in a body. Needs a transaction.
 *
 * @throws {RequestError} `invalid_request` (400), `issuer_taken` (409) for an issuer of another partner.
 */
export async function registerIssuerOf(
  transaction: Executor,
  request: { readonly partnerId: string; readonly body: unknown },
  event: ManagementEvent,
): Promise<{ issuer: IdentityIssuer; added: boolean }> {
  const registered = await registerIssuer(
    transaction,
    { ...readRegistration(request.body), partnerId: request.partnerId },
    event,
  );
  if (registered !== undefined) return registered;
  const description = 'Another partner has registered this issuer. Ask the operator of the gateway.';
  throw new RequestError(409, 'issuer_taken', description);
}

function readRegistration(body: unknown) {
  const parsed = BODY.safeParse(body);
  if (!parsed.success) {
    const name = parsed.error.issues[0]?.path[0];
    const description = name === undefined ? 'The body must be a JSON object.' : `${String(name)} must be a string.`;
    throw new RequestError(400, 'invalid_request', description);
  }
  const { issuer, tenant, jwks_uri, jwks, subject_claim } = parsed.data;
  try {
    return parseIssuer({
      issuer,
      tenant: tenant ?? undefined,
      jwksUri: jwks_uri ?? undefined,
      jwks: jwks ?? undefined,
      subjectClaim: subject_claim ?? undefined,
    });
  } catch (error) {
    if (!(error instanceof IssuerError)) throw error;
    throw new RequestError(400, 'invalid_request', `${WIRE_NAMES[error.setting]} ${error.problem}.`, { cause: error });
  }
}

/** An issuer, as on the wire. Times are RFC 3339; null: absent, or not yet. */
export function toIssuerView(issuer: IdentityIssuer) {
  const { id, tenant, jwksUri, jwks, subjectClaim, createdAt, lastUsedAt } = issuer;
  return {
    id,
    issuer: issuer.issuer,
    tenant: tenant === '' ? null : tenant,
    jwks_uri: jwksUri,
    jwks,
    subject_claim: subjectClaim,
    created_at: new Date(createdAt).toISOString(),
    last_used_at: lastUsedAt === null ? null : new Date(lastUsedAt).toISOString(),
  };
}
