import { resolve } from 'node:path';
import type { CallToolResult, Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenSandbox, openSandbox } from '../../sandbox/index.ts';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { exampleArguments } from '../support/example-arguments.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { connectClient } from '../support/mcp-client.ts';

const LIST_LENGTH = 25;

const connectors = await loadConnectors();

let sandbox: OpenSandbox;
let gateway: RunningGateway;
let client: Client;
beforeAll(async () => {
  sandbox = await openSandbox({ root: resolve(import.meta.dirname, '../..'), credential: 'sandbox-key' });
  gateway = await startGateway({
    connectors,
    env: Object.assign({}, ...Object.values(sandbox.environment)),
    secretOf: () => 'sandbox-key',
  });
  client = await connectClient(gateway);
  await client.listTools();
});
afterAll(async () => {
  await client?.close();
  await gateway?.close();
  await sandbox?.close();
});

const PAGE_SIZES = ['limit', 'pageSize', 'perPage'];
const tools = connectors.flatMap((connector) => connector.tools);
const rows = tools.map((tool) => ({ name: tool.name, tool }));

function textOf(result: CallToolResult): string {
  return result.content.map((block) => (block.type === 'text' ? block.text : block.type)).join('\n');
}

describe('every list, page by page', () => {
  test.each(rows.filter(({ tool }) => tool.page !== undefined))(
    '$name ends after the last record',
    async ({ tool }) => {
      const size = Object.keys(tool.inputSchema.properties ?? {}).find((name) => PAGE_SIZES.includes(name)) ?? '';
      let next: Record<string, unknown> | null = { ...exampleArguments(tool, 'required'), [size]: 10 };
      let pages = 0;
      while (next !== null && pages < LIST_LENGTH) {
        const result: CallToolResult = await client.callTool({ name: tool.name, arguments: next });
        expect([textOf(result), result.isError ?? false]).toEqual([textOf(result), false]);
        const { page } = result.structuredContent as { page: { nextArguments: Record<string, unknown> | null } };
        next = page.nextArguments;
        pages += 1;
      }
      expect(pages).toBe(3);
      expect(next).toBeNull();
    },
  );
});
