/** The single error shape that models read. */

import type { Redactor } from '../../upstream/index.ts';
import { rawNumber } from '../json.ts';
import type { CompleteToolResult } from '../provider.ts';
import { adviceOf, type FailedOutcome, isRetryable } from './outcomes.ts';

/** The error of a call. */
export interface ToolError {
  /** The gateway's own code, never an upstream's. */
  readonly code: FailedOutcome;
  /** HTTP status of the upstream's answer, or null if there was none. */
  readonly status: number | null;
  /** The upstream's own code, at most 64 characters; null if it has none. */
  readonly upstreamCode: string | null;
  readonly message: string;
  /** The upstream's details, such as a list of fields, or null. */
  readonly details: unknown;
  /** True if the same call may succeed later, unchanged. */
  readonly retryable: boolean;
  /** Seconds to wait before the next call. Null if not known. */
  readonly retryAfterSeconds: number | null;
}

/** An error, and one sentence of advice. */
export interface ExplainedError {
  readonly error: ToolError;
  readonly advice: string;
}

/** Facts about a failure in addition to its outcome. */
export interface FailureFacts {
  readonly message: string;
  /** Default: the advice of the outcome. */
  readonly advice?: string | undefined;
  /** True if the tool is idempotent. Default: false. */
  readonly repeatable?: boolean;
  readonly status?: number | null;
  readonly upstreamCode?: string | null;
  readonly details?: unknown;
  readonly retryAfterSeconds?: number | null;
}

/** The beginning of a refusal of large answers, and of programs. */
export const BUDGET_IS_USED =
  'The large answers and programs of this user have taken all the time that the gateway has for them in a minute.';

const MAX_MESSAGE_LENGTH = 1000;
const MAX_DETAILS_LENGTH = 4000;

/** Builds the error of an outcome. Whether it can be retried follows from the outcome and the tool. */
export function explain(outcome: FailedOutcome, facts: FailureFacts): ExplainedError {
  const repeatable = facts.repeatable ?? false;
  const error: ToolError = {
    code: outcome,
    status: facts.status ?? null,
    upstreamCode: facts.upstreamCode ?? null,
    message: facts.message,
    details: facts.details ?? null,
    retryable: isRetryable(outcome, repeatable),
    retryAfterSeconds: facts.retryAfterSeconds ?? null,
  };
  return { error, advice: facts.advice ?? adviceOf(outcome, repeatable) };
}

/**
 * The result of a call that failed: a text for the model, then the other facts of the error as JSON, without those that are null.
 *
 * No structured content: clients would check it against the tool's output schema (MCP, Tools).
 */
export function toErrorResult({ error, advice }: ExplainedError): CompleteToolResult {
  const text = advice === '' ? error.message : `${error.message} ${advice}`;
  const json = JSON.stringify({ ...error, message: undefined }, (_, value: unknown) => value ?? undefined);
  return {
    content: [
      { type: 'text', text },
      { type: 'text', text: escapeTags(json) },
    ],
    isError: true,
  };
}

/** Returns the code of a result of `toErrorResult`, or null for any other result. */
export function errorCodeOf({ isError, content }: CompleteToolResult): FailedOutcome | null {
  const json = content[1]?.text;
  if (isError !== true || typeof json !== 'string' || !json.startsWith('{"code":')) return null;
  return (JSON.parse(json) as ToolError).code;
}

/** Longer texts are truncated before any search, so that no upstream decides how long a search takes. */
const MAX_CLEANED_LENGTH = 8 * MAX_MESSAGE_LENGTH;

