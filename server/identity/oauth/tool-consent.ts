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
import { findToolFacts } from '../../base/store/repositories/tool-facts.ts';
import type { CatalogueEntry } from '../../call/tools/catalogue/catalogue.ts';
import { isPermitted } from '../../call/tools/catalogue/permitted.ts';
import {
  ALLOW_PATH,
  createSeenFacts,
  createToolConsentLinks,
  type FindSeenFacts,
  type ToolConsentRequest,
} from '../../call/tools/tool-consent.ts';
import { allowTool, findToolToAllow, type ToolToAllow, toolsToAllow } from '../grants/allowed/tool-to-allow.ts';
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
  const tool = await findAsked(pageState, deps);
  if (tool === null) return showAllowedPage(ctx);
  const sealed = deps.sealedForm.seal(ctx, pageState);
  showToolConsentPage(ctx, { sealed, tool, problem });
}

/** @throws {PageError} as `requireAllowable`. */
async function findAsked(request: ToolConsentRequest, deps: ToolConsentContext): Promise<ToolToAllow | null> {
  return requireAllowable(await findToolToAllow(request, deps), request.facts);
}

async function takeForm(ctx: GatewayContext, deps: ToolConsentContext): Promise<void> {
  const submission = await deps.sealedForm.read(ctx);
  if (submission.refusal !== null) throw submission.refusal;
  const { form, pageState } = submission;
  const tool = await findAsked(pageState, deps);
  if (tool === null) return showAllowedPage(ctx);
  const problem = await giveToolConsent(ctx, { tool, pageId: pageState.id, form }, deps);
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
  { tool, pageId, form }: { tool: ToolToAllow; pageId: string; form: URLSearchParams },
  deps: ToolConsentContext,
): Promise<ToolConsentProblem | null> {
  const text = form.get('connection_code') ?? '';
  const isEvery = form.get('tools') === 'every';
  const code = await tryConnectionCode(ctx.ip, { text, pageId, userId: tool.grant.userId }, deps);
  if (typeof code === 'string') return code;
  if (!toolsToAllow(tool, isEvery).every((allowed) => includes(code, allowed))) return 'too-narrow';
  const now = deps.now();
  const isDone = await deps.db.transaction().execute(async (transaction) => {
    const consumed = await consumeConnectionCode(transaction, text, now);
    return consumed !== undefined && (await allowTool(transaction, tool, { isEvery, now, ...originOf(ctx) }));
  });
  return isDone ? null : 'wrong';
}

/** A narrowed code allows no more than it would grant. */
function includes({ limits }: FoundConnectionCode, entry: CatalogueEntry): boolean {
  const isOfService = limits.services?.includes(entry.connector.name) ?? true;
  const isRead = entry.tool.annotations.readOnlyHint || !limits.readOnly;
  return isOfService && isRead && isPermitted(entry, limits.permission);
}

/**
 * Returns the tool of an address, or null if it is allowed already.
 *
 * @param facts that the address was made for.
 * @throws {PageError} 410 when the grant has ended or the tool has changed since; 403 for a suspended partner, and for a tool that writes if
 * the client registered only for reading.
 */
export function requireAllowable(tool: ToolToAllow | null | undefined, facts: string): ToolToAllow | null {
  if (tool === undefined || (tool !== null && tool.facts !== facts)) throw tooOld();
  if (tool === null) return null;
  if (tool.grant.partner.suspendedAt !== null) throw partnerSuspended(tool.grant.partner);
  if (tool.isForReading) throw registeredForReading();
  return tool;
}

function registeredForReading(): PageError {
  return new PageError(403, {
    title: 'This application can only read',
    text: 'It registered here for tools that read. So nobody can allow it a tool that writes or deletes.',
    advice:
      'If it needs more, its makers can let it register without a scope. Then remove this server in it, and add it again.',
  });
}

/** The error for an address that has expired, or a tool that has changed since. */
export function tooOld(): PageError {
  return new PageError(410, {
    title: 'Nothing is waiting here',
    text: 'This address has expired, or what it asked for has changed since.',
    advice: 'Let the assistant use the tool again. It gives you a new address if one is needed.',
  });
}
