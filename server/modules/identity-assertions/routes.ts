/** Routes of the partner API for the partner's identity issuers. */

import Router from '@koa/router';
import type { Context } from 'koa';
import { z } from 'zod';
import { RequestError } from '../../base/http/errors.ts';
import { noStore } from '../../base/http/headers.ts';
import { originOf } from '../../base/http/request-origin.ts';
import type { RequestState } from '../../base/http/state.ts';
import type { Executor } from '../../base/store/schema.ts';
import type { ManagementEvent } from '../../identity/partners/manage.ts';
import { receiveFromPartner, requirePartner } from '../../identity/partners/require-partner.ts';
import { readOAuthForm, readOAuthJson } from '../../identity/protocol/form.ts';
import type { Serving } from '../../partners/operation.ts';
import { IssuerError, parseIssuer, registerIssuer, removeIssuer } from './issuers.ts';
import { type IdentityIssuer, listIssuers } from './stored-issuers.ts';

const PATH = '/api/partner/issuers';

/** Twenty public keys, with their certificates. */
const MAX_KEY_SET_BYTES = 65_536;

export function createIssuerRouter(deps: Serving): Router<RequestState> {
  const router = new Router<RequestState>();
  router.use('/api/partner', deps.callerLimits.ofAddress);
  const { db } = deps;
  const partnerOf = async (ctx: Context) => {
    const authorization = ctx.get('Authorization');
    const hasForm = authorization === '' && ctx.get('Content-Type') !== '';
    const read = async () => (hasForm ? { form: await readOAuthForm(ctx.req) } : null);
    return (await receiveFromPartner(deps, authorization, read)).partner;
  };

  router.get(PATH, noStore, async (ctx) => {
    const partner = await partnerOf(ctx);
    ctx.body = { issuers: (await listIssuers(db, partner.id)).map(toIssuerView) };
  });

  router.post(PATH, noStore, async (ctx) => {
    const { id: partnerId } = await requirePartner(deps, ctx.get('Authorization'));
    const request = { partnerId, body: await readOAuthJson(ctx.req, { maxBytes: MAX_KEY_SET_BYTES }) };
    const event = { now: deps.now(), ...originOf(ctx) };
    const { issuer, added } = await db
      .transaction()
      .execute((transaction) => registerIssuerOf(transaction, request, event));
    ctx.status = added ? 201 : 200;
    ctx.body = toIssuerView(issuer);
  });

  router.delete(`${PATH}/:id`, noStore, async (ctx) => {
    const partner = await partnerOf(ctx);
    const key = { id: ctx.params.id ?? '', partnerId: partner.id };
    const event = { now: deps.now(), ...originOf(ctx) };
    const removed = await db.transaction().execute((transaction) => removeIssuer(transaction, key, event));
    if (!removed) throw new RequestError(404, 'not_found', 'There is no such issuer.');
    ctx.status = 204;
  });
  return router;
}

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
async function registerIssuerOf(
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
function toIssuerView(issuer: IdentityIssuer) {
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
