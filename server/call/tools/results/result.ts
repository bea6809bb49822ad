/** Turns a successful answer into a tool result that satisfies the tool's output schema. */

import { rawNumbersAsText } from '../../../../shared/exact-json.ts';
import type { RowsRule, Tool, ToolFace } from '../../../contract/index.ts';
import type { Arguments } from '../../upstream/index.ts';
import { readPointer, removeAll, replaceAt, typeName } from '../json.ts';
import type { CompleteToolResult, ContentBlock } from '../provider.ts';
import { type ErrorObject, TOO_LONG, type Validator } from '../validate.ts';
import type { ReadBody } from './decode.ts';
import type { EmptyAnswer } from './empty-answer.ts';
import { escapeTags, keepJson } from './errors.ts';
import { describeFile, type FileFacts } from './file-facts.ts';
import { fitObject, fitText, type ResultBudget, takesPage } from './fit-result.ts';
import type { Page, PagedTool } from './page-size.ts';
import { describePage, findPage } from './paging.ts';

type JsonBody = Extract<ReadBody, { kind: 'json' }>;

/** A result, and what the gateway needs to know about it. */
interface BuiltResult {
  readonly result: CompleteToolResult;
  /** Bytes of texts and data. */
  readonly bytes: number;
  /** Places that the output schema refuses, left out of the structured content. */
  readonly drift: readonly string[];
  /** The validation errors of these places. Undefined if there are none. */
  readonly problems?: readonly ErrorObject[];
  /** The list continues, but the answer does not say readably where: the result has only this page. */
  readonly losesRest?: true;
}

/** The parts of a tool that determine the shape of a result. A hand-written tool has no rules. */
interface ResultTool extends ToolFace, PagedTool {
  readonly result?: Tool['result'];
}

/** No useful part of the answer fits. */
interface TooLargeResult {
  readonly result: null;
  readonly bytes: number;
}

/** An answer, and how its caller wants the result. */
interface ResultParts {
  readonly tool: ResultTool;
  /** The arguments that gave this answer, from which those of the next page are built. */
  readonly args: Arguments;
  readonly body: ReadBody;
  readonly file: FileFacts;
  readonly validator: Validator;
  /** Validates an answer with texts in place of numbers; see `publishedOutput`. Default: `validator`. */
  readonly digitsValidator?: () => Validator;
  /** Milliseconds, to bound the time for making an answer valid. */
  readonly clock: () => number;
  /** Limits of the result. Null for the complete answer, of any size. */
  readonly budget: ResultBudget | null;
  /** Keeps the requested members. Null to keep all. */
  readonly project: ((answer: Record<string, unknown>) => Record<string, unknown>) | null;
  /** Sentences that tell the model what the gateway did about the pages of a list. */
  readonly notes: readonly string[];
  /** The next page of the list. Null if the answer does not tell it readably. By default it is read from the answer. */
  readonly page?: Page | null | undefined;
  /** Arguments that the gateway sets. The arguments for the next page leave them out. Default: none. */
  readonly hidden?: readonly string[];
  /** Meaning of the answer if `body` is empty. Undefined if it has none. */
  readonly emptyAnswer?: EmptyAnswer | undefined;
}

/** Rounds and milliseconds to make an answer valid before its structured content is dropped. */
const MAX_ROUNDS = 20;
const FITTING_BUDGET_MS = 25;
/** In a larger answer, a round finds only the first error. */
const MAX_CHECKED_NODES = 5000;

/**
 * Builds the result.
 *
 * JSON becomes structured content, and text for clients that read only text. Text becomes text, other bytes an image,
 * audio or a resource; their structured content is an empty object, because clients require one if there is an output
 * schema, and that schema requires no member. A line of text gives the name and range of a file.
 *
 * An answer without content becomes `response`: its status, its location, and the id in it.
 *
 * An answer over the limit is shown in parts.
 */
export function buildResult(parts: ResultParts): BuiltResult | TooLargeResult {
  const { tool, body, file, budget } = parts;
  switch (body.kind) {
    case 'empty':
      return buildEmpty(parts);
    case 'text':
      return buildText(tool, body.text, file, budget);
    case 'bytes':
      return withContent(toBlock(tool, body.bytes, body.mediaType, file.name), file);
    case 'json':
      return buildJson(parts, body);
  }
}

/** An output schema that allows only other members gets an empty object, which every output schema allows; the text has the facts then. */
function buildEmpty({ emptyAnswer, validator, notes }: ResultParts): BuiltResult {
  const facts = emptyAnswer === undefined ? {} : { response: emptyAnswer };
  const structuredContent = validator.accepts(facts) ? facts : {};
  const texts = [escapeTags(JSON.stringify(facts)), ...notes];
  const content = texts.map((text): ContentBlock => ({ type: 'text', text }));
  return { result: { content, structuredContent }, bytes: bytesOf(texts), drift: [] };
}

