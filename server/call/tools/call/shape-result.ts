/** Stages `read` and `shape`: decode the upstream's answer, and turn it into a tool result. */

import type { Tool } from '../../../contract/index.ts';
import type { Arguments, Redactor, UpstreamAnswer } from '../../upstream/index.ts';
import type { AnyTool } from '../catalogue/permitted.ts';
import { publishedOutput } from '../catalogue/published-output.ts';
import { isObject, parsePointer, readPointer, replaceAt } from '../json.ts';
import type { CompleteToolResult } from '../provider.ts';
import { type DecodedBody, decodeBody, decodeErrorBody } from '../results/decode.ts';
import { describeEmptyAnswer, explainSeeOther, readEmptyAnswer } from '../results/empty-answer.ts';
import { adviseNarrowing, toSnakeCase } from '../results/error-causes.ts';
import { projectionOf, quoteText } from '../results/fields.ts';
import { NO_FILE, readFileFacts } from '../results/file-facts.ts';
import { type ResumePoint, sealResume } from '../results/fit-result.ts';
import type { Outcome } from '../results/outcomes.ts';
import { MULTI_STATUS } from '../results/outcomes.ts';
import { buildResult, toObject, visibleArguments, withoutRawNumbers } from '../results/result.ts';
import {
  type CalledTool,
  explainErrorAnswer,
  explainLostRest,
  explainMissingParts,
  explainTooLarge,
  explainUnreadable,
  isErrorInSuccess,
} from '../results/upstream-errors.ts';
import { itemsOf, nameMembers, valuesAt } from '../selection/items.ts';
import { describeKnownArguments } from '../selection/known-values.ts';
import type { ErrorObject } from '../validate.ts';
import { type CallOutcome, failed } from './call-outcome.ts';
import type { ReadingDependencies } from './dependencies.ts';
import type { AnsweredUse, CollectedPages, DecodedAnswer, MaybeSent, PreparedUse, SentUse } from './state.ts';

const PARTIAL_CONTENT = 206;
const SEE_OTHER = 303;

/**
 * Ends the call if the answer reports an error, or cannot be read.
 *
 * Any 2xx is a success, with or without content, declared or not. The exception is 207 (RFC 4918 §13) without content: only its content
 * says which parts of the call failed.
 */
export function readAnswer(call: SentUse, deps: ReadingDependencies): CallOutcome | AnsweredUse {
  const { entry, answer, redactor } = call;
  const { connector, tool } = entry;
  const called: CalledTool = { connector, tool, args: call.arguments };
  const { status } = answer;
  const contentType = answer.header('content-type');
  if (status === SEE_OTHER) {
    const facts = readEmptyAnswer(answer, tool, { redactor, now: deps.now() });
    return failed(explainSeeOther(called, facts), redactor);
  }
  if (status < 200 || status >= 300) {
    return failErrorAnswer(call, called, { answer, body: decodeErrorBody(answer.body, contentType, redactor) }, deps);
  }
  const body = decodeBody(answer.body, {
    contentType,
    tool,
    requested: call.arguments,
    partial: status === PARTIAL_CONTENT,
    isCut: answer.cutBy !== undefined,
    redactor,
  });
  if (connector.errors.inSuccess !== null && body.kind === 'json' && isErrorInSuccess(connector.errors, body.rounded)) {
    return failErrorAnswer(call, called, { answer, body: body.rounded }, deps);
  }
  if (body.kind === 'unreadable') {
    const isPartial = status === MULTI_STATUS;
    return failed(isPartial ? explainMissingParts(called) : explainUnreadable(called, status, body.problem));
  }
  if (body.kind === 'empty' || isOnlyLocated(body, answer, tool)) return readWithoutContent(call, deps);
  if (tool.page?.items !== undefined && body.kind === 'json') {
    const list = readPointer(body.value, tool.page.items) ?? [];
    const problem = `has no list at ${JSON.stringify(tool.page.items)}`;
    if (!Array.isArray(list)) return failed(explainUnreadable(called, status, problem));
  }
  const hasHeader = body.kind === 'json' && tool.page?.kind !== undefined;
  return Object.assign(call, { body: hasHeader ? { ...body, header: headerOf(answer, redactor) } : body });
}

