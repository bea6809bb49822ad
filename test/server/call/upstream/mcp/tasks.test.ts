import { randomUUID } from 'node:crypto';
import { InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { afterEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { parseRawNumbers } from '../../../../../shared/exact-json.ts';
import { createFixture } from '../../tools/support.ts';
import { startHost } from '../support.ts';
import { type Message, openServer, send } from './scripted-server.ts';
import { GREET, mcpConnector, mcpTool } from './support.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

const EXTENSIONS = { 'io.modelcontextprotocol/tasks': {} };
const DISCOVERED = {
  resultType: 'complete',
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {}, extensions: EXTENSIONS },
  ttlMs: 0,
  cacheScope: 'private',
};
const TASK = { taskId: 't-1', status: 'working', createdAt: 'x', lastUpdatedAt: 'x', ttlMs: null, pollIntervalMs: 1 };

const ADDS = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true };

const FORM = { type: 'object', properties: {} };

type Headers = Record<string, unknown>;

async function openTasks(states: readonly object[], created: object = TASK) {
  const headers: Headers[] = [];
  let reads = 0;
  const server = await openServer(
    (message, response, received) => {
      headers.push(received);
      switch (message.method) {
        case 'tools/call':
          return send(response, message, { resultType: 'task', ...created });
        case 'tasks/get':
          reads += 1;
          return send(response, message, {
            resultType: 'complete',
            ...TASK,
            ...states[Math.min(reads, states.length) - 1],
          });
        default:
          return send(response, message, { resultType: 'complete' });
      }
    },
    { results: { 'server/discover': () => DISCOVERED } },
  );
  const methods = () =>
    server.messages.map(({ method }) => method).filter((method) => /^tools.call|^tasks/.test(method));
  return { ...server, headers, methods };
}

const capabilitiesOf = ({ params }: Message) =>
  (params?._meta as Record<string, unknown> | undefined)?.['io.modelcontextprotocol/clientCapabilities'];

test('a call that a server of 2026 answers with a task gets the result of the task', async () => {
  const text = '{"id":12345678901234567890}';
  const result = { content: [], structuredContent: parseRawNumbers(text) };
  const { fixture, messages, headers, methods } = await openTasks([
    { statusMessage: 'Half done.' },
    { status: 'completed', result },
  ]);
  const progress = { message: null };
  const answer = await fixture.call('people_greet', { name: 'Ada' }, { progress });
  expect(answer.content[0]?.text).toBe('{"id":"12345678901234567890"}');
  expect(progress.message).toBe('Half done.');
  expect(methods()).toEqual(['tools/call', 'tasks/get', 'tasks/get']);
  expect(capabilitiesOf(messages.find(({ method }) => method === 'tools/call')!)).toMatchObject({
    extensions: EXTENSIONS,
  });
  expect(headers.at(-1)).toMatchObject({ 'mcp-method': 'tasks/get', 'mcp-name': 't-1' });
});

test('a server of 2026 that has no tasks is told of none', async () => {
  const { call, messages } = await openServer((message, response) =>
    send(response, message, { resultType: 'complete', content: [] }),
  );
  await call();
  expect(capabilitiesOf(messages.find(({ method }) => method === 'tools/call')!)).toEqual({});
});

test('a question of a task goes to the user, and the answer to the same task', async () => {
  const params = { mode: 'form', message: 'Which one?', requestedSchema: { type: 'object', properties: {} } };
  const inputRequests = { q: { method: 'elicitation/create', params } };
  const { fixture, messages, methods } = await openTasks([
    { status: 'input_required', inputRequests },
    { status: 'input_required', inputRequests },
    { status: 'completed', result: { content: [{ type: 'text', text: 'Done.' }] } },
  ]);
  const clientCapabilities = { elicitation: {} };
  const asked = (await fixture.call('people_greet', { name: 'Ada' }, { clientCapabilities })) as unknown as {
    requestState: string;
  };
  expect(asked).toMatchObject({ inputRequests: { q: { params: { message: 'People asks: Which one?' } } } });
  const inputResponses = { q: { action: 'accept', content: {} } };
  const answered = { clientCapabilities, inputResponses, requestState: asked.requestState };
  const result = await fixture.call('people_greet', { name: 'Ada' }, answered);
  expect(result.content[0]?.text).toBe('Done.');
  expect(methods()).toEqual(['tools/call', 'tasks/get', 'tasks/get', 'tasks/update', 'tasks/get']);
  expect(messages.find(({ method }) => method === 'tasks/update')?.params).toMatchObject({
    taskId: 't-1',
    inputResponses,
  });
});

