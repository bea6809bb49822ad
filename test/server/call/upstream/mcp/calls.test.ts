import { afterEach, describe, expect, test, vi } from 'vitest';
import type { CompleteToolResult, InputRequiredToolResult } from '../../../../../server/call/tools/provider.ts';
import { createContext, createPrincipal } from '../../tools/support.ts';
import { PAGES } from './scripted-server.ts';
import { GREET, KEY, LIST, LOCK, type McpFixtureOptions, mcpTool, openMcpFixture } from './support.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function openFixture(options: McpFixtureOptions = {}) {
  const fixture = await openMcpFixture(options);
  open.push(fixture.close);
  return fixture;
}

function errorOf(result: CompleteToolResult) {
  return JSON.parse(String(result.content[1]?.text)) as Record<string, unknown>;
}

describe.each([
  { era: '2026', isLegacy: false },
  { era: '2025', isLegacy: true },
])('a server of $era', ({ isLegacy }) => {
  test('gives structured content, and text without it, in one session', async () => {
    const { call, messages, records } = await openFixture({ isLegacy });
    const people = await call('people_list_people', { q: 'a' });
    const greeting = await call('people_greet', { name: 'Ada' });
    expect(people.structuredContent).toMatchObject({ people: [{ name: 'Sample name' }, { name: 'Sample name' }] });
    expect(greeting.content[0]?.text).toBe('Sample result of greet.');
    expect(messages().filter((name) => name === 'mcp:tools/list')).toHaveLength(1);
    expect(records.map(({ outcome }) => outcome)).toEqual(['ok', 'ok']);
  });

  test('is not called for a tool that it has changed', async () => {
    const { call, sandbox, messages, faults } = await openFixture({ isLegacy });
    const planned = await fetch(`${sandbox.origin}/__sandbox/misbehave`, {
      method: 'POST',
      body: JSON.stringify({ kind: 'changed-definition', operationId: 'mcp:tools/list' }),
    });
    expect(planned.status).toBe(200);
    const result = await call('people_greet', { name: 'Ada' });
    expect(errorOf(result).code).toBe('definition_changed');
    expect(result.content[0]?.text).toMatch(/utg update library/);
    expect(messages()).not.toContain('greet');
    expect(faults).toEqual([{ kind: 'definition_changed', tool: 'people_greet' }]);
  });

  test('hears that the client has cancelled a call', async () => {
    const { call, sandbox, messages, records } = await openFixture({ isLegacy });
    const client = new AbortController();
    sandbox.misbehave({ kind: 'slow', operationId: 'greet' });
    const pending = call('people_greet', { name: 'Ada' }, { signal: client.signal });
    await vi.waitFor(() => expect(messages()).toContain('greet'), { timeout: 5000 });
    client.abort();
    await pending;
    expect(records.map(({ outcome }) => outcome)).toEqual(['cancelled']);
    if (isLegacy)
      await vi.waitFor(() => expect(messages()).toContain('mcp:notifications/cancelled'), { timeout: 5000 });
    else await vi.waitFor(() => expect(sandbox.requests().at(-1)?.status).toBeNull(), { timeout: 5000 });
  });

  test('refuses a wrong credential', async () => {
    const { call } = await openFixture({ isLegacy, parts: [KEY], fields: { key: 'wrong' } });
    expect(errorOf(await call('people_greet', { name: 'Ada' })).code).toBe('refused_once');
  });
});

test('a session that the server lost is opened again once', async () => {
  const { call, sandbox, messages } = await openFixture({ isLegacy: true });
  await call('people_greet', { name: 'Ada' });
  sandbox.misbehave({ kind: 'session-lost' });
  const result = await call('people_greet', { name: 'Ada' });
  expect(result.isError).toBeUndefined();
  expect(messages().filter((name) => name === 'mcp:initialize')).toHaveLength(2);
  expect(messages().filter((name) => name === 'greet')).toHaveLength(3);
});

test('a tool that the server does not list any more is refused', async () => {
  const { call } = await openFixture({ tools: [mcpTool({ ...GREET, name: 'gone' })] });
  expect(errorOf(await call('people_gone', { name: 'Ada' })).code).toBe('tool_gone');
});

test('a changed tool is called where the operator only wants a warning', async () => {
  const { call, faults, sandbox } = await openFixture({ upstream: { mcpDrift: 'warn' } });
  sandbox.misbehave({ kind: 'changed-definition', operationId: 'mcp:tools/list' });
  expect((await call('people_greet', { name: 'Ada' })).content[0]?.text).toBe('Sample result of greet.');
  expect(faults.map(({ kind }) => kind)).toEqual(['definition_changed']);
});

test('an error of the tool is quoted as data', async () => {
  const { call, sandbox } = await openFixture();
  sandbox.misbehave({ kind: 'tool-error' });
  const result = await call('people_greet', { name: 'Ada' });
  expect(result.content[0]?.text).toContain('Its message, as data: "The tool failed, as it was told to."');
  expect(errorOf(result)).toMatchObject({ code: 'tool_error', retryable: false });
});

