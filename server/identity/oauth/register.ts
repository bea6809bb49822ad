/** `POST /api/mcp/oauth/register`: dynamic client registration (RFC 7591). */

import { randomBytes } from 'node:crypto';
import { recordAnonymousEvent, tooManyRequests } from '../../base/http/caller-limits.ts';
import { RequestError } from '../../base/http/errors.ts';
import { siteOf } from '../../base/http/network.ts';
import type { GatewayMiddleware } from '../../base/http/state.ts';
import { createSecret, hashSecret } from '../../base/principal/secrets.ts';
import { boundUnusedClients, countUnusedClients, insertClient } from '../../base/store/repositories/oauth-clients.ts';
import type { Executor } from '../../base/store/schema.ts';
import { OAuthError } from '../protocol/error.ts';
import { readOAuthJson } from '../protocol/form.ts';
import { mayRegister } from '../protocol/registration-policy.ts';
import { parseClientMetadata } from './client-metadata.ts';
import type { OAuthContext } from './context.ts';

/** Differs from the prefixes of secrets: a client id is public, and appears in the log. */
const CLIENT_ID_PREFIX = 'client-';
const CLIENT_ID_BYTES = 16;

/** Ten redirect URIs of maximum length, and all other metadata. */
const MAX_BODY_BYTES = 32_768;

/** Multiple of `maxUnusedClients` that there may be while all of them are protected. */
const GROWTH_FACTOR = 10;

/** Beyond `maxUnusedClients`, one network may have this part of it. A host of clients registers those of all its users. */
const NETWORKS_WITHIN_MAX = 10;

/** The share of a network where `maxUnusedClients` is small. */
const MIN_NETWORK_SHARE = 20;

const RETRY_SECONDS = 60;

/**
 * Registers a client, public or confidential, and answers 201 with everything that was registered.
 *
 * When only some redirect URIs are accepted, the others are left out of `redirect_uris` and named in `dropped_redirect_uris`, each with a `reason`.
 * That member is our own; clients ignore unknown ones (RFC 7591 §3.2.1).
 *
 * A secret does not expire. The registration expires after a day, unless a user allows the client something first. It expires sooner when there are
 * more than `maxUnusedClients`, but not while it is protected (see `boundUnusedClients`).
 *
 * @throws {OAuthError} `access_denied` (403) when registration is off; those of `parseClientMetadata` and `readOAuthJson`.
 * @throws {RequestError} 429 and 503 with `Retry-After`, during a flood of registrations (see `makeRoom`).
 */
export function registerClient(deps: OAuthContext): GatewayMiddleware {
  const { registration, maxUnusedClients } = deps;
  const grantTypes = deps.grantTypes.filter(({ isOfPartners }) => isOfPartners !== true);
  const rules = { ...deps, grantTypes, isAllowed: (uri: string) => mayRegister(registration, uri) };
  return async (ctx) => {
    if (registration === 'off') {
      const description =
        'This gateway registers no clients. Ask the people who run it how your client can get access.';
      throw new OAuthError(403, 'access_denied', description);
    }
    const metadata = parseClientMetadata(await readOAuthJson(ctx.req, { maxBytes: MAX_BODY_BYTES }), rules);
    const now = deps.now();
    const clientId = CLIENT_ID_PREFIX + randomBytes(CLIENT_ID_BYTES).toString('base64url');
    const secret = metadata.authenticationMethod.startsWith('client_secret_') ? createSecret('clientSecret') : null;
    const { registered, droppedRedirectUris, ...client } = metadata;
    const network = siteOf(ctx.ip);
    const dropped = droppedRedirectUris.map(({ redirectUri, reason }) => ({ redirect_uri: redirectUri, reason }));

    await deps.db.transaction().execute(async (transaction) => {
      await makeRoom(transaction, { network, maxUnusedClients, now });
      await insertClient(transaction, {
        ...client,
        clientId,
        secretHash: secret === null ? null : hashSecret(deps.db, secret),
        registeredFrom: network,
        now,
      });
    });
    await recordAnonymousEvent(deps.db, { type: 'client_registered', now, address: ctx.ip });

    ctx.status = 201;
    ctx.body = {
      client_id: clientId,
      client_id_issued_at: Math.floor(now / 1000),
      client_secret: secret ?? undefined,
      client_secret_expires_at: secret === null ? undefined : 0,
      ...registered,
      dropped_redirect_uris: dropped.length === 0 ? undefined : dropped,
    };
  };
}

/**
 * Removes unused clients until there is room for another one. When all are protected, the number may grow up to
 * `GROWTH_FACTOR` times, and only networks with a small share of it may still register: a flood from few addresses
 * stops itself, and new people elsewhere still sign in.
 *
 * @throws {RequestError} 429 for a network that has its share, 503 when there are `GROWTH_FACTOR` times as many; both with
 * `Retry-After`.
 */
async function makeRoom(
  transaction: Executor,
  request: { readonly network: string; readonly maxUnusedClients: number; readonly now: number },
): Promise<void> {
  const { network, maxUnusedClients, now } = request;
  const unused = await boundUnusedClients(transaction, 'registered', { max: maxUnusedClients - 1, now });
  if (unused < maxUnusedClients) return;
  const share = Math.max(MIN_NETWORK_SHARE, Math.floor(maxUnusedClients / NETWORKS_WITHIN_MAX));
  const ofNetwork = await countUnusedClients(transaction, 'registered', network);
  if (ofNetwork >= share) throw tooManyRequests(RETRY_SECONDS);
  if (unused < maxUnusedClients * GROWTH_FACTOR) return;
  const description = `Too many applications have registered in the last minutes. Try again in ${RETRY_SECONDS} seconds.`;
  throw new RequestError(503, 'temporarily_unavailable', description, {
    headers: { 'Retry-After': String(RETRY_SECONDS) },
  });
}
