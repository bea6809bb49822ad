/** The page of a signed-in user that allows a tool for a client. */

import { originOf } from '../../base/http/request-origin.ts';
import { hidden } from '../../base/pages/components.ts';
import { html } from '../../base/pages/html.ts';
import { ALLOW_PATH } from '../../call/tools/tool-consent.ts';
import {
  allowTool,
  findToolToAllow,
  type ToolConsentSources,
  type ToolToAllow,
} from '../../identity/grants/allowed/tool-to-allow.ts';
import { requireAllowable, tooOld } from '../../identity/oauth/tool-consent.ts';
import {
  allowButton,
  TOOL_ALLOWED,
  toolConsentFacts,
  toolConsentHeader,
  toolsChoice,
} from '../../identity/oauth/tool-consent-page.ts';
import { USER_ALLOW_PATH } from '../../identity/partners/user-links.ts';
import type { Outcome, UserAction, UserPageDependencies, UserRequest } from './request.ts';

/**
 * Asks for the consent to the tool that the query names. A user whom a connection code signed in, or another user, is asked for a code.
 *
 * @throws {PageError} 410 when the address has expired, and as `requireAllowable`.
 */
export async function showAllow(request: UserRequest): Promise<Outcome> {
  const sealed = request.query('request') ?? '';
  const tool = await findAsked(request, sealed);
  if (tool === null) return TOOL_ALLOWED;
  if (!request.isFromPartner || tool.grant.userId !== request.user.id) {
    return { redirect: `${ALLOW_PATH}?request=${encodeURIComponent(sealed)}` };
  }
  const content = html`${toolConsentHeader(tool)}
${toolConsentFacts(tool)}
<form method="post" action="${USER_ALLOW_PATH}">${hidden('csrf', request.csrf)}${hidden('request', sealed)}
${toolsChoice(tool)}
<p class="quiet">To keep the tool blocked, close this page.</p>
<div class="actions">${allowButton(tool)}</div></form>`;
  return { title: 'Allow this tool?', content };
}

/** Allows the tool of the form. @throws {PageError} as `showAllow`, and for a user who may not allow it. */
export async function allow(action: UserAction): Promise<Outcome> {
  const { deps, form, now, user } = action;
  const tool = await findAsked(action, form.get('request') ?? '');
  if (tool === null) return TOOL_ALLOWED;
  if (!action.isFromPartner || tool.grant.userId !== user.id) throw tooOld();
  const change = { isEvery: form.get('tools') === 'every', now, ...originOf(action.ctx) };
  const isDone = await deps.db.transaction().execute((transaction) => allowTool(transaction, tool, change));
  if (!isDone) throw tooOld();
  return TOOL_ALLOWED;
}

async function findAsked({ deps, now }: UserRequest, sealed: string): Promise<ToolToAllow | null> {
  const consentRequest = deps.toolConsent.links.open(sealed, now);
  if (consentRequest === null) throw tooOld();
  return requireAllowable(await findToolToAllow(consentRequest, sourcesOf(deps)), consentRequest.facts);
}

/** The dependencies of finding a tool that waits for consent. */
export function sourcesOf({ db, catalogue, toolConsent }: UserPageDependencies): ToolConsentSources {
  return { db, catalogue, seenFacts: toolConsent.seenFacts };
}
