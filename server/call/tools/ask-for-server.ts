/** Passes the questions of an MCP server on to the user's client, or to a page, and the answers back to the server. */

import type { ValueSealer } from '../../base/credentials/sealed-value.ts';
import type { Connector } from '../../contract/index.ts';
import type { McpAnswers, McpQuestions } from '../upstream/index.ts';
import { type CallToResume, canElicit, type OpenedState, sealState, type UserPage } from './ask-user.ts';
import { refuse } from './call/call-outcome.ts';
import { isObject } from './json.ts';
import type { CompleteToolResult, InputRequiredToolResult, ToolCallContext } from './provider.ts';
import { pageOf, type QuestionPages } from './questions/store.ts';
import { cleanText, type ToolError } from './results/errors.ts';

const MAX_QUESTIONS = 5;
/** Characters of the JSON of one question, and of the server's state. */
const MAX_CHARS = 16 * 1024;

/** The questions of a server in an earlier request of a call. */
export interface EarlierQuestions {
  readonly keys: readonly string[];
  readonly state?: string | undefined;
}

/**
 * Returns in which ways the user can be asked, and the client's answers to earlier questions. Undefined if the user cannot be asked.
 *
 * @param hasPage true if a page can ask what the client cannot.
 */
export function answersOf(
  context: ToolCallContext,
  earlier: EarlierQuestions | undefined,
  hasPage: boolean,
): McpAnswers | undefined {
  const modes = (['form', 'url'] as const).filter((mode) => hasPage || canElicit(context.clientCapabilities, mode));
  if (modes.length === 0) return undefined;
  const elicitation = Object.fromEntries(modes.map((mode) => [mode, {}]));
  if (earlier === undefined) return { elicitation };
  const answeredKeys = earlier.keys.filter((key) => Object.hasOwn(context.inputResponses, key));
  const responses = Object.fromEntries(answeredKeys.map((key) => [key, context.inputResponses[key]]));
  return { elicitation, responses, state: earlier.state };
}

/** Parts of asking a client. */
interface AskingOptions {
  /** Of the service. */
  readonly title: string;
  readonly opened: OpenedState;
  readonly states: ValueSealer;
  /** The result if a client of 2025 does not answer. */
  readonly otherwise: CompleteToolResult;
}

/** Asks the user the questions of an MCP server, in its name. Null if a question is too large, or the client has no way to ask it. */
export function askForServer(
  call: CallToResume,
  { requests, state }: McpQuestions,
  { title, opened, states, otherwise }: AskingOptions,
): InputRequiredToolResult | null {
  const entries = Object.entries(requests);
  if (entries.length > MAX_QUESTIONS || (state ?? '').length > MAX_CHARS) return null;
  const inputRequests: Record<string, { method: string; params: object }> = {};
  for (const [key, request] of entries) {
    const params = toParams(request, title, call.context);
    if (params === null || key.length > MAX_CHARS) return null;
    inputRequests[key] = { method: 'elicitation/create', params };
  }
  const questions = { keys: Object.keys(requests), state };
  const requestState = sealState(call, { timesAsked: opened.timesAsked + 1, questions }, states);
  if (requestState === null) return null;
  const result: InputRequiredToolResult = { resultType: 'input_required', inputRequests, requestState };
  if (call.context.era === '2026') return result;
  return { ...result, inSession: { otherwise, isDone: () => false, takesAnswers: true } };
}

/** The question with the members that the specification names, under the name of the service. */
function toParams(
  request: Readonly<Record<string, unknown>>,
  title: string,
  { clientCapabilities }: ToolCallContext,
): object | null {
  const { mode = 'form', message, requestedSchema } = request;
  const text = `${title} asks: ${typeof message === 'string' ? cleanText(message) : ''}`;
  if (mode === 'url') {
    const url = pageOf(request)?.href;
    if (url === undefined || url.length > MAX_CHARS) return null;
    return canElicit(clientCapabilities, 'url') ? { mode, message: text, url } : null;
  }
  if (mode !== 'form' || !isObject(requestedSchema) || !canElicit(clientCapabilities, 'form')) return null;
  return JSON.stringify(requestedSchema).length > MAX_CHARS ? null : { mode, message: text, requestedSchema };
}

/** A call that ended with questions. */
interface AskingCall {
  readonly connector: Connector;
  readonly questions: McpQuestions;
  readonly error: ToolError;
}

/** Stores the questions. Returns their page, and the result for a client that cannot open it. Null if no page can show them. */
export async function askOnPage(
  call: CallToResume,
  { connector, questions, error }: AskingCall,
  { store, urlOf }: QuestionPages,
): Promise<{ readonly page: UserPage; readonly result: CompleteToolResult } | null> {
  const id = await store.add(call, connector.name, questions);
  if (id === undefined) return null;
  const page: UserPage = {
    remedy: 'answer',
    url: urlOf(id),
    message: `${connector.title} asks something before it answers. Open the page to read and answer it, then continue.`,
    isDone: async () => !(await store.isWaiting(id)),
  };
  const advice = 'Tell the user. After the user has answered, call again with exactly the same arguments.';
  const { result } = refuse('needs_input', { message: error.message, advice, details: error.details });
  return { page, result };
}
