/** What the end of a request says of its upstream. */

import type { UpstreamAnswer } from '../answer.ts';
import type { UpstreamFailure, UpstreamFailureKind } from '../failures.ts';

/** Why a request counts against its upstream. Holds no text of the upstream, and no URL. */
export interface CountedFailure {
  /** `status`: an answer that says that there is none. */
  readonly kind: UpstreamFailureKind | 'status';
  readonly status: number | null;
  /** Code of the network error. */
  readonly reason: string | null;
}

/** What a request says: that the upstream answers, that it does not (and why), or nothing (null). */
export type Verdict = 'answers' | CountedFailure | null;

/** What gateways in front of an upstream answer when it is away (RFC 9110 §15.6.3 to .5), Cloudflare with its own statuses. */
const AWAY = new Set([502, 503, 504, 520, 521, 522, 523, 524]);

/** Not HTTP at all; another fault of the protocol may be in what was asked for. */
const GARBAGE = /^HPE_(?!HEADER_OVERFLOW)/;

/** Any other answer shows that the upstream works, whatever it thinks of the request. */
export function judgeAnswer({ status }: UpstreamAnswer): Verdict {
  return AWAY.has(status) ? { kind: 'status', status, reason: null } : 'answers';
}

/** @param isPatient whether the upstream had the time that it is given for a request. */
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
