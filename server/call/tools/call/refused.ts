/** Refused and expired credentials: renewal, the repeated request, and the check before a connection is marked. */

import type { OpenedCredential } from '../../../base/credentials/opened.ts';
import type { Connector } from '../../../contract/index.ts';
import { NOTHING_TO_REDACT } from '../../upstream/index.ts';
import type { Renewal } from '../../upstream/lease.ts';
import type { AnyTool } from '../catalogue/permitted.ts';
import { findVerifyingTool } from '../catalogue/permitted.ts';
import { decodeErrorBody } from '../results/decode.ts';
import { refusesCredential } from '../results/upstream-errors.ts';
import type { Call, UpstreamDependencies, UpstreamUse } from './call.ts';
import { type Ending, needsAttention, refuse } from './ending.ts';
import { sendRequest } from './sending.ts';

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

/**
 * Waits for a renewal until the call's deadline, and sets the call's credential. Other calls wait for the same renewal,
 * so it continues if this call ends.
 *
 * @returns the ending of the call if there is no token; null: the call continues with the current credential.
 */
export async function renewCredential(
  call: UpstreamUse<AnyTool>,
  renewal: Promise<Renewal>,
  deps: Pick<UpstreamDependencies, 'now'>,
): Promise<Ending | null> {
  const { title } = call.entry.connector;
  const outcome = await inTime(renewal, call, deps.now());
  switch (outcome.kind) {
    case 'renewed':
      call.credential = outcome.fields;
      call.credentialSince = outcome.updatedAt;
      return null;
    case 'recent':
      return null;
    case 'cancelled':
      return refuse('cancelled', { message: 'The call was cancelled.' });
    case 'attention':
      return needsAttention(title);
    case 'removed':
      return refuse('not_connected', { message: `${title} is not connected for this user any more.` });
    case 'delayed': {
      const { retryAfterSeconds: seconds, byOperator } = outcome;
      const who = byOperator ? ` The operator has to check the client that is registered at ${title}.` : '';
      return refuse('credential_not_renewed', {
        message: `${title} issued no access token for this connection.${who}`,
        advice: `Nothing was sent. Wait ${seconds} seconds, then call again.`,
        retryAfterSeconds: seconds,
      });
    }
  }
}

/** Waits for the renewal, the deadline or a cancellation. */
function inTime(
  renewal: Promise<Renewal>,
  { signal, deadline }: Pick<UpstreamUse, 'signal' | 'deadline'>,
  now: number,
): Promise<Renewal | { readonly kind: 'cancelled' }> {
  return new Promise((resolve, reject) => {
    const cancel = () => resolve({ kind: 'cancelled' });
    const late = () => resolve({ kind: 'delayed', retryAfterSeconds: 1, byOperator: false });
    const timer = setTimeout(late, Math.max(0, deadline - now));
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
    renewal.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
    });
  });
}

/** Makes the upstream part of a call; see `useUpstream`. */
type UseUpstream = (use: UpstreamUse, deps: UpstreamDependencies) => Promise<Ending>;

/** Returns the final ending of a call whose credential may have been refused. */
type ConfirmRefusal = (call: Call, ending: Ending) => Ending | Promise<Ending>;

const MAX_SUSPECTS = 1000;

/**
 * Creates the check. A refusal is confirmed if the connector's verifying call is refused too; without such a call, if
 * it is the second in a row on this node. Otherwise the call ends with `refused_once`, and the connection stays active.
 */
export function createRefusalCheck(deps: UpstreamDependencies, useUpstream: UseUpstream): ConfirmRefusal {
  const asking = new Map<string, Promise<boolean>>();
  /** The `updatedAt` of the refused credential, by connection. */
  const suspects = new Map<string, number>();

  const isRefusedAgain = (key: string, connector: Connector, credential: OpenedCredential): Promise<boolean> => {
    const known = asking.get(key);
    if (known !== undefined) return known;
    const verifying = findVerifyingTool(connector);
    if (verifying === null) throw new Error('a connector without a verifying call cannot be asked');
    const { tool, arguments: args } = verifying;
    const deadline = deps.now() + deps.timeoutMs;
    const { signal } = new AbortController();
    const use = {
      entry: { connector, tool },
      connectionId: key,
      signal,
      deadline,
      arguments: args,
      credential,
      credentialSince: 0,
    };
    const answer = useUpstream(
      { ...use, pins: {}, answer: null, seed: null, mayHaveActed: false, renew: null, redactor: NOTHING_TO_REDACT },
      { ...deps, onFault: () => {} },
    )
      .then(({ outcome }) => outcome === 'credential_refused')
      .finally(() => asking.delete(key));
    asking.set(key, answer);
    return answer;
  };

  const isSecondInARow = (key: string, since: number): boolean => {
    const isSecond = suspects.get(key) === since;
    suspects.delete(key);
    if (!isSecond) suspects.set(key, since);
    const [oldest] = suspects.keys();
    if (suspects.size > MAX_SUSPECTS && oldest !== undefined) suspects.delete(oldest);
    return isSecond;
  };

  return (call, ending) => {
    const { connector } = call.entry;
    if (ending.outcome !== 'credential_refused') {
      if (suspects.size > 0 && ending.outcome === 'ok') suspects.delete(keyOf(call));
      return ending;
    }
    const doubtful = (): Ending => {
      const refused = refuse('refused_once', {
        message: `${connector.title} refused the credential of this connection once.`,
        status: ending.upstreamStatus,
        upstreamCode: ending.error?.upstreamCode ?? null,
      });
      // The items of the pages before a refusal follow its own blocks.
      const items = ending.result.content.slice(refused.result.content.length);
      return { ...refused, result: { ...refused.result, content: [...refused.result.content, ...items] } };
    };
    const key = keyOf(call);
    if (findVerifyingTool(connector) === null) return isSecondInARow(key, call.credentialSince) ? ending : doubtful();
    return isRefusedAgain(key, connector, call.credential).then((isRefused) => (isRefused ? ending : doubtful()));
  };
}

function keyOf({ principal, entry }: Call): string {
  return principal.connections.get(entry.connector.name)?.id ?? '';
}
