/**
 * Calls that a server answers with a task: the session reads its state until it has ended, within the time of the call.
 *
 * The client of MCP knows the requests of the experimental tasks of 2025-11-25 only, so those of the extension (`io.modelcontextprotocol/tasks`, 2026-07-28)
 * are sent beside it.
 */

import { createParser } from 'eventsource-parser';
import { parseRawNumbers } from '../../../../shared/exact-json.ts';
import { NOT_MCP, UpstreamFailure } from '../failures.ts';
import { isRpcError } from './exchange.ts';

export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

type Members = Readonly<Record<string, unknown>>;

/** The requests about tasks in one revision. */
export interface TaskRequests {
  /** Sends a request about a task. @returns its result. */
  send(method: 'tasks/get' | 'tasks/result' | 'tasks/update' | 'tasks/cancel', params: Members): Promise<Members>;
  /** True if the result is asked for with `tasks/result`, as in 2025-11-25. Otherwise the state of an ended task has it. */
  readonly hasResultRequest: boolean;
}

/** Options of waiting for a task. */
interface TaskOptions {
  /** Aborts when the call ends: the task is then cancelled. */
  readonly signal: AbortSignal;
  readonly onProgress?: ((message: string) => void) | undefined;
  /** Answers of the user, by the keys of the server. Default: none. */
  readonly responses?: Members | undefined;
  /** Resolves after a time, without a request. */
  readonly pause: (ms: number) => Promise<void>;
  /** Runs work that continues when the call has ended. */
  readonly runAfterEnd: (work: () => Promise<unknown>) => void;
}

const TASK_ID = /^[\x21-\x7e]{1,512}$/;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5000;
/** A server may ask for a longer pause, up to this one. */
const LONGEST_HINT_MS = 30_000;

/**
 * Waits until a task has ended.
 *
 * @param task of the answer that created it, or with its id alone.
 * @returns the result of the call; or, with the id of the task as its state, a result that asks the user (MCP 2026-07-28, `InputRequiredResult`).
 * @throws {UpstreamFailure} `protocol` for a task that is none, and what `requests` throws.
 */
export async function awaitTask(task: Members, requests: TaskRequests, options: TaskOptions): Promise<Members> {
  const { taskId } = task;
  if (typeof taskId !== 'string' || !TASK_ID.test(taskId)) throw new UpstreamFailure('protocol', { reason: NOT_MCP });
  const cancel = () => options.runAfterEnd(() => requests.send('tasks/cancel', { taskId }));
  options.signal.addEventListener('abort', cancel, { once: true });
  try {
    return await readUntilEnd({ ...task, taskId }, requests, options);
  } finally {
    options.signal.removeEventListener('abort', cancel);
  }
}

async function readUntilEnd(
  created: Members & { readonly taskId: string },
  requests: TaskRequests,
  { onProgress, responses = {}, pause }: TaskOptions,
): Promise<Members> {
  const { taskId } = created;
  let state: Members = created;
  const answeredKeys = new Set<string>();
  for (let reads = 0; ; reads += 1) {
    const { status, statusMessage } = state;
    if (typeof statusMessage === 'string') onProgress?.(statusMessage);
    if (status === 'cancelled') return toolError('The server cancelled the task of this call.');
    if (status === 'completed' || status === 'failed' || (status === 'input_required' && requests.hasResultRequest)) {
      // A server of 2025 asks on the stream of this answer.
      return requests.hasResultRequest ? requests.send('tasks/result', { taskId }) : resultOf(state);
    }
    if (status === 'input_required') {
      // The state may still name questions whose answers the server has received.
      const open = Object.entries((state.inputRequests ?? {}) as Members).filter(([key]) => !answeredKeys.has(key));
      if (open.some(([key]) => !Object.hasOwn(responses, key))) return askOf(Object.fromEntries(open), taskId);
      if (open.length > 0) {
        const inputResponses = Object.fromEntries(open.map(([key]) => [key, responses[key]]));
        await requests.send('tasks/update', { taskId, inputResponses }).catch(toLostTask);
        for (const [key] of open) answeredKeys.add(key);
      }
    }
    await pause(pauseOf(state, reads));
    state = await requests.send('tasks/get', { taskId }).catch(toLostTask);
  }
}

/** An error about a task, such as one that the server has forgotten, says nothing about the call, which may go on. @throws {UpstreamFailure} */
function toLostTask(error: unknown): never {
  throw isRpcError(error) ? new UpstreamFailure('reset', { reason: `task: ${error.code}` }) : error;
}

function pauseOf({ pollInterval, pollIntervalMs }: Members, reads: number): number {
  const hint = pollIntervalMs ?? pollInterval;
  const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 1.2 ** reads);
  return typeof hint === 'number' ? Math.max(pause, Math.min(hint, LONGEST_HINT_MS)) : pause;
}

function resultOf({ result, error }: Members): Members {
  if (typeof result === 'object' && result !== null) return result as Members;
  const { message } = (error ?? {}) as Members;
  return toolError(typeof message === 'string' ? message : 'The task of this call failed.');
}

function toolError(text: string): Members {
  return { isError: true, content: [{ type: 'text', text }] };
}

/** The state that a server makes for a call never begins with it. */
const STATE_PREFIX = `${TASKS_EXTENSION} `;

function askOf(inputRequests: Members, taskId: string): Members {
  return { resultType: 'input_required', inputRequests, requestState: STATE_PREFIX + taskId };
}

/** Returns the id of the task to which the user's answers belong. Undefined if they belong to a call. */
export function taskOfState(state: string | undefined): string | undefined {
  return state?.startsWith(STATE_PREFIX) ? state.slice(STATE_PREFIX.length) : undefined;
}

/** The server to which requests are sent beside the client. */
interface RawServer {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Members of `_meta` of each request. */
  readonly meta: Members;
  readonly protocolVersion: string;
}

/** Returns the requests of the extension. Their ids are no numbers, so they never are those of the client. */
export function extensionRequests(server: RawServer): TaskRequests {
  const { url, headers, meta, protocolVersion } = server;
  let count = 0;
  return {
    hasResultRequest: false,
    async send(method, params) {
      count += 1;
      const id = `task-${count}`;
      const response = await server.fetch(url, {
        method: 'POST',
        headers: {
          ...headers,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': protocolVersion,
          'mcp-method': method,
          'mcp-name': String(params.taskId),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } }),
      });
      const { result, error } = readAnswer(await response.text(), id);
      if (typeof result === 'object' && result !== null) return result as Members;
      const { code, message } = (error ?? {}) as Members;
      if (!Number.isInteger(code)) throw new UpstreamFailure('protocol', { reason: NOT_MCP });
      throw Object.assign(new Error(String(message)), { code });
    },
  };
}

/** Reads a JSON answer, or that of a stream of events. Empty if there is none. */
function readAnswer(text: string, id: string): Members {
  const messages: unknown[] = [];
  const read = (json: string) => {
    try {
      messages.push(parseRawNumbers(json));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  };
  if (text.trimStart().startsWith('{')) read(text);
  else createParser({ onEvent: ({ data }) => read(data) }).feed(`${text}\n\n`);
  return (messages as (Members | null)[]).find((message) => message?.id === id) ?? {};
}
