/** Turns an upstream's error answers and failures into the single error shape. */

import { tlsProblemOf } from '../../../base/guarded-fetch/tls-problems.ts';
import type { AnswerOutcome, Connector, ErrorRules, Tool } from '../../../contract/index.ts';
import {
  type AnswerHead,
  type Arguments,
  NOT_MCP,
  parseRetryAfter,
  pathArguments,
  type UpstreamFailure,
} from '../../upstream/index.ts';
import { isSchema, readPointer } from '../json.ts';
import {
  adviseNarrowing,
  describeSeconds,
  FIREWALL_ADVICE,
  FIREWALL_STATUSES,
  findListings,
  findReachedLimit,
  findRefusedConstant,
  findUpdaters,
  isWebPage,
  type ReachedLimit,
  type RefusedConstant,
  saysItExists,
  titleOf,
} from './error-causes.ts';
import { cleanCode, cleanDetails, cleanText, type ExplainedError, explain, quoteUpstream } from './errors.ts';
import { isContainer } from './measure.ts';
import { adviceOf, type FailedOutcome, outcomeOfStatus } from './outcomes.ts';

/** The called tool, its connector, and the arguments. */
export interface CalledTool {
  readonly connector: Connector;
  readonly tool: Tool;
  readonly args: Arguments;
}

/** An answer that reports an error. */
interface ErrorAnswer {
  readonly answer: AnswerHead;
  /** Parsed JSON, else text. */
  readonly body: unknown;
}

/** Usual places of the message in error bodies, for connectors that do not define it. */
const USUAL_MESSAGES = [
  '/error/message',
  '/message',
  '/error_description',
  '/detail',
  '/errors/0/message',
  '/title',
  '/error',
];
export const USUAL_CODES = ['/error/code', '/code', '/errors/0/code'];
const USUAL_DETAILS = ['/errors', '/error/details', '/details', '/detail'];

/** Advice for a call that writes, and whose outcome is not known. */
export const MAY_HAVE_ACTED = 'Do not repeat the call: it may have taken effect. Read the current state instead.';
const NOT_MODIFIED_ADVICE =
  'Nothing has changed since the version that the arguments name. To read it, call again without that condition.';
const ASK_OPERATOR =
  'Call again in a minute; if that does not help, tell the user that the operator of the gateway has to investigate.';

/**
 * Explains an error answer. The outcome comes from the status and the connector's rules, never from upstream text.
 *
 * @param now milliseconds since 1970.
 */
export function explainErrorAnswer(called: CalledTool, { answer, body }: ErrorAnswer, now: number): ExplainedError {
  const { connector, tool } = called;
  const { errors, title } = connector;
  const { status } = answer;
  const isPage = isWebPage(body, answer.header('content-type'));
  const upstreamMessage = readText(body, [...errors.message, ...USUAL_MESSAGES]) ?? plainText(body, isPage);
  const code = readText(body, [...errors.code, ...USUAL_CODES]);
  const { outcome, limit, constant } = classifyError(called, { answer, body }, code, now);
  const retryAfter = parseRetryAfter(answer.header('retry-after'), now);
  const seconds = retryAfter === null ? (limit?.seconds ?? null) : Math.max(1, retryAfter);
  const statusText = isPage ? `${status} with a web page instead of an answer of its API` : String(status);
  const quotedPart = isPage ? 'title' : 'message';
  const quotation = upstreamMessage === null ? '' : quoteUpstream(upstreamMessage, quotedPart);
  const lacksCredential = constant === null && outcome === 'connector_outdated' && sendsNoCredential(tool);
  const refusalText = lacksCredential
    ? ` The gateway sent no credential, because the description of ${title} declares none for this operation.`
    : describeConstant(constant);
  const exists = saysItExists(status, [code, upstreamMessage]);
  const advice = adviceFor(called, { outcome, status, isPage, seconds, exists });
  return explain(outcome, {
    message: `${title} answered ${statusText}.${quotation}${refusalText}`,
    advice: [advice, ...describeOperators(called, outcome, upstreamMessage ?? '')].join(' '),
    repeatable: tool.annotations.idempotentHint,
    status,
    upstreamCode: code === null ? null : cleanCode(code),
    details: readDetails(body, [...errors.details, ...USUAL_DETAILS], [upstreamMessage, code]),
    retryAfterSeconds: outcome === 'quota_exhausted' ? null : seconds,
  });
}

function describeConstant(constant: RefusedConstant | null): string {
  return constant === null ? '' : ` It refuses what the gateway itself sends: ${constant.name}: ${constant.value}.`;
}