function headerOf(answer: UpstreamAnswer, redactor: Redactor) {
  return (name: string): string | null => {
    const value = answer.header(name);
    return value === null ? null : redactor.text(value);
  };
}

function failErrorAnswer(
  { redactor }: SentUse,
  called: CalledTool,
  error: { readonly answer: UpstreamAnswer; readonly body: unknown },
  deps: ReadingDependencies,
): CallOutcome {
  const outcome = failed(explainErrorAnswer(called, error, deps.now()), redactor);
  if (outcome.outcome === 'connector_outdated') deps.onFault({ kind: outcome.outcome, tool: called.tool.name });
  return outcome;
}

/** True if the content is an empty object, so that only the header `Location` tells the effect of a writing call. */
function isOnlyLocated(body: DecodedBody, { header }: UpstreamAnswer, { annotations }: Tool): boolean {
  if (annotations.readOnlyHint || body.kind !== 'json' || header('location') === null) return false;
  return isObject(body.value) && Object.keys(body.value).length === 0;
}

/** Keeps the status and the headers of an answer without content. A list without content is an empty list. */
function readWithoutContent(call: SentUse, deps: ReadingDependencies): CallOutcome | AnsweredUse {
  const { entry, answer, redactor } = call;
  const { connector, tool } = entry;
  if (answer.status === MULTI_STATUS) return failed(explainMissingParts({ connector, tool, args: call.arguments }));
  const emptyAnswer = readEmptyAnswer(answer, tool, { redactor, now: deps.now() });
  const items = findListPointer(call);
  if (items === undefined) return Object.assign(call, { emptyAnswer, body: { kind: 'empty' as const } });
  const value = putAt(items, []);
  const body = { kind: 'json' as const, value, rounded: value, header: headerOf(answer, redactor) };
  return Object.assign(call, { emptyAnswer, body });
}

/** Pointer to the list in the answers of the tool, undefined if they are no lists. */
function findListPointer({ entry: { tool }, selection }: PreparedUse): string | undefined {
  if (tool.page?.items !== undefined) return tool.page.items;
  if (selection != null) return selection.items.pointer;
  return tool.result?.wrapItems === true && tool.annotations.readOnlyHint ? '' : undefined;
}

/** Builds the smallest JSON value with this value at a pointer. */
function putAt(pointer: string, value: unknown): unknown {
  return parsePointer(pointer).reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
}

const MAX_REPORTED_PLACES = 20;
/** Problem of an answer without content where its output schema describes an object. */
const NO_CONTENT: ErrorObject = {
  keyword: 'type',
  instancePath: '',
  schemaPath: '#/type',
  params: { type: 'object' },
  data: null,
};
const TOOK_EFFECT = 'The call itself took effect: do not repeat it to get the rest of its answer.';

/** Failures of a later page that fail the whole call: calling for the rest would not help before the user has acted. */
const ENDS_CALL: ReadonlySet<Outcome> = new Set([
  'credential_refused',
  'credential_unreadable',
  'connection_needs_attention',
  'not_connected',
]);

/** An answer of the upstream, or an earlier one that was read from a list, which has no status. */
type Shapeable = PreparedUse & DecodedAnswer & MaybeSent;

