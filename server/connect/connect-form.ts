/** Takes the connect page's form: verifies what was typed, keeps it sealed, and sends the browser back with a code. */

import type { Kysely } from 'kysely';
import type { CredentialVault } from '../credentials/index.ts';
import { recordAnonymousEvent } from '../http/limits/anonymous-event.ts';
import { siteOf } from '../http/network.ts';
import { countUse } from '../http/rate-limit.ts';
import type { GatewayContext } from '../http/state.ts';
import { pageTooOld, type SealedForm } from '../pages/sealed-form.ts';
import type { RateLimiter } from '../rate-limiter.ts';
import { createSecret, hashSecret } from '../secrets.ts';
import { insertConnectionAttempt, newAttemptId } from '../store/repositories/connection-attempts.ts';
import type { Database } from '../store/schema.ts';
import type { VerifyCredential } from '../tools/verify-credential.ts';
import { type ConnectProblem, inputName, showConnectPage } from './connect-page.ts';
import { beginGuess, forgetGuess } from './guesses.ts';
import { type ConnectPageState, toParameters } from './page-state.ts';
import { type CheckDependencies, type ConnectRequest, checkConnectRequest } from './request/index.ts';
import { redirectToPartner } from './response.ts';
import { toConnectSteps } from './steps.ts';

/** What the page works with. */
export interface ConnectDependencies extends CheckDependencies {
  readonly db: Kysely<Database>;
  readonly vault: CredentialVault;
  readonly verifyCredential: VerifyCredential;
  readonly sealedForm: SealedForm<ConnectPageState>;
  /** Bounds the codes that are issued, per client address: some services take any credential. */
  readonly codeLimit: RateLimiter;
  /** Milliseconds since 1970. */
  now(): number;
}

/** How long a partner has to redeem a code. Until then, nothing is connected. */
const CONNECT_CODE_TTL_SECONDS = 300;

const MAX_FIELD_LENGTH = 4096;

/** Far more than an upstream takes to answer, with its one repetition. */
const VERIFY_TIMEOUT_MS = 60_000;

/**
 * Takes a form of the page, and answers with the page again or with a redirect to the partner.
 *
 * @throws {PageError} 400 for forms that are too old, another browser's or another service's, and as `SealedForm.read`.
 */
export async function continueConnect(ctx: GatewayContext, service: string, deps: ConnectDependencies): Promise<void> {
  const sent = await deps.sealedForm.read(ctx);
  if (sent.refusal !== null) throw sent.refusal;
  const { form, sealed, pageState } = sent;
  if (pageState.service !== service) throw pageTooOld();

  const request = await checkConnectRequest(service, toParameters(pageState), deps);
  if ('refusal' in request) {
    const { refusal, redirectUri, state } = request;
    const answer = { error: refusal.error, error_description: refusal.description };
    return redirectToPartner(ctx, { redirectUri, state }, answer);
  }
  if (form.get('decision') === 'decline') return decline(ctx, request, deps);
  const fields = readFields(form, request);
  const problem =
    'kind' in fields ? fields : await findProblem(ctx, { request, pageId: pageState.id, ...fields }, deps);
  if (problem !== null || 'kind' in fields) {
    return showConnectPage(ctx, request, { sealed, problem: problem ?? { kind: 'missing' } });
  }
  const code = await keepPending(ctx, request, fields.fields, deps);
  redirectToPartner(ctx, request, { code });
}

async function decline(ctx: GatewayContext, request: ConnectRequest, deps: ConnectDependencies): Promise<void> {
  await recordAnonymousEvent(deps.db, { type: 'connect_declined', now: deps.now(), address: ctx.ip });
  const answer = { error: 'access_denied', error_description: 'The user did not connect the service.' };
  redirectToPartner(ctx, request, answer);
}

/** The fields by their names; null for an open service. */
interface TypedFields {
  readonly fields: Readonly<Record<string, string>> | null;
}

function readFields(form: URLSearchParams, { connector }: ConnectRequest): TypedFields | ConnectProblem {
  const [step] = toConnectSteps(connector.credential);
  if (step.kind === 'confirm') return { fields: null };
  const typed = step.fields.map(({ field, isRequired }, index) => ({
    field,
    isRequired,
    value: (form.get(inputName(index)) ?? '').trim(),
  }));
  if (typed.some(({ isRequired, value }) => isRequired && value === '')) return { kind: 'missing' };
  if (typed.some(({ value }) => value.length > MAX_FIELD_LENGTH)) return { kind: 'unsendable' };
  return { fields: Object.fromEntries(typed.map(({ field, value }) => [field, value])) };
}

/** Tries the credential on the upstream. @returns null where it can be kept. */
async function findProblem(
  ctx: GatewayContext,
  typed: { request: ConnectRequest; pageId: string } & TypedFields,
  deps: ConnectDependencies,
): Promise<ConnectProblem | null> {
  const { request, pageId, fields } = typed;
  if (fields === null) return null;
  const source = { pageId, address: ctx.ip };
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

/** Keeps the credential next to the connection that it will make or replace. @returns the code to redeem it with. */
async function keepPending(
  ctx: GatewayContext,
  request: ConnectRequest,
  fields: Readonly<Record<string, string>> | null,
  deps: ConnectDependencies,
): Promise<string> {
  await countUse(deps.codeLimit, ctx.ip);
  const now = deps.now();
  const id = newAttemptId(now);
  const code = createSecret('connectCode');
  const { partner, connector, externalUserId } = request;
  const binding = { connectionId: id, partnerId: partner.id, userId: externalUserId, service: connector.name };
  await deps.db.transaction().execute(async (transaction) => {
    await insertConnectionAttempt(transaction, {
      id,
      codeHash: hashSecret(code),
      partnerId: partner.id,
      externalUserId,
      service: connector.name,
      sessionId: null,
      redirectUri: request.redirectUri,
      madeFrom: siteOf(ctx.ip),
      sealedCredential: fields === null ? null : deps.vault.seal(fields, binding),
      now,
      expiresAt: now + CONNECT_CODE_TTL_SECONDS * 1000,
    });
    await recordAnonymousEvent(transaction, { type: 'connect_code_issued', now, address: ctx.ip });
  });
  return code;
}
