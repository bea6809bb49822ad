/** What follows when a service is completed, skipped or declined: the next page, or the partner's answer. */

import { countUse, recordAnonymousEvent } from '../base/http/caller-limits.ts';
import { siteOf } from '../base/http/network.ts';
import type { GatewayContext } from '../base/http/state.ts';
import { createSecret, hashSecret } from '../base/principal/secrets.ts';
import {
  deleteConnectSession,
  findConnectSession,
  finishConnectSession,
  setSkippedServices,
} from '../base/store/repositories/connect/connect-sessions.ts';
import {
  deleteAttemptsOfSession,
  insertConnectionAttempt,
  listAttemptsOfSession,
  newAttemptId,
} from '../base/store/repositories/connection-attempts.ts';
import type { Executor } from '../base/store/schema.ts';
import { answerPartner, refusePartner, toConnectPage } from './answer.ts';
import type { ConnectContext } from './context.ts';
import type { CredentialValues } from './credential-forms.ts';
import { sessionOver } from './session.ts';
import { type ConnectVisit, nextService, type SessionVisit, targetOf } from './visit.ts';

/** How long a partner has to redeem a code. Nothing is connected before that. */
const CONNECT_CODE_TTL_SECONDS = 300;

const DECLINED = { code: 'access_denied', description: 'You did not connect the service.' } as const;

/**
 * Stores the credential next to the connection that it will create or replace, and continues.
 *
 * @param fields one value per field of the connector's credential; null for an open service.
 */
export async function complete(
  ctx: GatewayContext,
  visit: ConnectVisit,
  fields: CredentialValues,
  deps: ConnectContext,
): Promise<void> {
  const { session } = visit;
  const now = deps.now();
  if (session === null) {
    await countUse(deps.codeLimit, ctx.ip);
    const code = createSecret('connectCode');
    const expiresAt = now + CONNECT_CODE_TTL_SECONDS * 1000;
    await deps.db.transaction().execute(async (transaction) => {
      const attempt = { fields, codeHash: hashSecret(deps.db, code), madeFrom: siteOf(ctx.ip), expiresAt };
      await keepAttempt(transaction, visit, attempt, deps);
      await recordAnonymousEvent(transaction, { type: 'connect_code_issued', now, address: ctx.ip });
    });
    return answerPartner(ctx, targetOf(visit), { code });
  }
  const { row } = session;
  const { name } = visit.request.connector;
  await deps.db.transaction().execute(async (transaction) => {
    await deleteAttemptsOfSession(transaction, row.id, name);
    const expiresAt = row.expiresAt + CONNECT_CODE_TTL_SECONDS * 1000;
    await keepAttempt(transaction, visit, { fields, codeHash: `${row.id} ${name}`, madeFrom: null, expiresAt }, deps);
  });
  await goOn(ctx, session, deps);
}

async function keepAttempt(
  transaction: Executor,
  { request, session }: ConnectVisit,
  attempt: { fields: CredentialValues; codeHash: string; madeFrom: string | null; expiresAt: number },
  { vault, now }: ConnectContext,
): Promise<void> {
  const { partner, connector, externalUserId, redirectUri } = request;
  const { fields, ...kept } = attempt;
  const id = newAttemptId(now());
  const owner = { partnerId: partner.id, userId: externalUserId, externalUserId };
  const binding = { connectionId: id, ...owner, service: connector.name };
  await insertConnectionAttempt(transaction, {
    ...kept,
    id,
    partnerId: partner.id,
    externalUserId,
    service: connector.name,
    sessionId: session?.row.id ?? null,
    redirectUri,
    sealedCredential: fields === null ? null : vault.seal(fields, binding),
    now: now(),
  });
}

/** Skips a service of a session, and continues. */
export async function skip(
  ctx: GatewayContext,
  session: SessionVisit,
  service: string,
  deps: ConnectContext,
): Promise<void> {
  await setSkippedServices(deps.db, session.row.id, [...session.row.skipped, service]);
  await goOn(ctx, session, deps);
}

/** Ends the visit: nothing of it is stored, and the partner is informed. */
export async function decline(ctx: GatewayContext, visit: ConnectVisit, deps: ConnectContext): Promise<void> {
  await recordAnonymousEvent(deps.db, { type: 'connect_declined', now: deps.now(), address: ctx.ip });
  if (visit.session !== null) await endSession(visit.session, deps);
  refusePartner(ctx, targetOf(visit), DECLINED);
}

/** Continues to the next service, or to the partner with the code for all completed services. */
async function goOn(ctx: GatewayContext, session: SessionVisit, deps: ConnectContext): Promise<void> {
  const { db } = deps;
  const { id } = session.row;
  const row = await findConnectSession(db, { id });
  if (row === undefined) throw sessionOver();
  const connected = (await listAttemptsOfSession(db, id)).map(({ service }) => service);
  if (nextService(row, connected) !== undefined) return toConnectPage(ctx, id);
  const target = { redirectUri: row.redirectUri, state: row.state, popupOrigin: session.popupOrigin };
  if (connected.length === 0) {
    await endSession(session, deps);
    return refusePartner(ctx, target, DECLINED);
  }
  const now = deps.now();
  const code = createSecret('connectCode');
  const finish = { id, codeHash: hashSecret(deps.db, code), now, expiresAt: now + CONNECT_CODE_TTL_SECONDS * 1000 };
  if (!(await finishConnectSession(db, finish))) throw sessionOver();
  await recordAnonymousEvent(db, { type: 'connect_code_issued', now, address: ctx.ip });
  answerPartner(ctx, target, { code });
}

async function endSession({ row }: SessionVisit, { db }: ConnectContext): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await deleteAttemptsOfSession(transaction, row.id);
    await deleteConnectSession(transaction, row.id);
  });
}
