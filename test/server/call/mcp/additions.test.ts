import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type McpAddition, McpError } from '../../../../server/call/mcp/additions.ts';
import { InvalidCallError } from '../../../../server/call/tools/provider.ts';
import {
  legacyRequest,
  type Message,
  modernRequest,
  provideTools,
  type RunningEndpoint,
  startEndpoint,
} from './support.ts';

const files: McpAddition = {
  capabilities: { resources: {} },
  eras: ['2025', '2026'],
  methods: {
    'resources/read': async ({ userId }, params, { era }) => ({
      contents: [{ uri: String(params.uri), text: JSON.stringify({ userId, era, params }) }],
    }),
  },
};
const jobs: McpAddition = {
  capabilities: { extensions: { 'example.com/jobs': { most: 3 } } },
  methods: {
    'jobs/get': async (_, { jobId }, { inputResponses, clientCapabilities }) => {
      if (jobId === 'secret') throw new Error('a row of table users');
      if (jobId !== 'a') throw new InvalidCallError('Unknown job.');
      return { jobId, inputResponses, clientCapabilities };
    },
    'tasks/get': async () => ({}),
    'jobs/cancel': async () => {
      throw new McpError(-32021, 'Missing capability', { requiredCapabilities: { extensions: {} } });
    },
  },
};

describe('what modules add to the endpoint', () => {
  let endpoint: RunningEndpoint;
  beforeAll(async () => {
    endpoint = await startEndpoint({ tools: provideTools({}), additions: [files, jobs] });
  });
  afterAll(() => endpoint.close());

  const ask = async (request: (message: Message) => RequestInit, message: Message) => {
    const init = request(message);
    const { uri } = message.params ?? {};
    const named = typeof uri === 'string' ? { 'mcp-name': uri } : {};
    const headers = { ...(init.headers as Record<string, string>), ...named };
    const response = await fetch(endpoint.url, { ...init, headers });
    return { status: response.status, ...((await response.json()) as Record<'result' | 'error', never>) };
  };

  it('is declared to clients of each revision that has it', async () => {
    const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    const old = await ask(legacyRequest, { method: 'initialize', params: initialize });
    expect(old.result).toMatchObject({ capabilities: { tools: {}, resources: {} } });
    expect(old.result).not.toHaveProperty('capabilities.extensions');
    const { result } = await ask(modernRequest, { method: 'server/discover' });
    expect(result).toHaveProperty('capabilities', {
      tools: {},
      resources: {},
      extensions: { 'example.com/jobs': { most: 3 } },
    });
  });

  it.each([
    ['2025', legacyRequest],
    ['2026', modernRequest],
  ] as const)('answers methods of the core for the user of the token (%s)', async (era, request) => {
    const { result } = await ask(request, { method: 'resources/read', params: { uri: 'kept://a', more: 1 } });
    const said = { userId: 'user-1', era, params: { uri: 'kept://a', more: 1 } };
    expect(result).toMatchObject({ contents: [{ uri: 'kept://a', text: JSON.stringify(said) }] });
  });

  it.each([undefined, 'other'])('needs Mcp-Name for tasks, as their extension says (%s)', async (name) => {
    const init = modernRequest({ method: 'tasks/get', params: { taskId: 'a' } });
    const headers = { ...(init.headers as Record<string, string>), ...(name && { 'mcp-name': name }) };
    const response = await fetch(endpoint.url, { ...init, headers });
    expect([response.status, await response.json()]).toMatchObject([400, { error: { code: -32020 } }]);
  });

  it('answers methods of extensions, and only in 2026', async () => {
    const message = { method: 'jobs/get', params: { jobId: 'a', inputResponses: { yes: { action: 'accept' } } } };
    expect((await ask(modernRequest, message)).result).toMatchObject({
      resultType: 'complete',
      jobId: 'a',
      inputResponses: { yes: { action: 'accept' } },
      clientCapabilities: {},
    });
    expect((await ask(legacyRequest, message)).error).toMatchObject({ code: -32601 });
  });

  it('refuses as the module says, and hides what it did not mean to say', async () => {
    const errorOf = async (method: string, params: Record<string, unknown>) =>
      (await ask(modernRequest, { method, params })).error;
    expect(await errorOf('jobs/get', { jobId: 'b' })).toEqual({ code: -32602, message: 'Unknown job.' });
    expect(await errorOf('jobs/get', { jobId: 'secret' })).toEqual({ code: -32603, message: 'Internal error' });
    expect(await errorOf('jobs/cancel', {})).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: {} } },
    });
    expect(await errorOf('jobs/list', {})).toMatchObject({ code: -32601 });
  });
});
