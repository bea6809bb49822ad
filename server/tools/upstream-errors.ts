/** Turns an upstream's error answers and failures into the one error shape. */

import { parseRetryAfter, type UpstreamFailure } from '../upstream/index.ts';
import type { Connector, ErrorRules, Tool } from './contract.ts';
import { cleanDetails, cleanText, type ExplainedError, gatewayError, type ToolError } from './errors.ts';
import type { Arguments } from './heal.ts';
import { findListings } from './listings.ts';
import { findNarrowingArguments } from './narrowing.ts';
import { readPointer } from './pointer.ts';

/** The tool that was called, of which connector, with what. */
export interface CalledTool {
  readonly connector: Connector;
  readonly tool: Tool;
  readonly args: Arguments;
}

/** An answer that says that the call failed. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** Parsed JSON, else text; undefined when empty. */
  readonly body: unknown;
}

/** The code of every answer that refuses the connection's credential. */
export const CREDENTIAL_REFUSED = 'credential_refused';

/** Where error bodies usually keep their message, for connectors that do not say. */
const USUAL_MESSAGES = [
  '/error/message',
  '/message',
  '/error_description',
  '/detail',
  '/errors/0/message',
  '/title',
  '/error',
];
const USUAL_CODES = ['/error/code', '/code', '/errors/0/code'];
const USUAL_DETAILS = ['/errors', '/error/details', '/details', '/detail'];

const CODE_BY_STATUS: Readonly<Record<number, string>> = {
  400: 'bad_request',
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
};

/** @param now milliseconds since 1970. */
export function explainErrorAnswer(called: CalledTool, answer: ErrorAnswer, now: number): ExplainedError {
  const { connector, tool } = called;
  const { errors } = connector;
  const refused = refusesCredential(errors, answer);
  const said = readText(answer.body, [...errors.message, ...USUAL_MESSAGES]) ?? plainText(answer.body);
  const retryAfterSeconds = parseRetryAfter(answer.headers.get('retry-after'), now);
  const error: ToolError = {
    code: refused
      ? CREDENTIAL_REFUSED
      : (readText(answer.body, [...errors.code, ...USUAL_CODES]) ?? codeOf(answer.status)),
    status: answer.status,
    message: `${connector.title} answered ${answer.status}${said === null ? '' : `: ${said}`}`.replace(
      /[^.!?…]$/,
      '$&.',
    ),
    details: readDetails(answer.body, [...errors.details, ...USUAL_DETAILS], said),
    retryable: !refused && isRetryable(answer.status, tool),
    retryAfterSeconds,
  };
  return { error, advice: refused ? reconnect(connector) : adviceFor(called, answer.status, retryAfterSeconds) };
}

/** Whether a 2xx answer is an error all the same, as the connector says. */
export function isErrorInSuccess(errors: ErrorRules, body: unknown): boolean {
  if (errors.inSuccess === null) return false;
  const found = readPointer(body, errors.inSuccess);
  return found !== undefined && found !== null;
}

/** An upstream that gave no usable answer. */
export function explainFailure(called: CalledTool, failure: UpstreamFailure): ExplainedError {
  const { connector, tool } = called;
  const { title } = connector;
  const repeatable = tool.annotations.idempotentHint;
  const unsure = repeatable ? 'Call again in a moment.' : 'The call may have taken effect: look before calling again.';
  switch (failure.kind) {
    case 'cancelled':
      return gatewayError('cancelled', 'The call was cancelled.', '');
    case 'timeout': {
      const seconds = Math.round((failure.limit ?? 0) / 100) / 10;
      return gatewayError('upstream_timeout', `${title} did not answer within ${seconds} seconds.`, unsure, {
        retryable: repeatable,
      });
    }
    case 'unreachable':
      return gatewayError('upstream_unreachable', `${title} cannot be reached.`, 'Call again in a minute.', {
        retryable: true,
      });
    case 'reset':
      return gatewayError('upstream_connection_lost', `The connection to ${title} broke off.`, unsure, {
        retryable: repeatable,
      });
    case 'redirect':
      return gatewayError(
        'upstream_redirect',
        `${title} answered ${failure.status} with a redirect that the gateway does not follow.`,
        'Calling again will not help.',
        { status: failure.status },
      );
    case 'too_large':
      return explainTooLarge(called, failure.bytes, failure.limit ?? 0, failure.status);
    case 'protocol':
      return gatewayError('upstream_protocol_error', `${title} sent an answer that is not valid HTTP.`, unsure, {
        retryable: repeatable,
      });
  }
}

