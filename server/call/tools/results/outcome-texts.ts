/** Every outcome of a tool call, for people: what it means, who can fix it, and what the caller should do. */

import type { Outcome } from './outcomes.ts';

/** The person or party that can solve the problem. `nobody` means that it resolves by itself, or that there is no problem. */
type Fixer = 'caller' | 'user' | 'partner' | 'operator' | 'service' | 'nobody';

interface OutcomeText {
  readonly meaning: string;
  readonly fixedBy: Fixer;
  readonly toDo: string;
}

const text = (fixedBy: Fixer, meaning: string, toDo: string): OutcomeText => ({ fixedBy, meaning, toDo });

const CORRECT = 'Correct the arguments, then call again.';
const WAIT = 'Wait for `retryAfterSeconds`, then call again.';
const STATE = 'Call again if the tool is idempotent; otherwise read the current state first.';
const RECONNECT = 'Ask the user to connect the service again.';
const TELL = 'Tell the user.';

/** The type requires a text for every outcome. */
export const OUTCOME_TEXTS: Readonly<Record<Outcome, OutcomeText>> = {
  ok: text('nobody', 'The call has a result.', 'Use it.'),
  too_many_calls: text('nobody', 'The user has reached `TOOL_CALLS_PER_MINUTE` of this gateway.', WAIT),
  partner_suspended: text(
    'operator',
    "The operator suspended the user's partner.",
    'Tell the user to ask the partner.',
  ),
  not_offered: text(
    'partner',
    "The user's partner does not offer the tool's service.",
    'Tell the user to ask the partner.',
  ),
  not_connected: text(
    'user',
    "The user has not connected the tool's service. The text holds the partner's address for that, where the partner has one.",
    'Ask the user to connect the service.',
  ),
  insufficient_scope: text(
    'user',
    'The access token may only read, and the tool writes.',
    'Ask for a token with the scope `tools:write`: sign in again.',
  ),
  not_allowed: text(
    'user',
    'The user left the tool out, or froze the grant before the tool came; or an argument contradicts a value that is fixed for the grant.',
    'Do without the tool, or tell the user.',
  ),
  writing_stopped: text(
    'operator',
    'The operator stopped everything that writes, with `utg writes stop`.',
    'Tell the user. Tools that read still work.',
  ),
  needs_approval: text(
    'user',
    'The tool has [become riskier](tools.md#tools-that-become-riskier) than the user, or the partner, allowed; or the user did not choose to allow its effect at consent. It is about the tool (tool consent); `awaiting_approval` is about one call (approval).',
    'Ask the user to open the address in the text, then call again.',
  ),
  connection_needs_attention: text('user', "The service refused this connection's credential before.", RECONNECT),
  credential_unreadable: text(
    'operator',
    'The gateway cannot decrypt the credential.',
    'Tell the user: the operator has to restore the key, or the user connects again, as the text says.',
  ),
  scope_not_granted: text(
    'user',
    'The user has not granted what the tool needs.',
    'Ask the user to connect again, and to grant the scopes in `details`.',
  ),
  credential_not_renewed: text(
    'service',
    'The access token has expired, and the service issues no other for now.',
    WAIT,
  ),
  invalid_arguments: text(
    'caller',
    'The arguments do not fit the input schema. The text says which, with the nearest valid name or value, and has an example if no value has to be invented.',
    CORRECT,
  ),
  idempotency_key_reused: text(
    'caller',
    'The [idempotency key](writes.md) was used for another call. Nothing was sent.',
    'Use a new key for every call that is to be made.',
  ),
  call_in_progress: text('nobody', 'The first call with the idempotency key is still running.', WAIT),
  outcome_unknown: text(
    'caller',
    'The first call with the idempotency key was sent, and nobody knows whether it took effect.',
    'Read the current state first. If the call did not take effect, make it with another key.',
  ),
  too_many_idempotency_keys: text(
    'nobody',
    'The grant has used 20,000 idempotency keys within a day. Nothing was sent.',
    'Wait: a key is free again a day after its first call. Or call without a key.',
  ),
  awaiting_approval: text(
    'user',
    'This one call needs the [approval](../guides/approvals.md) of its user. Nothing was sent. `details` has the id of the approval, and until when it waits.',
    'Tell the user. After the approval, call again with exactly the same arguments.',
  ),
  denied_by_user: text(
    'user',
    'The user denied exactly this call within the last ten minutes. Nothing was sent.',
    'Stop, unless the user asks for it.',
  ),
  call_limit_reached: text(
    'nobody',
    'A [rule about calls](../guides/limits.md#rules-about-calls) of the operator or the partner allows no more of them for now. Nothing was sent. `details` has the rule, and when its window ends.',
    WAIT,
  ),
  no_free_turn: text(
    'nobody',
    "The connector's [caps](../guides/upstreams.md#caps-and-rate-limits): other calls of this connection took every turn. Nothing was sent.",
    `${WAIT} Make fewer calls at once.`,
  ),
  definition_changed: text(
    'operator',
    'The [MCP server](../guides/remote-mcp-servers.md) has changed the definition of the tool since it was reviewed, or lists its tools in an answer that is too large or not valid. Nothing was sent.',
    'Tell the user that the operator has to run `utg update` and to review the change.',
  ),
  tool_gone: text(
    'operator',
    'The MCP server does not offer the tool any more. Nothing was sent.',
    'Tell the user that the operator has to run `utg update`.',
  ),
  upstream_circuit_open: text(
    'service',
    'The service did not answer several calls before this one, so the gateway lets few through. Nothing was sent.',
    WAIT,
  ),
  upstream_busy: text(
    'operator',
    'The gateway has `UPSTREAM_CONCURRENCY` requests to the service under way, and none ended in time. Nothing was sent.',
    WAIT,
  ),
  credential_refused: text(
    'user',
    "The service does not accept the connection's credential, also when asked again.",
    RECONNECT,
  ),
  refused_once: text('nobody', 'The service refused the credential once. The connection is kept.', 'Call again.'),
  bad_request: text('caller', 'The service answered 400.', CORRECT),
  payment_required: text(
    'user',
    'The service answered 402: the plan of the connected account does not allow it.',
    TELL,
  ),
  forbidden: text(
    'user',
    'The service answered 403: the connected account may not do this.',
    'Try something else, or tell the user.',
  ),
  not_found: text('caller', 'The service answered 404.', CORRECT),
  gone: text('caller', 'The service answered 410: what the arguments name is gone.', CORRECT),
  method_not_allowed: text('caller', 'The service answered 405.', CORRECT),
  not_acceptable: text('caller', 'The service answered 406.', CORRECT),
  conflict: text(
    'caller',
    "The service answered 409: the call conflicts with the resource's current state.",
    'Read the current state first. The text names tools that change it.',
  ),
  request_too_large: text('caller', 'The service answered 413.', 'Ask for less, or send less.'),
  invalid_request: text('caller', 'The service answered 422.', CORRECT),
  connector_outdated: text(
    'operator',
    'The service refuses what the connector sends with every call, such as a version of the API. The log has it as an error.',
    'Tell the user that the operator has to update the connector.',
  ),
  request_refused: text('caller', 'Another 4xx of the service, or an error inside a 2xx answer.', CORRECT),
  tool_error: text(
    'caller',
    'The MCP server says that the call failed. Its words are quoted as data.',
    'Correct the arguments, or tell the user.',
  ),
  needs_input: text(
    'user',
    'The MCP server asks the user before it answers, and its question cannot be passed on.',
    'Tell the user what it asks.',
  ),
  rate_limited: text(
    'nobody',
    "The service's own rate limit. `retryAfterSeconds` is at least 1 where the service says how long.",
    WAIT,
  ),
  quota_exhausted: text('user', "The service's quota of a day or a month is used up. Waiting does not help.", TELL),
  upstream_error: text('service', 'The service answered 5xx.', STATE),
  upstream_unavailable: text('service', 'The service answered 503.', 'Call again later.'),
  upstream_redirect: text(
    'operator',
    'The service answered with a redirect that the gateway never follows: to another origin, or of a call that writes. Such a call may have taken effect. Or it answered 304: nothing has changed.',
    'After a call that writes, read the current state. Otherwise tell the user.',
  ),
  upstream_timeout: text('service', 'No answer within `UPSTREAM_TIMEOUT_MS`, or the service answered 408.', STATE),
  upstream_unreachable: text('service', 'No connection to the service. Nothing was sent.', 'Call again in a minute.'),
  upstream_tls_refused: text(
    'operator',
    'The certificate of the service, or its TLS, is refused: the message says why. Nothing was sent.',
    'Tell the user. Another call fails in the same way.',
  ),
  upstream_connection_lost: text('service', 'The connection broke before the answer was complete.', STATE),
  upstream_protocol_error: text('service', 'The answer is not valid HTTP, or not valid MCP.', STATE),
  upstream_invalid_answer: text(
    'service',
    'Broken JSON, a web page where JSON belongs, a 207 without content, or a list whose next page cannot be found. The service reported success, so a call that writes took effect.',
    'Call again if the tool only reads; otherwise read the current state.',
  ),
  result_too_large: text(
    'caller',
    'No useful part of the answer [fits](tools.md#long-answers), or it exceeds `MAX_RESULT_BYTES`.',
    'Narrow the call with the arguments that the text names.',
  ),
  cancelled: text('nobody', 'The client cancelled the call, or went away.', 'Nothing.'),
  internal_error: text('operator', 'A defect of the gateway. The log has the error under the request id.', STATE),
};
