/** Failures of calls to upstreams: there is no usable answer. */

import { GuardedFetchError } from '../../base/guarded-fetch/index.ts';
import { tlsProblemOf } from '../../base/guarded-fetch/tls-problems.ts';

/**
 * The reason why a call failed before there was an answer.
 *
 * `cancelled`: the client disconnected. `timeout`: the deadline passed. `unreachable`: no connection could be made.
 * `tls`: the server's certificate or its TLS is refused. `reset`: the connection broke off. `redirect`: the answer points to a URL that the gateway does not follow.
 * `too_large`: the body is over the limit. `protocol`: what arrived is not HTTP, or not MCP, within the limits. `coding`: the body is
 * not in the content coding that its header names. `circuit_open`,
 * `busy`: nothing was sent, because earlier requests got no answer, or too many are in progress.
 */
export type UpstreamFailureKind =
  | 'cancelled'
  | 'timeout'
  | 'unreachable'
  | 'tls'
  | 'reset'
  | 'redirect'
  | 'too_large'
  | 'protocol'
  | 'coding'
  | 'circuit_open'
  | 'busy';

/** An upstream call without a usable answer. Contains no text of the upstream, no URL and no credential. */
export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure';
  readonly kind: UpstreamFailureKind;
  /** HTTP status. Null if no answer had begun. */
  readonly status: number | null;
  /** `too_large`: announced size of the body in bytes, else null. */
  readonly bytes: number | null;
  /** `too_large`: the limit in bytes. `timeout`: the deadline in milliseconds. Otherwise null. */
  readonly limit: number | null;
  /** Code of the network error (`ECONNREFUSED`), for the log. */
  readonly reason: string | null;
  /** `circuit_open`, `busy`: seconds until another try makes sense. Otherwise null. */
  readonly retryAfterSeconds: number | null;
  /** True if the cause is on the gateway's side: the address is not allowed, or its proxy failed. */
  readonly isOfGateway: boolean;

  constructor(kind: UpstreamFailureKind, facts: FailureFacts = {}) {
    super(`upstream ${kind}${facts.reason === undefined ? '' : ` (${facts.reason})`}`);
    this.kind = kind;
    this.status = facts.status ?? null;
    this.bytes = facts.bytes ?? null;
    this.limit = facts.limit ?? null;
    this.reason = facts.reason ?? null;
    this.retryAfterSeconds = facts.retryAfterSeconds ?? null;
    this.isOfGateway = facts.isOfGateway ?? false;
  }

  /** True if the request was never sent, so that it says nothing about the upstream. */
  get isUnsent(): boolean {
    return this.kind === 'circuit_open' || this.kind === 'busy';
  }
}

/** Reason of a `protocol` failure: the answer is HTTP, but not MCP. */
export const NOT_MCP = 'not MCP';

interface FailureFacts {
  readonly status?: number;
  readonly bytes?: number | null;
  readonly limit?: number;
  readonly reason?: string;
  readonly retryAfterSeconds?: number;
  readonly isOfGateway?: boolean;
}

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const RESET = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);

/** Converts an error of undici's dispatcher, or of decoding a body. */
export function toUpstreamFailure(error: unknown): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error;
  if (error instanceof GuardedFetchError) {
    const reason = error.detail ?? codeOf(error.cause) ?? error.reason;
    return new UpstreamFailure('unreachable', { reason, isOfGateway: error.isOfGateway });
  }
  const code = codeOf(error) ?? 'unknown';
  if (RESET.has(code)) return new UpstreamFailure('reset', { reason: code });
  if (UNREACHABLE.has(code)) return new UpstreamFailure('unreachable', { reason: code });
  if (tlsProblemOf(code) !== null) return new UpstreamFailure('tls', { reason: code });
  return new UpstreamFailure('protocol', { reason: code });
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
