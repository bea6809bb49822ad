/** The dashboard's sign-in page: a secret, or the company's OpenID provider. */

import { z } from 'zod';
import { ADMIN_PATH } from '../../../base/dashboard/pages.ts';
import { recordAnonymousEvent } from '../../../base/http/caller-limits.ts';
import { networkOf, siteOf } from '../../../base/http/network.ts';
import { originOf } from '../../../base/http/request-origin.ts';
import type { GatewayContext } from '../../../base/http/state.ts';
import { alert, button, hidden } from '../../../base/pages/components.ts';
import { html } from '../../../base/pages/html.ts';
import { sendPage } from '../../../base/pages/page.ts';
import { sendTo } from '../../../base/pages/redirect.ts';
import { createSealedForm, PAGE_STATE_FIELD, type SealedForm } from '../../../base/pages/sealed-form.ts';
import { digestOf, hashSecret, isSameHash } from '../../../base/principal/secrets.ts';
import { countGuess, uncountGuess } from '../../../base/store/repositories/guess-counters.ts';
import type { AdminContext } from '../context.ts';
import { ADMIN_EVENTS } from '../events.ts';
import { BOOTSTRAP_OPERATOR } from '../operators.ts';
import { findOperatorBySecret } from '../stored-operators.ts';
import { toAdminLayout } from '../view/layout.ts';
import type { OperatorSessions, SignedInOperator } from './sessions.ts';

/** Wrong secrets that one address may send in `SIGN_IN_WINDOW_SECONDS`. */
const MAX_WRONG_SECRETS = 10;
const SIGN_IN_WINDOW_SECONDS = 900;

/** Wrong secrets that one IPv6 /48 may send in that time; its owner can change the /64 freely. */
const MAX_WRONG_SECRETS_OF_SITE = 4 * MAX_WRONG_SECRETS;

export const SIGN_IN_PATH = `${ADMIN_PATH}/sign-in`;

/** Path where a sign-in through the OpenID provider begins, and to which it returns. */
const OPENID_PATH = `${SIGN_IN_PATH}/openid`;
export const CALLBACK_PATH = `${SIGN_IN_PATH}/callback`;

const FORM_TTL_SECONDS = 3600;

const PROBLEMS = {
  wrong: { status: 401, title: 'Wrong secret', text: 'Use the one that was printed for you, or ask for another.' },
  'too-many': {
    status: 429,
    title: 'Too many attempts',
    text: 'No secret is accepted from your network for 15 minutes.',
  },
  'too-old': {
    status: 400,
    title: 'Please try again',
    text: 'This page was open for too long, or cookies are turned off.',
  },
} as const;

type Problem = keyof typeof PROBLEMS;

interface SignInDependencies {
  readonly deps: AdminContext;
  readonly sessions: OperatorSessions;
  /** Seals the address to go to after signing in. */
  readonly sealedForm: SealedForm<string>;
}

/** Creates the two handlers of the page. */
export function createSignIn(deps: AdminContext, sessions: OperatorSessions) {
  const dependencies: SignInDependencies = {
    deps,
    sessions,
    sealedForm: createSealedForm({
      keys: deps.keys,
      publicUrl: deps.publicUrl,
      purpose: 'operator sign-in',
      schema: z.string(),
      ttlSeconds: FORM_TTL_SECONDS,
      now: deps.now,
    }),
  };
  return {
    async show(ctx: GatewayContext): Promise<void> {
      const next = toDashboardPath(typeof ctx.query.next === 'string' ? ctx.query.next : '', deps.publicUrl);
      if ((await sessions.find(ctx)) !== null) return sendTo(ctx, next);
      showForm(ctx, dependencies, { next, problem: null });
    },
    submit: (ctx: GatewayContext) => submitSecret(ctx, dependencies),
  };
}

async function submitSecret(ctx: GatewayContext, dependencies: SignInDependencies): Promise<void> {
  const { deps, sessions, sealedForm } = dependencies;
  const submission = await sealedForm.read(ctx);
  if (submission.refusal !== null) return showForm(ctx, dependencies, { next: ADMIN_PATH, problem: 'too-old' });
  const { form, pageState: next } = submission;
  const operatorOrProblem = await findBySecret(ctx, deps, (form.get('secret') ?? '').trim());
  if (typeof operatorOrProblem === 'string') return showForm(ctx, dependencies, { next, problem: operatorOrProblem });
  await sessions.begin(ctx, operatorOrProblem);
  const details = { role: operatorOrProblem.role };
  await ADMIN_EVENTS.emit(deps.db, { type: 'operator_signed_in', now: deps.now(), details, ...originOf(ctx) });
  sendTo(ctx, next);
}

