import { afterEach, describe, expect, test } from 'vitest';
import { type AnswerContent, READING_PROFILES } from '../../../../server/call/mcp/answer-content.ts';
import { toRawNumber } from '../../../../server/call/tools/json.ts';
import type { CompleteToolResult } from '../../../../server/call/tools/provider.ts';
import { RECORDINGS } from '../../../clients/recording.ts';
import { legacyRequest, modernRequest, provideTools, type RunningEndpoint, startEndpoint } from './support.ts';

const BIG = '12345678901234567890';
const TEXT = `{"id":${BIG},"name":"Ada"}`;
const NOTE = { type: 'text', text: 'The list goes on.' };
const IMAGE = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' };
const RESULTS: Readonly<Record<string, CompleteToolResult>> = {
  library_get: {
    content: [{ type: 'text', text: TEXT }, NOTE],
    structuredContent: { id: toRawNumber(BIG), name: 'Ada' },
  },
  library_drifted: { content: [{ type: 'text', text: TEXT }], structuredContent: { name: 'Ada' } },
  library_cover: { content: [IMAGE], structuredContent: {} },
  library_fails: { content: [{ type: 'text', text: 'No.' }], structuredContent: { code: 'no' }, isError: true },
  library_says: { content: [{ type: 'text', text: 'Hello' }] },
};

let endpoint: RunningEndpoint | undefined;
afterEach(async () => {
  await endpoint?.close();
  endpoint = undefined;
});

interface Given {
  readonly answerContent?: AnswerContent;
  readonly product?: string;
  /** Whether the list has the output schema; absent: the provider does not say. */
  readonly shows?: boolean;
  readonly tool?: string;
  readonly fastPath?: boolean;
  readonly era?: '2025' | '2026';
}

/** The result as it was sent, and which of the two members it has. */
async function call(given: Given): Promise<{ text: string; form: string; content: unknown[] }> {
  const { answerContent, product, shows, tool = 'library_get', fastPath = true, era = '2025' } = given;
  const calls = Object.fromEntries(Object.entries(RESULTS).map(([name, result]) => [name, () => result]));
  endpoint = await startEndpoint({
    tools: { ...provideTools(calls), ...(shows === undefined ? {} : { showsSchema: () => shows }) },
    fastPath,
    ...(answerContent === undefined ? {} : { answerContent }),
  });
  const message = { method: 'tools/call', params: { name: tool, arguments: {} } };
  const { headers, ...request } = era === '2025' ? legacyRequest(message) : modernRequest(message);
  const agent = product === undefined ? {} : { 'user-agent': product };
  const response = await fetch(endpoint.url, { ...request, headers: { ...(headers as object), ...agent } });
  const text = await response.text();
  const { content, structuredContent } = (JSON.parse(text) as { result: CompleteToolResult }).result;
  const repeats = content.some((block) => block.text === TEXT);
  const form = [...(repeats ? ['text'] : []), ...(structuredContent === undefined ? [] : ['structured'])].join('+');
  return { text, form, content: [...content] };
}

const BOTH = 'text+structured';

