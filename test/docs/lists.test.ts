import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Tool } from '../../server/contract/index.ts';
import { LIST, type Served, serveItems } from '../server/call/tools/selection/support.ts';
import { textOf } from '../server/call/tools/support.ts';
import { blocksOf } from '../support/documented-blocks.ts';

const PAGE = 'docs/guides/lists.md';
const text = readFileSync(path.resolve(import.meta.dirname, '../..', PAGE), 'utf8');
const examples = blocksOf(PAGE, text)
  .map((block) => JSON.parse(block.text) as Record<string, unknown>)
  .filter((example) => example.page === undefined && example.key === undefined);

const line = { properties: { sku: {}, quantity: { type: ['integer', 'null'] } } };
const invoice = {
  ...{ id: {}, customer: {}, status: {}, currency: {}, total: { type: ['number', 'null'] }, createdAt: {} },
  ...{ owner: { properties: { name: {} } }, lines: { items: line } },
};
const tool: Tool = {
  ...LIST,
  outputSchema: { type: 'object', properties: { data: { items: { properties: invoice } }, next: {}, page: {} } },
};
const invoices = Array.from({ length: 24 }, (_, index) => ({
  ...{ id: `i${index}`, customer: index % 2 === 0 ? 'Acme Inc' : 'Bolt', currency: 'EUR', total: 50 + index * 10 },
  ...{ status: ['open', 'overdue', 'void'][index % 3], createdAt: `2026-0${1 + (index % 9)}-12T08:00:00Z` },
  ...{ owner: { name: 'Ana' }, lines: [{ sku: 'gift-1', quantity: 2 }] },
}));

let served: Served;
beforeAll(async () => {
  served = await serveItems(invoices, { tool });
});
afterAll(() => served.close());

test(`${PAGE} has examples`, () => {
  expect(examples.length).toBeGreaterThan(4);
});

test.each(examples.map((example) => [JSON.stringify(example), example] as const))(
  '%s gives an answer',
  async (_, args) => {
    const result = await served.list(args);
    expect(result.isError, textOf(result)).toBeUndefined();
    const { data, aggregate } = result.structuredContent as { data?: unknown[]; aggregate?: { count: number } };
    expect(data?.length ?? aggregate?.count).toBeGreaterThan(0);
    expect(textOf(result)).not.toContain('No item has');
    if (args.maxItems !== undefined) expect(data).toHaveLength(Number(args.maxItems));
  },
);
