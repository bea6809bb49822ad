/** The callback of an upstream's sign-in; each connector has its own. */

import { kindsOf, oauth2PartOf } from '../../base/credentials/kinds.ts';
import type { GatewayContext } from '../../base/http/state.ts';
import { pageTooOld } from '../../base/pages/sealed-form.ts';
import type { OAuth2Part } from '../../contract/index.ts';
import type { ConnectDependencies } from '../dependencies.ts';
import { tryCredential } from '../form/try-credential.ts';
import { showConnectPage } from '../page/connect-page.ts';
import type { ConnectProblem } from '../page/problems.ts';
import { callbackOf } from '../paths.ts';
import { refusePartner, toConnectPage } from '../response.ts';
import { complete } from '../visit/complete.ts';
import type { ConnectVisit } from '../visit/index.ts';
import { toPageState } from '../visit/page-state.ts';
import { resumeVisit } from '../visit/resume.ts';
import type { PendingAuthorization } from './pending.ts';
import { askForTokens, toFields } from './tokens.ts';

/** Characters of an authorization response's error (RFC 6749 §4.1.2.1), and the longest that is shown. */
const ERROR_CODE = /^[\x20-\x21\x23-\x5b\x5d-\x7e]{1,64}$/;

/**
 * Reads an authorization response (RFC 6749 §4.1.2), exchanges its code, and stores the tokens as the page stores a key.
 *
 * An error is shown on the page, where the person can try again or go back to the partner.
 *
 * @param service the one in the path: only answers to its own requests are accepted (RFC 9700 §4.4.2.2).
 * @throws {PageError} 400 for a `state` that is too old, or of another browser or service.
 */
export async function receiveAuthorization(
  ctx: GatewayContext,
  service: string,
  deps: ConnectDependencies,
): Promise<void> {
  const answer = new URLSearchParams(ctx.querystring);
  const pending = deps.pendingAuthorization.open(ctx, answer.get('state') ?? '');
  if (pending.page.service !== service) throw pageTooOld();
  const visit = await resumeVisit(ctx, pending.page, deps);
  if ('refusal' in visit) return refusePartner(ctx, visit, visit.refusal);
  const { connector } = visit.request;
  if (connector.name !== service) return toConnectPage(ctx);
  const kind = kindsOf(connector.credential)[pending.kindIndex];
  const part = kind && oauth2PartOf(kind);
  if (part === undefined) throw pageTooOld();

  const received = await exchange(ctx, { visit, part, pending, answer }, deps);
  const problem = 'kind' in received ? received : await tryCredential(ctx, visit, received.fields, deps);
  if (problem === null && 'fields' in received) return complete(ctx, visit, received.fields, deps);
  const sealed = deps.sealedForm.seal(ctx, toPageState(visit));
  showConnectPage(ctx, visit, { sealed, problem, kindIndex: pending.kindIndex });
}

interface Received {
  readonly visit: ConnectVisit;
  readonly part: OAuth2Part;
  readonly pending: PendingAuthorization;
  readonly answer: URLSearchParams;
}

async function exchange(
  ctx: GatewayContext,
  { visit, part, pending, answer }: Received,
  deps: ConnectDependencies,
): Promise<{ fields: Readonly<Record<string, string>> } | ConnectProblem> {
  const { connector, partner } = visit.request;
  const { oauth2 } = part;
  // RFC 9207 §2.4: before anything else in the answer is used.
  if (oauth2.issuer !== null && answer.get('iss') !== oauth2.issuer) return { kind: 'mixed-up' };
  const code = answer.get('code');
  if (code === null) {
    const error = answer.get('error') ?? '';
    return { kind: 'not-granted', said: ERROR_CODE.test(error) ? error : null };
  }
  const client = await deps.upstream.findClient(partner.id, connector.name);
  if (client === null || client.id !== pending.client) return { kind: 'not-exchanged' };
  const redirectUri = callbackOf(deps.publicUrl, connector.name);
  const { codeVerifier, scopes: asked } = pending;
  const token = await askForTokens(ctx, connector.name, (signal) =>
    deps.upstream.oauth.exchangeCode(oauth2, { client, code, redirectUri, codeVerifier }, signal),
  );
  if ('kind' in token) return token;
  return { fields: { ...pending.fields, ...toFields(part, token, { client: client.id, asked }) } };
}