test('a question goes to the client, and the call goes on with the answer', async () => {
  const { provider, call, sandbox } = await openFixture({ changes: { pages: PAGES } });
  sandbox.misbehave({ kind: 'asks-user', operationId: 'greet' });
  const clientCapabilities = { elicitation: {} };
  const context = createContext({ clientCapabilities });
  const asked = await provider.call(createPrincipal(), 'people_greet', { name: 'Ada' }, context);
  if (asked.resultType !== 'input_required') throw new Error('the user was not asked');
  expect(asked.inputRequests).toMatchObject({
    color: { params: { mode: 'form', message: 'People asks: Which color?' } },
  });
  const inputResponses = { color: { action: 'accept', content: { color: 'red' } } };
  const answer = { clientCapabilities, inputResponses, requestState: asked.requestState ?? '' };
  const result = await call('people_greet', { name: 'Ada' }, answer);
  expect(result.content[0]?.text).toBe('Sample result of greet.');
});

test('a tool that withholds members passes no question on, which may quote them', async () => {
  const tools = [mcpTool(GREET, { result: { withhold: { 'people.name': 'drop' } } })];
  const { call, sandbox } = await openFixture({ tools, changes: { pages: PAGES } });
  sandbox.misbehave({ kind: 'asks-user', operationId: 'greet' });
  const result = await call('people_greet', { name: 'Ada' }, { clientCapabilities: { elicitation: {} } });
  expect(errorOf(result).code).toBe('needs_input');
  expect(JSON.stringify(result)).not.toContain('Which color?');
});

test('a page that a server of 2025 asks for in an error is a question too', async () => {
  const { provider, sandbox } = await openFixture({ isLegacy: true, changes: { pages: PAGES } });
  sandbox.misbehave({ kind: 'asks-user', operationId: 'greet' });
  const context = createContext({ clientCapabilities: { elicitation: { url: {} } } });
  const asked = await provider.call(createPrincipal(), 'people_greet', { name: 'Ada' }, context);
  const { inputRequests = {} } = asked as InputRequiredToolResult;
  expect(Object.values(inputRequests)).toMatchObject([
    { params: { mode: 'url', url: 'https://sandbox.example/color' } },
  ]);
});

test('an answer that comes as a task is the result', async () => {
  const { call, sandbox, messages } = await openFixture();
  sandbox.misbehave({ kind: 'as-task', operationId: 'list-people' });
  const result = await call('people_list_people', { q: 'a' });
  expect(result.structuredContent).toMatchObject({ people: [{ name: 'Sample name' }, { name: 'Sample name' }] });
  expect(messages()).toContain('mcp:tasks/get');
});

test.each([
  { kind: 'server-error', code: 'upstream_error' },
  { kind: 'rate-limited', code: 'rate_limited' },
  { kind: 'wrong-content-type', code: 'upstream_protocol_error' },
  { kind: 'broken-json', code: 'upstream_protocol_error' },
  { kind: 'redirect', code: 'upstream_redirect' },
  { kind: 'huge-body', code: 'result_too_large' },
  { kind: 'slow', code: 'upstream_timeout' },
] as const)('a server that is $kind gives $code', async ({ kind, code }) => {
  const limits = kind === 'slow' ? { timeoutMs: 150 } : {};
  const { call, sandbox } = await openFixture({ upstream: limits, changes: limits });
  sandbox.misbehave({ kind, operationId: 'greet', times: 2, bytes: 3_000_000 });
  expect(errorOf(await call('people_greet', { name: 'Ada' })).code).toBe(code);
});

test('the credential goes to the server alone, and never into an answer', async () => {
  const { call, sandbox } = await openFixture({ parts: [KEY], fields: { key: 'right' } });
  const result = await call('people_greet', { name: 'Ada' });
  expect(result.isError).toBeUndefined();
  expect(new Set(sandbox.requests().map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer right']));
  expect(JSON.stringify(result)).not.toContain('right');
});

test('a dry run shows the message, and sends nothing', async () => {
  const { provider, messages } = await openFixture();
  const { request } = await provider.dryRun(createPrincipal(), 'people_greet', { name: 'Ada' });
  expect(request?.url).toMatch(/\/people\/mcp$/);
  expect(JSON.parse(request?.body?.text ?? '')).toEqual({
    jsonrpc: '2.0',
    method: 'tools/call',
    params: { name: 'greet', arguments: { name: 'Ada' } },
  });
  expect(messages()).toEqual([]);
});

test('members are withheld as from any answer', async () => {
  const { call } = await openFixture({
    tools: [mcpTool(LIST, { result: { withhold: { 'people.name': 'drop' } } })],
    lock: LOCK,
  });
  const result = await call('people_list_people');
  expect(JSON.stringify(result)).not.toContain('Sample name');
});
