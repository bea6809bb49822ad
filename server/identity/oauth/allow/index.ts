/** Lets a user allow a tool that became riskier than the client's grant. There is no login: a connection code identifies the user. */

import { randomBytes } from 'node:crypto';
import Router from '@koa/router';
import type { Kysely } from 'kysely';
import type { EncryptionKey } from '../../../base/credentials/index.ts';
import type { GatewayContext, GatewayMiddleware, RequestState } from '../../../base/http/state.ts';
import { PageError, pageErrors } from '../../../base/pages/page-errors.ts';
import { partnerSuspended } from '../../../base/pages/partner-suspended.ts';
import { sendRedirect } from '../../../base/pages/redirect.ts';
import { createSealedForm, type SealedForm } from '../../../base/pages/sealed-form.ts';
import { readPermission } from '../../../base/principal/permission.ts';
import { findClient } from '../../../base/store/repositories/oauth-clients.ts';
import { findLiveGrant, type Grant } from '../../../base/store/repositories/oauth-grants.ts';
import { findToolFacts } from '../../../base/store/repositories/tool-facts.ts';
import type { Database } from '../../../base/store/schema.ts';
import {
  ALLOW_PATH,
  type ApprovalRequest,
  createApprovalLinks,
  createSeenFacts,
  type FindSeenFacts,
} from '../../../call/tools/approval.ts';
import type { Catalogue, CatalogueEntry } from '../../../call/tools/catalogue/catalogue.ts';
import { findRisks, findSeenFacts } from '../../../call/tools/catalogue/facts.ts';
import { type AllowProblem, showAllowedPage, showAllowPage } from './allow-page.ts';
import { ALLOW_PAGE, type AllowPageState } from './page-state.ts';
import { takeApproval } from './take-approval.ts';

interface AllowDependencies {
  /** The gateway's origin, without a final slash. */
  readonly issuer: string;
  readonly db: Kysely<Database>;
  readonly keys: readonly EncryptionKey[];
  readonly catalogue: Catalogue;
  /** Milliseconds since 1970. */
  now(): number;
  /** Limits requests per client address. */
  readonly limit: GatewayMiddleware;
}

interface AllowPageDependencies extends Pick<AllowDependencies, 'db' | 'catalogue' | 'now'> {
  readonly sealedForm: SealedForm<AllowPageState>;
  readonly seenFacts: FindSeenFacts;
}

const DONE_PATH = `${ALLOW_PATH}/done`;

/** Creates the routes. They keep no state, so each step may reach another gateway on the same store. */
export function createAllowRouter(options: AllowDependencies): Router<RequestState> {
  const { db, keys, issuer: publicUrl, now, limit } = options;
  const links = createApprovalLinks({ keys, publicUrl });
  const deps: AllowPageDependencies = {
    ...options,
    sealedForm: createSealedForm({ ...ALLOW_PAGE, keys, publicUrl, now }),
    seenFacts: createSeenFacts((hash) => findToolFacts(db, hash)),
  };
  const router = new Router<RequestState>();
  router.get(ALLOW_PATH, pageErrors(), limit, async (ctx) => {
    const sealed = new URLSearchParams(ctx.querystring).get('request') ?? '';
    const request = links.open(sealed, now());
    if (request === null) throw tooOld();
    const id = randomBytes(16).toString('base64url');
    await showQuestion(ctx as GatewayContext, { ...request, id }, null, deps);
  });
  router.post(ALLOW_PATH, pageErrors(), limit, (ctx) => takeForm(ctx as GatewayContext, deps));
  router.get(DONE_PATH, pageErrors(), limit, (ctx) => showAllowedPage(ctx as GatewayContext));
  return router;
}

async function takeForm(ctx: GatewayContext, deps: AllowPageDependencies): Promise<void> {
  const sent = await deps.sealedForm.read(ctx);
  if (sent.refusal !== null) throw sent.refusal;
  const { form, pageState } = sent;
  const { grant, entry } = await findWaiting(pageState, deps);
  const typed = form.get('connection_code') ?? '';
  const problem = await takeApproval(ctx, { pageState, grant, entry, typed }, deps);
  if (problem === null) return sendRedirect(ctx, DONE_PATH);
  await showQuestion(ctx, pageState, problem, deps);
}

async function showQuestion(
  ctx: GatewayContext,
  pageState: AllowPageState,
  problem: AllowProblem | null,
  deps: AllowPageDependencies,
): Promise<void> {
  const { grant, entry, risks } = await findWaiting(pageState, deps);
  if (risks.length === 0) return showAllowedPage(ctx);
  const client = grant.clientId === null ? undefined : await findClient(deps.db, grant.clientId);
  const sealed = deps.sealedForm.seal(ctx, pageState);
  showAllowPage(ctx, { sealed, entry, clientName: client?.clientName ?? null, risks, problem });
}

/** @throws {PageError} 410 when the grant has ended, or the tool has changed since; 403 for a suspended partner. */
async function findWaiting(
  request: ApprovalRequest,
  { db, catalogue, seenFacts }: AllowPageDependencies,
): Promise<{ grant: Grant; entry: CatalogueEntry; risks: readonly string[] }> {
  const grant = await findLiveGrant(db, request.grantId);
  const entry = catalogue.find(request.tool);
  if (grant === undefined || entry === undefined || catalogue.facts.byTool[entry.tool.name] !== request.facts) {
    throw tooOld();
  }
  if (grant.partner.suspendedAt !== null) throw partnerSuspended(grant.partner);
  const { seen, accepted } = readPermission(grant.permission);
  const was =
    findSeenFacts(accepted, entry.tool) ?? findSeenFacts(seen === null ? {} : await seenFacts(seen), entry.tool);
  return { grant, entry, risks: findRisks(was, request.facts) };
}

function tooOld(): PageError {
  return new PageError(410, {
    title: 'Nothing is waiting here',
    text: 'This address has expired, or what it asked for has changed since.',
    advice: 'Let the assistant use the tool again. It gives you a new address if one is needed.',
  });
}