function buildJson(parts: ResultParts, body: JsonBody): BuiltResult | TooLargeResult {
  const { tool, args, budget, project, notes } = parts;
  const { page: rule } = tool;
  let nextPage: Page | null = null;
  if (rule !== undefined) nextPage = parts.page === undefined ? findPage(tool, rule, body, args) : parts.page;
  const page =
    nextPage === null
      ? null
      : { nextArguments: withoutRawNumbers(visibleArguments(nextPage.nextArguments, parts.hidden)) };
  const losesRest = rule !== undefined && page === null ? { losesRest: true as const } : {};
  const shape = (answer: unknown): Record<string, unknown> => {
    const object = toObject(tool, answer);
    return project === null ? object : project(object);
  };
  const fullAnswer = shape(body.value);
  const exact = withPage(fullAnswer, page);
  const text = escapeTags(JSON.stringify(exact));
  const lines =
    page === null || rule === undefined
      ? []
      : [escapeTags(describePage(page, rule, visibleArguments(args, parts.hidden), tool.name))];
  const texts = [text, ...notes, ...lines];
  const bytes = bytesOf(texts);
  if (budget !== null && (bytes > budget.limit || budget.from !== null)) {
    const partResult = buildPart(parts, {
      fullAnswer,
      page,
      bytes,
      text,
      isExact: body.rounded === body.value,
      budget,
    });
    return partResult.result === null ? partResult : { ...partResult, ...losesRest };
  }
  return { ...toResult(texts, bytes, { value: exact, isExact: body.rounded === body.value }, parts), ...losesRest };
}

/** An answer that becomes structured content. */
interface StructuredAnswer {
  readonly value: Record<string, unknown>;
  /** False: texts stand in place of numbers that JavaScript would round. */
  readonly isExact: boolean;
}

/** @param texts the first is the JSON of `answer.value`. @param bytes of the texts. */
function toResult(texts: readonly string[], bytes: number, answer: StructuredAnswer, parts: ResultParts): BuiltResult {
  const { value: structuredContent, drift, problems } = fitToSchema(answer, parts);
  const content: ContentBlock[] = [];
  // Joining an array would copy the texts.
  let blocks = '';
  for (const text of texts) {
    content.push({ type: 'text', text });
    // Serializing a text alone takes half the time of serializing it inside an array (measured).
    blocks += `${blocks === '' ? '' : ','}{"type":"text","text":${JSON.stringify(text)}}`;
  }
  const result = { content, structuredContent };
  if (structuredContent !== answer.value) return { result, bytes, drift, problems };
  return { result: keepJson(result, `{"content":[${blocks}],"structuredContent":${texts[0]}}`), bytes, drift };
}

/** An answer that does not fit whole, or that continues. */
interface OversizedAnswer {
  readonly fullAnswer: Record<string, unknown>;
  readonly page: Page | null;
  /** Bytes of the whole answer. */
  readonly bytes: number;
  readonly text: string;
  /** See `StructuredAnswer`. */
  readonly isExact: boolean;
  readonly budget: ResultBudget;
}

function buildPart(parts: ResultParts, answer: OversizedAnswer): BuiltResult | TooLargeResult {
  const { tool, notes } = parts;
  const { budget, bytes } = answer;
  const partBudget = { ...budget, limit: budget.limit - bytesOf(notes) };
  const fittedPart = fitObject(answer.fullAnswer, answer.text, answer.page?.nextArguments ?? null, partBudget);
  if (fittedPart === null) return { result: null, bytes };
  const exact = takesPage(tool.outputSchema) ? withPage(fittedPart.value, fittedPart.page) : fittedPart.value;
  const text = escapeTags(JSON.stringify(exact));
  const texts = [text, ...notes, escapeTags(withArguments(fittedPart.notice, fittedPart.page.nextArguments, exact))];
  const shownBytes = bytesOf(texts);
  if (shownBytes > budget.limit) return { result: null, bytes };
  return toResult(texts, shownBytes, { value: exact, isExact: answer.isExact }, parts);
}

function bytesOf(texts: readonly string[]): number {
  let bytes = 0;
  for (const text of texts) bytes += Buffer.byteLength(text);
  return bytes;
}

function buildText(
  tool: ResultTool,
  text: string,
  file: FileFacts,
  budget: ResultBudget | null,
): BuiltResult | TooLargeResult {
  const escaped = escapeTags(text);
  const bytes = Buffer.byteLength(escaped);
  if (budget === null || (bytes <= budget.limit && budget.from === null)) {
    return withContent({ type: 'text', text: escaped }, file);
  }
  const fittedPart = fitText(text, budget);
  if (fittedPart === null) return { result: null, bytes };
  const structuredContent = takesPage(tool.outputSchema) ? { page: fittedPart.page } : {};
  const notice = withArguments(fittedPart.notice, fittedPart.page.nextArguments, {});
  const texts = [fittedPart.value, notice, describeFile(file) ?? ''].filter((line) => line !== '').map(escapeTags);
  return {
    result: { content: texts.map((line): ContentBlock => ({ type: 'text', text: line })), structuredContent },
    bytes: bytesOf(texts),
    drift: [],
  };
}