/** True if no request of a tool carries a secret, according to its connector. Then a refusal tells nothing about the connection. */
function sendsNoCredential({ credential }: Tool): boolean {
  return credential?.length === 0;
}

/** The operators of the given arguments, from their descriptions, if the upstream refuses one. */
function describeOperators({ tool, args }: CalledTool, outcome: FailedOutcome, upstreamMessage: string): string[] {
  const { properties } = tool.inputSchema;
  if (
    !isSchema(properties) ||
    (outcome !== 'bad_request' && outcome !== 'invalid_request') ||
    !/\boperator\b/i.test(upstreamMessage)
  )
    return [];
  return Object.keys(args).flatMap((name) => {
    const schema = properties[name];
    const description = isSchema(schema) ? String(schema.description ?? '') : '';
    const operators = /\bOperators: (.*?)\.(?: |$)/.exec(description)?.[1];
    return operators === undefined ? [] : [`Operators of "${name}": ${operators}.`];
  });
}

interface ErrorClassification {
  readonly outcome: FailedOutcome;
  /** The upstream's limit that was reached, if its headers say. */
  readonly limit: ReachedLimit | null;
  /** The constant of the connector that the upstream refuses. */
  readonly constant: RefusedConstant | null;
}

function classifyError(
  { connector, tool }: CalledTool,
  { answer, body }: ErrorAnswer,
  code: string | null,
  now: number,
): ErrorClassification {
  const { errors, rateLimitHeaders = [] } = connector;
  const { status } = answer;
  if (refusesCredential(errors, status, body)) {
    const outcome = sendsNoCredential(tool) ? 'connector_outdated' : 'credential_refused';
    return { outcome, limit: null, constant: null };
  }
  const outcome = outcomeOfCode(errors, code) ?? outcomeOfStatus(status);
  if (outcome === 'rate_limited') {
    const limit = findReachedLimit(rateLimitHeaders, (name) => answer.header(name), now);
    return { outcome: limit?.quota === true ? 'quota_exhausted' : outcome, limit, constant: null };
  }
  const constant = findRefusedConstant(tool, status, body);
  return { outcome: constant === null ? outcome : 'connector_outdated', limit: null, constant };
}

/** The outcome that the connector assigns to an upstream's code. */
function outcomeOfCode({ outcomes = {} }: ErrorRules, code: string | null): AnswerOutcome | undefined {
  if (code === null) return undefined;
  const exact = Object.hasOwn(outcomes, code) ? outcomes[code] : undefined;
  if (exact !== undefined) return exact;
  const prefixes = Object.keys(outcomes).filter((key) => key.endsWith('*') && code.startsWith(key.slice(0, -1)));
  const [longest] = prefixes.toSorted((a, b) => b.length - a.length);
  return longest === undefined ? undefined : outcomes[longest];
}

/** True if the connector's rules make a 2xx answer an error. */
export function isErrorInSuccess(errors: ErrorRules, body: unknown): boolean {
  if (errors.inSuccess === null) return false;
  const error = readPointer(body, errors.inSuccess);
  return error !== undefined && error !== null;
}

/** Explains an upstream failure without a usable answer. @param timeoutMs timeout of a call. */
export function explainFailure(called: CalledTool, failure: UpstreamFailure, timeoutMs: number): ExplainedError {
  const { connector, tool } = called;
  const { title } = connector;
  const repeatable = tool.annotations.idempotentHint;
  const facts = { repeatable, status: failure.status, ...adviceOnDeleted(tool) };
  switch (failure.kind) {
    case 'cancelled':
      return explain('cancelled', { message: 'The call was cancelled.' });
    case 'timeout': {
      const seconds = Math.round(timeoutMs / 100) / 10;
      const message = `${title} did not answer within ${seconds} seconds.`;
      return explain('upstream_timeout', { ...facts, message });
    }
    case 'unreachable':
      return explain('upstream_unreachable', {
        ...facts,
        message: `${title} cannot be reached${failure.isOfGateway ? ' from this gateway' : ''}.`,
        advice: failure.isOfGateway ? ASK_OPERATOR : facts.advice,
      });
    case 'tls':
      return explain('upstream_tls_refused', {
        message: `${title} ${tlsProblemOf(failure.reason ?? '') ?? 'breaks off the TLS handshake'}. Nothing was sent.`,
      });
    case 'reset':
      return explain('upstream_connection_lost', {
        ...facts,
        message:
          failure.status === undefined
            ? `The connection to ${title} broke off.`
            : `${title} answered ${failure.status} to a later request of the same call.`,
      });
    case 'redirect':
      return explain('upstream_redirect', {
        ...facts,
        message: `${title} answered ${failure.status} with a redirect that the gateway does not follow.`,
        advice: tool.annotations.readOnlyHint ? facts.advice : MAY_HAVE_ACTED,
      });
    case 'too_large':
      return explainTooLarge(called, failure.bytes, failure.limit ?? 0, failure.status);
    case 'protocol':
      return explain('upstream_protocol_error', {
        ...facts,
        message: `${title} sent an answer that is not valid ${failure.reason === NOT_MCP ? 'MCP' : 'HTTP'}.`,
      });
    case 'coding':
      return explainUnreadable(called, failure.status ?? 200, 'is not compressed as its header says');
    case 'circuit_open':
      return explainUnsent('upstream_circuit_open', failure, `${title} has not answered the previous calls.`);
    case 'busy':
      return explainUnsent('upstream_busy', failure, `Too many calls to ${title} are already in progress.`);
  }
}

