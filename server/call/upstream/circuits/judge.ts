/** What the outcome of a request says about its upstream. */

import type { UpstreamAnswer } from '../answer.ts';
import type { UpstreamFailure, UpstreamFailureKind } from '../failures.ts';

/** Why a request counts against its upstream. Holds no text of the upstream, and no URL. */
export interface CountedFailure {
  /** `status`: an answer that reports the upstream as unavailable. */
  readonly kind: UpstreamFailureKind | 'status';
  readonly status: number | null;
  /** Code of the network error. */
  readonly reason: string | null;
}

/** What a request shows: that the upstream answers, that it does not (and why), or nothing (null). */
export type Verdict = 'answers' | CountedFailure | null;

/** What gateways in front of an upstream answer when it is down (RFC 9110 §15.6.3 to .5), Cloudflare with its own statuses. */
const AWAY = new Set([502, 503, 504, 520, 521, 522, 523, 524]);

/** Not HTTP at all. Other protocol errors may be caused by the request. */
const GARBAGE = /^HPE_(?!HEADER_OVERFLOW)/;

/** Any other answer shows that the upstream works, even if it rejects the request. */
export function judgeAnswer({ status }: UpstreamAnswer): Verdict {
  return AWAY.has(status) ? { kind: 'status', status, reason: null } : 'answers';
}

/** @param isPatient whether the upstream had enough time for a request. */
export function judgeFailure({ kind, status, reason, isOfGateway }: UpstreamFailure, isPatient: boolean): Verdict {
  if (isOfGateway) return null;
  const counted = { kind, status, reason };
  switch (kind) {
    case 'unreachable':
    case 'reset':
      return counted;
    case 'timeout':
      return isPatient ? counted : null;
    case 'protocol':
      return GARBAGE.test(reason ?? '') ? counted : null;
    case 'redirect':
    case 'too_large':
      return 'answers';
    default:
      return null;
  }
}
