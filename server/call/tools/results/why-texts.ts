/** The texts that say why a client lacks a tool or a call failed, and the step that helps, for an operator. */

import { OUTCOME_TEXTS } from './outcome-texts.ts';
import { OUTCOMES, type Outcome } from './outcomes.ts';

/** Values of the names in a text, such as `service`. */
export type Names = Readonly<Record<string, string>>;

export const BY_OWNER =
  "The owner of the connection connects it again in the partner's application: GET /api/partner/teams/<team_id>/shares names the owner.";
const SIGN_IN_AGAIN = 'The user signs in again from the client';
const CONNECT = "The user connects it in the partner's application";

const DECIDES =
  'The user decides about each call, on their page or in the application of the partner. APPROVALS sets the rule.';

/** The advice for every reason, in the order in which a request meets the reasons. `{x}` is a name, see `fillNames`. */
export const FIXES = {
  no_token: `${SIGN_IN_AGAIN}, at {resource}.`,
  unknown_tool: 'Use a name of the dashboard page Tools, /admin/tools.',
  not_reviewed: 'Review it: utg tools:diff --approve <file>, then restart the gateway with REQUIRE_REVIEWED=<file>.',
  not_served: 'Correct it in specs/, then run utg codegen.',
  too_many_calls: 'Wait, or raise TOOL_CALLS_PER_MINUTE.',
  partner_suspended: 'utg partner resume --client-id {partner}',
  not_offered: 'utg partner set --client-id {partner} --services <all that it may offer>',
  narrowed: `${SIGN_IN_AGAIN}, with a connection code that includes {service}, and leaves it ticked.`,
  not_redeemed: "The partner's application exchanges the code of the connect flow at POST /api/oauth/token.",
  not_connected: `${CONNECT}.`,
  allowance:
    "The partner's server sets another allowance: PUT /api/partner/users/<user_id>/allowance. In the portal: PORTAL_RULES.",
  frozen: `${SIGN_IN_AGAIN}, and lets new tools join.`,
  destructive: `${SIGN_IN_AGAIN}, and allows it to delete and overwrite.`,
  left_out: `${SIGN_IN_AGAIN}, and leaves the tool ticked.`,
  account_removed: `${SIGN_IN_AGAIN}, with a connection code for an account that is connected.`,
  unpinnable: `${SIGN_IN_AGAIN}, with a connection code that fixes other arguments of {service}.`,
  insufficient_scope: `${SIGN_IN_AGAIN}, and allows it to write.`,
  writing_stopped: 'utg writes resume',
  needs_approval: 'The user opens the page that a call of the tool offers, and allows it.',
  connection_needs_attention: `${CONNECT} again.`,
  credential_unreadable: `Put the missing key back into ENCRYPTION_KEYS (utg keys --help). Without it: ${CONNECT} again.`,
  scope_not_granted: `${CONNECT} again, and grants the scopes.`,
  call_limit_reached:
    'Wait, or change the rule: CALL_LIMITS, or utg partner set --client-id {partner} --call-limits <all its rules>.',
  read_only_share: `The partner's server shares it for writing: PUT /api/partner/teams/<team_id>/shares/{service} with "read_only": false.`,
  upstream_circuit_open: 'Wait: one call every five seconds tries it. /admin/upstreams shows the last failure.',
  not_listed:
    'A call works by its name, or through call_reading_tool or call_writing_tool. CATALOGUE_MODE sets the mode.',
  pinned: `To change that: ${SIGN_IN_AGAIN.toLowerCase()}, with another connection code.`,
  approval: DECIDES,
  ok: '',
};

export type Reason = keyof typeof FIXES;

/** The advice for outcomes that only a call meets, where an operator can do more than the caller is told. */
const CALL_FIXES: Partial<Record<Outcome, string>> = {
  awaiting_approval: DECIDES,
  upstream_busy: 'Raise UPSTREAM_CONCURRENCY, or find out why the service is slow: /admin/upstreams shows its load.',
  credential_refused: `${CONNECT} again.`,
  connector_outdated: 'Bring the connector up to date: utg update {service}, then utg codegen.',
  upstream_tls_refused: 'utg doctor says what is wrong with the certificate or the TLS of {service}.',
  internal_error: 'Search the log for the request id, and report the defect.',
};

/** The explanation of a recorded call, for an operator. */
interface OutcomeExplanation {
  /** What happened. It may have links and code in Markdown, as `fix` may. */
  readonly text: string;
  readonly fix: string;
  readonly fixedBy: (typeof OUTCOME_TEXTS)[Outcome]['fixedBy'];
}

/**
 * Explains how a recorded call ended, with the step that an operator would be told for the same reason.
 *
 * @param names see `FIXES`. @returns undefined for an outcome that only another version knows.
 */
export function explainOutcome(outcome: string, names: Names): OutcomeExplanation | undefined {
  const known = OUTCOMES.find((name) => name === outcome);
  if (known === undefined) return undefined;
  const { meaning, toDo, fixedBy } = OUTCOME_TEXTS[known];
  const advice: Partial<Record<Outcome, string>> = { ...FIXES, ...CALL_FIXES };
  const fix = advice[known];
  return { text: meaning, fix: fix === undefined ? toDo : fillNames(fix, names), fixedBy };
}

/** Texts where a call says less. */
export const TEXTS: Partial<Record<Reason, string>> = {
  narrowed: 'The connection code or the user narrowed this client to other services: {narrowed}.',
  not_redeemed: 'The user completed a connect flow for {service}, and the partner has not exchanged its code.',
  allowance: 'The partner does not allow this tool to the user.',
  frozen: 'The user allowed only the tools of that time, and this is none of them.',
  destructive: 'The user does not let this client delete or overwrite.',
  left_out: 'The user unticked the tool or its service at consent, or took it away later.',
  unpinnable: 'The connection code fixes {pins}, and the tool cannot send that.',
  not_listed: 'It has the tool, but its list does not name it: the mode of the list is {mode}.',
  pinned: 'It has the tool, and the connection code fixes {pins}.',
  approval: 'It has the tool, and each call waits until the user has approved it.',
  ok: 'It has the tool: it is listed, and a call is made.',
};

/** Puts values in the place of `{name}`. */
export function fillNames(words: string, names: Names): string {
  return words.replaceAll(/\{(\w+)\}/g, (_, name: string) => names[name] ?? '');
}
