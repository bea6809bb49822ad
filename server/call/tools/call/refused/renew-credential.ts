/** Gets a new access token for a call that waits for it. */

import type { Renewal } from '../../../upstream/lease/index.ts';
import type { AnyTool } from '../../catalogue/hand-written.ts';
import type { UpstreamDependencies, UpstreamUse } from '../call.ts';
import { type Ending, refuse } from '../ending.ts';
import { needsAttention } from '../needs-attention.ts';

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