/** Always ends the call, with a result or an error. */
export function shapeResult(call: Shapeable, deps: ReadingDependencies): CallOutcome {
  const { connector, tool } = call.entry;
  const { answer, redactor } = call;
  const called: CalledTool = { connector, tool, args: call.arguments };
  // If no further pages were collected, the page that the call has is the whole answer.
  const onePage: CollectedPages = {
    body: call.body,
    args: call.gatewayArguments?.repeated ?? call.arguments,
    notes: [],
    failure: null,
  };
  const { body, args, notes, page, failure, isComputed } = call.collected ?? onePage;
  const hidden = Object.keys(call.pins);
  const fields = call.gatewayArguments?.fields ?? null;
  const list = tool.page?.items === undefined || body.kind !== 'json' ? null : readPointer(body.value, tool.page.items);
  const isEmptyList = Array.isArray(list) && list.length === 0;
  const shownArgs = visibleArguments(args, hidden);
  const emptyNotes = isEmptyList
    ? [...describeReversedRanges(args, hidden), ...describeKnownArguments(tool, shownArgs)]
    : [];
  const keep = call.reader === undefined ? undefined : tool.result?.keep;
  const missingFields = fields === null || isComputed === true ? [] : describeMissingFields(call, body, fields, keep);
  const built = buildResult({
    tool,
    args,
    body,
    file: answer === undefined || body.kind === 'json' ? NO_FILE : readFileFacts(answer, redactor),
    validator: deps.validators(tool.outputSchema),
    digitsValidator: () => deps.validators(publishedOutput(tool.outputSchema)),
    clock: deps.now,
    budget: budgetOf(call, deps),
    // A hand-written tool that calls this one reads the whole answer, as its types say.
    project:
      isComputed === true || (keep === undefined && fields === null) ? null : projectionOf(tool.page, keep, fields),
    notes: [...describeStatus(call), ...notes, ...emptyNotes, ...missingFields],
    emptyAnswer: call.emptyAnswer,
    page,
    hidden,
  });
  const status = answer?.status ?? null;
  if (built.result === null) {
    return failed(explainTooLarge(called, built.bytes, call.reader?.limit ?? deps.maxResultBytes, status));
  }
  if (call.emptyAnswer !== undefined) reportMissingContent(call, deps);
  if (built.drift.length > 0) {
    deps.onDrift?.(connector, tool, built.problems ?? []);
    deps.onFault({ kind: 'output_drift', tool: tool.name, places: built.drift.slice(0, MAX_REPORTED_PLACES) });
  }
  if (failure !== null && ENDS_CALL.has(failure.outcome)) return withItems(failure, built);
  if (built.losesRest === true) return withItems(failed(explainLostRest(called, status ?? 200)), built);
  return { result: built.result, outcome: 'ok', error: null, upstreamStatus: status, resultBytes: built.bytes };
}

/** Items that are looked at for the members that a call selects. */
const MAX_CHECKED_ITEMS = 100;

/** Says which members the items of the answer have if none of them has one that the call selects. */
function describeMissingFields(
  { entry: { tool } }: Shapeable,
  body: DecodedBody,
  fields: readonly string[],
  keep: readonly string[] | undefined,
): string[] {
  const items = itemsOf(tool);
  const list = items === null || body.kind !== 'json' ? undefined : readPointer(body.value, items.pointer);
  if (items === null || body.kind !== 'json' || !Array.isArray(list)) return [];
  const prefix = `${parsePointer(items.structuredPointer).join('.')}.`;
  if (fields.length === 0 || !fields.every((field) => field.startsWith(prefix))) return [];
  const answer = toObject(tool, replaceAt(body.value, items.pointer, list.slice(0, MAX_CHECKED_ITEMS)));
  const visible = readPointer(projectionOf(tool.page, keep, null)?.(answer) ?? answer, items.structuredPointer);
  const [first, ...others] = Array.isArray(visible) ? visible : [];
  const paths = fields.map((field) => field.slice(prefix.length).split('.'));
  const hasValue = (item: unknown) => paths.some((path) => valuesAt(item, path).length > 0);
  if (!isObject(first) || hasValue(first) || others.some(hasValue)) return [];
  return [`No item has a value at ${fields.map(quoteText).join(', ')}. The first one has: ${nameMembers(first)}.`];
}

