/** Routes of the partner API for a user's grants: the link to the user's own page, and the same actions without the page. */

import type Router from '@koa/router';
import type { Context } from 'koa';
import type { Kysely } from 'kysely';
import { RequestError } from '../base/http/errors.ts';
import { noStore } from '../base/http/no-store.ts';
import { originOf } from '../base/http/request-origin.ts';
import type { GatewayContext, RequestState } from '../base/http/state.ts';
import type { Partner } from '../base/store/repositories/partners.ts';
import type { User } from '../base/store/repositories/users.ts';
import type { Database } from '../base/store/schema.ts';
import type { Catalogue } from '../call/tools/catalogue/catalogue.ts';
import { findAllowed, listAllowed, listUsableServices } from '../identity/grants/allowed/list.ts';
import { narrowGrant } from '../identity/grants/allowed/narrow.ts';
import { revokeOwnGrant } from '../identity/grants/allowed/revoke.ts';
import { mintUserLink, USER_LINK_TTL_SECONDS } from '../identity/partners/user-links.ts';
import { readOAuthJson } from '../identity/protocol/form.ts';
import { invalid, parseNarrowing, ROW_ID, toGrantView } from './grants.ts';
import { readPage, toCursor } from './page.ts';

interface GrantRoutesDependencies {
  readonly db: Kysely<Database>;
  /** The gateway's origin, without a final slash. */
  readonly publicUrl: string;
  readonly catalogue: Catalogue;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A user, and the authenticated partner that owns it. */
export type OwnUser = User & { readonly partner: Partner };

/** Enough for a thousand tool names. */
const MAX_NARROWING_BYTES = 65_536;

/**
 * Adds the routes below `path`.
 *
 * @param userOf finds the partner's own user that a request names; throws when there is none.
 */
export function addGrantRoutes(
  router: Router<RequestState>,
  path: string,
  deps: GrantRoutesDependencies,
  userOf: (ctx: Context) => Promise<OwnUser>,
): void {
  const { db, catalogue } = deps;
  const grantPath = `${path}/grants/:grant`;
  const contextOf = async (user: OwnUser) => {
    const connected = await listUsableServices(db, user.id, user.partner);
    return { userId: user.id, connected, catalogue, now: deps.now() };
  };
  const changeOf = (ctx: GatewayContext) => ({ by: 'partner' as const, now: deps.now(), ...originOf(ctx) });
  const keyOf = (user: OwnUser, grant: string | undefined) => {
    if (grant === undefined || !ROW_ID.test(grant)) throw noSuchGrant();
    return { grantId: grant, userId: user.id, partnerId: user.partnerId };
  };

  router.post(`${path}/links`, noStore, async (ctx) => {
    const user = await userOf(ctx);
    const change = changeOf(ctx as GatewayContext);
    const link = await db.transaction().execute((transaction) => mintUserLink(transaction, user, change));
    ctx.body = { url: deps.publicUrl + link, expires_in: USER_LINK_TTL_SECONDS };
  });

  router.get(`${path}/grants`, noStore, async (ctx) => {
    const user = await userOf(ctx);
    const { limit, after } = readPage(new URLSearchParams(ctx.querystring), ROW_ID);
    const filter = { ...(await contextOf(user)), ...(after === undefined ? {} : { before: after }) };
    const { grants, next } = await listAllowed(db, filter, limit);
    ctx.body = { user_id: user.externalUserId, grants: grants.map(toGrantView), next: next && toCursor(next) };
  });

  router.patch(grantPath, noStore, async (ctx) => {
    const user = await userOf(ctx);
    const key = keyOf(user, ctx.params.grant);
    const narrowing = parseNarrowing(await readOAuthJson(ctx.req, { maxBytes: MAX_NARROWING_BYTES }));
    const change = { ...changeOf(ctx as GatewayContext), catalogue };
    const result = await db
      .transaction()
      .execute((transaction) => narrowGrant(transaction, key, () => narrowing, change));
    if (result.kind === 'refused') throw invalid(result.reason);
    const found = await findAllowed(db, { ...(await contextOf(user)), id: key.grantId });
    if (result.kind === 'missing' || found === undefined) throw noSuchGrant();
    ctx.body = toGrantView(found);
  });

  router.delete(grantPath, noStore, async (ctx) => {
    const user = await userOf(ctx);
    const key = keyOf(user, ctx.params.grant);
    const change = changeOf(ctx as GatewayContext);
    const revoked = await db.transaction().execute((transaction) => revokeOwnGrant(transaction, key, change));
    if (!revoked) throw noSuchGrant();
    ctx.status = 204;
  });
}

function noSuchGrant(): RequestError {
  return new RequestError(404, 'not_found', 'This user_id has no such grant.');
}
