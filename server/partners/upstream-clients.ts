/** Routes of the partner API for the partner's own OAuth clients at upstreams. */

import type Router from '@koa/router';
import type { Context } from 'koa';
import { z } from 'zod';
import { takesUpstreamClient } from '../base/credentials/kinds.ts';
import type { UpstreamClients, UpstreamClientView } from '../base/credentials/upstream-clients.ts';
import { RequestError } from '../base/http/errors.ts';
import { noStore } from '../base/http/no-store.ts';
import { originOf } from '../base/http/request-origin.ts';
import type { RequestState } from '../base/http/state.ts';
import type { Partner } from '../base/store/repositories/partners.ts';
import type { Catalogue } from '../call/tools/catalogue/catalogue.ts';
import { parseUpstreamClient, UpstreamClientError } from '../identity/partners/upstream-client.ts';
import { readOAuthJson } from '../identity/protocol/form.ts';

const PATH = '/api/partner/upstream-clients/:service';

/** Null or absent: a public client. */
const BODY = z.object({ client_id: z.string(), client_secret: z.string().nullish() });

const WIRE_NAMES = { clientId: 'client_id', clientSecret: 'client_secret' } as const;

interface UpstreamClientRoutesDependencies {
  readonly catalogue: Pick<Catalogue, 'findConnector'>;
  readonly upstreamClients: UpstreamClients;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Adds the routes. A secret can be written, but never read.
 *
 * @param partnerOf finds the partner by the `Authorization` header alone: the body contains the client's credentials, not the
 * partner's.
 */
export function addUpstreamClientRoutes(
  router: Router<RequestState>,
  { catalogue, upstreamClients, now }: UpstreamClientRoutesDependencies,
  partnerOf: (ctx: Context) => Promise<Partner>,
): void {
  const eventOf = (ctx: Context) => ({ now: now(), ...originOf(ctx) });
  const keyOf = async (ctx: Context) => {
    const { id: partnerId, services } = await partnerOf(ctx);
    const service: string = ctx.params.service ?? '';
    const connector = services === null || services.includes(service) ? catalogue.findConnector(service) : undefined;
    if (connector === undefined) throw new RequestError(404, 'not_found', 'There is no such service.');
    return { partnerId, service, connector };
  };

  router.get(PATH, noStore, async (ctx) => {
    const client = await upstreamClients.show(await keyOf(ctx));
    if (client === null) throw notRegistered();
    ctx.body = toWire(client);
  });

  router.put(PATH, noStore, async (ctx) => {
    const { connector, ...key } = await keyOf(ctx);
    if (!takesUpstreamClient(connector.credential)) {
      throw new RequestError(400, 'invalid_request', 'This service does not use OAuth, so it has no clients.');
    }
    const client = readClient(await readOAuthJson(ctx.req));
    ctx.body = toWire(await upstreamClients.put({ ...key, ...client }, eventOf(ctx)));
  });

  router.delete(PATH, noStore, async (ctx) => {
    if (!(await upstreamClients.remove(await keyOf(ctx), eventOf(ctx)))) throw notRegistered();
    ctx.status = 204;
  });
}

function readClient(body: unknown) {
  const parsed = BODY.safeParse(body);
  if (!parsed.success) {
    const name = parsed.error.issues[0]?.path[0];
    const description = name === undefined ? 'The body must be a JSON object.' : `${String(name)} must be a string.`;
    throw new RequestError(400, 'invalid_request', description);
  }
  try {
    const { client_id: clientId, client_secret: clientSecret } = parsed.data;
    return parseUpstreamClient({ clientId, clientSecret: clientSecret ?? null });
  } catch (error) {
    if (!(error instanceof UpstreamClientError)) throw error;
    throw new RequestError(400, 'invalid_request', `${WIRE_NAMES[error.setting]} ${error.problem}.`, { cause: error });
  }
}

function notRegistered(): RequestError {
  return new RequestError(404, 'not_found', 'You have registered no client for this service.');
}

function toWire({ service, clientId, hasSecret, createdAt, updatedAt }: UpstreamClientView) {
  return {
    service,
    client_id: clientId,
    has_secret: hasSecret,
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(updatedAt).toISOString(),
  };
}
