import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ANSWER_CONTENTS } from '../../../../server/call/mcp/answer-content.ts';
import { verifies } from '../../../requirements/verifies.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { type AnyResult, CLIENTS } from '../../../support/official-clients.ts';
import { type Recorder, startRecorder } from '../../../support/recorder.ts';
import { createFixture, type Fixture } from '../tools/support.ts';
import { provideTools, type RunningEndpoint, startEndpoint } from './support.ts';

const OUTPUT = { properties: { id: { type: 'string' }, count: { type: 'integer' } } };
const CONNECTOR = fakeConnector({
  tools: [
    fakeTool({ name: 'library_get_book', path: '/books/{bookId}', output: OUTPUT }),
    fakeTool({
      name: 'library_list_books',
      path: '/books',
      output: { properties: { items: { type: 'array' } } },
      more: { result: { wrapItems: true } },
    }),
  ],
  parts: [{ id: 'key', type: 'header', label: 'Key', name: 'X-API-Key' }],
});

let recorder: Recorder;
let fixture: Fixture;
let endpoint: RunningEndpoint;
beforeAll(async () => {
  recorder = await startRecorder();
  fixture = createFixture({ origin: recorder.origin, connectors: [CONNECTOR], fields: { key: 'upstream-key' } });
});
afterAll(async () => {
  await fixture.close();
  await recorder.close();
});

const to = () => ({ url: endpoint.url, token: 'client-token' });

const ANSWERS: readonly [
  string,
  string,
  { body: unknown; headers?: Record<string, string>; status?: number },
  Partial<AnyResult>,
][] = [
  ['an object', 'library_get_book', { body: { id: 'a', count: 1 } }, { structuredContent: { id: 'a', count: 1 } }],
  ['an array', 'library_list_books', { body: [1, 2] }, { structuredContent: { items: [1, 2] } }],
  ['an object that drifted', 'library_get_book', { body: { id: 5, count: 2 } }, { structuredContent: { count: 2 } }],
  [
    'text',
    'library_get_book',
    { body: 'Grüße', headers: { 'content-type': 'text/plain' } },
    { content: [{ type: 'text', text: 'Grüße' }] },
  ],
  [
    'nothing',
    'library_get_book',
    { body: undefined, status: 204 },
    { structuredContent: { response: { status: 204 } } },
  ],
  [
    'a picture',
    'library_get_book',
    { body: Buffer.from('png'), headers: { 'content-type': 'image/png' } },
    { content: [{ type: 'image', data: 'cG5n', mimeType: 'image/png' }] },
  ],
  ['an error', 'library_get_book', { body: { message: 'No such book' }, status: 404 }, { isError: true }],
  [
    'broken JSON',
    'library_get_book',
    { body: '{"id":', headers: { 'content-type': 'application/json' } },
    { isError: true },
  ],
];

describe.each(CLIENTS)('%s', (_title, connect) => {
  afterEach(() => endpoint.close());

  describe.each(ANSWER_CONTENTS)('with ANSWER_CONTENT=%s', (answerContent) => {
    it.each(ANSWERS)('accepts %s', async (_what, tool, { status = 200, ...answer }, want) => {
      endpoint = await startEndpoint({ tools: fixture.provider, answerContent });
      recorder.answer({ status, ...answer });
      const client = await connect(to());
      await client.listTools();
      const args = tool === 'library_get_book' ? { bookId: 'b1' } : {};
      expect(await client.callTool({ name: tool, arguments: args })).toMatchObject(want);
      await client.close();
    });
  });

  it('never has its own token sent upstream', async () => {
    verifies('mcp-token-no-passthrough');
    endpoint = await startEndpoint({ tools: fixture.provider });
    recorder.answer({ status: 200, body: {} });
    const client = await connect(to());
    await client.callTool({ name: 'library_list_books', arguments: {} });
    await client.close();
    const [call] = recorder.calls();
    expect(call?.headers).toMatchObject({ 'x-api-key': 'upstream-key' });
    expect(call?.headers.authorization).toBeUndefined();
    expect(JSON.stringify(call)).not.toContain('client-token');
  });
});

it.each(CLIENTS)('%s takes text alone of a tool without a listed output schema', async (_title, connect) => {
  const listed = { name: 'library_get_book', inputSchema: { type: 'object' } };
  const tools = { ...fixture.provider, list: provideTools({}, [listed]).list, showsSchema: () => false };
  endpoint = await startEndpoint({ tools, answerContent: 'text' });
  recorder.answer({ status: 200, body: { id: 'a', count: 1 } });
  const client = await connect(to());
  await client.listTools();
  const result = await client.callTool({ name: listed.name, arguments: { bookId: 'b1' } });
  expect(result).toMatchObject({ content: [{ type: 'text', text: '{"id":"a","count":1}' }] });
  expect(result).not.toHaveProperty('structuredContent');
  await client.close();
  await endpoint.close();
});
