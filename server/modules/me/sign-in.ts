/** The page for a browser without a session: it signs the user in through the partner or by a connection code, and keeps the page that was asked for. */

import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { GatewayContext } from '../../base/http/state.ts';
import { partnerNameOf } from '../../base/pages/brand.ts';
import type { BrowserSessions } from '../../base/pages/browser-sessions.ts';
import { alert, button, hidden } from '../../base/pages/components.ts';
import { type Html, html } from '../../base/pages/html.ts';
import { sendPage } from '../../base/pages/page.ts';
import { partnerSuspended } from '../../base/pages/partner-suspended.ts';
import { sendTo } from '../../base/pages/redirect.ts';
import { createSealedForm, PAGE_STATE_FIELD } from '../../base/pages/sealed-form.ts';
import type { UserPage } from '../../base/pages/user-pages.ts';
import { findApprovalUser } from '../../base/store/repositories/calls/approvals.ts';
import { findLiveGrant } from '../../base/store/repositories/oauth-grants.ts';
import { findPartner, type Partner } from '../../base/store/repositories/partners.ts';
import { findUserById } from '../../base/store/repositories/users.ts';
import { ALLOW_PATH } from '../../call/tools/tool-consent.ts';
import { consumeConnectionCode, isNarrowed } from '../../identity/oauth/connection-codes.ts';
import {
  answerProblem,
  CODE_PAGE_TTL_SECONDS,
  type CodeRefusal,
  codeField,
  TOO_MANY_OF_ADDRESS,
  tryConnectionCode,
} from '../../identity/oauth/try-connection-code.ts';
import {
  readUserPageTarget,
  toPartnerSignIn,
  USER_ALLOW_PATH,
  USER_APPROVALS_PATH,
  USER_PAGE_PATH,
} from '../../identity/partners/user-links.ts';
import { beginSession } from './entry.ts';
import type { UserPageDependencies } from './request.ts';

/** `id` is random, and identifies the page for counting wrong codes. `target` is path and query of the page that was asked for. */
const PAGE_STATE = z.object({ id: z.string(), target: z.string() });

type SignInState = Readonly<z.output<typeof PAGE_STATE>>;

const SIGN_IN_PATH = `${USER_PAGE_PATH}/sign-in`;

type SignInProblem = CodeRefusal | 'narrowed';

const PROBLEMS: Readonly<Record<SignInProblem, readonly [title: string, text: string]>> = {
  wrong: [
    'This code is not valid',
    'Compare it with the one that you were given. A code is valid for one use within 10 minutes: if in doubt, get a new one.',
  ],
  narrowed: [
    'This code does not open your page',
    'It is limited to some services, tools or reading, and your page has no such limits. The code is still valid for a client. Get one without limits.',
  ],
  'too-many-of-request': ['Too many invalid codes', 'No more codes are accepted here. Open the address again.'],
  'too-many-of-address': TOO_MANY_OF_ADDRESS,
};

