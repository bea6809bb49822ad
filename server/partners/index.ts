/** The partner API: a partner reads and manages its own users and identity issuers, with its credentials. */

import Router from '@koa/router';
import type { Context } from 'koa';
import type { CredentialVault } from '../base/credentials/index.ts';
import type { UpstreamClients } from '../base/credentials/upstream-clients.ts';
import { RequestError } from '../base/http/errors.ts';
import type { CallerLimits } from '../base/http/limits/caller-limits.ts';
import { noStore } from '../base/http/no-store.ts';
import { originOf } from '../base/http/request-origin.ts';
import type { RequestState } from '../base/http/state.ts';
import { eraseDeleted } from '../base/store/erase.ts';
import type { Store } from '../base/store/index.ts';
import { listIssuers } from '../base/store/repositories/identity-issuers.ts';
import type { Partner } from '../base/store/repositories/partners.ts';
import type { Catalogue } from '../call/tools/catalogue/catalogue.ts';
import type { Revocations } from '../call/upstream/lease/revocation.ts';
import { removeIssuer } from '../identity/partners/issuers.ts';
import { removeUserConnection } from '../identity/partners/remove-connection.ts';
import { receiveFromPartner, requirePartner } from '../identity/partners/require-partner.ts';
import { isUserId, MAX_USER_ID_LENGTH } from '../identity/partners/user-id.ts';
import { readFormOrJson, readOAuthForm, readOAuthJson } from '../identity/protocol/form.ts';
import { addActivityRoutes } from './activity.ts';
import { approveTool, parseApproval } from './approvals.ts';
import { addBrandingRoutes } from './branding.ts';
import { addConnectSessionRoutes } from './connect-sessions.ts';
import { addGrantRoutes, type OwnUser } from './grant-routes.ts';
import { registerIssuerOf, toIssuerView } from './issuers.ts';
import { addOwnGrantsRoutes } from './own-grants.ts';
import { addPeopleRoutes } from './people.ts';
import { addServiceRoutes } from './services.ts';
import { addUpstreamClientRoutes } from './upstream-clients.ts';
import { listUserConnections, removeUser, requireUser } from './users.ts';
import { addWebhookRoutes } from './webhooks.ts';