test('a task that asks again is answered again, and is not answered twice', async () => {
  const params = { mode: 'form', message: 'Which one?', requestedSchema: { type: 'object', properties: {} } };
  const question = { method: 'elicitation/create', params };
  const { fixture, messages } = await openTasks([
    { status: 'input_required', inputRequests: { a: question } },
    { status: 'input_required', inputRequests: { a: question } },
    { status: 'input_required', inputRequests: { a: question, b: question } },
    { status: 'input_required', inputRequests: { b: question } },
    { status: 'completed', result: { content: [{ type: 'text', text: 'Done.' }] } },
  ]);
  const response = { action: 'accept', content: {} };
  const call = async (inputResponses: object, requestState?: string) =>
    (await fixture.call('people_greet', { name: 'Ada' }, {
      clientCapabilities: { elicitation: {} },
      inputResponses,
      ...(requestState !== undefined && { requestState }),
    } as never)) as unknown as { inputRequests: object; requestState: string; content: { text: string }[] };
  const first = await call({});
  const second = await call({ a: response }, first.requestState);
  expect([first, second].map(({ inputRequests }) => Object.keys(inputRequests))).toEqual([['a'], ['b']]);
  expect((await call({ b: response }, second.requestState)).content[0]?.text).toBe('Done.');
  const updates = messages.filter(({ method }) => method === 'tasks/update');
  expect(updates.map(({ params: sent }) => sent?.inputResponses)).toEqual([{ a: response }, { b: response }]);
});

test('a task is cancelled with its call', async () => {
  const { fixture, methods } = await openTasks([{}]);
  const client = new AbortController();
  const pending = fixture.call('people_greet', { name: 'Ada' }, { signal: client.signal });
  await vi.waitFor(() => expect(methods()).toContain('tasks/get'), { timeout: 5000 });
  client.abort();
  await pending;
  await vi.waitFor(() => expect(methods()).toContain('tasks/cancel'), { timeout: 5000 });
});

test.each([
  {
    state: { status: 'failed', error: { code: -32603, message: 'No paper.' } },
    code: 'tool_error',
    text: '"No paper."',
  },
  { state: { status: 'cancelled' }, code: 'tool_error', text: 'cancelled the task' },
  { created: { taskId: 'a b' }, code: 'upstream_protocol_error', text: '' },
  { created: { taskId: 7 }, code: 'upstream_protocol_error', text: '' },
])('a task that is $state $created ends with $code', async ({ state = {}, created = TASK, code, text }) => {
  const { call } = await openTasks([state], created);
  const result = await call();
  expect(result.code).toBe(code);
  expect(result.text).toContain(text);
});

test.each([401, 404, 503])(
  'a call that a server works on is not made again when it answers %i later',
  async (status) => {
    const calls: string[] = [];
    const { call } = await openServer(
      (message, response) => {
        calls.push(message.method);
        if (message.method === 'tools/call') send(response, message, { resultType: 'task', ...TASK });
        else response.writeHead(status).end();
      },
      { annotations: ADDS, results: { 'server/discover': () => DISCOVERED } },
    );
    const { code, text } = await call();
    expect(code).toBe('upstream_connection_lost');
    expect(text).toContain(`answered ${status} to another request of the same call`);
    expect(text).toContain('may have');
    expect(calls.filter((method) => method === 'tools/call')).toHaveLength(1);
  },
);

