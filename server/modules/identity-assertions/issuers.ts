/** Registers, approves and removes identity issuers of partners, for the partner API, the command line and the dashboard. */

import { createPublicKey, type JsonWebKeyInput } from 'node:crypto';
import { z } from 'zod';
import { isLoopbackOrigin } from '../../base/http/loopback.ts';
import { defineEvents } from '../../base/store/events.ts';
import { revokeGrantsOf } from '../../base/store/repositories/oauth-grants.ts';
import type { Executor } from '../../base/store/schema.ts';
import type { ManagementEvent } from '../../identity/partners/manage.ts';
import { SettingError } from '../../identity/partners/setting-error.ts';
import { hasControlCharacter } from '../../identity/protocol/form.ts';
import {
  deleteIssuer,
  type IdentityIssuer,
  type IssuerRegistration,
  listIssuers,
  markIssuerApproved,
  saveIssuer,
} from './stored-issuers.ts';

export const ISSUER_EVENTS = defineEvents('identity-assertions', {
  identity_assertion_refused: 'An identity assertion was refused.',
  identity_issuer_added: 'An identity issuer of a partner was registered.',
  identity_issuer_approved: 'An operator approved an identity issuer of a partner.',
  identity_issuer_changed: 'An identity issuer of a partner was changed.',
  identity_issuer_removed: 'An identity issuer of a partner was removed.',
});

const MAX_URL_LENGTH = 1000;
const MAX_TENANT_LENGTH = 200;
const MAX_KEYS = 20;
const CLAIM_NAME = /^[A-Za-z0-9_.:/-]{1,200}$/;

/** A registration as typed. */
export interface TypedIssuer {
  readonly issuer: string;
  /** Default: the issuer has no tenants. */
  readonly tenant?: string | undefined;
  readonly jwksUri?: string | undefined;
  /** Parsed JSON. */
  readonly jwks?: unknown;
  /** Default: `sub`. */
  readonly subjectClaim?: string | undefined;
}

/**
 * Parses the settings of an issuer.
 *
 * @param publicUrl the gateway's own address, which cannot be an issuer.
 * @throws {SettingError} for the first setting that cannot be registered.
 */
export function parseIssuer(typed: TypedIssuer, publicUrl: string): IssuerRegistration {
  const { issuer, tenant = '', jwksUri = null, jwks, subjectClaim = 'sub' } = typed;
  checkUrl('issuer', issuer);
  if (hostOf(issuer) === hostOf(publicUrl))
    throw new SettingError<keyof TypedIssuer>('issuer', 'must not be this gateway');
  if (tenant.length > MAX_TENANT_LENGTH || !tenant.isWellFormed() || hasControlCharacter(tenant)) {
    throw new SettingError<keyof TypedIssuer>('tenant', `must be a text of at most ${MAX_TENANT_LENGTH} characters`);
  }
  if (!CLAIM_NAME.test(subjectClaim))
    throw new SettingError<keyof TypedIssuer>('subjectClaim', 'must be the name of a claim');
  if ((jwksUri === null) === (jwks === undefined)) {
    throw new SettingError<keyof TypedIssuer>('jwksUri', 'or the keys themselves must be there, and not both');
  }
  if (jwksUri !== null) checkUrl('jwksUri', jwksUri);
  return { issuer, tenant, jwksUri, jwks: jwksUri === null ? parseKeys(jwks) : null, subjectClaim };
}

