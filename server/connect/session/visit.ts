/** Where a connect session stands: which service its user is asked about next. */

import type { GatewayContext } from '../../base/http/state.ts';
import { partnerSuspended } from '../../base/pages/partner-suspended.ts';
import { hashSecret } from '../../base/secrets.ts';
import {
  type ConnectSession,
  claimConnectSession,
  findConnectSession,
} from '../../base/store/repositories/connect/connect-sessions.ts';
import { listAttemptsOfSession } from '../../base/store/repositories/connection-attempts.ts';
import { findConnection } from '../../base/store/repositories/connections.ts';
import { findPartner } from '../../base/store/repositories/partners.ts';
import { findUser } from '../../base/store/repositories/users.ts';
import type { ConnectDependencies } from '../dependencies.ts';
import { checkService } from '../request/check-service.ts';
import { ConnectRefusal } from '../request/parameters.ts';
import { type ConnectVisit, nextService, type PartnerTarget } from '../visit/index.ts';
import { CONNECT_PAGE_TTL_SECONDS, newPageId } from '../visit/page-state.ts';
import { sessionOver } from './entry.ts';

/** A session whose next service cannot be connected: the partner receives the refusal. */
interface RefusedVisit extends PartnerTarget {
  readonly refusal: ConnectRefusal;
}

/**
 * Finds the session without consuming its token.
 *
 * @throws {PageError} 400 for a session that has expired, or is another browser's.
 */
export async function lookAtSession(
  ctx: GatewayContext,
  id: string,
  deps: ConnectDependencies,
): Promise<ConnectSession> {
  const row = await findConnectSession(deps.db, { id });
  const browserId = deps.browserIds.read(ctx);
  const isOthers = row?.browserHash != null && (browserId === null || hashSecret(browserId) !== row.browserHash);
  if (row === undefined || isOthers || row.hasCode || row.expiresAt <= deps.now()) throw sessionOver();
  return row;
}

/** Consumes the token for this browser. @throws {PageError} 400 as `lookAtSession`. */
export async function claimSession(
  ctx: GatewayContext,
  id: string,
  deps: ConnectDependencies,
): Promise<ConnectSession> {
  const browserId = deps.browserIds.read(ctx);
  if (browserId === null) throw sessionOver();
  const now = deps.now();
  const claim = { id, browserHash: hashSecret(browserId), now, expiresAt: now + CONNECT_PAGE_TTL_SECONDS * 1000 };
  const row = await claimConnectSession(deps.db, claim);
  if (row === undefined) throw sessionOver();
  return row;
}

/** The next service of a session. @throws {PageError} 403 if the partner is suspended. */
export async function visitOf(
  row: ConnectSession,
  page: { popupOrigin: string | null; pageId?: string },
  deps: ConnectDependencies,
): Promise<ConnectVisit | RefusedVisit> {
  const { db } = deps;
  const { externalUserId, redirectUri, state } = row;
  const { popupOrigin, pageId = newPageId() } = page;
  const partner = await findPartner(db, row.partnerId);
  if (partner === undefined) throw sessionOver();
  if (partner.suspendedAt !== null) throw partnerSuspended(partner);
  const connected = (await listAttemptsOfSession(db, row.id)).map(({ service }) => service);
  const service = nextService(row, connected);
  if (service === undefined) throw sessionOver();
  try {
    const connector = checkService(service, partner, deps.findConnector);
    const user = await findUser(db, { partnerId: partner.id, externalUserId });
    const connection = user && (await findConnection(db, user.id, service));
    return {
      request: { partner, connector, externalUserId, redirectUri, state },
      pageId,
      session: { row, connected, popupOrigin, replaces: connection ?? null },
    };
  } catch (refusal) {
    if (!(refusal instanceof ConnectRefusal)) throw refusal;
    return { refusal, redirectUri, state, popupOrigin };
  }
}
