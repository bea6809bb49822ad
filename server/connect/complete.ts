/** The step after a service is completed, skipped or declined: the next page, or the partner's answer. */

import { countUse, recordAnonymousEvent } from '../base/http/caller-limits.ts';
import { siteOf } from '../base/http/network.ts';
import type { GatewayContext } from '../base/http/state.ts';
import { pageTooOld } from '../base/pages/sealed-form.ts';
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
  takeUndecidedAttempt,
  undecidedCode,
} from '../base/store/repositories/connection-attempts.ts';
import type { Executor } from '../base/store/schema.ts';
import type { AccountToSave } from './account.ts';
import { answerPartner, refusePartner, sendWindowDone, toConnectPage } from './answer.ts';
import { CONNECT_PAGE_TTL_SECONDS, type ConnectContext } from './context.ts';
import type { CredentialValues } from './credential-forms.ts';
import { showConnectPage } from './page.ts';
import { sessionOver } from './session.ts';
import {
  type ConnectVisit,
  type FoundVisit,
  findNextInFrame,
  nextService,
  type SessionVisit,
  targetOf,
  toPageState,
} from './visit.ts';

/** Time that a partner has to redeem a code. Nothing is connected before that. */
const CONNECT_CODE_TTL_SECONDS = 300;

const DECLINED = { code: 'access_denied', description: 'You did not connect the service.' } as const;

/** A verified credential. */
interface ToComplete {
  /** One value per field of the connector's credential (null for an open service), or the attempt that waited for its account. */
  readonly credential: { readonly fields: CredentialValues } | { readonly undecided: string };
  /** The account that it is for, or null for the first one. */
  readonly account: AccountToSave | null;
}

/**
 * Stores the credential next to the connection that it will create or replace, and continues.
 *
 * @throws {PageError} 400 for an attempt that was decided before, or has expired.
 */