function explainUnsent(
  outcome: 'upstream_circuit_open' | 'upstream_busy',
  { retryAfterSeconds: seconds }: UpstreamFailure,
  message: string,
): ExplainedError {
  const advice = `Nothing was sent. Wait ${seconds} second${seconds === 1 ? '' : 's'}, then call again.`;
  return explain(outcome, { message, advice, retryAfterSeconds: seconds });
}

/**
 * Explains a result over the limit.
 *
 * @param bytes its size, or null if it is only known to exceed the limit.
 */
export function explainTooLarge(
  called: CalledTool,
  bytes: number | null,
  limit: number,
  status: number | null,
): ExplainedError {
  const size = bytes === null ? `more than ${limit} bytes` : `${bytes} bytes (the limit is ${limit})`;
  const effectText = called.tool.annotations.readOnlyHint ? '' : ' The call itself took effect.';
  const advice = adviseNarrowing(called.tool, called.args);
  return explain('result_too_large', { message: `The result is too large: ${size}.${effectText}`, advice, status });
}

/**
 * Explains an unreadable answer with a 2xx, such as broken JSON or a web page. A call that writes took effect.
 *
 * @param problem completes "The answer …".
 */
export function explainUnreadable({ connector, tool }: CalledTool, status: number, problem: string): ExplainedError {
  const message = `${connector.title} answered ${status}, but the answer ${problem}.`;
  if (tool.annotations.readOnlyHint) return explain('upstream_invalid_answer', { message, status, repeatable: true });
  return explain('upstream_invalid_answer', {
    message: `${message} The status says that the call took effect.`,
    advice: 'Do not repeat it: read the current state instead.',
    status,
  });
}

/** True if an answer refuses the credential, by its status or the connector's rules. */
export function refusesCredential(errors: ErrorRules, status: number, body: unknown): boolean {
  if (status === 401) return true;
  return errors.invalidCredential.some((rule) => {
    if (rule.status !== status) return false;
    const value = readPointer(body, rule.pointer);
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
    return text.toLowerCase().includes(rule.contains.toLowerCase());
  });
}

interface ErrorSituation {
  readonly outcome: FailedOutcome;
  readonly status: number;
  readonly isPage: boolean;
  /** Seconds until calling again may help. Null if not known. */
  readonly seconds: number | null;
  /** True if the upstream tells that the resource already exists. */
  readonly exists: boolean;
}

/** The advice for an error answer. */
function adviceFor(called: CalledTool, { outcome, status, isPage, seconds, exists }: ErrorSituation): string {
  const { connector, tool } = called;
  const unit = seconds === 1 ? 'second' : 'seconds';
  const wait = `${seconds === null ? 'Wait a little' : `Wait ${seconds} ${unit}`}, then call again.`;
  const repeatable = tool.annotations.idempotentHint;
  const advice = adviceOf(outcome, repeatable);
  if (isPage && outcome !== 'credential_refused' && FIREWALL_STATUSES.has(status)) return FIREWALL_ADVICE;
  const updaters = exists || outcome === 'conflict' ? findUpdaters(connector, tool) : [];
  if (updaters.length > 0) {
    const names = updaters.join(' or ');
    return exists
      ? `It already exists: call ${names} to change it.`
      : `If it already exists, call ${names} to change it.`;
  }
  switch (outcome) {
    case 'credential_refused':
      return `The credential of this connection is not accepted, so calling again will not help: the user must connect ${connector.title} again in the application that manages the connection.`;
    case 'quota_exhausted':
      return seconds === null ? advice : `${advice} It starts again in ${describeSeconds(seconds)}.`;
    case 'rate_limited':
    case 'upstream_unavailable':
      return wait;
    case 'upstream_error':
    case 'upstream_timeout':
      return adviceOnDeleted(tool).advice ?? (repeatable ? wait : advice);
    case 'request_too_large':
      return tool.annotations.readOnlyHint ? adviseNarrowing(tool, called.args) : advice;
    case 'upstream_redirect':
      return status === 304 ? NOT_MODIFIED_ADVICE : advice;
    case 'not_found':
    case 'gone':
      return adviceOnMissing(called);
    default:
      return advice;
  }
}

