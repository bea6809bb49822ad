import { expect, test } from 'vitest';
import type { LockedServer } from '../../../../../sandbox/mcp/lock.ts';
import { toRawNumber } from '../../../../../shared/exact-json.ts';
import { readHeaderArguments } from '../../../../../shared/mcp/headers.ts';
import type { McpTool } from '../../../../../shared/mcp/lock.ts';
import { GREET, KEY, LOCK, mcpTool, openMcpFixture } from './support.ts';

const REGION = { type: 'string', 'x-mcp-header': 'Region' };
const ROUTED: McpTool = {
  ...GREET,
  inputSchema: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      region: REGION,
      at: { type: 'object', properties: { floor: { type: 'integer', 'x-mcp-header': 'Floor' } } },
    },
  },
};

async function callWith(args: Record<string, unknown>, tool = ROUTED, isLegacy = false) {
  const lock: LockedServer = { ...LOCK, tools: [tool] as never };
  const options = { tools: [mcpTool(tool)], lock, parts: [KEY], fields: { key: 'right' }, isLegacy };
  const { call, sandbox, close } = await openMcpFixture(options);
  const result = await call('people_greet', args);
  await close();
  const sent = sandbox.requests().find(({ operationId }) => operationId === 'greet');
  const headers = Object.entries(sent?.headers ?? {}).filter(([name]) => name.startsWith('mcp-param-'));
  return { headers: Object.fromEntries(headers), text: String(result.content[0]?.text), isSent: sent !== undefined };
}

test('arguments that a server of 2026 wants in headers are sent there too', async () => {
  const { headers, text } = await callWith({ name: 'Ada', region: 'eu', at: { floor: 3 } });
  expect(headers).toEqual({ 'mcp-param-region': 'eu', 'mcp-param-floor': '3' });
  expect(text).toBe('Sample result of greet.');
});

test('a value that no header can hold is encoded, and a missing one is left out', async () => {
  const { headers } = await callWith({ name: 'Ada', region: 'a\r\nAuthorization: b' });
  const encoded = Buffer.from('a\r\nAuthorization: b').toString('base64');
  expect(headers).toEqual({ 'mcp-param-region': `=?base64?${encoded}?=` });
});

test.each([
  { value: { region: 'x'.repeat(2049) }, problem: '"Mcp-Param-Region": it takes more than 2048 bytes' },
  {
    value: { at: { floor: toRawNumber('12345678901234567890') } },
    problem: '"Mcp-Param-Floor": it is beyond 9007199254740991',
  },
])('a value that its header cannot hold is refused, and nothing is sent: $problem', async ({ value, problem }) => {
  const { text, isSent } = await callWith({ name: 'Ada', ...value });
  expect(text).toContain(`cannot be the header ${problem}`);
  expect(isSent).toBe(false);
});

test('a server of 2025 gets no such headers', async () => {
  const { headers, isSent } = await callWith({ name: 'Ada', region: 'eu' }, ROUTED, true);
  expect([headers, isSent]).toEqual([{}, true]);
});

test.each([
  { properties: { a: { type: 'string', 'x-mcp-header': 'a b' } }, fault: 'a names no header' },
  { properties: { a: { type: 'string', 'x-mcp-header': '' } }, fault: 'a names no header' },
  { properties: { a: { type: 'string', 'x-mcp-header': 'x'.repeat(65) } }, fault: 'a names no header' },
  {
    properties: { a: REGION, b: { ...REGION, 'x-mcp-header': 'REGION' } },
    fault: 'b has the header REGION of another',
  },
  { properties: { a: { type: 'number', 'x-mcp-header': 'A' } }, fault: 'a is in the header A, but' },
  { properties: { a: { type: 'array', items: REGION } }, fault: 'A header is declared where' },
  { properties: { a: { anyOf: [REGION] } }, fault: 'A header is declared where' },
])('the schema $properties cannot be called: $fault', ({ properties, fault }) => {
  expect(readHeaderArguments({ type: 'object', properties }).faults.join(' ')).toContain(fault);
});

test('an argument that is called like the keyword declares no header', () => {
  const properties = { 'x-mcp-header': { type: 'string', default: { 'x-mcp-header': 'A' } } };
  expect(readHeaderArguments({ type: 'object', properties })).toEqual({ arguments: [], faults: [] });
});

test('a tool whose headers are not valid is not called', async () => {
  const inputSchema = { type: 'object', properties: { region: { type: 'number', 'x-mcp-header': 'Region' } } };
  const { text, isSent } = await callWith({ region: 1 }, { ...GREET, inputSchema });
  expect(text).toContain('has changed the definition');
  expect(isSent).toBe(false);
});
