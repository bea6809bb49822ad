import { resolve } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { startHost } from '../server/call/upstream/support.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { connectClient } from '../support/mcp-client.ts';

const connectors = await loadConnectors(resolve(import.meta.dirname, '../golden/hand-written-tools'));

const PAGES: Readonly<Record<string, object>> = {
  '': { invoices: [invoice('i1', 1050, 'EUR'), invoice('i2', 300, 'USD')], next_cursor: 'b' },
  b: { invoices: [invoice('i3', 950, 'EUR')], next_cursor: null },
};
const STATUSES = ['processing', 'ready'];

function invoice(id: string, cents: number, currency: string) {
  return { id, total_cents: cents, currency };
}

const heard: string[] = [];
const upstream = await startHost((request, response) => {
  const url = new URL(request.url ?? '', 'http://office.example');
  heard.push(`${request.method} ${url.pathname}${url.search} ${request.headers.authorization}`);
  const status = STATUSES[heard.length - 1] ?? 'ready';
  const found = url.pathname === '/invoices' ? PAGES[url.searchParams.get('cursor') ?? ''] : null;
  const isMissing = url.pathname.endsWith('/missing');
  response.writeHead(isMissing ? 404 : 200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(found ?? { id: 'd1', name: 'Plan', status }));
});

let gateway: RunningGateway;
let client: Client;
beforeAll(async () => {
  gateway = await startGateway({
    connectors,
    env: { OFFICE_BASE_URL: upstream.origin },
    secretOf: () => 'office-key',
  });
  client = await connectClient(gateway);
});
afterAll(async () => {
  await client?.close();
  await gateway?.close();
  await upstream.close();
});
beforeEach(() => {
  heard.length = 0;
});

describe('hand-written tools through a gateway', () => {
  test('are listed with generated tools', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'office_delete_document',
      'office_get_document',
      'office_list_invoices',
      'office_sum_month',
      'office_wait_until_ready',
    ]);
    expect(tools.find(({ name }) => name === 'office_sum_month')).toMatchObject({
      title: "Sum a month's invoices",
      annotations: { readOnlyHint: true, destructiveHint: false },
      inputSchema: { required: ['month'] },
    });
  });

  test('wait until a document is ready', async () => {
    const result = await client.callTool({ name: 'office_wait_until_ready', arguments: { documentId: 'd1' } });
    expect(result.structuredContent).toEqual({ status: 'ready', name: 'Plan' });
    expect(heard).toEqual(['GET /documents/d1 Bearer office-key', 'GET /documents/d1 Bearer office-key']);
  });

  test("sum a month's invoices over all pages", async () => {
    const result = await client.callTool({ name: 'office_sum_month', arguments: { month: '2026-04' } });
    expect(result.structuredContent).toEqual({
      invoices: 3,
      totals: [
        { currency: 'EUR', cents: 2000 },
        { currency: 'USD', cents: 300 },
      ],
      isComplete: true,
    });
    expect(heard).toEqual([
      'GET /invoices?month=2026-04 Bearer office-key',
      'GET /invoices?month=2026-04&cursor=b Bearer office-key',
    ]);
  });

  test('fail with the errors of the tools that they use', async () => {
    const result = await client.callTool({ name: 'office_wait_until_ready', arguments: { documentId: 'missing' } });
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result.content)).toContain('not_found');
  });

  test('leave one record for each call', async () => {
    await client.callTool({ name: 'office_sum_month', arguments: { month: '2026-05' } });
    await expect
      .poll(() => gateway.store.db.selectFrom('call_records').select(['tool', 'outcome']).execute())
      .toContainEqual({ tool: 'office_sum_month', outcome: 'ok' });
    const records = await gateway.store.db.selectFrom('call_records').select('tool').execute();
    expect(records.map(({ tool }) => tool)).not.toContain('office_list_invoices');
  });
});
