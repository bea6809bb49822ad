/** The closed list of outcomes of a tool call, and what each means for the model, the record and the connection. */

/**
 * `connect`, `reconnect`: connect the service (again) at the partner. `allow`: allow the tool at the gateway. `approve`: approve the call
 * there. `answer`: answer what the service asks.
 */
export type Remedy = 'connect' | 'reconnect' | 'allow' | 'approve' | 'answer';

interface OutcomeRule {
  /** Condition under which the same call may succeed later, unchanged. `repeatable` means only if the tool is idempotent. By default it never may. */
  readonly retry?: 'always' | 'repeatable';
  /** Step that the user can take on a page so that the same call may succeed. */
  readonly remedy?: Remedy;
  /** The upstream reported success (any 2xx but 207), so that a repeated call gets this ending. Default: it did not, or not surely. */
  readonly tookEffect?: true;
  /** The advice, if it depends only on the outcome. Default: whether calling again helps, or what the caller of `explain` gives. */
  readonly advice?: string;
}

/**
 * All outcomes of calls without a result.
 *
 * The names are the gateway's own, never an upstream's: a model reads them as `code`, a call record has them as
 * `outcome`, and they are suitable as metric labels.
 */
const FAILURES = {
  // Before anything was sent.
  too_many_calls: { retry: 'always' },
  partner_suspended: {},
  not_offered: {},
  not_connected: { remedy: 'connect' },
  insufficient_scope: { advice: 'Calling again will not help: the client needs a token with the scope tools:write.' },
  not_allowed: { advice: 'Calling again will not help: do without this tool, or tell the user.' },
  writing_stopped: { advice: 'Calling again will not help now: tell the user. Tools that read still work.' },
  needs_approval: { remedy: 'allow' },
  connection_needs_attention: { remedy: 'reconnect' },
  credential_unreadable: {},
  scope_not_granted: { remedy: 'reconnect' },
  credential_not_renewed: { retry: 'always' },
  invalid_arguments: {},
  // Idempotency key.
  idempotency_key_reused: { advice: 'Nothing was sent. Use a different key for each call.' },
  call_in_progress: { retry: 'always' },
  outcome_unknown: {
    advice: 'Read the current state first. If the call did not take effect, repeat it with another key.',
  },
  too_many_idempotency_keys: {
    advice: 'Nothing was sent. A key is free again a day after its first call; calls without a key still work.',
  },
  // Approval of the exact call.
  awaiting_approval: {
    remedy: 'approve',
    advice: 'Tell the user. After the user has approved it, call again with exactly the same arguments.',
  },
  denied_by_user: { advice: 'Stop: do not try it again, or in another way, unless the user asks for it.' },
  call_limit_reached: { retry: 'always' },
  no_free_turn: { retry: 'always' },
  // The definition at an MCP server, compared with the reviewed one.
  definition_changed: {},
  tool_gone: {},
  // Failures of other calls.
  upstream_circuit_open: { retry: 'always' },
  upstream_busy: { retry: 'always' },
  // The upstream's answer.
  credential_refused: { remedy: 'reconnect' },
  refused_once: { retry: 'always', advice: 'The connection is kept: call again in a moment.' },
  bad_request: { advice: 'Correct the arguments, then call again.' },
  payment_required: { advice: 'The plan or quota of the connected account does not allow this: tell the user.' },
  forbidden: { advice: 'The connected account is not allowed to do this: try something else, or tell the user.' },
  not_found: {},
  gone: {},
  method_not_allowed: { advice: 'Correct the arguments, then call again.' },
  not_acceptable: { advice: 'Correct the arguments, then call again.' },
  conflict: { advice: 'The request conflicts with the current state of the resource: read that state first.' },
  request_too_large: { advice: 'Send less in one call.' },
  invalid_request: { advice: 'Correct the arguments, then call again.' },
  connector_outdated: {
    advice: 'No argument can change that: tell the user that the operator of the gateway has to update its connector.',
  },
  request_refused: { advice: 'Correct the arguments, then call again.' },
  tool_error: { advice: 'Read what it says: correct the arguments, or tell the user.' },
  needs_input: { advice: 'Tell the user what it asks: it cannot be answered here.' },
  rate_limited: { retry: 'always' },
  quota_exhausted: {
    advice: 'The quota of the connected account is used up, and waiting does not help: tell the user.',
  },
  upstream_error: { retry: 'repeatable' },
  upstream_unavailable: { retry: 'always' },
  upstream_redirect: { advice: 'Calling again will not help.' },
  // No usable answer.
  upstream_timeout: { retry: 'repeatable' },
  upstream_unreachable: { retry: 'always', advice: 'Call again in a minute.' },
  upstream_tls_refused: { advice: 'Tell the user that the operator must act: another call fails in the same way.' },
  upstream_connection_lost: { retry: 'repeatable' },
  upstream_protocol_error: { retry: 'repeatable' },
  upstream_invalid_answer: { retry: 'repeatable', tookEffect: true },
  result_too_large: { tookEffect: true },
  cancelled: { advice: '' },
  internal_error: { retry: 'repeatable' },
} as const satisfies Readonly<Record<string, OutcomeRule>>;