/** The arguments that the caller gives. @param hidden names of those that the gateway sets. */
export function visibleArguments<Args extends Arguments | null>(args: Args, hidden: readonly string[] = []): Args {
  if (args === null || hidden.length === 0) return args;
  return Object.fromEntries(Object.entries(args).filter(([name]) => !hidden.includes(name))) as Args;
}

/** Arguments as a client gets them: it would round raw numbers. */
export function withoutRawNumbers<Args extends Arguments | null>(args: Args): Args {
  return rawNumbersAsText(args) as Args;
}

/** Adds the member `page`, unless the object already has one. */
function withPage(object: Record<string, unknown>, page: object | null): Record<string, unknown> {
  return page === null || Object.hasOwn(object, 'page') ? object : { ...object, page };
}

/** Adds the next arguments to the notice, unless the text next to it has them. */
function withArguments(notice: string, next: Arguments | null, text: Record<string, unknown>): string {
  const isIncluded = next === null || (text.page as { nextArguments?: unknown } | undefined)?.nextArguments === next;
  return isIncluded ? notice : `${notice} page.nextArguments is ${JSON.stringify(next)}.`;
}

function withContent(block: ContentBlock, file: FileFacts): BuiltResult {
  const text = block.text ?? block.data ?? (block.resource as { blob?: string } | undefined)?.blob;
  const note = describeFile(file);
  const content = note === null ? [block] : [block, { type: 'text', text: escapeTags(note) }];
  return { result: { content, structuredContent: {} }, bytes: Buffer.byteLength(String(text ?? '')), drift: [] };
}

function toBlock(tool: ResultTool, bytes: Uint8Array, mimeType: string, name: string | null): ContentBlock {
  const data = Buffer.from(bytes).toString('base64');
  if (mimeType.startsWith('image/')) return { type: 'image', data, mimeType };
  if (mimeType.startsWith('audio/')) return { type: 'audio', data, mimeType };
  const uri = `tool-result:///${tool.name}${name === null ? '' : `/${encodeURIComponent(name)}`}`;
  return { type: 'resource', resource: { uri, mimeType, blob: data } };
}

/** Structured content is an object (MCP 2025-11-25, Tools): arrays and single values get a name. */
export function toObject(tool: ResultTool, answer: unknown): Record<string, unknown> {
  const namedAnswer = tool.result?.rows === undefined ? answer : nameCells(answer, tool.result.rows);
  switch (typeName(namedAnswer)) {
    case 'array':
      return { items: namedAnswer };
    case 'object':
      return namedAnswer as Record<string, unknown>;
    case 'null':
      return {};
    default:
      return { value: namedAnswer };
  }
}

/**
 * Removes what the output schema refuses.
 *
 * Clients validate structured content, and drop the whole result for one member that an upstream changed since its
 * descriptor was written; the text keeps that member. If validation takes too long, only the text is left.
 */
function fitToSchema(
  answer: StructuredAnswer,
  { validator: strict, digitsValidator, clock }: ResultParts,
): {
  value: Record<string, unknown>;
  drift: string[];
  problems: ErrorObject[];
} {
  const drift: string[] = [];
  const allProblems: ErrorObject[] = [];
  const validator = answer.isExact ? strict : (digitsValidator?.() ?? strict);
  let value: unknown = answer.value;
  let endsAt = Number.POSITIVE_INFINITY;
  for (let round = 0; round < MAX_ROUNDS && clock() < endsAt; round += 1) {
    const problems = validator.problems(value, { maxNodes: MAX_CHECKED_NODES });
    // The first round may compile the schema, which happens only once.
    if (round === 0) endsAt = clock() + FITTING_BUDGET_MS;
    if (problems.includes(TOO_LONG)) break;
    if (problems.length === 0) return { value: value as Record<string, unknown>, drift, problems: allProblems };
    allProblems.push(...problems);
    const pointers = new Set(problems.map((problem) => problem.instancePath));
    if (pointers.has('')) break;
    for (const pointer of pointers) drift.push(pointer);
    value = removeAll(value, pointers);
  }
  return { value: {}, drift: [...drift, ''], problems: allProblems };
}

/**
 * Copies the answer with its rows as objects, and keeps the column list.
 *
 * Returns the answer unchanged if column names are missing or repeated, or a row differs in length from the column
 * list.
 */
function nameCells(answer: unknown, rule: RowsRule): unknown {
  const columns = readPointer(answer, rule.columns);
  const rows = readPointer(answer, rule.rows);
  if (!Array.isArray(columns) || !Array.isArray(rows)) return answer;
  const names = columns.map((column) => readPointer(column, rule.columnName));
  const hasDistinctNames = names.every((name) => typeof name === 'string') && new Set(names).size === names.length;
  if (!hasDistinctNames || !rows.every((row) => Array.isArray(row) && row.length === names.length)) return answer;
  const objects = rows.map((row: unknown[]) => Object.fromEntries(row.map((cell, index) => [names[index], cell])));
  return replaceAt(answer, rule.rows, objects);
}