interface PartnerApiDependencies {
  readonly store: Pick<Store, 'db'>;
  /** The gateway's origin, without a final slash. */
  readonly publicUrl: string;
  readonly catalogue: Catalogue;
  readonly callerLimits: CallerLimits;
  readonly upstreamClients: UpstreamClients;
  readonly revocations: Pick<Revocations, 'after'>;
  readonly vault: CredentialVault;
  /** Networks, in addition to public addresses, that webhooks may be in. */
  readonly networks: readonly string[];
  /** Titles of the connectors that the gateway serves, by name. */
  readonly services: ReadonlyMap<string, string>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Path of a partner's identity issuers. */
const PARTNER_ISSUERS_PATH = '/api/partner/issuers';

/** Twenty public keys, with their certificates. */
const MAX_KEY_SET_BYTES = 65_536;

/** Path of a partner's user. */
const PARTNER_USER_PATH = '/api/partner/users/:user_id';

/**
 * Creates the routes. Every one needs the partner's credentials (401 `invalid_client`), in the `Authorization` header or
 * in a form body, and reaches that partner's own users only.
 */
export function createPartnerApiRouter(deps: PartnerApiDependencies): Router<RequestState> {
  const { db } = deps.store;
  const router = new Router<RequestState>();
  router.use('/api/partner', deps.callerLimits.ofAddress);
  const userOf = async (ctx: Context): Promise<OwnUser> => {
    const partner = await authenticate(ctx, deps);
    const user = await requireUser(db, { partnerId: partner.id, externalUserId: userIdOf(ctx.params) });
    return { ...user, partner };
  };

  router.get(`${PARTNER_USER_PATH}/connections`, noStore, async (ctx) => {
    const partner = await authenticate(ctx, deps);
    const externalUserId = userIdOf(ctx.params);
    const connections = await listUserConnections(db, { partnerId: partner.id, externalUserId }, deps.services);
    ctx.body = { user_id: externalUserId, connections };
  });

  router.delete(`${PARTNER_USER_PATH}/connections/:service`, noStore, async (ctx) => {
    const user = await userOf(ctx);
    const change = { by: 'partner', now: deps.now(), ...originOf(ctx) } as const;
    const service = ctx.params.service ?? '';
    const removed = await deps.revocations.after({ userId: user.id, service }, () =>
      db.transaction().execute((transaction) => removeUserConnection(transaction, user, service, change)),
    );
    if (!removed) throw new RequestError(404, 'not_found', 'This user_id is not connected to that service.');
    ctx.status = 204;
  });

  router.post(`${PARTNER_USER_PATH}/approvals`, noStore, async (ctx) => {
    const read = () => readFormOrJson(ctx.req);
    const { partner, body } = await receiveFromPartner({ ...deps, db }, ctx.get('Authorization'), read);
    const user = { partnerId: partner.id, externalUserId: userIdOf(ctx.params) };
    const approved = parseApproval(body, deps.catalogue.facts.byTool);
    const event = { now: deps.now(), ...originOf(ctx) };
    const done = await db.transaction().execute((transaction) => approveTool(transaction, { user, approved }, event));
    if (!done) throw new RequestError(404, 'not_found', 'There is no such user_id.');
    ctx.status = 204;
  });

  router.delete(PARTNER_USER_PATH, noStore, async (ctx) => {
    const { id: userId, partnerId, externalUserId } = await userOf(ctx);
    const event = { now: deps.now(), ...originOf(ctx) };
    const removed = await deps.revocations.after({ userId }, () =>
      db.transaction().execute((transaction) => removeUser(transaction, { partnerId, externalUserId }, event)),
    );
    if (!removed) throw new RequestError(404, 'not_found', 'There is no such user_id.');
    await eraseDeleted(db);
    ctx.status = 204;
  });
  addIssuerRoutes(router, deps);
  addConnectSessionRoutes(router, { ...deps, db });

  const partnerOf = (ctx: Context) => authenticate(ctx, deps);
  addGrantRoutes(router, PARTNER_USER_PATH, { ...deps, db }, userOf);
  addOwnGrantsRoutes(router, { ...deps, db }, partnerOf);
  addServiceRoutes(router, deps, partnerOf);
  addPeopleRoutes(router, { ...deps, db }, partnerOf);
  addActivityRoutes(router, { ...deps, db }, partnerOf);
  const partnerOfHeader = (ctx: Context) => requirePartner({ ...deps, db }, ctx.get('Authorization'));
  addUpstreamClientRoutes(router, deps, partnerOfHeader);
  addWebhookRoutes(router, { ...deps, db }, partnerOfHeader);
  addBrandingRoutes(router, { ...deps, db }, partnerOfHeader);
  return router;
}

function addIssuerRoutes(router: Router<RequestState>, deps: PartnerApiDependencies): void {
  const { db } = deps.store;

  router.get(PARTNER_ISSUERS_PATH, noStore, async (ctx) => {
    const partner = await authenticate(ctx, deps);
    ctx.body = { issuers: (await listIssuers(db, partner.id)).map(toIssuerView) };
  });

  router.post(PARTNER_ISSUERS_PATH, noStore, async (ctx) => {
    const { id: partnerId } = await requirePartner({ ...deps, db }, ctx.get('Authorization'));
    const request = { partnerId, body: await readOAuthJson(ctx.req, { maxBytes: MAX_KEY_SET_BYTES }) };
    const event = { now: deps.now(), ...originOf(ctx) };
    const { issuer, added } = await db
      .transaction()
      .execute((transaction) => registerIssuerOf(transaction, request, event));
    ctx.status = added ? 201 : 200;
    ctx.body = toIssuerView(issuer);
  });

  router.delete(`${PARTNER_ISSUERS_PATH}/:id`, noStore, async (ctx) => {
    const partner = await authenticate(ctx, deps);
    const key = { id: ctx.params.id ?? '', partnerId: partner.id };
    const event = { now: deps.now(), ...originOf(ctx) };
    const removed = await db.transaction().execute((transaction) => removeIssuer(transaction, key, event));
    if (!removed) throw new RequestError(404, 'not_found', 'There is no such issuer.');
    ctx.status = 204;
  });
}

/** A form is read only when the request has a body and no `Authorization` header. */
async function authenticate(ctx: Context, deps: PartnerApiDependencies): Promise<Partner> {
  const authorization = ctx.get('Authorization');
  const hasForm = authorization === '' && ctx.get('Content-Type') !== '';
  const read = async () => (hasForm ? { form: await readOAuthForm(ctx.req) } : null);
  return (await receiveFromPartner({ ...deps, db: deps.store.db }, authorization, read)).partner;
}

function userIdOf(params: Readonly<Record<string, string | undefined>>): string {
  const userId = params.user_id ?? '';
  if (isUserId(userId)) return userId;
  const description = `user_id must be 1 to ${MAX_USER_ID_LENGTH} characters without control characters.`;
  throw new RequestError(400, 'invalid_request', description);
}
