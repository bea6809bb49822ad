/** How a tool call can end: a closed list, and what each entry means for the model, the record and the connection. */

/** When the same call may succeed later without any change. `repeatable`: only where the tool is idempotent. */
type Retry = 'never' | 'always' | 'repeatable';

/** `connect`, `reconnect`: connecting the service, for the first time or again, at the partner. `allow`: allowing the tool, at the gateway. */
export type Remedy = 'connect' | 'reconnect' | 'allow';

interface OutcomeRule {
  readonly retry: Retry;
  /** What the user does on a page, after which the same call may succeed. */
  readonly remedy?: Remedy;
  /** What to do about it, where that depends only on the outcome. Default: the caller of `failure` says. */
  readonly advice?: string;
}

/**
 * Every way in which a call ends without a result.
 *
 * The names are the gateway's own and never an upstream's: they are what a model reads as `code`, what a call record
 * keeps as `outcome`, and fit to be a metric label.
 */
const FAILURES = {
  // Found before anything was sent.
  too_many_calls: { retry: 'always' },
  partner_suspended: { retry: 'never' },
  not_offered: { retry: 'never' },
  not_connected: { retry: 'never', remedy: 'connect' },
  insufficient_scope: {
    retry: 'never',
    advice: 'Calling again will not help: the client needs a token with the scope tools:write.',
  },
  not_allowed: {
    retry: 'never',
    advice: 'Calling again will not help: do without this tool, or tell the user.',
  },
  needs_approval: { retry: 'never', remedy: 'allow' },
  connection_needs_attention: { retry: 'never', remedy: 'reconnect' },
  credential_unreadable: { retry: 'never' },
  scope_not_granted: { retry: 'never', remedy: 'reconnect' },
  credential_not_renewed: { retry: 'always' },
  invalid_arguments: { retry: 'never' },
  // By its idempotency key.
  idempotency_key_reused: {
    retry: 'never',
    advice: 'Nothing was sent. Use a different key for each call.',
  },
  call_in_progress: { retry: 'always' },
  outcome_unknown: {
    retry: 'never',
    advice: 'Read the current state first. If the call did not take effect, repeat it with another key.',
  },
  too_many_idempotency_keys: {
    retry: 'never',
    advice: 'Nothing was sent. A key is free again a day after its first call; calls without a key still work.',
  },
  no_free_turn: { retry: 'always' },
  // By what the upstream did to others.
  upstream_circuit_open: { retry: 'always' },
  upstream_busy: { retry: 'always' },
  // The upstream's answer.
  credential_refused: { retry: 'never', remedy: 'reconnect' },
  refused_once: { retry: 'always', advice: 'The connection is kept: call again in a moment.' },
  bad_request: { retry: 'never', advice: 'Correct the arguments, then call again.' },
  payment_required: {
    retry: 'never',
    advice: 'The plan or quota of the connected account does not allow this: tell the user.',
  },
  forbidden: {
    retry: 'never',
    advice: 'The connected account is not allowed to do this: try something else, or tell the user.',
  },
  not_found: { retry: 'never' },
  gone: { retry: 'never' },
  method_not_allowed: { retry: 'never', advice: 'Correct the arguments, then call again.' },
  not_acceptable: { retry: 'never', advice: 'Correct the arguments, then call again.' },
  conflict: {
    retry: 'never',
    advice: 'The request conflicts with the current state of the resource: read that state first.',
  },
  request_too_large: { retry: 'never', advice: 'Correct the arguments, then call again.' },
  invalid_request: { retry: 'never', advice: 'Correct the arguments, then call again.' },
  connector_outdated: {
    retry: 'never',
    advice: 'No argument can change that: tell the user that the operator of the gateway has to update its connector.',
  },
  request_refused: { retry: 'never', advice: 'Correct the arguments, then call again.' },
  rate_limited: { retry: 'always' },
  quota_exhausted: {
    retry: 'never',
    advice: 'The quota of the connected account is used up, and waiting does not help: tell the user.',
  },
  upstream_error: { retry: 'repeatable' },
  upstream_unavailable: { retry: 'always' },
  upstream_redirect: { retry: 'never', advice: 'Calling again will not help.' },
  // No usable answer.
  upstream_timeout: { retry: 'repeatable' },
  upstream_unreachable: { retry: 'always', advice: 'Call again in a minute.' },
  upstream_connection_lost: { retry: 'repeatable' },
  upstream_protocol_error: { retry: 'repeatable' },
  upstream_invalid_answer: { retry: 'repeatable' },
  result_too_large: { retry: 'never' },
  cancelled: { retry: 'never', advice: '' },
  internal_error: { retry: 'repeatable', advice: 'Call again in a moment.' },
} as const satisfies Readonly<Record<string, OutcomeRule>>;

/** A call that failed, by why. */
export type FailedOutcome = keyof typeof FAILURES;

/** How a call ended. */
export type Outcome = 'ok' | FailedOutcome;

/** Every outcome, in the order of a call. */
export const OUTCOMES: readonly Outcome[] = ['ok', ...(Object.keys(FAILURES) as FailedOutcome[])];

const rules: Readonly<Record<FailedOutcome, OutcomeRule>> = FAILURES;

/** Whether the same call may succeed later. @param repeatable whether the tool is idempotent. */
export function isRetryable(outcome: FailedOutcome, repeatable: boolean): boolean {
  const { retry } = rules[outcome];
  return retry === 'always' || (retry === 'repeatable' && repeatable);
}

/** What the user can do about such an outcome, or null. */
export function remedyOf(outcome: Outcome): Remedy | null {
  return outcome === 'ok' ? null : (rules[outcome].remedy ?? null);
}

/** The advice that goes with an outcome wherever it happens, or null. */
export function adviceOf(outcome: FailedOutcome): string | null {
  return rules[outcome].advice ?? null;
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

/** The outcome that an upstream's status means, whatever its body says. */
export function outcomeOfStatus(status: number): FailedOutcome {
  const known = BY_STATUS[status];
  if (known !== undefined) return known;
  if (status >= 500) return 'upstream_error';
  return status >= 300 && status < 400 ? 'upstream_redirect' : 'request_refused';
}