test.each([401, 404, 503, 'an error'])(
  'a task that was answered is not begun again when the server answers %s later',
  async (status) => {
    const question = { method: 'elicitation/create', params: { message: 'Which?', requestedSchema: FORM } };
    const calls: string[] = [];
    const { fixture } = await openServer(
      (message, response) => {
        calls.push(message.method);
        if (message.method === 'tools/call') return send(response, message, { resultType: 'task', ...TASK });
        if (message.method === 'tasks/update') return send(response, message, { resultType: 'complete' });
        if (!calls.includes('tasks/update'))
          return send(response, message, { ...TASK, status: 'input_required', inputRequests: { q: question } });
        if (typeof status === 'number') return response.writeHead(status).end();
        const error = { code: -32603, message: 'Try later.' };
        return response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, error }));
      },
      { annotations: ADDS, results: { 'server/discover': () => DISCOVERED } },
    );
    const clientCapabilities = { elicitation: {} };
    const asked = await fixture.call('people_greet', { name: 'Ada' }, { clientCapabilities });
    const { requestState } = asked as unknown as { requestState: string };
    const inputResponses = { q: { action: 'accept', content: {} } };
    const answered = { clientCapabilities, inputResponses, requestState };
    const { content } = await fixture.call('people_greet', { name: 'Ada' }, answered);
    expect(JSON.parse(String(content[1]?.text)).code).toBe('upstream_connection_lost');
    expect(content[0]?.text).toContain('may have');
    expect(calls.filter((method) => method === 'tools/call')).toHaveLength(1);
  },
);

async function startTaskServer(structuredContent?: Record<string, unknown>) {
  const taskStore = new InMemoryTaskStore();
  const capabilities = { tools: {}, tasks: { requests: { tools: { call: {} } }, cancel: {}, list: {} } };
  const taskServer = new McpServer({ name: 'people', version: '1' }, { capabilities, taskStore });
  const result = { content: [{ type: 'text' as const, text: 'Hello.' }], structuredContent };
  taskServer.experimental.tasks.registerToolTask(
    'greet',
    { inputSchema: { name: z.string() }, execution: { taskSupport: 'required' } },
    {
      async createTask(_, { taskStore: store }) {
        const task = await store.createTask({ ttl: 60_000, pollInterval: 400 });
        setTimeout(() => void store.storeTaskResult(task.taskId, 'completed', result), 50);
        return { task };
      },
      getTask: (_, { taskId, taskStore: store }) => store.getTask(taskId),
      getTaskResult: async (_, { taskId, taskStore: store }) => (await store.getTaskResult(taskId)) as typeof result,
    },
  );
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID });
  await taskServer.connect(transport as never);
  const host = await startHost((request, response) => transport.handleRequest(request, response));
  open.push(host.close, async () => taskStore.cleanup());
  return host;
}

test('a tool of a server of 2025 that is only called as a task is called so', async () => {
  const host = await startTaskServer();
  const tool = mcpTool(GREET);
  const upstream = { mcpDrift: 'warn' as const };
  const fixture = createFixture({ connectors: [mcpConnector([tool])], origin: `${host.origin}/mcp`, upstream });
  open.unshift(fixture.close);
  const result = await fixture.call('people_greet', { name: 'Ada' });
  expect(result.content[0]?.text).toBe('Hello.');
});

test('the structured content of a task of a server of 2025 arrives', async () => {
  const host = await startTaskServer({ greeting: 'Hello.' });
  const tool = mcpTool({ ...GREET, outputSchema: { type: 'object', properties: { greeting: { type: 'string' } } } });
  const upstream = { mcpDrift: 'warn' as const };
  const fixture = createFixture({ connectors: [mcpConnector([tool])], origin: `${host.origin}/mcp`, upstream });
  open.unshift(fixture.close);
  const result = await fixture.call('people_greet', { name: 'Ada' });
  expect(result.structuredContent).toEqual({ greeting: 'Hello.' });
});
