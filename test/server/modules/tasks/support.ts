/** A client of tasks, over plain HTTP. */

import { MCP_PATH } from '../../../../server/gateway-paths.ts';

export const EXTENSION = 'io.modelcontextprotocol/tasks';
const PREFIX = 'io.modelcontextprotocol/';

// biome-ignore lint/suspicious/noExplicitAny: the tests inspect raw answers
export type Raw = any;

export interface TasksClient {
  /** @returns the result, or `{ error }`. */
  ask(method: string, params: Record<string, unknown>, headers?: Record<string, string>): Promise<Raw>;
  call(name: string, args?: object, meta?: object): Promise<Raw>;
  get(taskId: string): Promise<Raw>;
  /** Asks until the task has one of these statuses. */
  until(taskId: string, ...statuses: string[]): Promise<Raw>;
}

interface Options {
  readonly origin: string;
  readonly token: string;
  /** Default: it declares tasks, and shows pages and forms. */
  readonly capabilities?: object;
}

export const DECLARED = { elicitation: { form: {}, url: {} }, extensions: { [EXTENSION]: {} } };
export const ENDED = ['completed', 'failed', 'cancelled'];

export function createTasksClient({ origin, token, capabilities = DECLARED }: Options): TasksClient {
  let id = 0;
  const ask: TasksClient['ask'] = async (method, params, headers = {}) => {
    id += 1;
    const meta = {
      ...(params._meta as object | undefined),
      [`${PREFIX}protocolVersion`]: '2026-07-28',
      [`${PREFIX}clientCapabilities`]: capabilities,
      [`${PREFIX}clientInfo`]: { name: 'test', version: '1' },
    };
    const response = await fetch(origin + MCP_PATH, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${token}`,
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        'mcp-name': String(params.name ?? params.taskId ?? ''),
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } }),
    });
    const text = await response.text();
    const json = JSON.parse(/^(?:event|id|data):/m.test(text) ? (/^data: (.*)$/m.exec(text)?.[1] ?? '') : text);
    return json.error === undefined ? json.result : { error: { ...json.error, status: response.status } };
  };
  const get = (taskId: string) => ask('tasks/get', { taskId });
  return {
    ask,
    get,
    call: (name, args = {}, meta = {}) => ask('tools/call', { name, arguments: args, _meta: meta }),
    async until(taskId, ...statuses) {
      for (let tries = 0; tries < 250; tries += 1) {
        const task = await get(taskId);
        if (task.error !== undefined || statuses.includes(task.status)) return task;
        await new Promise((resolve) => setTimeout(resolve, Math.min(250, 25 * tries)));
      }
      throw new Error(`the task ${taskId} never was ${statuses.join(' or ')}`);
    },
  };
}