/** Creates the handlers of the page. @param modulePages that can be asked for, in addition to those of this module. */
export function createSignIn(deps: UserPageDependencies, sessions: BrowserSessions, modulePages: readonly UserPage[]) {
  const { db, now, publicUrl } = deps;
  const approvals: SignInPage = {
    path: USER_APPROVALS_PATH,
    reason: 'A call waits for your approval.',
    findUser: (id) => findApprovalUser(db, id),
  };
  const pages = [approvals, ...modulePages.map((page) => ({ ...page, path: `${USER_PAGE_PATH}/${page.name}` }))];
  const sealedForm = createSealedForm({
    ...deps,
    purpose: 'user page sign-in',
    schema: PAGE_STATE,
    ttlSeconds: CODE_PAGE_TTL_SECONDS,
    maxFormBytes: 16_384,
  });
  const showForm = async (
    ctx: GatewayContext,
    pageState: SignInState,
    problem: SignInProblem | null,
  ): Promise<void> => {
    const { target } = pageState;
    const page = pages.find(({ path }) => target.startsWith(`${path}/`));
    const partner = await findPartnerOf(target, page, deps);
    const status = problem === null ? 401 : answerProblem(ctx, problem);
    const heading = 'Sign in to continue';
    const content = html`<header><h1>${heading}</h1>
<p>${page?.reason ?? reasonFor(target)} Nothing was changed.</p></header>
${problem === null ? null : alert(...PROBLEMS[problem], 'code-problem')}
${partner?.connectUri ? partnerLink(partner, toPartnerSignIn(partner.connectUri, publicUrl + target)) : null}
${isAllowPage(target) ? codeLink(target) : codeForm(sealedForm.seal(ctx, pageState), { problem, isAlternative: Boolean(partner?.connectUri) })}`;
    sendPage(ctx, status, { title: problem === null ? heading : `Error: ${heading}`, content, brand: partner });
  };
  return {
    /** Shows the page in place of one of the user's own pages. Status 401. */
    async show(ctx: GatewayContext): Promise<void> {
      const target = readUserPageTarget(ctx.url, publicUrl) ?? USER_PAGE_PATH;
      await showForm(ctx, { id: randomBytes(16).toString('base64url'), target }, null);
    },
    /**
     * Uses a connection code up, begins a session, and leads to the page that was asked for. A narrowed code is refused and stays valid: the page can
     * approve, change and remove everything of its user.
     *
     * @throws {PageError} 403 (suspended partner), and as `SealedForm.read`.
     */
    async submit(ctx: GatewayContext): Promise<void> {
      const submission = await sealedForm.read(ctx);
      if (submission.refusal !== null) throw submission.refusal;
      const { form, pageState } = submission;
      const text = form.get('connection_code') ?? '';
      const code = await tryConnectionCode(ctx.ip, { text, pageId: pageState.id }, deps);
      if (typeof code === 'string') return showForm(ctx, pageState, code);
      if (code.partner.suspendedAt !== null) throw partnerSuspended(code.partner);
      if (isNarrowed(code.limits)) return showForm(ctx, pageState, 'narrowed');
      const consumed = await consumeConnectionCode(db, text, now());
      const user = consumed && (await findUserById(db, code.userId));
      if (user === undefined) return showForm(ctx, pageState, 'wrong');
      await beginSession(ctx, { user, by: 'connection-code' }, { db, now, sessions });
      sendTo(ctx, pageState.target);
    },
  };
}

function isAllowPage(target: string): boolean {
  return target.startsWith(`${USER_ALLOW_PATH}?`);
}

/** Pages that are each for one user, by an id after the path. */
interface SignInPage {
  readonly path: string;
  /** Says why a page was opened. */
  readonly reason: string;
  /** Finds the row id of the user whom a page is for. */
  readonly findUser: (id: string) => Promise<string | undefined>;
}

function reasonFor(target: string): string {
  return isAllowPage(target)
    ? 'A tool waits for you to allow it.'
    : 'This browser has not opened your page, or not used it for 15 minutes.';
}

/** Finds the partner of the user that a page is for, unless it is suspended. Only a holder of the page's address, which cannot be guessed, learns its name. */
async function findPartnerOf(
  target: string,
  page: SignInPage | undefined,
  deps: UserPageDependencies,
): Promise<Partner | undefined> {
  const { db, toolConsent, now } = deps;
  const { pathname, searchParams } = new URL(target, deps.publicUrl);
  let userId: string | undefined;
  if (pathname === USER_ALLOW_PATH) {
    const request = toolConsent.links.open(searchParams.get('request') ?? '', now());
    userId = request === null ? undefined : (await findLiveGrant(db, request.grantId))?.userId;
  } else if (page !== undefined) {
    userId = await page.findUser(pathname.slice(page.path.length + 1));
  }
  const user = userId === undefined ? undefined : await findUserById(db, userId);
  const partner = user && (await findPartner(db, user.partnerId));
  return partner?.suspendedAt === null ? partner : undefined;
}

function partnerLink(partner: Partner, url: string): Html {
  return html`<div class="actions"><a class="button" href="${url}">Continue with ${partnerNameOf(partner)}</a></div>`;
}

/** The page that allows a tool asks for a code itself, because a narrowed code may not include the tool. */
function codeLink(target: string): Html {
  const url = `${ALLOW_PATH}${target.slice(USER_ALLOW_PATH.length)}`;
  return html`<div class="actions"><a class="button second" href="${url}">Use a connection code</a></div>`;
}

function codeForm(
  sealed: string,
  { problem, isAlternative }: { readonly problem: SignInProblem | null; readonly isAlternative: boolean },
): Html {
  const help =
    'The application in which you connected your services shows you this code, and it can open your page, too.';
  const isLocked = problem === 'too-many-of-request' || problem === 'too-many-of-address';
  return html`${isAlternative ? html`<p class="quiet">Or type a connection code:</p>` : null}
<form method="post" action="${SIGN_IN_PATH}">
${hidden(PAGE_STATE_FIELD, sealed)}
${isLocked ? null : codeField({ typed: null, isAlerted: problem !== null, help })}
${isLocked ? null : html`<div class="actions">${button('Continue', isAlternative ? {} : { kind: 'primary' })}</div>`}
</form>`;
}
