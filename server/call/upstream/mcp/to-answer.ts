/** Turns the result of `tools/call` into an answer like that of any upstream: a body, and the blocks next to it. */

import type { AnswerBlock, McpOutcome, McpQuestions, UpstreamAnswer } from '../answer.ts';

/** Blocks next to the body at most. */
const MAX_BLOCKS = 100;
/** Characters of a text of a link. */
const MAX_LINK_CHARS = 2000;

/**
 * Schemes of links that are left out: a client that opens one would run it, or take it for a link of the gateway (`kept:`, see
 * `server/call/tools/files/handles.ts`).
 */
const REFUSED_SCHEMES: ReadonlySet<string> = new Set(['javascript:', 'vbscript:', 'data:', 'kept:']);

/** The parts of one answer. */
interface AnswerBody {
  readonly contentType: string;
  readonly body: Buffer;
}

const NO_BODY = { contentType: 'text/plain; charset=utf-8', body: Buffer.alloc(0) };

/**
 * Returns the answer of a result.
 *
 * Structured content is the body, as JSON. Its copy as text is left out. Without it the texts are the body; without a text, the first file.
 * Other images, recordings, files and links are blocks. Unknown blocks and `_meta` are left out.
 *
 * @param hasOutputSchema true if the tool promises structured content. Otherwise an empty one does not replace a text.
 */
export function toAnswer(result: Readonly<Record<string, unknown>>, hasOutputSchema: boolean): UpstreamAnswer {
  if (result.resultType === 'input_required') return toQuestion(result);
  const blocks = (Array.isArray(result.content) ? result.content : []).filter(isBlock).slice(0, MAX_BLOCKS);
  const texts = blocks.flatMap((block) => textOf(block) ?? []);
  const others = blocks.filter((block) => textOf(block) === undefined);
  if (result.isError === true) {
    const body = Buffer.from(texts.join('\n'));
    return answerOf({ ...NO_BODY, body }, { problem: 'tool_error' });
  }
  const isEmpty = texts.length > 0 && !hasOutputSchema && isEmptyContent(result.structuredContent);
  if (result.structuredContent !== undefined && !isEmpty) {
    const body = Buffer.from(JSON.stringify(result.structuredContent));
    return answerOf({ contentType: 'application/json', body }, { blocks: others.flatMap(toBlock) });
  }
  if (texts.length > 0) {
    return answerOf({ ...NO_BODY, body: Buffer.from(texts.join('\n\n')) }, { blocks: others.flatMap(toBlock) });
  }
  const files = others.map(fileOf);
  const first = files.findIndex((file) => file !== null);
  const rest = others.filter((_, index) => index !== first).flatMap(toBlock);
  return answerOf(files[first] ?? NO_BODY, { blocks: rest });
}

/** The answer of a result that asks the user (MCP 2026-07-28, `InputRequiredResult`): its questions, without the server's state. */
function toQuestion({ inputRequests, requestState }: Readonly<Record<string, unknown>>): UpstreamAnswer {
  const all = Object.entries(isObject(inputRequests) ? inputRequests : {});
  const requests: Record<string, Readonly<Record<string, unknown>>> = {};
  for (const [key, request] of all) {
    if (isObject(request) && request.method === 'elicitation/create' && isObject(request.params)) {
      requests[key] = request.params;
    }
  }
  const state = typeof requestState === 'string' ? requestState : undefined;
  const count = Object.keys(requests).length;
  // Sampling and roots are refused, so no answer to the others would help.
  return questionsAnswer({ requests, state }, count > 0 && count === all.length);
}

/** The answer that asks the user. @param isAnswerable false if no answer would help the server. Default: true. */
export function questionsAnswer(questions: McpQuestions, isAnswerable = true): UpstreamAnswer {
  const requests = Object.values(questions.requests);
  const body = Buffer.from(JSON.stringify({ message: requests[0]?.message, questions: requests }));
  const outcome: McpOutcome = isAnswerable ? { problem: 'asks_user', questions } : { problem: 'asks_user' };
  return answerOf({ contentType: 'application/json', body }, outcome);
}

/** True for null, and an object without members, which some servers send next to each text. */
function isEmptyContent(content: unknown): boolean {
  return content === null || (isObject(content) && Object.keys(content).length === 0);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns an answer without a body that says why there is no result. */
export function problemAnswer(outcome: McpOutcome): UpstreamAnswer {
  return answerOf(NO_BODY, outcome);
}

function answerOf({ contentType, body }: AnswerBody, mcp: McpOutcome): UpstreamAnswer {
  return { status: 200, header: (name) => (name === 'content-type' ? contentType : null), body, mcp };
}

function isBlock(value: unknown): value is AnswerBlock {
  return isObject(value) && typeof value.type === 'string';
}

/** The text of a text block, or of an embedded resource that is text. */
function textOf({ type, text, resource }: AnswerBlock): string | undefined {
  const source = type === 'resource' ? (resource as { readonly text?: unknown } | undefined)?.text : text;
  return (type === 'text' || type === 'resource') && typeof source === 'string' ? source : undefined;
}

/** The bytes of an image, a recording or an embedded file. Null for other blocks. */
function fileOf({ type, data, mimeType, resource }: AnswerBlock): AnswerBody | null {
  const embedded = type === 'resource' ? (resource as { blob?: unknown; mimeType?: unknown } | undefined) : undefined;
  const base64 = embedded?.blob ?? data;
  if (typeof base64 !== 'string' || !['image', 'audio', 'resource'].includes(type)) return null;
  const mediaType = embedded?.mimeType ?? mimeType;
  const contentType = typeof mediaType === 'string' ? mediaType : 'application/octet-stream';
  return { contentType, body: Buffer.from(base64, 'base64') };
}

/** The block as a client gets it, with the members that the specification names. */
function toBlock(block: AnswerBlock): AnswerBlock[] {
  const { type } = block;
  const file = fileOf(block);
  if (file !== null && type !== 'resource') {
    return [{ type, data: file.body.toString('base64'), mimeType: file.contentType }];
  }
  if (file !== null) {
    const { uri } = block.resource as { readonly uri?: unknown };
    const resource = { uri: clip(uri), mimeType: file.contentType, blob: file.body.toString('base64') };
    return [{ type, resource }];
  }
  if (type !== 'resource_link' || typeof block.uri !== 'string') return [];
  if (REFUSED_SCHEMES.has(URL.parse(block.uri)?.protocol ?? '')) return [];
  const link: Record<string, unknown> & { type: string } = { type };
  for (const member of ['uri', 'name', 'title', 'description', 'mimeType']) {
    if (typeof block[member] === 'string') link[member] = clip(block[member]);
  }
  return [{ ...link, name: link.name ?? link.uri }];
}

function clip(text: unknown): string {
  return String(text ?? '').slice(0, MAX_LINK_CHARS);
}
