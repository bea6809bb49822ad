/** Explains why a call at an MCP server has no result. */

import type { McpProblem } from '../../upstream/index.ts';
import type { ErrorObject } from '../validate.ts';
import { cleanCode, cleanDetails, cleanText, type ExplainedError, explain, quoteUpstream } from './errors.ts';
import { type CalledTool, readText } from './upstream-errors.ts';

/** Stands for the definition of a tool among the differences of answers. */
export const DEFINITION_CHANGED: ErrorObject = {
  keyword: 'definition',
  instancePath: '',
  schemaPath: '#',
  params: {},
  data: null,
};

const MESSAGES = ['/message', '/error/message', '/error'];

/**
 * Explains a problem. The words of the server are quoted as data, unless the tool withholds members, which they may hold.
 *
 * @param body what the server said, decoded.
 */
export function explainMcpProblem(called: CalledTool, problem: McpProblem, body: unknown): ExplainedError {
  const { connector, tool } = called;
  const { title, name } = connector;
  const update = `No argument can change that: do without this tool, or tell the user that the operator of the gateway has to run "utg update ${name}" and to review what has changed.`;
  switch (problem) {
    case 'definition_changed':
      return explain('definition_changed', {
        message: `${title} has changed the definition of ${tool.name} since it was reviewed. Nothing was sent.`,
        advice: update,
      });
    case 'list_unreadable':
      return explain('definition_changed', {
        message: `${title} lists its tools in an answer that is too large or not valid, so that the definition of ${tool.name} cannot be compared with the reviewed one. Nothing was sent.`,
        advice: update,
      });
    case 'tool_gone':
      return explain('tool_gone', {
        message: `${title} does not offer ${tool.name} any more. Nothing was sent.`,
        advice: update,
      });
    case 'asks_user':
      return explain('needs_input', {
        message: `${title} wants to ask the user before it answers.${quote(called, body)}`,
        ...detailsOf(called, body),
      });
    case 'tool_error':
      return explain('tool_error', {
        message: `${title} reports that the call failed.${quote(called, body)}`,
        repeatable: tool.annotations.idempotentHint,
        ...detailsOf(called, body),
      });
  }
}

function quote({ tool }: CalledTool, body: unknown): string {
  if (tool.result?.withhold !== undefined) return '';
  const text = typeof body === 'string' ? cleanText(body) : readText(body, MESSAGES);
  return text === null || text === '' ? '' : quoteUpstream(text);
}

function detailsOf({ tool }: CalledTool, body: unknown) {
  if (tool.result?.withhold !== undefined || typeof body === 'string') return {};
  const code = readText(body, ['/code']);
  return { upstreamCode: code === null ? null : cleanCode(code), details: cleanDetails(withoutMessage(body)) };
}

/** The message is quoted in the text already. */
function withoutMessage(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const { message: _, ...others } = body as Readonly<Record<string, unknown>>;
  return Object.keys(others).length === 0 ? null : others;
}