/** A result over the limit. @param bytes its size, or null when only the limit is known to be exceeded. */
export function explainTooLarge(
  called: CalledTool,
  bytes: number | null,
  limit: number,
  status: number | null,
): ExplainedError {
  const size = bytes === null ? `more than ${limit} bytes` : `${bytes} bytes (the limit is ${limit})`;
  const done = called.tool.annotations.readOnlyHint ? '' : ' The call itself took effect.';
  const narrowing = findNarrowingArguments(called.tool, called.args);
  const advice =
    narrowing.length === 0
      ? 'The tool has no argument that narrows it: ask for something smaller.'
      : `Call again with narrower ${narrowing.join(', ')}.`;
  return gatewayError('result_too_large', `The result is too large: ${size}.${done}`, advice, { status });
}

/** An answer that cannot be read, such as broken JSON or a web page. @param problem completes "The answer …". */
export function explainUnreadable(called: CalledTool, status: number, problem: string): ExplainedError {
  const repeatable = called.tool.annotations.idempotentHint;
  return gatewayError(
    'upstream_invalid_answer',
    `${called.connector.title} answered ${status}, but the answer ${problem}.`,
    repeatable ? 'Call again in a moment.' : 'The call may have taken effect: look before calling again.',
    { status, retryable: repeatable },
  );
}

function refusesCredential(errors: ErrorRules, answer: ErrorAnswer): boolean {
  if (answer.status === 401) return true;
  return errors.invalidCredential.some((rule) => {
    if (rule.status !== answer.status) return false;
    const found = readPointer(answer.body, rule.pointer);
    const text = typeof found === 'string' ? found : (JSON.stringify(found) ?? '');
    return text.toLowerCase().includes(rule.contains.toLowerCase());
  });
}

function codeOf(status: number): string {
  return CODE_BY_STATUS[status] ?? (status >= 500 || status < 400 ? 'upstream_error' : 'request_refused');
}

function isRetryable(status: number, tool: Tool): boolean {
  if (status === 429 || status === 503) return true;
  return (status >= 500 || status === 408) && tool.annotations.idempotentHint;
}

function reconnect(connector: Connector): string {
  return `The credential of this connection is not accepted, so calling again will not help: the user must connect ${connector.title} anew in the application that manages the connection.`;
}

function adviceFor(called: CalledTool, status: number, retryAfterSeconds: number | null): string {
  const { tool } = called;
  const wait = retryAfterSeconds === null ? 'Wait a little' : `Wait ${retryAfterSeconds} seconds`;
  if (status >= 300 && status < 400) return 'Calling again will not help.';
  if (status === 429) return `${wait}, then call again.`;
  if (status >= 500) {
    if (status === 503 || tool.annotations.idempotentHint) return `${wait}, then call again.`;
    return 'The call may have taken effect: look before calling again.';
  }
  switch (status) {
    case 402:
      return 'The plan or quota of the connected account does not allow this: tell the user.';
    case 403:
      return 'The connected account is not allowed to do this: try something else, or tell the user.';
    case 404:
    case 410:
      return adviceOnMissing(called);
    case 409:
      return 'What exists already stands against this call: read its current state first.';
    default:
      return 'Correct the arguments, then call again.';
  }
}

function adviceOnMissing({ connector, tool }: CalledTool): string {
  const names = tool.pathArguments.map((argument) => `"${argument}"`);
  const listings = findListings(connector, tool);
  const what = names.length === 0 ? 'the arguments' : names.join(' and ');
  const verb = listings.length === 1 ? 'returns' : 'return';
  return listings.length === 0
    ? `Check ${what}: what ${names.length === 1 ? 'it names' : 'they name'} does not exist.`
    : `Check ${what}: ${listings.join(' and ')} ${verb} what exists.`;
}

function readText(body: unknown, pointers: readonly string[]): string | null {
  for (const pointer of pointers) {
    const found = readPointer(body, pointer);
    if (typeof found === 'string' && found.trim() !== '') return cleanText(found);
    if (typeof found === 'number') return String(found);
  }
  return null;
}

function readDetails(body: unknown, pointers: readonly string[], said: string | null): unknown {
  for (const pointer of pointers) {
    const found = readPointer(body, pointer);
    if (found === undefined || found === null || found === said) continue;
    return cleanDetails(found);
  }
  return null;
}

/** The message of a body that is no JSON object. A web page says most in its title. */
function plainText(body: unknown): string | null {
  if (typeof body !== 'string' || body.trim() === '') return null;
  if (!/^\s*<(!doctype|html|\?xml)/i.test(body)) return cleanText(body.slice(0, 2000));
  const title = /<title[^>]*>([^<]{1,200})/i.exec(body)?.[1];
  return title === undefined ? null : cleanText(title);
}
