/** Tries a credential on its upstream before it is stored, within the limits. */

import { recordAnonymousEvent } from '../../base/http/limits/anonymous-event.ts';
import type { GatewayContext } from '../../base/http/state.ts';
import type { ConnectDependencies } from '../dependencies.ts';
import type { ConnectProblem } from '../page/problems.ts';
import type { ConnectVisit } from '../visit/index.ts';
import { beginGuess, forgetGuess } from './guesses.ts';

/** Far more than an upstream takes to answer, with one retry. */
const VERIFY_TIMEOUT_MS = 60_000;

/** @returns null if the credential can be stored. */
export async function tryCredential(
  ctx: GatewayContext,
  { request, pageId, session }: ConnectVisit,
  fields: Readonly<Record<string, string>>,
  deps: ConnectDependencies,
): Promise<ConnectProblem | null> {
  const partnerId = session === null ? null : request.partner.id;
  const source = { pageId, address: ctx.ip, service: request.connector.name, partnerId };
  if (!(await beginGuess(deps.db, source, deps.now()))) return { kind: 'too-many' };
  const verdict = await deps.verifyCredential(request.connector, fields, AbortSignal.timeout(VERIFY_TIMEOUT_MS));
  if (verdict.kind === 'refused') {
    await recordAnonymousEvent(deps.db, { type: 'connect_credential_refused', now: deps.now(), address: ctx.ip });
    return verdict;
  }
  if (verdict.kind === 'unsendable') return { kind: 'unsendable' };
  await forgetGuess(deps.db, source);
  return verdict.kind === 'unavailable' ? verdict : null;
}