/** The advice on a deletion of unknown outcome, of which a repeated call says whether it took effect. */
function adviceOnDeleted({ operation, annotations }: Tool): { readonly advice?: string } {
  const isDeleted = operation.method === 'DELETE' && annotations.idempotentHint;
  return isDeleted ? { advice: 'Call again in a moment: if it is not found then, it is deleted.' } : {};
}

function adviceOnMissing({ connector, tool }: CalledTool): string {
  const names = pathArguments(tool).map((argument) => `"${argument}"`);
  const listings = findListings(connector, tool);
  const argumentText = names.length === 0 ? 'the arguments' : names.join(' and ');
  const verb = listings.length === 1 ? 'returns' : 'return';
  const checkText = `${adviseChecking(tool)} ${argumentText}`;
  if (listings.length > 0) return `${checkText}: ${listings.join(' and ')} ${verb} what exists.`;
  const subject = names.length === 1 ? 'it names' : 'they name';
  return `${checkText}: what ${subject} does not exist.`;
}

function adviseChecking({ operation: { method, path } }: Tool): string {
  if (method === 'DELETE') return 'If an earlier call was to delete it, that worked. Otherwise check';
  const subresource = /\}\/([\w-]+)\/?$/.exec(path)?.[1];
  if (method !== 'GET' || subresource === undefined) return 'Check';
  return `What it names may have no ${subresource}. Otherwise check`;
}

/** The first text or number at these places. */
export function readText(body: unknown, pointers: readonly string[]): string | null {
  for (const pointer of pointers) {
    const value = readPointer(body, pointer);
    if (typeof value === 'string' && value.trim() !== '') return cleanText(value);
    if (typeof value === 'number') return String(value);
  }
  return null;
}

/** Returns the first details that have more than `messageTexts`, without those texts. */
function readDetails(body: unknown, pointers: readonly string[], messageTexts: readonly (string | null)[]): unknown {
  for (const pointer of pointers) {
    const value = withoutTexts(readPointer(body, pointer), messageTexts);
    if (value !== undefined) return cleanDetails(value);
  }
  return null;
}

/** Returns the value without these texts, and without parts that are then empty. Undefined if nothing is left. */
function withoutTexts(value: unknown, texts: readonly unknown[]): unknown {
  if (value === null || value === undefined || texts.includes(value)) return undefined;
  if (!isContainer(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const remaining = withoutTexts(member, texts);
    return remaining === undefined ? [] : [[name, remaining] as const];
  });
  if (members.length === 0) return undefined;
  return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members);
}

/** The message of a body that is not a JSON object; for a web page, its title. */
function plainText(body: unknown, isPage: boolean): string | null {
  if (typeof body !== 'string' || body.trim() === '') return null;
  return isPage || /^\s*<\?xml/i.test(body) ? titleOf(body) : cleanText(body.slice(0, 2000));
}

/** Explains a 207 without content, which does not say which parts of the call failed. */
export function explainMissingParts({ connector, tool }: CalledTool): ExplainedError {
  return explain('upstream_invalid_answer', {
    message: `${connector.title} answered 207: parts of the call may have failed, and the answer does not say which.`,
    status: 207,
    repeatable: tool.annotations.readOnlyHint,
  });
}

/** A page of a list that continues at an unreadable place. The items of the page follow. */
export function explainLostRest(called: CalledTool, status: number): ExplainedError {
  return explain('upstream_invalid_answer', {
    message: `${called.connector.title} says that the list goes on, but not readably where. The items of this page follow: they are not all.`,
    advice: 'Work with these items only where some of them are enough, or call again in a moment.',
    status,
    repeatable: called.tool.annotations.idempotentHint,
  });
}
