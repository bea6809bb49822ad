/** The outcome of a call: a result, or an error as a result. */

import { CredentialUnreadableError } from '../../../base/credentials/index.ts';
import {
  type McpQuestions,
  NOTHING_TO_REDACT,
  type Redactor,
  type UnusableCredentialError,
} from '../../upstream/index.ts';
import type { CompleteToolResult } from '../provider.ts';
import {
  type ExplainedError,
  explain,
  type FailureFacts,
  redacted,
  type ToolError,
  toErrorResult,
} from '../results/errors.ts';
import type { FailedOutcome } from '../results/outcomes.ts';

interface OutcomeFacts {
  readonly result: CompleteToolResult;
  /** HTTP status of the upstream's answer, or null when there was none. */
  readonly upstreamStatus: number | null;
  /** Bytes of the result's texts and data. */
  readonly resultBytes: number;
  /** Names of the arguments that are not valid, for the record. Undefined if the call did not fail, or failed for another reason. */
  readonly invalid?: string;
  /** The questions of an MCP server to the user. Undefined if it asks nothing that can be passed on. */
  readonly questions?: McpQuestions;
}

/** The end of a call. */
export type CallOutcome =
  | (OutcomeFacts & { readonly outcome: 'ok'; readonly error: null })
  | (OutcomeFacts & { readonly outcome: FailedOutcome; readonly error: ToolError });

/**
 * Ends a call that failed.
 *
 * @param redactor redacts quoted upstream text again, because cleaning may join the parts of a credential.
 */
export function failed(explained: ExplainedError, redactor: Redactor = NOTHING_TO_REDACT): CallOutcome {
  const error = redacted(explained.error, redactor) as ToolError;
  const result = toErrorResult({ ...explained, error });
  const resultBytes = Buffer.byteLength(JSON.stringify(result.content));
  return { result, outcome: error.code, error, upstreamStatus: error.status, resultBytes };
}

/** Ends a call that failed, from its outcome. */
export function refuse(outcome: FailedOutcome, facts: FailureFacts): CallOutcome {
  return failed(explain(outcome, facts));
}

/** Returns the outcome with another text for the model. */
export function withNote(outcome: CallOutcome, text: string): CallOutcome {
  const content = [...outcome.result.content, { type: 'text' as const, text }];
  return {
    ...outcome,
    result: { ...outcome.result, content },
    resultBytes: outcome.resultBytes + Buffer.byteLength(text),
  };
}

/** @param title of the service. */
export function needsAttention(title: string): CallOutcome {
  return refuse('connection_needs_attention', {
    message: `${title} no longer accepts the credential of this connection.`,
    advice: `Calling again will not help: the user must connect ${title} again in the application that manages the connections.`,
  });
}

const ENDS_BY_OWNER: ReadonlySet<string> = new Set([
  'connection_needs_attention',
  'credential_unreadable',
  'credential_refused',
  'scope_not_granted',
]);

/**
 * Returns what a member of a team is told where the user would be asked to connect again: only the owner of the connection can do that, and
 * nothing here says who that is.
 */
export function explainToMember(
  outcome: CallOutcome,
  { title, account, partnerName }: { readonly title: string; readonly account: string; readonly partnerName: string },
): CallOutcome {
  if (outcome.error === null || !ENDS_BY_OWNER.has(outcome.outcome)) return outcome;
  const { code, status } = outcome.error;
  const cause = code === 'scope_not_granted' ? 'lacks what this tool needs' : 'does not work now';
  const explained = refuse(code, {
    message: `The account ${JSON.stringify(account)} of ${title}, which a team shares with this user, ${cause}: its owner has to connect it again.`,
    advice: `Calling again will not help: tell the user to ask ${partnerName} about the team. A connection of the user's own does not replace it.`,
    status,
    details: { team: account },
  });
  return { ...explained, upstreamStatus: outcome.upstreamStatus };
}

/** Reports the fault, and says who can fix it: the operator with the key, or the user by connecting again. */
export function unreadableCredential(
  { connector, tool }: { readonly connector: { readonly title: string }; readonly tool: { readonly name: string } },
  error: CredentialUnreadableError | UnusableCredentialError,
  onFault: (fault: { kind: 'credential_unreadable'; tool: string; error: unknown }) => void,
): CallOutcome {
  onFault({ kind: 'credential_unreadable', tool: tool.name, error });
  const lostKey = error instanceof CredentialUnreadableError && error.reason === 'unknown-key';
  return refuse('credential_unreadable', {
    message: `The gateway cannot read the credential of this connection to ${connector.title}.`,
    advice: lostKey
      ? 'Calling again will not help: the operator of the gateway has to restore its encryption key.'
      : `Calling again will not help: the user must connect ${connector.title} again in the application that manages the connection.`,
  });
}
