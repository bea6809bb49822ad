/** Tool consent: a user lets a client use a tool that became riskier, or that was not agreed to before. A connection code identifies the user. */

import { randomBytes } from 'node:crypto';
import Router from '@koa/router';
import { z } from 'zod';
import { originOf } from '../../base/http/request-origin.ts';
import type { GatewayContext, GatewayMiddleware, RequestState } from '../../base/http/state.ts';
import { PageError, pageErrors } from '../../base/pages/page-errors.ts';
import { partnerSuspended } from '../../base/pages/partner-suspended.ts';
import { sendRedirect } from '../../base/pages/redirect.ts';
import { createSealedForm, type SealedForm } from '../../base/pages/sealed-form.ts';
import { mayWrite, readPermission, SCOPES, withinRegistered } from '../../base/principal/permission.ts';
import { emit } from '../../base/store/events.ts';
import { findClient, type OAuthClient } from '../../base/store/repositories/oauth-clients.ts';
import { findLiveGrant, type Grant } from '../../base/store/repositories/oauth-grants.ts';
import { findToolFacts } from '../../base/store/repositories/tool-facts.ts';
import type { CatalogueEntry } from '../../call/tools/catalogue/catalogue.ts';
import { countEffects, effectOf, findRisks, findSeenFacts, isAgreed } from '../../call/tools/catalogue/facts.ts';
import { isPermitted } from '../../call/tools/catalogue/permitted.ts';
import {
  ALLOW_PATH,
  acceptTool,
  createSeenFacts,
  createToolConsentLinks,
  type FindSeenFacts,
  type ToolConsentRequest,
} from '../../call/tools/tool-consent.ts';
import { toServiceChoices } from '../grants/allowed/consent-options.ts';
import { namesAllowed } from '../grants/allowed/list.ts';
import { consumeConnectionCode, type FoundConnectionCode } from './connection-codes.ts';
import type { OAuthContext } from './context.ts';
import { showAllowedPage, showToolConsentPage, type ToolConsentProblem } from './tool-consent-page.ts';
import { CODE_PAGE_TTL_SECONDS, tryConnectionCode } from './try-connection-code.ts';

/** The tool to add, and its grant. `id` is random, and identifies the page for counting wrong codes. */
const PAGE_STATE = z.object({ id: z.string(), grantId: z.string(), tool: z.string(), facts: z.string() });

type ToolConsentPageState = Readonly<z.output<typeof PAGE_STATE>>;

interface ToolConsentContext extends OAuthContext {
  readonly sealedForm: SealedForm<ToolConsentPageState>;
  readonly seenFacts: FindSeenFacts;
}

const DONE_PATH = `${ALLOW_PATH}/done`;

/**
 * Creates the routes. They keep no state, so each step may reach another gateway on the same store.
 *
 * @param limit limits requests per client address.
 */
