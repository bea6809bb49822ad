/** Second step: takes Allow or Deny, and sends the browser back to the client. */

import { originOf } from '../../http/request-origin.ts';
import type { GatewayContext } from '../../http/state.ts';
import { PageError } from '../../pages/page-errors.ts';
import { WHOLE_PERMISSION } from '../../principal/permission.ts';
import type { Scope } from '../../principal/scopes.ts';
import { recordAuditEvent } from '../../store/repositories/audit-events.ts';
import { issueAuthorizationCode } from '../authorization-codes.ts';
import { redirectToClient } from '../authorize/response.ts';
import { type FoundConnectionCode, findConnectionCode } from '../connection-codes.ts';
import { showCodePage } from './code-page.ts';
import { accessOf } from './consent-page.ts';
import type { ConsentPageState } from './page-state.ts';
import type { ConsentDependencies, Submission } from './submission.ts';

/**
 * Takes Allow: uses the connection code up and answers the client with an authorization code.
 *
 * Where the connection code was used or has expired meanwhile, the first step is shown again.
 *
 * @throws {PageError} 400 for a form that says neither Allow nor Deny, or an access that was not offered.
 */
export async function takeDecision(
  ctx: GatewayContext,
  submission: Submission,
  deps: ConsentDependencies,
): Promise<void> {
  const { form, pageState, client } = submission;
  const { clientId, redirectUri, state, codeChallenge, resource } = pageState;
  const connectionCodeText = pageState.connectionCode ?? '';
  const access = form.get('access') ?? 'write';
  if (form.get('decision') !== 'allow' || (access !== 'write' && access !== 'read')) throw undecided();

  const now = deps.now();
  const found = await findConnectionCode(deps.db, connectionCodeText, now);
  const code =
    found &&
    (await deps.db.transaction().execute((executor) =>
      issueAuthorizationCode(executor, {
        clientId,
        userId: found.userId,
        scopes: access === 'write' ? scopesOf(found, pageState) : ['tools:read'],
        services: found.narrowedTo,
        permission: WHOLE_PERMISSION,
        resource,
        redirectUri,
        codeChallenge,
        connectionCodeText,
        now,
        origin: originOf(ctx),
      }),
    ));
  if (code === undefined) {
    const sealed = deps.sealedForm.seal(ctx, { ...pageState, connectionCode: null });
    return showCodePage(ctx, { client, redirectUri, sealed, problem: 'spent' });
  }
  redirectToClient(ctx, { redirectUri, state, issuer: deps.issuer }, { code });
}

/** Takes Deny and Cancel: tells the client, and leaves the connection code unused. */
export async function takeDenial(
  ctx: GatewayContext,
  submission: Submission,
  deps: ConsentDependencies,
): Promise<void> {
  const { clientId, redirectUri, state, connectionCode } = submission.pageState;
  const now = deps.now();
  const found = connectionCode === null ? undefined : await findConnectionCode(deps.db, connectionCode, now);
  await recordAuditEvent(deps.db, {
    type: 'consent_denied',
    now,
    clientId,
    partnerId: found?.partnerId ?? null,
    userId: found?.userId ?? null,
    ...originOf(ctx),
  });
  redirectToClient(
    ctx,
    { redirectUri, state, issuer: deps.issuer },
    { error: 'access_denied', error_description: 'The user did not allow it.' },
  );
}

function scopesOf(found: FoundConnectionCode, pageState: ConsentPageState): readonly Scope[] {
  return accessOf(found, pageState) === 'read-or-write' ? pageState.scopes : ['tools:read'];
}

function undecided(): PageError {
  return new PageError(400, {
    title: 'Nothing was decided',
    text: 'The form that was sent says neither Allow nor Deny in a way that this page offers.',
    advice: 'Go back to your application and start again.',
  });
}