describe.each([
  ['the fast path', true, '2025'],
  ['the fast path', true, '2026'],
  ['the SDK', false, '2025'],
  ['the SDK', false, '2026'],
] as const)('the form of an answer, by %s', (_path, fastPath, era) => {
  test.each<[string, Given & { want: string }]>([
    ['both for a client without a profile', { product: 'node', shows: false, want: BOTH }],
    ['both for a client that names no product', { shows: false, want: BOTH }],
    ['both for a product like a member of every object', { product: 'constructor/1', shows: false, want: BOTH }],
    ['text for Claude Code', { product: 'claude-code/2.1.330 (cli)', shows: false, want: 'text' }],
    ['text for Codex', { product: 'codex-mcp-client/0.169.0', shows: false, want: 'text' }],
    ['text for Copilot CLI', { product: 'copilot-cli/1.0.102', shows: false, want: 'text' }],
    ['text for opencode', { product: 'opencode/1.18.33', shows: false, want: 'text' }],
    ['both for Claude Code with a schema', { product: 'claude-code/2', shows: true, want: BOTH }],
    ['both for opencode with a schema', { product: 'opencode/1', shows: true, want: BOTH }],
    ['structured for Copilot CLI with a schema', { product: 'copilot-cli/1', shows: true, want: 'structured' }],
    ['both if the provider does not say what it lists', { product: 'opencode/1', want: BOTH }],
    ['both for everyone if set', { answerContent: 'both', product: 'claude-code/2', shows: false, want: BOTH }],
    ['text for everyone if set', { answerContent: 'text', product: 'node', shows: false, want: 'text' }],
    ['structured in spite of text, with a schema', { answerContent: 'text', shows: true, want: BOTH }],
    ['structured for everyone if set', { answerContent: 'structured', shows: false, want: 'structured' }],
  ])('is %s', async (_title, { want, ...given }) => {
    const { form, text, content } = await call({ ...given, fastPath, era });
    expect(form).toBe(want);
    expect(content).toContainEqual(NOTE);
    if (want !== 'text') expect(text).toContain(`"structuredContent":{"id":${BIG},`);
  });
});

describe('what no form leaves out', () => {
  test.each<[string, Given & { want: number }]>([
    [
      'text that says more than the structured content',
      { tool: 'library_drifted', answerContent: 'structured', want: 1 },
    ],
    ['an image', { tool: 'library_cover', answerContent: 'structured', want: 1 }],
    ['a text without structured content', { tool: 'library_says', answerContent: 'structured', want: 1 }],
    ['an error', { tool: 'library_fails', answerContent: 'structured', shows: true, want: 1 }],
    ['the text of an error', { tool: 'library_fails', answerContent: 'text', shows: false, want: 1 }],
  ])('%s', async (_title, { want, ...given }) => {
    expect((await call(given)).content).toHaveLength(want);
  });

  test.each<[string, Given & { want: string }]>([
    ['a client of a known product', { product: 'claude-code/2.1.330', shows: false, want: '' }],
    ['a client without a profile', { product: 'node', shows: false, want: '' }],
    ['everyone, where clients get both', { answerContent: 'both', shows: false, want: '' }],
    ['a client that knows the schema, which requires the object', { shows: true, want: 'structured' }],
  ])(
    'an image, without an empty object that could be read in its place, for %s',
    async (_title, { want, ...given }) => {
      const { form, content } = await call({ tool: 'library_cover', ...given });
      expect([form, content]).toEqual([want, [IMAGE]]);
    },
  );
});

test('every recorded client that names a product of its own has a profile', () => {
  const general = new Set(['node', 'undici', 'Bun']);
  const named = RECORDINGS.flatMap(({ requests }) =>
    requests.flatMap(({ headers }) => headers['user-agent']?.split('/', 1)[0] ?? []),
  );
  const own = [...new Set(named)].filter((product) => !general.has(product));
  expect(own.sort()).toEqual(Object.keys(READING_PROFILES).sort());
});

test('a client of a revision without links gets a link of a service as text', async () => {
  const links = ['kept://files/f-1', 'https://x.example/a'].map((uri) => ({ type: 'resource_link', uri, name: 'a' }));
  endpoint = await startEndpoint({ tools: provideTools({ library_links: () => ({ content: [NOTE, ...links] }) }) });
  const message = { method: 'tools/call', params: { name: 'library_links', arguments: {} } };
  const { headers, ...request } = legacyRequest(message);
  const version = { 'mcp-protocol-version': '2025-03-26' };
  const response = await fetch(endpoint.url, { ...request, headers: { ...(headers as object), ...version } });
  const { result } = (await response.json()) as { result: CompleteToolResult };
  expect(result.content).toEqual([NOTE, { type: 'text', text: 'a: https://x.example/a' }]);
});
