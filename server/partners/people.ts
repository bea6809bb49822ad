/** Routes of the partner API for its users, and for the OAuth clients that they allow. */

import type Router from '@koa/router';
import type { Context } from 'koa';
import { noStore } from '../base/http/no-store.ts';
import type { RequestState } from '../base/http/state.ts';
import { listPartnerClients } from '../base/store/reports/partner-clients.ts';
import { searchUsers } from '../base/store/reports/user-search.ts';
import type { Partner } from '../base/store/repositories/partners.ts';
import type { Executor } from '../base/store/schema.ts';
import { ROW_ID, toTime } from './grants.ts';
import { readPage, toPage } from './page.ts';

interface PeopleDependencies {
  readonly db: Executor;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** As registered, or the URL of a metadata document. */
const CLIENT_ID = /^\P{Cc}{1,2048}$/u;

/** @param partnerOf finds the partner that sends a request; throws when there is none. */
export function addPeopleRoutes(
  router: Router<RequestState>,
  { db, now }: PeopleDependencies,
  partnerOf: (ctx: Context) => Promise<Partner>,
): void {
  router.get('/api/partner/users', noStore, async (ctx) => {
    const { id: partnerId } = await partnerOf(ctx);
    const { limit, after } = readPage(new URLSearchParams(ctx.querystring), ROW_ID);
    const filter = { partnerId, ...(after === undefined ? {} : { before: after }) };
    const { shown, next } = toPage(await searchUsers(db, filter, limit + 1), limit, ({ id }) => id);
    const users = shown.map(({ externalUserId, createdAt, active, attention }) => ({
      user_id: externalUserId,
      created_at: toTime(createdAt),
      connections: { active, attention },
    }));
    ctx.body = { users, next };
  });

  router.get('/api/partner/clients', noStore, async (ctx) => {
    const { id: partnerId } = await partnerOf(ctx);
    const { limit, after } = readPage(new URLSearchParams(ctx.querystring), CLIENT_ID);
    const options = { partnerId, now: now(), limit: limit + 1, ...(after === undefined ? {} : { after }) };
    const { shown, next } = toPage(await listPartnerClients(db, options), limit, ({ clientId }) => clientId);
    const clients = shown.map(({ clientId, clientName, redirectUris, grants, users, allowedAt }) => ({
      client_id: clientId,
      client_name: clientName,
      redirect_uris: redirectUris,
      grants,
      users,
      allowed_at: toTime(allowedAt),
    }));
    ctx.body = { clients, next };
  });
}
