/** Routes of the partner API for the grants of all its users: lists them, and revokes many at once. */

import type Router from '@koa/router';
import type { Context } from 'koa';
import type { Kysely } from 'kysely';
import { noStore } from '../base/http/no-store.ts';
import { originOf } from '../base/http/request-origin.ts';
import type { RequestState } from '../base/http/state.ts';
import { mayWrite, toScopes } from '../base/principal/scopes.ts';
import { type ListedAccess, listAccess } from '../base/store/reports/live-access.ts';
import { type AccessCounts, type AccessSelection, countAccess } from '../base/store/repositories/live-access.ts';
import type { Partner } from '../base/store/repositories/partners.ts';
import type { Database } from '../base/store/schema.ts';
import { revokeAccess } from '../identity/grants/allowed/revoke-all.ts';
import { invalid, ROW_ID, toTime } from './grants.ts';
import { readPage, toPage } from './page.ts';
import { requireUser } from './users.ts';

interface OwnGrantsDependencies {
  readonly db: Kysely<Database>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const PATH = '/api/partner/grants';

/** @param partnerOf finds the partner that sends a request; throws when there is none. */
export function addOwnGrantsRoutes(
  router: Router<RequestState>,
  { db, now: clock }: OwnGrantsDependencies,
  partnerOf: (ctx: Context) => Promise<Partner>,
): void {
  router.get(PATH, noStore, async (ctx) => {
    const partner = await partnerOf(ctx);
    const query = new URLSearchParams(ctx.querystring);
    const { limit, after } = readPage(query, ROW_ID);
    const selection = await toSelection(db, partner, query);
    const now = clock();
    const options = { selection, now, limit: limit + 1, ...(after === undefined ? {} : { before: after }) };
    const { shown, next } = toPage(await listAccess(db, 'grants', options), limit, ({ id }) => id);
    ctx.body = { live: toCountsView(await countAccess(db, selection, now)), grants: shown.map(toView), next };
  });

  router.delete(PATH, noStore, async (ctx) => {
    const partner = await partnerOf(ctx);
    const query = new URLSearchParams(ctx.querystring);
    const selection = await toSelection(db, partner, query);
    const isWhole = Object.keys(selection).length === 1;
    if (isWhole !== (query.get('all') === 'true')) {
      throw invalid('Select with user_id, client_id and service, or select everything with all=true.');
    }
    const change = { by: 'partner', now: clock(), ...originOf(ctx) } as const;
    ctx.body = { revoked: toCountsView(await revokeAccess(db, selection, change)) };
  });
}

/** Which of the partner's own grants the query selects. @throws {RequestError} `not_found` (404) for a user that is not its own. */
async function toSelection(
  db: Kysely<Database>,
  { id: partnerId }: Partner,
  query: URLSearchParams,
): Promise<AccessSelection & { readonly partnerId: string }> {
  const read = (name: string) => query.get(name)?.replaceAll('\0', '') ?? null;
  const [externalUserId, clientId, service] = [read('user_id'), read('client_id'), read('service')];
  const user = externalUserId === null ? null : await requireUser(db, { partnerId, externalUserId });
  return {
    partnerId,
    ...(user === null ? {} : { userId: user.id }),
    ...(clientId === null ? {} : { clientId }),
    ...(service === null ? {} : { service }),
  };
}

function toCountsView({ grants, tokens, codes }: AccessCounts): object {
  return { grants, tokens, connection_codes: codes };
}

function toView(grant: ListedAccess): object {
  const { id, externalUserId, clientId, clientName, services, scopes, createdAt, expiresAt } = grant;
  return {
    id,
    user_id: externalUserId,
    client: clientId === null ? null : { client_id: clientId, client_name: clientName },
    allowed_at: toTime(createdAt),
    expires_at: toTime(expiresAt),
    services,
    read_only: !mayWrite(toScopes(scopes)),
  };
}
