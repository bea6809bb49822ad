/** The one error shape that a model reads, whatever went wrong. */

import type { CompleteToolResult } from './provider.ts';

/** What went wrong with a call. */
export interface ToolError {
  /** The upstream's own code where it has one, else the gateway's, such as `not_found`. */
  readonly code: string;
  /** HTTP status of the upstream's answer, or null when there was none. */
  readonly status: number | null;
  readonly message: string;
  /** What the upstream adds, such as a list of fields; null when nothing. */
  readonly details: unknown;
  /** Whether the same call may succeed later without any change. */
  readonly retryable: boolean;
  /** How long to wait, where that is known. */
  readonly retryAfterSeconds: number | null;
}

/** An error, and one sentence on what to do about it. */
export interface ExplainedError {
  readonly error: ToolError;
  readonly advice: string;
}

const MAX_MESSAGE_LENGTH = 1000;
const MAX_DETAILS_LENGTH = 4000;

/** An error of the gateway's own. */
export function gatewayError(
  code: string,
  message: string,
  advice: string,
  more: Partial<ToolError> = {},
): ExplainedError {
  const error = { code, status: null, message, details: null, retryable: false, retryAfterSeconds: null, ...more };
  return { error, advice };
}

/**
 * The result of a call that failed: a text for the model, then the error as JSON.
 *
 * No structured content: clients would check it against the tool's output schema (MCP, Tools).
 */
export function toErrorResult({ error, advice }: ExplainedError): CompleteToolResult {
  const text = advice === '' ? error.message : `${error.message} ${advice}`;
  return {
    content: [
      { type: 'text', text },
      { type: 'text', text: JSON.stringify(error) },
    ],
    isError: true,
  };
}

/** Text of a stranger, made fit for a model: no control characters, no stack trace, of bounded length. */
export function cleanText(text: string): string {
  const plain = text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
    .replace(/\u001b\[[0-9;]*[A-Za-z]/g, '')
    .replace(/[^\P{C}\n\t]/gu, '')
    .split(/\n\s+at |\nTraceback |^Traceback /m, 1)
    .join('')
    .trim();
  return plain.length <= MAX_MESSAGE_LENGTH ? plain : `${plain.slice(0, MAX_MESSAGE_LENGTH)}…`;
}

/** Details of a stranger, of bounded size. */
export function cleanDetails(details: unknown): unknown {
  if (details === undefined || details === null) return null;
  if (typeof details === 'string') return cleanText(details);
  const text = JSON.stringify(details);
  return text.length <= MAX_DETAILS_LENGTH ? details : `${text.slice(0, MAX_DETAILS_LENGTH)}…`;
}
