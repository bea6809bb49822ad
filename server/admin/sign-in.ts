/** The dashboard's sign-in page: one secret, few guesses. */

import { z } from 'zod';
import { recordAnonymousEvent } from '../http/limits/anonymous-event.ts';
import { networkOf } from '../http/network.ts';
import { originOf } from '../http/request-origin.ts';
import type { GatewayContext } from '../http/state.ts';
import type { BrowserSessions } from '../pages/browser-sessions.ts';
import { alert, hidden } from '../pages/components.ts';
import { html } from '../pages/html.ts';
import { sendPage } from '../pages/page.ts';
import { sendTo } from '../pages/redirect.ts';
import { createSealedForm, PAGE_STATE_FIELD, type SealedForm } from '../pages/sealed-form.ts';
import { hashSecret, matchesHash } from '../secrets.ts';
import { recordAuditEvent } from '../store/repositories/audit-events.ts';
import { countGuess, uncountGuess } from '../store/repositories/guess-counters.ts';
import { ADMIN_PATH, type AdminDependencies } from './request.ts';
import { toAdminLayout } from './view/layout.ts';

/** Wrong secrets from one address in `SIGN_IN_WINDOW_SECONDS`. */
export const MAX_WRONG_SECRETS = 10;
export const SIGN_IN_WINDOW_SECONDS = 900;

export const SIGN_IN_PATH = `${ADMIN_PATH}/sign-in`;

const FORM_TTL_SECONDS = 3600;

const PROBLEMS = {
  wrong: ['That is not the secret', 'Compare it with the setting ADMIN_SECRET of the gateway.'],
  'too-many': ['Too many attempts', 'No more secrets are taken from your network for 15 minutes.'],
  'too-old': ['Please try again', 'This page was open for too long, or cookies are turned off.'],
} as const;

type Problem = keyof typeof PROBLEMS;

interface SignInDependencies {
  readonly deps: AdminDependencies;
  readonly sessions: BrowserSessions;
  /** Carries where to go after signing in. */
  readonly sealedForm: SealedForm<string>;
}

/** The two handlers of the page. */
export function createSignIn(deps: AdminDependencies, sessions: BrowserSessions) {
  const parts: SignInDependencies = {
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
      const next = toOwnPath(typeof ctx.query.next === 'string' ? ctx.query.next : '', deps.publicUrl);
      if ((await sessions.find(ctx)) !== null) return sendTo(ctx, next);
      showForm(ctx, parts, { next, problem: null });
    },
    take: (ctx: GatewayContext) => takeSecret(ctx, parts),
  };
}

async function takeSecret(ctx: GatewayContext, parts: SignInDependencies): Promise<void> {
  const { deps, sessions, sealedForm } = parts;
  const sent = await sealedForm.read(ctx);
  if (sent.refusal !== null) return showForm(ctx, parts, { next: ADMIN_PATH, problem: 'too-old' });
  const { form, pageState: next } = sent;
  const refuse = (problem: Problem) => showForm(ctx, parts, { next, problem });
  const now = deps.now();

  const guesses = `operator-sign-in:${networkOf(ctx.ip)}`;
  const origin = originOf(ctx);
  const windowMs = SIGN_IN_WINDOW_SECONDS * 1000;
  if ((await countGuess(deps.db, guesses, { windowMs, now })) > MAX_WRONG_SECRETS) return refuse('too-many');
  if (!matchesHash((form.get('secret') ?? '').trim(), hashSecret(deps.secret))) {
    await recordAnonymousEvent(deps.db, { type: 'operator_sign_in_refused', now, ...origin });
    return refuse('wrong');
  }
  await uncountGuess(deps.db, guesses);
  await sessions.begin(ctx, null);
  await recordAuditEvent(deps.db, { type: 'operator_signed_in', now, ...origin });
  sendTo(ctx, next);
}

/** Shows the form: 200, 401 after a wrong secret, 429 after too many, 400 when the form was too old. */
function showForm(
  ctx: GatewayContext,
  { sealedForm }: SignInDependencies,
  { next, problem }: { next: string; problem: Problem | null },
): void {
  const sealed = sealedForm.seal(ctx, next);
  if (problem === 'too-many') ctx.set('Retry-After', String(SIGN_IN_WINDOW_SECONDS));
  const status = problem === null ? 200 : { wrong: 401, 'too-many': 429, 'too-old': 400 }[problem];
  const content = html`<div class="narrow"><h1>Sign in</h1>
${problem === null ? null : alert(PROBLEMS[problem][0], PROBLEMS[problem][1])}
<p>This is the dashboard of the people who run this gateway.</p>
<form method="post" action="${SIGN_IN_PATH}">
${hidden(PAGE_STATE_FIELD, sealed)}
<input type="text" name="username" value="operator" autocomplete="username" hidden>
<label for="secret">Operator secret</label>
<input type="password" id="secret" name="secret" required autofocus autocomplete="current-password" maxlength="512"${problem === 'wrong' ? html` aria-invalid="true" aria-describedby="error"` : null}>
<div class="actions"><button type="submit" class="primary">Sign in</button></div>
</form></div>`;
  sendPage(ctx, status, {
    title: problem === null ? 'Sign in' : 'Error: Sign in',
    content,
    layout: toAdminLayout(null),
  });
}

/** An address of the dashboard, or its front page for anything else: nobody can be sent elsewhere from here. */
export function toOwnPath(next: string, publicUrl: string): string {
  if (!/^\/admin(\/|\?|$)/.test(next) || /[\\\s]/.test(next)) return ADMIN_PATH;
  const url = URL.canParse(next, publicUrl) ? new URL(next, publicUrl) : null;
  const own = url !== null && url.origin === publicUrl && /^\/admin(\/|$)/.test(url.pathname);
  return own && url.pathname !== SIGN_IN_PATH ? url.pathname + url.search : ADMIN_PATH;
}
