/** The entry page has one button, so that a preview or prefetch of the link does not use it up. */

import { z } from 'zod';
import { originOf } from '../../base/http/request-origin.ts';
import type { GatewayContext } from '../../base/http/state.ts';
import type { BrowserSessions } from '../../base/pages/browser-sessions.ts';
import { button, hidden } from '../../base/pages/components.ts';
import { html } from '../../base/pages/html.ts';
import { sendPage } from '../../base/pages/page.ts';
import { PageError } from '../../base/pages/page-errors.ts';
import { partnerSuspended } from '../../base/pages/partner-suspended.ts';
import { sendTo } from '../../base/pages/redirect.ts';
import { createSealedForm, PAGE_STATE_FIELD } from '../../base/pages/sealed-form.ts';
import { emit } from '../../base/store/events.ts';
import { findPartner } from '../../base/store/repositories/partners.ts';
import { findUserById, type User } from '../../base/store/repositories/users.ts';
import type { Executor } from '../../base/store/schema.ts';
import {
  consumeUserLink,
  isUserLink,
  peekUserLink,
  USER_LINK_TTL_SECONDS,
  USER_PAGE_PATH,
  type UserProof,
} from '../../identity/partners/user-links.ts';
import type { Outcome, UserPageDependencies } from './request.ts';

const GET_A_LINK = 'Go back to the application in which you connected your services, and open your page from there.';

/** Creates the handlers of the entry page, and the page for users who left. */
export function createEntry(deps: UserPageDependencies, sessions: BrowserSessions) {
  const { db, now } = deps;
  const sealedForm = createSealedForm({
    ...deps,
    purpose: 'user page',
    schema: z.string(),
    ttlSeconds: USER_LINK_TTL_SECONDS,
    maxFormBytes: 4096,
  });
  return {
    /**
     * Shows the entry page. Does not use the link up, and does not reveal whose page it is. A browser in which the link's user has a session
     * that a link began goes on at once, which uses the link up unless the request is a HEAD or a prefetch.
     *
     * @throws {PageError} 400.
     */
    async show(ctx: GatewayContext, link: string): Promise<void> {
      if (!isUserLink(link)) throw spentLink();
      const session = await sessions.find(ctx);
      const linked = session === null ? null : await peekUserLink(db, link, now());
      if (linked !== null && linked.userId === session?.userId && session.facts.by === linked.by) {
        if (ctx.method === 'GET' && !ctx.get('Sec-Purpose').includes('prefetch'))
          await consumeUserLink(db, link, now());
        return sendTo(ctx, linked.target ?? USER_PAGE_PATH);
      }
      const content = html`<header><h1>Open your page</h1>
<p>See which services you have connected and which clients may use them, and revoke what you do not need.</p></header>
<form method="post" action="${USER_PAGE_PATH}">
${hidden(PAGE_STATE_FIELD, sealedForm.seal(ctx, link))}
<div class="actions">${button('Open my page', { kind: 'primary', more: html` autofocus` })}</div>
</form>
<p class="trust">It stays open in this browser for 15 minutes after its last use.</p>`;
      sendPage(ctx, 200, { title: 'Open your page', content });
    },
    /**
     * Uses the link up and begins a session.
     *
     * @throws {PageError} 400, 403 (suspended partner), and as `SealedForm.read`.
     */
    async submit(ctx: GatewayContext): Promise<void> {
      const submission = await sealedForm.read(ctx);
      if (submission.refusal !== null) throw submission.refusal;
      const linked = await consumeUserLink(db, submission.pageState, now());
      const user = linked === null ? undefined : await findUserById(db, linked.userId);
      const partner = user && (await findPartner(db, user.partnerId));
      if (linked === null || user === undefined || partner === undefined) throw spentLink();
      if (partner.suspendedAt !== null) throw partnerSuspended(partner);
      await beginSession(ctx, { user, by: linked.by }, { db, now, sessions });
      sendTo(ctx, linked.target ?? USER_PAGE_PATH);
    },
    leftPage: {
      title: 'You have left your page',
      content: html`<h1>You have left your page</h1>
<p>This browser no longer shows it. You can close this window.</p>`,
    } satisfies Outcome,
  };
}

/** Begins the session of a user who has proven to be one, and records it. */
export async function beginSession(
  ctx: GatewayContext,
  { user, by }: { readonly user: User; readonly by: UserProof },
  { db, now, sessions }: { readonly db: Executor; readonly now: () => number; readonly sessions: BrowserSessions },
): Promise<void> {
  await sessions.begin(ctx, user.id, { by });
  const { id: userId, partnerId } = user;
  await emit(db, { type: 'user_page_entered', now: now(), partnerId, userId, ...originOf(ctx) });
}

/** The error for a form without a session. */
export function notEntered(): PageError {
  return new PageError(401, {
    title: 'Open your page from your application',
    text: 'This browser has not opened your page, or not used it for 15 minutes. Nothing was changed.',
    advice: GET_A_LINK,
  });
}

function spentLink(): PageError {
  return new PageError(400, {
    title: 'This link is no longer valid',
    text: 'A link to your page works once, within 5 minutes.',
    advice: GET_A_LINK,
  });
}
