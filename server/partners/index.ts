/** The partner API: a partner reads and manages its own users, with its credentials. */

import type Router from '@koa/router';
import type { RequestState } from '../base/http/state.ts';
import { ACTIVITY_OPERATIONS } from './activity.ts';
import { ALLOWANCE_OPERATIONS } from './allowance.ts';
import { APPROVAL_OPERATIONS } from './approvals.ts';
import { CALL_LIMIT_OPERATIONS } from './call-limits.ts';
import { CONNECT_SESSION_OPERATIONS } from './connect-sessions.ts';
import { DRY_RUN_OPERATIONS } from './dry-runs.ts';
import { GRANT_OPERATIONS } from './grants.ts';
import { type Operation, type PartnerApi, toRouter } from './operation.ts';
import { SERVICE_OPERATIONS } from './services.ts';
import { TEAM_OPERATIONS } from './teams.ts';
import { UPSTREAM_CLIENT_OPERATIONS } from './upstream-clients.ts';
import { USER_ACTIVITY_OPERATIONS } from './user-activity.ts';
import { USER_OPERATIONS } from './users.ts';

/** The operations of the core, in the order of the reference. */
export const PARTNER_OPERATIONS: readonly Operation<PartnerApi>[] = [
  ...SERVICE_OPERATIONS,
  ...USER_OPERATIONS,
  ...ALLOWANCE_OPERATIONS,
  ...TEAM_OPERATIONS,
  ...GRANT_OPERATIONS,
  ...APPROVAL_OPERATIONS,
  ...CALL_LIMIT_OPERATIONS,
  ...DRY_RUN_OPERATIONS,
  ...USER_ACTIVITY_OPERATIONS,
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