/** The outcome of a failed call. */
export type FailedOutcome = keyof typeof FAILURES;

/** The outcome of a call. */
export type Outcome = 'ok' | FailedOutcome;

/** All outcomes, in the order of a call. */
export const OUTCOMES: readonly Outcome[] = ['ok', ...(Object.keys(FAILURES) as FailedOutcome[])];

const UNSENT = new Set<string>(OUTCOMES.slice(1, OUTCOMES.indexOf('credential_refused')));

/** True if the gateway itself refused the call, so that the request that failed was not sent. */
export function isUnsent(outcome: string): boolean {
  return UNSENT.has(outcome);
}

const rules: Readonly<Record<FailedOutcome, OutcomeRule>> = FAILURES;

/**
 * True if the same call may succeed later.
 *
 * @param repeatable true if the tool is idempotent.
 */
export function isRetryable(outcome: FailedOutcome, repeatable: boolean): boolean {
  const { retry } = rules[outcome];
  return retry === 'always' || (retry === 'repeatable' && repeatable);
}

/** The user's remedy for an outcome, or null. */
export function remedyOf(outcome: Outcome): Remedy | null {
  return outcome === 'ok' ? null : (rules[outcome].remedy ?? null);
}

/**
 * Returns the advice of an outcome. The text is empty if the advice depends on more than the outcome.
 *
 * @param repeatable true if the tool is idempotent.
 */
export function adviceOf(outcome: FailedOutcome, repeatable: boolean): string {
  const { advice, retry } = rules[outcome];
  if (advice !== undefined || retry !== 'repeatable') return advice ?? '';
  return repeatable ? 'Call again in a moment.' : 'The call may have taken effect: check before calling again.';
}

const BY_STATUS: Readonly<Record<number, FailedOutcome>> = {
  400: 'bad_request',
  401: 'credential_refused',
  402: 'payment_required',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  406: 'not_acceptable',
  408: 'upstream_timeout',
  409: 'conflict',
  410: 'gone',
  413: 'request_too_large',
  422: 'invalid_request',
  429: 'rate_limited',
  503: 'upstream_unavailable',
};

/** The outcome of an upstream's status, regardless of its body. */
export function outcomeOfStatus(status: number): FailedOutcome {
  const listed = BY_STATUS[status];
  if (listed !== undefined) return listed;
  if (status >= 500) return 'upstream_error';
  return status >= 300 && status < 400 ? 'upstream_redirect' : 'request_refused';
}

/** `done`: a repeated call gets this ending. `free`: nothing changed, so it may be made again. `unknown`: either. */
type Fate = 'done' | 'free' | 'unknown';

/**
 * Statuses with which an upstream rejects a whole request (RFC 9110 §15.5; 423, 428, 429, 431 and 451 by their own
 * RFCs).
 *
 * Excludes 408, which proxies send when the upstream was too slow, 424 and 207, where a part was done, and unregistered
 * statuses.
 */
const REFUSING = new Set([
  400, 401, 402, 403, 404, 405, 406, 407, 409, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 423, 425, 426, 428,
  429, 431, 451,
]);

/** A part of the call may have failed (RFC 4918 §13). */
export const MULTI_STATUS = 207;

/** The end of a call. */
interface EndedCall {
  readonly outcome: Outcome;
  /** HTTP status of the upstream's answer, or null when there was none. */
  readonly upstreamStatus: number | null;
  readonly error: { readonly retryAfterSeconds: number | null } | null;
}

/** The fate of a call with this ending. The table in docs/reference/tools.md says the same. */
export function fateOf(
  { mayHaveActed }: { readonly mayHaveActed: boolean },
  { outcome, upstreamStatus: status, error }: EndedCall,
): Fate {
  if (outcome === 'ok') return 'done';
  if (!mayHaveActed) return 'free';
  if (rules[outcome].tookEffect && status !== MULTI_STATUS) return 'done';
  if (status !== null && REFUSING.has(status)) return 'free';
  // Only a 503 with `Retry-After` is the upstream's own: a proxy's 503 may follow a request that reached the upstream.
  return status === 503 && error !== null && error.retryAfterSeconds !== null ? 'free' : 'unknown';
}