/** Says what the status of the answer means where its content does not say it. */
function describeStatus({ entry: { connector, tool }, answer, body, emptyAnswer }: Shapeable): string[] {
  const { title } = connector;
  if (emptyAnswer !== undefined) {
    return [describeEmptyAnswer(emptyAnswer, { title, tool, isList: body.kind === 'json' })];
  }
  return answer?.status === MULTI_STATUS
    ? [`${title} answered ${MULTI_STATUS}: parts of the call may have failed. Read the status of each part.`]
    : [];
}

/** Counts an answer without content as a difference where the descriptor declares content. */
function reportMissingContent({ entry: { connector, tool } }: Shapeable, deps: ReadingDependencies): void {
  if (tool.result?.mayBeEmpty === true || tool.operation.method === 'HEAD') return;
  deps.onDrift?.(connector, tool, [NO_CONTENT]);
  deps.onFault({ kind: 'output_drift', tool: tool.name, places: [''] });
}

/** Words in names of arguments that begin or end a range, and those that say neither. */
const STARTS = /^(?:start|starting|after|since|from|gte?|min)$/;
const ENDS = /^(?:end|ending|before|until|to|lte?|max)$/;
const NEUTRAL = /^(?:on|at)$/;

/** Says which range of an empty list is reversed. */
function describeReversedRanges(args: Arguments, hidden: readonly string[]): string[] {
  const ranges = Object.entries(args).flatMap(([name, value]) => {
    const words = toSnakeCase(name).split('_');
    const bound = typeof value === 'string' && /^\d{4}-\d\d/.test(value) ? Date.parse(value) : value;
    const rangeName = words.filter((word) => ![STARTS, ENDS, NEUTRAL].some((kind) => kind.test(word))).join('_');
    const isStart = words.some((word) => STARTS.test(word));
    const isEnd = words.some((word) => ENDS.test(word));
    return typeof bound !== 'number' || isStart === isEnd || hidden.includes(name)
      ? []
      : [{ name, place: bound, of: rangeName, isStart }];
  });
  return ranges.flatMap((start) => {
    const end = ranges.find(
      (range) => start.isStart && !range.isStart && range.of === start.of && range.place < start.place,
    );
    return end === undefined
      ? []
      : [`"${start.name}" is after "${end.name}", so nothing lies between them: exchange them.`];
  });
}

/** Puts the items that were received after the blocks of an error, which says that they are not all. */
function withItems(
  outcome: CallOutcome,
  { result, bytes }: { readonly result: CompleteToolResult; readonly bytes: number },
): CallOutcome {
  const content = [...outcome.result.content, ...result.content];
  return { ...outcome, result: { ...outcome.result, content }, resultBytes: outcome.resultBytes + bytes };
}

/** Returns the budget that the answer must fit, or null if its reader gets all of it. */
export function budgetOf(
  { entry: { tool }, reader, gatewayArguments, resumed, pins, arguments: args }: PreparedUse<AnyTool>,
  deps: ReadingDependencies,
) {
  if (reader === undefined || gatewayArguments === undefined) return null;
  const { resumes } = deps;
  const canResume = resumes !== undefined && tool.gatewayArguments?.includes('resume') === true;
  const resumedCall = { reader: reader.id, limit: reader.limit, tool, gatewayArguments };
  return {
    tool: tool.name,
    limit: reader.limit,
    raisedBy: reader.raisedBy,
    from: resumed ?? null,
    seal: canResume ? (point: ResumePoint) => sealResume(resumes, resumedCall, point, deps.now()) : null,
    get repeated() {
      return withoutRawNumbers(visibleArguments(gatewayArguments.repeated, Object.keys(pins)));
    },
    advise: () => (tool.annotations.readOnlyHint ? adviseNarrowing(tool, args) : TOOK_EFFECT),
  };
}
