/** Partner secrets, and the authentication of the partner that sends a request: its credentials are in the `Authorization` header or in the body. */

import type { CallerLimits } from '../../base/http/caller-limits.ts';
import { SLOW_BODY_MS } from '../../base/http/exchange.ts';
import { createSecret, hashSecret, isOfKind, isSameHash } from '../../base/principal/secrets.ts';
import { testClientId } from '../../base/realm.ts';
import { insertPartnerSecret, listLivePartnerSecrets } from '../../base/store/repositories/partner-secrets.ts';
import { findPartner, findPartnerByClientId, type Partner } from '../../base/store/repositories/partners.ts';
import type { Executor } from '../../base/store/schema.ts';
import { type ClientCredentials, invalidClient, readClientCredentials } from '../protocol/client-credentials.ts';
import type { FormOrJson } from '../protocol/form.ts';
import { checkOwnActive } from '../protocol/partner-suspended.ts';

/**
 * Issues another secret for a partner, `utg_ps_...`, or `utg_test_...` for a test partner. Only its hash is stored.
 *
 * The previous secret stays valid, so that the partner can switch over; older ones are revoked. Needs a transaction.
 *
 * @param options.endOthers revokes every other secret at once.
 */
export async function addPartnerSecret(
  transaction: Executor,
  options: { partnerId: string; now: number; endOthers?: boolean },
): Promise<string> {
  const isTest = (await findPartner(transaction, options.partnerId))?.realm === 'test';
  const secret = createSecret(isTest ? 'testSecret' : 'partnerSecret');
  await insertPartnerSecret(transaction, {
    partnerId: options.partnerId,
    secretHash: hashSecret(transaction, secret),
    now: options.now,
    keep: options.endOthers === true ? 1 : undefined,
  });
  return secret;
}

/**
 * Finds the partner of these credentials. With a test secret, it finds the test partner of the partner that `clientId` names.
 *
 * @returns undefined when there is none, or the secret does not match.
 * @throws {OAuthError} `partner_suspended` (403).
 */
export async function authenticatePartner(
  executor: Executor,
  credentials: { clientId: string; clientSecret: string },
): Promise<Partner | undefined> {
  const { clientId, clientSecret } = credentials;
  if (clientId.includes('\0')) return undefined;
  const isTest = isOfKind('testSecret', clientSecret);
  const partner = await findPartnerByClientId(executor, isTest ? testClientId(clientId) : clientId);
  if (partner === undefined || (partner.realm === 'test') !== isTest) return undefined;
  const hashes = await listLivePartnerSecrets(executor, partner.id);
  const secretHash = hashSecret(executor, clientSecret);
  if (!hashes.some((hash) => isSameHash(secretHash, hash))) return undefined;
  checkOwnActive(partner);
  return partner;
}

interface PartnerDependencies {
  readonly db: Executor;
  readonly callerLimits: CallerLimits;
}

/** A body, or null when a request has none. */
type Body = FormOrJson | null;

/**
 * Finds the partner, verifies its secret, and reads the body; the body last, when the header has the credentials.
 *
 * @param read reads the body, with the endpoint's own limits.
 * @throws {OAuthError} `invalid_client` (401), `invalid_request` (400) for credentials in both places, `partner_suspended`
 * (403), and as `read`.
 * @throws {RequestError} `too_many_requests` (429) for a partner over its limit.
 */
export async function receiveFromPartner<Received extends Body>(
  deps: PartnerDependencies,
  authorization: string,
  read: () => Promise<Received>,
): Promise<{ partner: Partner; body: Received }> {
  const find = async () => (authorization === '' ? null : requirePartner(deps, authorization));
  const begunAt = performance.now();
  let headerPartner = await find();
  const body = await read();
  if (performance.now() - begunAt >= SLOW_BODY_MS) headerPartner = await find();
  const credentials = readClientCredentials(authorization, credentialsOf(body));
  return { partner: headerPartner ?? (await authenticate(deps, credentials)), body };
}

/** Finds the partner by the header alone. @throws as `receiveFromPartner`. */
export async function requirePartner(deps: PartnerDependencies, authorization: string): Promise<Partner> {
  return authenticate(deps, readClientCredentials(authorization, credentialsOf(null)));
}

async function authenticate(deps: PartnerDependencies, credentials: ClientCredentials): Promise<Partner> {
  const { clientId, clientSecret } = credentials;
  if (clientId === undefined || clientSecret === undefined) throw invalidClient(credentials);
  const partner = await authenticatePartner(deps.db, { clientId, clientSecret });
  if (partner === undefined) throw invalidClient(credentials);
  await deps.callerLimits.countPartner(partner.id);
  return partner;
}

function credentialsOf(body: Body): { clientId: string | undefined; clientSecret: string | undefined } {
  const read = (name: string): string | undefined => {
    if (body === null) return undefined;
    if ('form' in body) return body.form.get(name);
    const { json } = body;
    const value: unknown = typeof json === 'object' && json !== null ? Reflect.get(json, name) : undefined;
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  return { clientId: read('client_id'), clientSecret: read('client_secret') };
}
