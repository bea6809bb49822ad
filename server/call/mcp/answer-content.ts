/** Decides whether the answer of a call travels as text, as structured content or as both: many clients give their model only one, and some both. */

import type { HttpExchange } from '../../base/http/exchange.ts';
import type { Principal } from '../../base/principal/principal.ts';
import type { CallAnswer, CompleteToolResult, ContentBlock, EndpointTools, ToolResult } from '../tools/provider.ts';
import { escapeTags } from '../tools/results/errors.ts';

/** `auto`: as the client's profile says, `both` for clients without one. */
export const ANSWER_CONTENTS = ['auto', 'both', 'text', 'structured'] as const;
export type AnswerContent = (typeof ANSWER_CONTENTS)[number];

/** The parts of a result that a client gives its model, if the result has both. */
interface ReadingProfile {
  readonly client: string;
  /** `structured`: then no text, image or file of the content. */
  readonly reads: 'text' | 'structured' | 'both';
  readonly source: string;
}

/** By the product that a client names first in `User-Agent` (RFC 9110 §10.1.5). Anyone can send one: it decides the form of an answer, and no right. */
export const READING_PROFILES: Readonly<Record<string, ReadingProfile>> = {
  'claude-code': {
    client: 'Claude Code',
    reads: 'structured',
    source: 'https://github.com/anthropics/claude-code/issues/79944',
  },
  'codex-mcp-client': {
    client: 'Codex',
    reads: 'structured',
    source: 'https://github.com/openai/codex/issues/38287',
  },
  'copilot-cli': {
    client: 'GitHub Copilot CLI',
    reads: 'both',
    source: 'https://github.com/github/copilot-cli/issues/4515',
  },
  opencode: { client: 'opencode', reads: 'text', source: 'https://github.com/anomalyco/opencode/pull/34505' },
};

/** The facts that decide the form of an answer. */
interface AnswerParts {
  readonly tools: EndpointTools;
  readonly answerContent?: AnswerContent;
}

/** A call, as far as the form of its answer depends on it. */
interface AnsweredCall {
  readonly exchange: HttpExchange;
  readonly principal: Principal;
  /** Of the tool, as the client called it. */
  readonly name: string;
}

/**
 * Creates the function that gives results their form. The default of `answerContent` is `auto`.
 *
 * A tool whose listed output schema the client knows has structured content in every form (MCP, Output Schema: MUST). For other tools, an empty
 * object is left out: some clients would show it in place of the text, image or file. Text is left out only where it repeats the structured content,
 * and never a note, an image or a file. Errors stay as they are.
 */
export function createAnswerForm({ tools, answerContent = 'auto' }: AnswerParts) {
  return (given: CallAnswer, { exchange, principal, name }: AnsweredCall): CallAnswer => {
    if (given.resultType === 'task') return given;
    const result = withKnownBlocks(given, exchange.request.headers['mcp-protocol-version']);
    if (result.resultType === 'input_required' || result.structuredContent === undefined) return result;
    const isUnknownSchema = tools.showsSchema?.(principal, name) === false;
    if (isUnknownSchema && isEmptyBesideContent(result)) return withoutStructured(result);
    const product = exchange.request.headers['user-agent']?.split('/', 1)[0] ?? '';
    const profile = Object.hasOwn(READING_PROFILES, product) ? READING_PROFILES[product] : undefined;
    if (answerContent === 'both' || (answerContent === 'auto' && profile === undefined)) return result;
    if (answerContent !== 'structured' && isUnknownSchema) return withoutStructured(result);
    const repeats = answerContent === 'structured' || (answerContent === 'auto' && profile?.reads === 'both');
    const [first, ...others] = result.content;
    if (!repeats || first?.text !== escapeTags(JSON.stringify(result.structuredContent))) return result;
    return { ...result, content: others };
  };
}

/** The answer itself may be an empty object: then its text is the same. */
function isEmptyBesideContent({ structuredContent, content }: CompleteToolResult): boolean {
  return Object.keys(structuredContent ?? {}).length === 0 && content.some(({ text }) => text !== '{}');
}

function withoutStructured({ structuredContent: _, ...result }: CompleteToolResult): CompleteToolResult {
  return result;
}

/** Links to resources are of 2025-06-18, the first revision that each request names: older clients refuse an answer with a block that they do not know. */
function withKnownBlocks(result: ToolResult, revision: unknown): ToolResult {
  if (result.resultType === 'input_required') return result;
  if (typeof revision === 'string' && revision >= '2025-06-18') return result;
  const isLink = ({ type }: ContentBlock) => type === 'resource_link';
  if (!result.content.some(isLink)) return result;
  const content = result.content.flatMap((block) => {
    if (!isLink(block)) return block;
    // The text next to a link of the gateway names its handle.
    return String(block.uri).startsWith('kept:') ? [] : { type: 'text', text: `${block.name}: ${block.uri}` };
  });
  return { ...result, content };
}
