import { afterAll, beforeAll, expect, test } from 'vitest';
import { startHost } from '../server/call/upstream/support.ts';
import { fakeConnector, fakeTool } from '../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { connectClient } from '../support/mcp-client.ts';

const ALMOST = `${'a'.repeat(5000)}!`;
const slow = (pattern: string) => ({ properties: { text: { type: 'string', pattern } } });

const TOOLS = [
  fakeTool({ name: 'library_ask', input: slow('^(a+)+$') }),
  fakeTool({ name: 'library_words', input: slow('^(\\w+\\s?)*$') }),
  fakeTool({ name: 'library_answer', output: slow('^(a|aa)+$') }),
  fakeTool({ name: 'library_names', input: { properties: {}, patternProperties: { '^(a+)+$': {} } } }),
  fakeTool({ name: 'library_web', input: { properties: { text: { type: 'string', format: 'url' } } } }),
  fakeTool({ name: 'library_looks_ahead', input: slow('^(?=(a+)+$).*$') }),
  fakeTool({ name: 'library_looks_for_much', input: slow('.{0,999}.{0,999}.{0,999}\\d') }),
  fakeTool({ name: 'library_looks_for_many', output: slow('^(?:\\S{1,100}\\s?){0,10}$') }),
  fakeTool({ name: 'library_looks_back', output: slow('^(a+)\\1$') }),
];

let host: Awaited<ReturnType<typeof startHost>>;
let gateway: RunningGateway;
beforeAll(async () => {
  host = await startHost((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ text: ALMOST })),
  );
  gateway = await startGateway({
    connectors: [fakeConnector({ tools: TOOLS })],
    env: { LIBRARY_BASE_URL: host.origin },
    secretOf: () => 'none',
  });
});
afterAll(async () => {
  await gateway.close();
  await host.close();
});

test.each([
  ['library_ask', { text: ALMOST }, true],
  ['library_words', { text: ALMOST }, true],
  ['library_names', { [ALMOST]: 1 }, true],
  ['library_web', { text: `http://${':'.repeat(300_000)}` }, true],
  ['library_answer', {}, false],
])('%s answers for any text that its pattern reads', async (name, args, isError) => {
  const client = await connectClient(gateway);
  const result = await client.callTool({ name, arguments: args });
  expect(result.isError ?? false).toBe(isError);
  await client.close();
});

test('a tool whose pattern cannot run in linear time, or has too many states, is not served', async () => {
  const client = await connectClient(gateway);
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toContain('library_ask');
  expect(names.filter((name) => name.startsWith('library_looks'))).toEqual([]);
  await client.close();
});
