/** Stage `repeat`: sends a request again, with a new access token, after the upstream refused the first token. */

import { decodeErrorBody } from '../../results/decode.ts';
import { refusesCredential } from '../../results/upstream-errors.ts';
import type { UpstreamDependencies, UpstreamUse } from '../call.ts';
import { type Ending, refuse } from '../ending.ts';
import { sendRequest } from '../send-request.ts';
import { renewCredential } from './renew-credential.ts';

/**
 * Renews the token and repeats the request. With status 401, this includes writes, because the upstream has not
 * processed the request. If only the body says that the credential was refused, a write is not repeated, unless the
 * upstream recognises repeated requests.
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
