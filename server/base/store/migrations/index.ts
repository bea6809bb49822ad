/**
 * The migrations in order. A released migration is never changed; a new one is added instead.
 *
 * A migration only adds what a gateway of the previous version can ignore, because that gateway keeps serving
 * meanwhile, and may be started again. Removals follow two versions later, when nothing uses the data any more, in a
 * migration called `NNNN-contract-after-MMMM-<what>`: from then on, gateways that do not know migration MMMM refuse to
 * start.
 */

import type { Migration } from 'kysely/migration';
import { initialTables } from './0001-0010/0001-initial-tables.ts';
import { authorizationServer } from './0001-0010/0002-authorization-server.ts';
import { partnersAndConnectFlow } from './0001-0010/0003-partners-and-connect-flow.ts';
import { callsByTool } from './0001-0010/0004-calls-by-tool.ts';
import { upstreamCodes } from './0001-0010/0005-upstream-codes.ts';
import { noPendingConnections } from './0001-0010/0006-no-pending-connections.ts';
import { heldRefreshes } from './0001-0010/0007-held-refreshes.ts';
import { permissions } from './0001-0010/0008-permissions.ts';
import { clientMetadataDocuments } from './0001-0010/0009-client-metadata-documents.ts';
import { identityIssuers } from './0001-0010/0010-identity-issuers.ts';
import { callsByGrant } from './0012-calls-by-grant.ts';
import { boundsOnCallers } from './0013-bounds-on-callers.ts';
import { operators } from './0014-operators.ts';
import { auditChains } from './0015-audit-chains.ts';
import { suspendedPartners } from './0017-suspended-partners.ts';
import { upstreamOAuth } from './0018-upstream-oauth.ts';
import { connectSessions } from './0019-connect-sessions.ts';
import { partnerEvents } from './0020-partner-events.ts';
import { accounts } from './0021-accounts.ts';
import { whatCanBeRemoved } from './0022-what-can-be-removed.ts';
import { brandingOfPartners } from './0023-branding-of-partners.ts';
import { callsMadeOnce } from './0024-calls-made-once.ts';
import { capsOfUpstreams } from './0025-caps-of-upstreams.ts';
import { usageOfTools } from './0026-usage-of-tools.ts';
import { provenanceOfCalls } from './0027-provenance-of-calls.ts';
import { driftOfAnswers } from './0028-drift-of-answers.ts';
import { rateLimits } from './0030-rate-limits.ts';
import { searchForCalls } from './0032-search-for-calls.ts';

export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-initial-tables': initialTables,
  '0002-authorization-server': authorizationServer,
  '0003-partners-and-connect-flow': partnersAndConnectFlow,
  '0004-calls-by-tool': callsByTool,
  '0005-upstream-codes': upstreamCodes,
  '0006-no-pending-connections': noPendingConnections,
  '0007-held-refreshes': heldRefreshes,
  '0008-permissions': permissions,
  '0009-client-metadata-documents': clientMetadataDocuments,
  '0010-identity-issuers': identityIssuers,
  '0012-calls-by-grant': callsByGrant,
  '0013-bounds-on-callers': boundsOnCallers,
  '0014-operators': operators,
  '0015-audit-chains': auditChains,
  '0017-suspended-partners': suspendedPartners,
  '0018-upstream-oauth': upstreamOAuth,
  '0019-connect-sessions': connectSessions,
  '0020-partner-events': partnerEvents,
  '0021-accounts': accounts,
  '0022-what-can-be-removed': whatCanBeRemoved,
  '0023-branding-of-partners': brandingOfPartners,
  '0024-calls-made-once': callsMadeOnce,
  '0025-caps-of-upstreams': capsOfUpstreams,
  '0026-usage-of-tools': usageOfTools,
  '0027-provenance-of-calls': provenanceOfCalls,
  '0028-drift-of-answers': driftOfAnswers,
  '0030-rate-limits': rateLimits,
  '0032-search-for-calls': searchForCalls,
};