/** Returns host and port in one spelling. */
function hostOf(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname.replace(/\.$/, '')}:${port}`;
}

/** An issuer is an https URL without query and fragment (RFC 8414 §2); http is accepted on this machine, for trials. */
function checkUrl(setting: 'issuer' | 'jwksUri', text: string): void {
  const url = text.length <= MAX_URL_LENGTH ? URL.parse(text) : null;
  const isSecure = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackOrigin(url.origin));
  const isPlain = url?.username === '' && url.password === '' && url.hash === '' && !hasControlCharacter(text);
  if (isSecure && isPlain && (setting === 'jwksUri' || url?.search === '')) return;
  throw new SettingError<keyof TypedIssuer>(setting, 'must be an https URL without user and fragment');
}

/** Private and symmetric keys are refused: with a symmetric "public" key, anyone who reads it could sign. */
const KEYS = z.object({
  keys: z
    .array(z.looseObject({ kty: z.enum(['RSA', 'EC', 'OKP']) }).refine((key) => !('d' in key) && isUsable(key)))
    .min(1)
    .max(MAX_KEYS),
});

function parseKeys(jwks: unknown): IssuerRegistration['jwks'] {
  const parsed = KEYS.safeParse(jwks);
  if (parsed.success) return parsed.data;
  throw new SettingError<keyof TypedIssuer>(
    'jwks',
    `must be a JSON Web Key Set of 1 to ${MAX_KEYS} public keys: RSA of at least ${MIN_RSA_BITS} bits, ${CURVES.join(', ')}`,
  );
}

/** RFC 7518 §3.3. */
const MIN_RSA_BITS = 2048;
/** FIPS 186-5 §5.1. With 1, a signature is what is signed. */
const MIN_RSA_EXPONENT = 65_537n;
const CURVES = ['P-256', 'P-384', 'P-521', 'Ed25519'];

function isUsable(key: object): boolean {
  try {
    const { asymmetricKeyDetails } = createPublicKey({ key: key as JsonWebKeyInput['key'], format: 'jwk' });
    const { modulusLength = 0, publicExponent = 0n } = asymmetricKeyDetails ?? {};
    return (
      (modulusLength >= MIN_RSA_BITS && publicExponent >= MIN_RSA_EXPONENT) ||
      ('crv' in key && CURVES.includes(String(key.crv)))
    );
  } catch {
    return false;
  }
}

/**
 * Registers an issuer, or replaces the same partner's registration, whose grants stay. Needs a transaction.
 *
 * The issuer vouches for users once an operator has approved it. From then on it belongs to that partner alone, so that its assertions are never
 * ambiguous. Until then other partners can register it too.
 *
 * @returns undefined if an operator approved it for another partner.
 */
export async function registerIssuer(
  transaction: Executor,
  registration: IssuerRegistration & { partnerId: string; isApproved?: boolean },
  event: ManagementEvent,
): Promise<{ issuer: IdentityIssuer; added: boolean } | undefined> {
  const { tenant, jwksUri, subjectClaim, partnerId } = registration;
  const earlier = await listIssuers(transaction, partnerId);
  const added = !earlier.some((each) => each.issuer === registration.issuer && each.tenant === tenant);
  const issuer = await saveIssuer(transaction, { ...registration, now: event.now });
  if (issuer === undefined) return undefined;
  const details = { issuer: registration.issuer, tenant, jwksUri, subjectClaim };
  const type = added ? 'identity_issuer_added' : 'identity_issuer_changed';
  await ISSUER_EVENTS.emit(transaction, { type, partnerId, details, ...event });
  return { issuer, added };
}

/**
 * Lets an issuer vouch for users. Needs a transaction.
 *
 * @returns false if the partner has no such issuer that waits, or the issuer is approved for another partner.
 */
export async function approveIssuer(
  transaction: Executor,
  key: { id: string; partnerId: string },
  event: ManagementEvent,
): Promise<boolean> {
  const approved = await markIssuerApproved(transaction, key, event.now);
  if (approved === undefined) return false;
  const { partnerId, issuer, tenant } = approved;
  const details = { issuer, tenant };
  await ISSUER_EVENTS.emit(transaction, { type: 'identity_issuer_approved', partnerId, details, ...event });
  return true;
}

/**
 * Removes an issuer, and revokes its grants at once, because nothing else could withdraw a user's access then. Needs a transaction.
 *
 * @returns false if the partner has no such issuer.
 */
export async function removeIssuer(
  transaction: Executor,
  key: { id: string; partnerId: string },
  event: ManagementEvent,
): Promise<boolean> {
  const name = await deleteIssuer(transaction, key);
  if (name === undefined) return false;
  const revokedGrants = await revokeGrantsOf(
    transaction,
    { column: 'issuer_id', value: key.id },
    { reason: 'issuer-removed', now: event.now },
  );
  const { partnerId } = key;
  const details = { ...name, revokedGrants };
  await ISSUER_EVENTS.emit(transaction, { type: 'identity_issuer_removed', partnerId, details, ...event });
  return true;
}
