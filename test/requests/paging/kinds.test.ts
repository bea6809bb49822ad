import path from 'node:path';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { afterAll, describe, expect, test } from 'vitest';
import { startFormsService } from '../forms/service.ts';

const LIST_LENGTH = 25;

const DESCRIPTOR = path.join(import.meta.dirname, 'openapi.yaml');
const CONFIG = 'toolPrefix: lists\ndefaults: { gatewayArguments: [fields, maxItems] }\n';

const service = await startFormsService(DESCRIPTOR, CONFIG);
const { forms, client } = service;
afterAll(() => service.close());

const KINDS: readonly [tool: string, rule: object][] = [
  [
    'lists_list_by_cursor',
    { argument: 'cursor', next: '/meta/next_cursor', queryParameter: null, more: null, items: '/data' },
  ],
  [
    'lists_list_by_number_cursor',
    { argument: 'nextToken', next: '/nextToken', queryParameter: null, more: null, items: '/data' },
  ],
  ['lists_list_by_offset', { kind: 'offset', argument: 'offset', items: '/results', first: 0, total: '/total_count' }],
  ['lists_list_by_plain_offset', { kind: 'offset', argument: 'offset', items: '', first: 0 }],
  ['lists_list_by_page', { kind: 'page', argument: 'page', items: '/items', first: 1, pages: '/meta/total_pages' }],
  ['lists_list_by_link_header', { kind: 'link', argument: 'page', items: '' }],
  ['lists_list_by_link_in_body', { kind: 'link', argument: 'offset', next: '/next', items: '/results' }],
  ['lists_list_by_header', { kind: 'header', argument: 'page', header: 'x-next-page', items: '' }],
  [
    'lists_list_by_last_record',
    { kind: 'last', argument: 'startingAfter', items: '/data', id: '/id', more: '/has_more' },
  ],
];

function idsOf({ structuredContent }: CallToolResult): unknown[] {
  const records = Object.values(structuredContent ?? {}).find((value) => Array.isArray(value)) as { id: unknown }[];
  return records.map(({ id }) => id);
}

function nextOf({ structuredContent }: CallToolResult): Record<string, unknown> | null {
  return (structuredContent as { page: { nextArguments: Record<string, unknown> | null } }).page.nextArguments;
}

async function readAll(name: string, args: Record<string, unknown>): Promise<{ ids: unknown[]; pages: number }> {
  const ids: unknown[] = [];
  let next: Record<string, unknown> | null = args;
  let pages = 0;
  while (next !== null && pages <= LIST_LENGTH) {
    const result: CallToolResult = await client.callTool({ name, arguments: next });
    expect([result.isError ?? false, result.content.map((block) => ('text' in block ? block.text : ''))[0]]).toEqual([
      false,
      expect.any(String),
    ]);
    ids.push(...idsOf(result));
    next = nextOf(result);
    pages += 1;
  }
  return { ids, pages };
}

test('pages are found in the descriptor without a connector.yaml', () => {
  expect(forms.errors).toEqual([]);
  const rules = forms.connector.tools.map(({ name, page }) => [name, page]);
  const size = (name: string) => (/page|header$/.test(name) && !/body/.test(name) ? 'perPage' : 'limit');
  const want = KINDS.map(([name, rule]) => [name, { ...rule, size: size(name) }]);
  expect(Object.fromEntries(rules)).toEqual(Object.fromEntries(want));
});

describe.each(KINDS.map(([name]) => name))('%s', (name) => {
  const size = /page|header$/.test(name) && !/body/.test(name) ? 'perPage' : 'limit';

  test('is read page by page to the end, each record once', async () => {
    for (const args of [{}, { [size]: 7 }]) {
      const { ids, pages } = await readAll(name, args);
      expect(new Set(ids).size).toBe(ids.length);
      expect([ids.length, pages >= 3]).toEqual([LIST_LENGTH, true]);
    }
  });

  test('is collected up to maxItems, and continues from there', async () => {
    const first: CallToolResult = await client.callTool({ name, arguments: { maxItems: 12, [size]: 6 } });
    const next = nextOf(first);
    expect(idsOf(first)).toHaveLength(12);
    const { ids } = await readAll(name, { ...next });
    expect([...idsOf(first), ...ids]).toHaveLength(LIST_LENGTH);
    expect(new Set([...idsOf(first), ...ids]).size).toBe(LIST_LENGTH);
  });
});