export function createToolConsentRouter(context: OAuthContext, limit: GatewayMiddleware): Router<RequestState> {
  const { db, keys, issuer: publicUrl, now } = context;
  const links = createToolConsentLinks({ keys, publicUrl });
  const sealing = { purpose: 'tool to allow', schema: PAGE_STATE, ttlSeconds: CODE_PAGE_TTL_SECONDS };
  const deps: ToolConsentContext = {
    ...context,
    sealedForm: createSealedForm({ ...sealing, keys, publicUrl, now }),
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

async function showQuestion(
  ctx: GatewayContext,
  pageState: ToolConsentPageState,
  problem: ToolConsentProblem | null,
  deps: ToolConsentContext,
): Promise<void> {
  const { grant, client, entry, risks, isAgreed, alike } = await findWaiting(pageState, deps);
  if (isAgreed && risks.length === 0) return showAllowedPage(ctx);
  const sealed = deps.sealedForm.seal(ctx, pageState);
  const may = toServiceChoices(namesAllowed(grant, [entry.connector.name], deps.catalogue), deps.catalogue);
  const already = isAgreed ? null : countEffects(may.flatMap(({ tools }) => tools.map(({ effect }) => effect)));
  const clientName = client?.clientName ?? null;
  const partnerName = grant.partner.name;
  showToolConsentPage(ctx, { sealed, entry, clientName, partnerName, risks, already, alike: alike.length, problem });
}

/** A tool that waits for the consent of its user. */
interface WaitingTool {
  readonly grant: Grant;
  readonly client: OAuthClient | undefined;
  readonly entry: CatalogueEntry;
  /** Changes of the tool, as sentences. */
  readonly risks: readonly string[];
  /** False if the user did not agree to such a tool at consent, and has not allowed this one since. */
  readonly isAgreed: boolean;
  /** The tools of its service with the same effect that the grant includes, where the user can allow all of them; else none. */
  readonly alike: readonly CatalogueEntry[];
}

/**
 * @throws {PageError} 410 when the grant has ended, or the tool has changed since; 403 for a suspended partner, and for a tool that writes if
 * the client registered only for reading.
 */
async function findWaiting(
  request: ToolConsentRequest,
  { db, catalogue, seenFacts }: ToolConsentContext,
): Promise<WaitingTool> {
  const grant = await findLiveGrant(db, request.grantId);
  const entry = catalogue.find(request.tool);
  if (grant === undefined || entry === undefined || catalogue.facts.byTool[entry.tool.name] !== request.facts) {
    throw tooOld();
  }
  if (grant.partner.suspendedAt !== null) throw partnerSuspended(grant.partner);
  const client = grant.clientId === null ? undefined : await findClient(db, grant.clientId);
  const isWriting = effectOf(entry.tool) !== 'reads';
  if (isWriting && !mayWrite(withinRegistered(SCOPES, client?.scopes ?? null))) throw registeredForReading();
  const permission = readPermission(grant.permission);
  if (!isAgreed(entry, permission, catalogue.facts.byTool)) {
    const ofService = catalogue.toolsOf(entry.connector).flatMap(({ name }) => catalogue.find(name) ?? []);
    const alike = ofService.filter(
      (other) => effectOf(other.tool) === effectOf(entry.tool) && isPermitted(other, permission),
    );
    return { grant, client, entry, risks: [], isAgreed: false, alike };
  }
  const { seen, accepted } = permission;
  const was =
    findSeenFacts(accepted, entry.tool) ?? findSeenFacts(seen === null ? {} : await seenFacts(seen), entry.tool);
  return { grant, client, entry, risks: findRisks(was, request.facts), isAgreed: true, alike: [] };
}

async function takeForm(ctx: GatewayContext, deps: ToolConsentContext): Promise<void> {
  const submission = await deps.sealedForm.read(ctx);
  if (submission.refusal !== null) throw submission.refusal;
  const { form, pageState } = submission;
  const waiting = await findWaiting(pageState, deps);
  const text = form.get('connection_code') ?? '';
  const isEvery = form.get('tools') === 'every';
  const problem = await giveToolConsent(ctx, { pageState, waiting, text, isEvery }, deps);
  if (problem === null) return sendRedirect(ctx, DONE_PATH);
  await showQuestion(ctx, pageState, problem, deps);
}

/**
 * Allows the tool, and consumes the code. A code of another user gets the same answer as a wrong one.
 *
 * @returns null when it is allowed.
 */
async function giveToolConsent(
  ctx: GatewayContext,
  {
    pageState,
    waiting,
    text,
    isEvery,
  }: { pageState: ToolConsentPageState; waiting: WaitingTool; text: string; isEvery: boolean },
  deps: ToolConsentContext,
): Promise<ToolConsentProblem | null> {
  const { grant, entry, alike } = waiting;
  const { userId, clientId, partnerId, id: grantId } = grant;
  const { id: pageId, tool, facts } = pageState;
  const code = await tryConnectionCode(ctx.ip, { text, pageId, userId }, deps);
  if (typeof code === 'string') return code;
  const effect = effectOf(entry.tool);
  const every =
    isEvery && alike.length > 1 && effect !== 'reads' ? { service: entry.connector.name, effect } : undefined;
  const entries = every === undefined ? [entry] : [entry, ...alike];
  if (!entries.every((allowed) => includes(code, allowed))) return 'too-narrow';
  const now = deps.now();
  const done = await deps.db.transaction().execute(async (transaction) => {
    const consumed = await consumeConnectionCode(transaction, text, now);
    if (consumed === undefined || !(await acceptTool(transaction, grantId, { tool, facts, every }))) return false;
    const names = { grantId, clientId, partnerId, userId };
    const details = { tool, facts, by: 'user', every };
    await emit(transaction, { type: 'tool_allowed', now, ...names, ...originOf(ctx), details });
    return true;
  });
  return done ? null : 'wrong';
}

/** A narrowed code allows no more than it would grant. */
function includes({ limits }: FoundConnectionCode, entry: CatalogueEntry): boolean {
  const isOfService = limits.services?.includes(entry.connector.name) ?? true;
  const isRead = entry.tool.annotations.readOnlyHint || !limits.readOnly;
  return isOfService && isRead && isPermitted(entry, limits.permission);
}

function registeredForReading(): PageError {
  return new PageError(403, {
    title: 'This application can only read',
    text: 'It registered here for tools that read. So nobody can allow it a tool that writes or deletes.',
    advice:
      'If it needs more, its makers can let it register without a scope. Then remove this server in it, and add it again.',
  });
}

function tooOld(): PageError {
  return new PageError(410, {
    title: 'Nothing is waiting here',
    text: 'This address has expired, or what it asked for has changed since.',
    advice: 'Let the assistant use the tool again. It gives you a new address if one is needed.',
  });
}
