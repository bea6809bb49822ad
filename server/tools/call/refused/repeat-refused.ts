/** Stage `repeat`: a request whose access token the upstream refused is sent once more, with another. */

import { decodeErrorBody } from '../../results/decode.ts';
import { refusesCredential } from '../../results/upstream-errors.ts';
import type { UpstreamDependencies, UpstreamUse } from '../call.ts';
import { type Ending, refuse } from '../ending.ts';
import { sendRequest } from '../send-request.ts';
import { renewCredential } from './renew-credential.ts';

/**
 * Renews the token, and repeats the request: also one that writes where the status is 401, because the upstream has not looked
 * at it then. Where only the body says that the credential is refused, a write is left to the caller, unless the upstream
 * recognises a repeated one.
 */
export async function repeatRefused(call: UpstreamUse, deps: UpstreamDependencies): Promise<Ending | null> {
  const { answer, renew, credential, entry, redactor } = call;
  if (renew === null || answer === null) return null;
  const { connector, tool } = entry;
  const { status } = answer;
  const mayRefuse = status === 401 || connector.errors.invalidCredential.some((rule) => rule.status === status);
  if (!mayRefuse) return null;
  const body = decodeErrorBody(answer.body, answer.header('content-type'), redactor);
  if (!refusesCredential(connector.errors, status, body)) return null;
  if (status === 401) call.mayHaveActed = false;
  const ending = await renewCredential(call, renew(), deps);
  if (ending !== null) return ending;
  call.renew = null;
  if (call.credential === credential) return null;
  const isSafe = tool.annotations.idempotentHint || tool.idempotency !== undefined;
  if (status === 401 || isSafe) return sendRequest(call, deps);
  return refuse('refused_once', {
    message: `${connector.title} refused the access token of this connection, which the gateway has replaced.`,
    status,
  });
}
