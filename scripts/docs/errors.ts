/** The reference page of all errors: HTTP, JSON-RPC, and outcomes of tool calls. */

import { ERROR_CODES, type ErrorCodeText } from '../../server/base/http/error-codes.ts';
import { MESSAGE_ERRORS } from '../../server/call/mcp/json-rpc.ts';
import { OUTCOME_TEXTS } from '../../server/call/tools/results/outcome-texts.ts';
import { isRetryable, OUTCOMES } from '../../server/call/tools/results/outcomes.ts';
import { code, table } from './markdown.ts';

const HEAD = `# Errors

What the gateway answers when something is wrong. Texts for people may change; codes do not.

- [HTTP errors](#http-errors): every route but the MCP endpoint, for clients and partners.
- [JSON-RPC errors](#json-rpc-errors): the MCP endpoint, for messages that are no valid call.
- [Outcomes of a tool call](#outcomes-of-a-tool-call): what a model reads.
`;

const HTTP = `## HTTP errors

The body is \`{"error": ..., "error_description": ...}\` ([RFC 6749 §5.2](https://www.rfc-editor.org/rfc/rfc6749#section-5.2)). Where client and redirect URI are verified, the
authorization endpoint and the connect page send both to the redirect URI instead. A description for a defect holds nothing but the request id of the log.
`;

const JSON_RPC = `## JSON-RPC errors

\`POST /api/mcp/unified\` answers a message that it cannot take as a JSON-RPC error. A request without a valid access token gets an [HTTP error](#http-errors), with \`WWW-Authenticate\`.
`;

const OUTCOMES_HEAD = `## Outcomes of a tool call

A call that fails is a tool result with \`isError: true\`: a text, and the error as JSON, whose \`code\` is one of these ([the whole shape](tools.md#errors)). The record of the call, the metrics and the
partner's usage use the same names, with \`ok\` for a call that succeeds. The code comes from the status and from the rules of \`connector.yaml\`, never from an upstream's words.

"Retry" is what \`retryable\` says: \`true\`, \`false\`, or *idempotent*: true where repeating the tool is safe.
`;

/** Every code and outcome, from the tables that define their types. */
export function emitErrorsPage(): string {
  const codes: Readonly<Record<string, ErrorCodeText>> = ERROR_CODES;
  const http = Object.entries(codes).map(([name, { statuses, meaning, fixedBy = 'caller', toDo }]) => [
    code(name),
    statuses.join(', '),
    meaning,
    fixedBy,
    toDo,
  ]);
  const messages = Object.entries(MESSAGE_ERRORS).map(([number, { statuses, meaning, toDo }]) => [
    code(number),
    statuses.join(', '),
    meaning,
    toDo,
  ]);
  const outcomes = OUTCOMES.map((outcome) => {
    const { meaning, fixedBy, toDo } = OUTCOME_TEXTS[outcome];
    return [code(outcome), meaning, fixedBy, toDo, retryOf(outcome)];
  });
  return [
    HEAD,
    `${HTTP}\n${table(['Code', 'Status', 'Meaning', 'Who can fix it', 'What to do'], http)}`,
    `${JSON_RPC}\n${table(['Code', 'Status', 'Meaning', 'What to do'], messages)}`,
    `${OUTCOMES_HEAD}\n${table(['Code', 'Meaning', 'Who can fix it', 'What to do', 'Retry'], outcomes)}`,
  ].join('\n');
}

function retryOf(outcome: (typeof OUTCOMES)[number]): string {
  if (outcome === 'ok') return '';
  if (isRetryable(outcome, false)) return 'true';
  return isRetryable(outcome, true) ? 'idempotent' : 'false';
}
