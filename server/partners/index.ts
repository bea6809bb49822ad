/** The partner API: a partner reads and manages its own users, with its credentials. */

import type Router from '@koa/router';
import type { UpstreamClients } from '../base/credentials/upstream-clients.ts';
import type { RequestState } from '../base/http/state.ts';
import type { Catalogue } from '../call/tools/catalogue/catalogue.ts';
import type { Revocations } from '../call/upstream/oauth/revocation.ts';
import { ACTIVITY_OPERATIONS } from './activity.ts';
import { CONNECT_SESSION_OPERATIONS } from './connect-sessions.ts';
import { GRANT_OPERATIONS } from './grants.ts';
import { type Operation, type Serving, toRouter } from './operation.ts';
import { SERVICE_OPERATIONS } from './services.ts';
import { UPSTREAM_CLIENT_OPERATIONS } from './upstream-clients.ts';
import { USER_OPERATIONS } from './users.ts';

/** What the partner API is served with. */
export interface PartnerApi extends Serving {
  /** The gateway's origin, without a final slash. */
  readonly publicUrl: string;
  readonly catalogue: Catalogue;
  readonly upstreamClients: UpstreamClients;
  readonly revocations: Pick<Revocations, 'after'>;
  /** Titles of the connectors that the gateway serves, by name. */
  readonly services: ReadonlyMap<string, string>;
}

/** The operations of the core, in the order of the reference. */
export const PARTNER_OPERATIONS: readonly Operation<PartnerApi>[] = [
  ...SERVICE_OPERATIONS,
  ...USER_OPERATIONS,
  ...GRANT_OPERATIONS,
  ...ACTIVITY_OPERATIONS,
  ...UPSTREAM_CLIENT_OPERATIONS,
  ...CONNECT_SESSION_OPERATIONS,
];

/**
 * Creates the routes. Every one needs the partner's credentials (401 `invalid_client`), and reaches that partner's own users only.
 */
export function createPartnerApiRouter(api: PartnerApi): Router<RequestState> {
  return toRouter(PARTNER_OPERATIONS, api);
}
