import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { startFormsService } from '../forms/service.ts';

const DESCRIPTOR = path.join(import.meta.dirname, 'openapi.yaml');
const CONFIG = `
toolPrefix: lists
defaults: { gatewayArguments: [fields, maxItems, resume] }
tools:
  lists_list_by_cursor: { operation: listByCursor, keep: [data.id] }
  lists_list_by_offset: { operation: listByOffset, keep: [results.name, results.id] }
  lists_list_by_plain_offset: { operation: listByPlainOffset, keep: [items.name] }
`;

const service = await startFormsService(DESCRIPTOR, CONFIG);
const { forms, client } = service;
afterAll(() => service.close());

async function call(name: string, args: Record<string, unknown>) {
  const { structuredContent, isError } = await client.callTool({ name, arguments: args });
  expect(isError ?? false).toBe(false);
  return structuredContent as Record<string, unknown> & { page: { nextArguments: Record<string, unknown> | null } };
}

describe('an answer of a tool with keep', () => {
  test('has the members on its paths, and the cursor of the next page', async () => {
    expect(forms.errors).toEqual([]);
    const { data, meta, page, ...others } = await call('lists_list_by_cursor', { limit: 2 });
    expect(data).toEqual([{ id: expect.any(Number) }, { id: expect.any(Number) }]);
    expect([meta, page.nextArguments, others]).toEqual([
      { next_cursor: 'offset-2' },
      { limit: 2, cursor: 'offset-2' },
      {},
    ]);
  });

  test('that is an array has the members in each item', async () => {
    const { items } = await call('lists_list_by_plain_offset', { limit: 2 });
    expect(items).toEqual([{ name: expect.any(String) }, { name: expect.any(String) }]);
  });

  test('is collected over pages, and has fewer members if fields asks for fewer', async () => {
    const { results } = await call('lists_list_by_offset', { maxItems: 12, limit: 6, fields: ['results.id'] });
    expect(results).toEqual(Array.from({ length: 12 }, () => ({ id: expect.any(Number) })));
  });

  test('has no member that fields asks for and keep leaves out', async () => {
    const result = await client.callTool({ name: 'lists_list_by_cursor', arguments: { fields: ['data.name'] } });
    expect(JSON.stringify(result.content)).toContain('no member');
  });

  test('has an output schema with the kept members', () => {
    const tool = forms.connector.tools.find(({ name }) => name === 'lists_list_by_cursor');
    expect(tool?.outputSchema.properties).toMatchObject({
      data: { items: { properties: { id: {} } } },
      meta: { properties: { next_cursor: {} } },
    });
    expect(JSON.stringify(tool?.outputSchema)).not.toContain('name');
    expect(forms.files.find(({ path: file }) => file.endsWith('TOOLS.md'))?.text).toContain(
      'Returns of the answer only `data.id`.',
    );
  });
});