/** Cleans an upstream's text for a model: no control characters, no stack trace, bounded length. */
export function cleanText(text: string): string {
  const plain = text
    .slice(0, MAX_CLEANED_LENGTH)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
    .replace(/\u001b\[[0-9;]*[A-Za-z]/g, '')
    .replace(/[^\P{C}\n\t]/gu, '')
    .split(/\n[^\S\n]+at |\nTraceback |^Traceback /m, 1)
    .join('')
    .trim();
  return plain.length <= MAX_MESSAGE_LENGTH ? plain : `${plain.slice(0, MAX_MESSAGE_LENGTH)}…`;
}

/** Bounds the size of an upstream's details. */
export function cleanDetails(details: unknown): unknown {
  if (details === undefined || details === null) return null;
  if (typeof details === 'string') return cleanText(details);
  const text = JSON.stringify(details);
  return text.length <= MAX_DETAILS_LENGTH ? details : `${text.slice(0, MAX_DETAILS_LENGTH)}…`;
}

/** Quotes upstream text in a sentence of the gateway, marked so that it does not appear to be the gateway's own. */
export function quoteUpstream(text: string, part: 'message' | 'title' = 'message'): string {
  return ` Its ${part}, as data: ${JSON.stringify(text)}.`;
}

/** Returns the upstream's message in a sentence with `quoteUpstream`, or null if there is none. */
export function quotedIn(sentence: string): string | null {
  const [, quoted] = / Its message, as data: ("(?:[^"\\]|\\.)*")\./.exec(sentence) ?? [];
  try {
    return quoted === undefined ? null : (JSON.parse(quoted) as string);
  } catch {
    // A part of an escape was redacted.
    return null;
  }
}

const MAX_CODE_LENGTH = 64;

/** Cleans an upstream's own code: one line of at most 64 characters, or null if nothing is left. */
export function cleanCode(code: string): string | null {
  const plain = code.slice(0, MAX_CODE_LENGTH).replace(/\p{C}/gu, '').trim();
  return plain === '' ? null : plain;
}

const texts = new WeakMap<CompleteToolResult, string>();

/** Stores the JSON of a result for the lifetime of the result. */
export function keepJson(result: CompleteToolResult, json: string): CompleteToolResult {
  texts.set(result, json);
  return result;
}

/** Returns the stored JSON of a result, or serializes it now. */
export function toJson(result: CompleteToolResult): string {
  return texts.get(result) ?? JSON.stringify(result);
}

const structuredTexts = new WeakMap<CompleteToolResult, string>();

/** Stores the JSON of the structured content of a result for the lifetime of the result. */
export function keepStructuredJson(result: CompleteToolResult, json: string): CompleteToolResult {
  structuredTexts.set(result, json);
  return result;
}

/** Returns the JSON of the structured content, or undefined if there is none. */
export function structuredJsonOf(result: CompleteToolResult): string | undefined {
  return structuredTexts.get(result) ?? JSON.stringify(result.structuredContent);
}

/** U+E0000 to U+E007F: a high surrogate shared with a few other characters, then one of 128 low surrogates. */
const TAGS = /\udb40[\udc00-\udc7f]/g;

/**
 * Writes tag characters as JSON escapes, so that they are visible. The value of a JSON text stays the same.
 *
 * Other invisible characters are kept: some scripts need joiners and direction marks.
 */
export function escapeTags(text: string): string {
  return text.includes('\udb40') ? text.replace(TAGS, (pair) => escapeUnit(pair, 0) + escapeUnit(pair, 1)) : text;
}

function escapeUnit(pair: string, index: number): string {
  return `\\u${pair.charCodeAt(index).toString(16)}`;
}

/** A JSON escape of `%`, `&` or a backslash. */
const ESCAPED_ESCAPE = /\\u00(?:25|26|5c)/i;

/**
 * Redacts the credential in texts, names and numbers; returns the same object if it is not there.
 *
 * @param json the text that the value was parsed from, to see quickly whether there is anything to redact. It must not
 * be nested too deeply for recursion.
 */
export function redactValue(value: unknown, json: string, redactor: Redactor): unknown {
  return ESCAPED_ESCAPE.test(json) || redactor.isIn(json) ? redacted(value, redactor) : value;
}

/** Does the same as `redactValue`, for a value without its JSON text. */
export function redacted(value: unknown, redactor: Redactor): unknown {
  if (typeof value === 'string') return redactor.text(value);
  const number = typeof value === 'number' ? String(value) : rawNumber(value);
  if (number !== undefined) return redactor.isIn(number) ? redactor.text(number) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => redacted(item, redactor));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  const members = Object.entries(value);
  const clean = members.map(([name, member]) => [redactor.text(name), redacted(member, redactor)] as const);
  const isSame = clean.every(([name, member], index) => name === members[index]?.[0] && member === members[index]?.[1]);
  return isSame ? value : Object.fromEntries(clean);
}