/** Finds the operator with this secret. A named operator's secret cannot be guessed, so others' guesses do not lock that operator out. */
async function findBySecret(
  ctx: GatewayContext,
  deps: AdminContext,
  secret: string,
): Promise<SignedInOperator | 'wrong' | 'too-many'> {
  const { db, now } = deps;
  const operator = await findOperatorBySecret(db, hashSecret(db, secret));
  if (operator !== undefined) return { by: 'operator', operatorId: operator.id, ...operator };

  const site = `operator-sign-in:site:${siteOf(ctx.ip)}`;
  const network = `operator-sign-in:${networkOf(ctx.ip)}`;
  const guess = { windowMs: SIGN_IN_WINDOW_SECONDS * 1000, now: now() };
  if ((await countGuess(db, site, guess)) > MAX_WRONG_SECRETS_OF_SITE) return 'too-many';
  if ((await countGuess(db, network, guess)) > MAX_WRONG_SECRETS) return 'too-many';
  if (deps.secret === null || !isSameHash(digestOf(secret), digestOf(deps.secret))) {
    await recordAnonymousEvent(db, { type: 'operator_sign_in_refused', now: now(), ...originOf(ctx) });
    return 'wrong';
  }
  for (const key of [site, network]) await uncountGuess(db, key);
  return { by: 'bootstrap', operatorId: null, name: BOOTSTRAP_OPERATOR, role: 'act' };
}

/** Shows the form, with the status of its problem. */
function showForm(
  ctx: GatewayContext,
  { deps, sealedForm }: SignInDependencies,
  { next, problem }: { next: string; problem: Problem | null },
): void {
  const sealed = sealedForm.seal(ctx, next);
  if (problem === 'too-many') ctx.set('Retry-After', String(SIGN_IN_WINDOW_SECONDS));
  const refusal = problem === null ? null : PROBLEMS[problem];
  const autofocus = deps.openId === null ? html` autofocus` : null;
  const invalid = problem === 'wrong' ? html` aria-invalid="true" aria-describedby="error"` : null;
  const content = html`<div class="narrow"><h1>Sign in</h1>
${refusal === null ? null : alert(refusal.title, refusal.text)}
<p>This dashboard is for the people who run this gateway.</p>
${
  deps.openId === null
    ? null
    : html`<div class="actions"><a class="button" href="${OPENID_PATH}?next=${encodeURIComponent(next)}">Sign in with your company</a></div>
<p class="quiet">Or with a secret of your own:</p>`
}
<form method="post" action="${SIGN_IN_PATH}">
${hidden(PAGE_STATE_FIELD, sealed)}
<input type="text" name="username" value="operator" autocomplete="username" aria-label="User name" hidden>
<label for="secret">Operator secret</label>
<input type="password" id="secret" name="secret" required${autofocus} autocomplete="current-password" maxlength="512"${invalid}>
<div class="actions">${button('Sign in', { kind: deps.openId === null ? 'primary' : undefined })}</div>
</form></div>`;
  sendPage(ctx, refusal?.status ?? 200, {
    title: refusal === null ? 'Sign in' : 'Error: Sign in',
    content,
    layout: toAdminLayout(null),
  });
}

/** Returns an address of the dashboard, or its front page for any other address, so that a user is never redirected to another site. */
export function toDashboardPath(next: string, publicUrl: string): string {
  if (!/^\/admin(\/|\?|$)/.test(next) || /[\\\s]/.test(next)) return ADMIN_PATH;
  const url = URL.canParse(next, publicUrl) ? new URL(next, publicUrl) : null;
  if (url === null || url.origin !== publicUrl) return ADMIN_PATH;
  const isPage = /^\/admin(\/|$)/.test(url.pathname) && !url.pathname.startsWith(SIGN_IN_PATH);
  return isPage ? url.pathname + url.search : ADMIN_PATH;
}