export async function complete(
  ctx: GatewayContext,
  visit: ConnectVisit,
  kept: ToComplete,
  deps: ConnectContext,
): Promise<void> {
  const { session } = visit;
  const now = deps.now();
  if (session === null) {
    await countUse(deps.codeLimit, ctx.ip);
    const code = createSecret('connectCode');
    const expiresAt = now + CONNECT_CODE_TTL_SECONDS * 1000;
    await deps.db.transaction().execute(async (transaction) => {
      const attempt = { ...kept, codeHash: hashSecret(deps.db, code), madeFrom: siteOf(ctx.ip), expiresAt };
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
    const attempt = { ...kept, codeHash: `${row.id} ${name}`, sessionId: row.id, madeFrom: null, expiresAt };
    await keepAttempt(transaction, visit, attempt, deps);
  });
  await continueVisit(ctx, visit, session, deps);
}

/** Keeps a credential until the person has chosen its account. No code redeems it before. @returns the id of the attempt. */
export async function storeUndecided(
  ctx: GatewayContext,
  visit: ConnectVisit,
  kept: ToComplete,
  deps: ConnectContext,
): Promise<string> {
  const now = deps.now();
  const id = newAttemptId(now);
  const expiresAt = now + CONNECT_PAGE_TTL_SECONDS * 1000;
  const attempt = { ...kept, id, codeHash: undecidedCode(id), madeFrom: siteOf(ctx.ip), expiresAt };
  await deps.db.transaction().execute((transaction) => keepAttempt(transaction, visit, attempt, deps));
  return id;
}

type KeptAttempt = ToComplete & {
  readonly codeHash: string;
  readonly madeFrom: string | null;
  readonly expiresAt: number;
  /** Row id of the attempt. By default it is a new id. */
  readonly id?: string;
  /** Row id of the session that has completed the service. By default there is none. */
  readonly sessionId?: string;
};

async function keepAttempt(
  transaction: Executor,
  visit: ConnectVisit,
  { credential, account, ...kept }: KeptAttempt,
  { vault, now: clock }: ConnectContext,
): Promise<void> {
  const { externalUserId, redirectUri } = visit.request;
  const now = clock();
  const of = ownerOf(visit);
  const sealFields = (fields: CredentialValues, id = newAttemptId(now)) => {
    const binding = { connectionId: id, ...of, userId: externalUserId };
    return { id, sealedCredential: fields === null ? null : vault.seal(fields, binding) };
  };
  const sealed =
    'fields' in credential
      ? sealFields(credential.fields, kept.id)
      : await takeUndecidedAttempt(transaction, { ...of, id: credential.undecided, now });
  if (sealed === undefined) throw pageTooOld();
  const { id, sealedCredential } = sealed;
  await insertConnectionAttempt(transaction, {
    ...kept,
    ...of,
    id,
    sessionId: kept.sessionId ?? null,
    redirectUri,
    sealedCredential,
    account: account === null ? null : JSON.stringify(account),
    now,
  });
}

function ownerOf({ request: { partner, externalUserId, connector } }: ConnectVisit) {
  return { partnerId: partner.id, externalUserId, service: connector.name };
}

/** Skips a service of a session, and continues. */
export async function skip(
  ctx: GatewayContext,
  visit: ConnectVisit,
  session: SessionVisit,
  deps: ConnectContext,
): Promise<void> {
  await setSkippedServices(deps.db, session.row.id, [...session.row.skipped, visit.request.connector.name]);
  await continueVisit(ctx, visit, session, deps);
}

/** Ends the visit: nothing of it is stored, and the partner is informed. @param undecided an attempt that waits for its account. */
export async function decline(
  ctx: GatewayContext,
  visit: ConnectVisit,
  deps: ConnectContext,
  undecided?: string,
): Promise<void> {
  if (undecided !== undefined) {
    await takeUndecidedAttempt(deps.db, { ...ownerOf(visit), id: undecided, now: deps.now() });
  }
  // The frame that opened the window still shows the page.
  if (visit.session?.frame?.isInside === false) return sendWindowDone(ctx);
  await recordAnonymousEvent(deps.db, { type: 'connect_declined', now: deps.now(), address: ctx.ip });
  if (visit.session !== null) await endSession(visit.session, deps);
  refusePartner(ctx, targetOf(visit), DECLINED);
}

/** Shows the page, or informs the partner why there is none. */
export function showVisit(ctx: GatewayContext, visit: FoundVisit, { sealedForm }: ConnectContext): void {
  if ('refusal' in visit) refusePartner(ctx, visit, visit.refusal);
  else showConnectPage(ctx, visit, { sealed: sealedForm.seal(ctx, toPageState(visit)) });
}

/** Continues to the next service, or to the partner with the code for all completed services. A window leaves that to its frame. */
export async function continueVisit(
  ctx: GatewayContext,
  { request }: ConnectVisit,
  session: SessionVisit,
  deps: ConnectContext,
): Promise<void> {
  const { db, realms } = deps;
  const { id } = session.row;
  const { frame } = session;
  if (frame?.isInside === false) return sendWindowDone(ctx);
  const row = await findConnectSession(db, { id });
  if (row === undefined) throw sessionOver();
  const connected = (await listAttemptsOfSession(db, id)).map(({ service }) => service);
  if (nextService(row, connected) !== undefined) {
    if (frame === null) return toConnectPage(ctx, id);
    return showVisit(ctx, await findNextInFrame(ctx, session, frame, deps), deps);
  }
  const { redirectUri, state } = row;
  const target = { redirectUri, state, popupOrigin: session.popupOrigin, brand: request.partner };
  if (connected.length === 0) {
    await endSession(session, deps);
    return refusePartner(ctx, target, DECLINED);
  }
  const now = deps.now();
  const code = createSecret('connectCode');
  const finish = { id, codeHash: hashSecret(deps.db, code), now, expiresAt: now + CONNECT_CODE_TTL_SECONDS * 1000 };
  if (!(await finishConnectSession(db, finish))) throw sessionOver();
  await recordAnonymousEvent(db, { type: 'connect_code_issued', now, address: ctx.ip });
  const { findConnector } = realms.of(request.partner);
  const titles = connected.map((service) => findConnector(service)?.title ?? service);
  answerPartner(ctx, { ...target, connected: titles }, { code });
}

async function endSession({ row }: SessionVisit, { db }: ConnectContext): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await deleteAttemptsOfSession(transaction, row.id);
    await deleteConnectSession(transaction, row.id);
  });
}
