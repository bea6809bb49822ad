/** Turns a successful answer into a tool result that satisfies the tool's output schema. */

import type { Tool, ToolFace } from '../../contract/index.ts';
import type { Arguments } from '../../upstream/index.ts';
import { removeAll } from '../json/pointer.ts';
import { typeName } from '../json/schema-walk.ts';
import type { Validator } from '../json/validate.ts';
import type { CompleteToolResult, ContentBlock } from '../provider.ts';
import type { DecodedBody } from './decode.ts';
import { describeFile, type FileFacts, NO_FILE } from './file-facts.ts';
import { describePage, findPage } from './page.ts';
import { nameCells } from './rows.ts';
import { escapeTags } from './tag-characters.ts';
import { keepJson } from './written.ts';

type Body = Exclude<DecodedBody, { kind: 'unreadable' }>;

/** A result, and what the gateway has to know about it. */
export interface BuiltResult {
  readonly result: CompleteToolResult;
  /** Bytes of its texts and data. */
  readonly bytes: number;
  /** Places of the answer that the output schema refuses, left out of the structured content. */
  readonly drift: readonly string[];
  /** The list goes on, and the answer does not say readably where: this page alone is in the result. */
  readonly losesRest?: true;
}

/** What the shape of a result depends on. A hand-written tool has no rules of its own. */
type Shaped = ToolFace & Pick<Tool, 'page' | 'result'>;

/** Rounds and milliseconds in which an answer is made to fit before its structured content is given up. */
const MAX_ROUNDS = 20;
const FITTING_BUDGET_MS = 25;
/** In a larger answer, a round finds only the first thing that is wrong. */
const MAX_CHECKED_NODES = 5000;

/**
 * Builds the result.
 *
 * JSON becomes structured content, and the same as text for clients that read only text. Text becomes text, other bytes
 * an image, audio or a resource; their structured content is an empty object, because clients demand one wherever there
 * is an output schema, and it allows every member to be absent. A line of text names a file, and says which part of it came.
 *
 * @param clock milliseconds, for the time that making a drifting answer fit may take.
 */
export function buildResult(
  tool: Shaped,
  args: Arguments,
  body: Body,
  file: FileFacts,
  validator: Validator,
  clock: () => number,
): BuiltResult {
  if (body.kind === 'empty') return withContent({ type: 'text', text: '{}' }, NO_FILE);
  if (body.kind === 'text') return withContent({ type: 'text', text: escapeTags(body.text) }, file);
  if (body.kind === 'bytes') return withContent(toBlock(tool, body.bytes, body.mediaType, file.name), file);

  const page = tool.page === undefined ? null : findPage(body.value, tool.page, args);
  const losesRest = tool.page !== undefined && page === null ? { losesRest: true as const } : {};
  const shape = (answer: unknown): Record<string, unknown> => {
    const object = toObject(tool, answer);
    return page === null || Object.hasOwn(object, 'page') ? object : { ...object, page };
  };
  const exact = shape(body.value);
  const rounded = body.rounded === body.value ? exact : shape(body.rounded);
  const { value: structuredContent, drift } = makeFit(exact, rounded, validator, clock);
  const text = escapeTags(JSON.stringify(exact));
  const texts =
    page === null || tool.page === undefined ? [text] : [text, escapeTags(describePage(page, tool.page, tool.name))];
  const result = { content: texts.map((one): ContentBlock => ({ type: 'text', text: one })), structuredContent };
  const bytes = Buffer.byteLength(text);
  if (structuredContent !== exact) return { result, bytes, drift, ...losesRest };
  // A text alone is written in half the time that it takes inside of an array (measured).
  const content = texts.map((one) => `{"type":"text","text":${JSON.stringify(one)}}`);
  return {
    result: keepJson(result, `{"content":[${content}],"structuredContent":${text}}`),
    bytes,
    drift,
    ...losesRest,
  };
}

function withContent(block: ContentBlock, file: FileFacts): BuiltResult {
  const text = block.text ?? block.data ?? (block.resource as { blob?: string } | undefined)?.blob;
  const note = describeFile(file);
  const content = note === null ? [block] : [block, { type: 'text', text: escapeTags(note) }];
  return { result: { content, structuredContent: {} }, bytes: Buffer.byteLength(String(text ?? '')), drift: [] };
}

function toBlock(tool: Shaped, bytes: Uint8Array, mimeType: string, name: string | null): ContentBlock {
  const data = Buffer.from(bytes).toString('base64');
  if (mimeType.startsWith('image/')) return { type: 'image', data, mimeType };
  if (mimeType.startsWith('audio/')) return { type: 'audio', data, mimeType };
  const uri = `tool-result:///${tool.name}${name === null ? '' : `/${encodeURIComponent(name)}`}`;
  return { type: 'resource', resource: { uri, mimeType, blob: data } };
}

/** Structured content is an object (MCP 2025-11-25, Tools): arrays and single values get a name. */
function toObject(tool: Shaped, answer: unknown): Record<string, unknown> {
  const named = tool.result?.rows === undefined ? answer : nameCells(answer, tool.result.rows);
  switch (typeName(named)) {
    case 'array':
      return { items: named };
    case 'object':
      return named as Record<string, unknown>;
    case 'null':
      return {};
    default:
      return { value: named };
  }
}

/**
 * Leaves out what the output schema refuses.
 *
 * Clients check structured content and throw the whole result away for one member that an upstream changed
 * since its descriptor was written; the text keeps that member. Where that takes too long, nothing is left but the text.
 */
function makeFit(
  exact: Record<string, unknown>,
  rounded: Record<string, unknown>,
  validator: Validator,
  clock: () => number,
): { value: Record<string, unknown>; drift: string[] } {
  const drift: string[] = [];
  let [value, checked]: [unknown, unknown] = [exact, rounded];
  let endsAt = Number.POSITIVE_INFINITY;
  for (let round = 0; round < MAX_ROUNDS && clock() < endsAt; round += 1) {
    const problems = validator.problems(checked, MAX_CHECKED_NODES);
    // The first round may compile the schema, which is nobody's fault and happens once.
    if (round === 0) endsAt = clock() + FITTING_BUDGET_MS;
    if (problems.length === 0) return { value: value as Record<string, unknown>, drift };
    const places = new Set(problems.map((problem) => problem.instancePath));
    if (places.has('')) break;
    for (const place of places) drift.push(place);
    value = removeAll(value, places);
    checked = removeAll(checked, places);
  }
  return { value: {}, drift: [...drift, ''] };
}
