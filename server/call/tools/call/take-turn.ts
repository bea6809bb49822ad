/** A turn to call the upstream, if the connector caps the requests of one connection. */

import type { Caps } from '../../../contract/index.ts';
import type { Turn } from '../../upstream/caps/index.ts';
import type { UpstreamDependencies, UpstreamUse } from './call.ts';
import { type Ending, refuse } from './ending.ts';

/** The share of a call's time that is reserved for the request; a call waits for its turn until then. */
const REQUEST_SHARE = 0.25;

/** Waits for a turn; null, at no cost, if there is no cap. */
export function takeTurn(
  { entry: { connector }, connectionId, signal, deadline }: UpstreamUse,
  { turns, timeoutMs }: UpstreamDependencies,
): Promise<Turn> | null {
  const { caps } = connector;
  if (caps === undefined || turns === undefined || connectionId === undefined) return null;
  return turns.take({ connectionId, caps, signal, startBy: deadline - timeoutMs * REQUEST_SHARE, endBy: deadline });
}

/** Ends a call that got no turn. */
export function endWithoutTurn(
  { entry: { connector } }: Pick<UpstreamUse, 'entry'>,
  turn: Exclude<Turn, { readonly kind: 'taken' }>,
): Ending {
  if (turn.kind === 'cancelled') return refuse('cancelled', { message: 'The call was cancelled.' });
  const seconds = turn.retryAfterSeconds;
  if (turn.cap === 'uncounted') {
    return refuse('no_free_turn', {
      message: `${connector.title} limits the number of calls, and the gateway cannot count them now.`,
      advice: `Nothing was sent. Wait ${seconds} seconds, then call again.`,
      retryAfterSeconds: seconds,
    });
  }
  return refuse('no_free_turn', {
    message: `${connector.title} takes ${describeCap(connector.caps ?? {}, turn.cap)} from one connected account, and this call waited too long behind others.`,
    advice: `Nothing was sent. Wait ${seconds} second${seconds === 1 ? '' : 's'}, then call again, with fewer calls at once.`,
    retryAfterSeconds: seconds,
  });
}

function describeCap({ concurrency, rate }: Caps, cap: 'concurrency' | 'rate'): string {
  if (cap === 'concurrency' && concurrency !== undefined) {
    return `${concurrency} call${concurrency === 1 ? '' : 's'} at the same time`;
  }
  return `${rate?.requests} calls in ${rate?.seconds === 1 ? 'a second' : `${rate?.seconds} seconds`}`;
}
