import { describe, expect, test } from 'vitest';
import type { Tool } from '../../../../../server/contract/index.ts';
import { closeAfterEach } from '../../../../support/close-after-each.ts';
import { fakeTool } from '../../../../support/fake-connector.ts';
import { startHost } from '../../upstream/support.ts';
import { createFixture, textOf } from '../support.ts';

const open = closeAfterEach();

const LIST: Tool = fakeTool({
  name: 'library_list',
  input: {
    properties: {
      size: { type: 'integer', maximum: 500 },
      start: { type: 'string' },
      fields: { type: 'array', items: { type: 'string' } },
      maxItems: { type: 'integer' },
    },
  },
  output: {
    properties: {
      data: { type: 'array', items: { type: 'object', properties: { id: {}, text: {} } } },
      next: {},
      page: {},
    },
  },
  more: {
    request: { query: { size: 'size', start: 'start' } },
    gatewayArguments: ['fields', 'maxItems'],
    page: { argument: 'start', next: '/next', queryParameter: null, more: null, items: '/data', size: 'size' },
  },
});
const ITEMS = 100;

async function serveList(resultTokens?: number, textOfItem = (_id: number) => 'x'.repeat(400)) {
  const host = await startHost((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://host');
    const start = Number(searchParams.get('start') ?? 0);
    const end = Math.min(ITEMS, start + Number(searchParams.get('size') ?? ITEMS));
    const data = Array.from({ length: end - start }, (_, at) => ({
      id: start + at,
      text: textOfItem(start + at),
    }));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ data, next: end < ITEMS ? String(end) : null }));
  });
  const changes = resultTokens === undefined ? {} : { resultTokens };
  const fixture = createFixture({ tools: [LIST], origin: host.origin, changes });
  open.push(host, fixture);
  return fixture;
}

const countOf = (content: unknown) => (content as { data: unknown[] }).data.length;

describe('a list of which a call chooses neither members nor a number of items', () => {
  test('is limited to two fifths of a result, says so, and leads on', async () => {
    const { call } = await serveList();
    const first = await call('library_list');
    expect(countOf(first.structuredContent)).toBeLessThan(60);
    expect(textOf(first)).toContain('limited to about 8000 tokens without "fields" or "maxItems".');
    let all = 0;
    for (let next: Record<string, unknown> | null = {}; next !== null; ) {
      const { structuredContent } = await call('library_list', next);
      all += countOf(structuredContent);
      const page = structuredContent?.page as { nextArguments: Record<string, unknown> | null } | undefined;
      next = page?.nextArguments ?? null;
    }
    expect(all).toBe(ITEMS);
  });

  test.each([
    ['members', { fields: ['data.id', 'data.text'] }],
    ['a number of items', { maxItems: ITEMS }],
  ])('is whole if it chooses %s', async (_, args) => {
    const { call } = await serveList();
    expect(countOf((await call('library_list', args)).structuredContent)).toBe(ITEMS);
  });

  test('is followed to its end with every item whole, also one that only a whole result holds', async () => {
    const long = (id: number) => (id === 3 || id === 40 ? 'y'.repeat(30_000) : 'x'.repeat(400));
    const { call } = await serveList(undefined, long);
    const lengths: number[] = [];
    for (let next: Record<string, unknown> | null = {}; next !== null; ) {
      const { structuredContent } = await call('library_list', next);
      const { data, page } = structuredContent as {
        data: { text: string }[];
        page?: { nextArguments: Record<string, unknown> | null };
      };
      lengths.push(...data.map(({ text }) => text.length));
      next = page?.nextArguments ?? null;
    }
    expect(lengths).toEqual(Array.from({ length: ITEMS }, (_, id) => long(id).length));
  });

  test('has all of a result that is small', async () => {
    const { call } = await serveList(4000);
    expect(textOf(await call('library_list'))).toContain('limited to about 4000 tokens.');
  });
});
