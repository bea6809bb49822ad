import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConnectors } from '../../../server/call/tools/catalogue/connectors.ts';
import { findFailure } from './failure.ts';
import { loadSentAs } from './sent-as.ts';
import { ROOT, type Setting, startSetting } from './setting.ts';

interface Broken {
  readonly title: string;
  readonly tool: string;
  /** Changes the arguments before they are sent. */
  readonly change: (args: Record<string, unknown>) => Record<string, unknown>;
  /** The smallest arguments that show the fault. */
  readonly arguments: Record<string, unknown>;
  readonly differences: readonly string[];
}

const BROKEN: readonly Broken[] = [
  {
    title: 'a query parameter that is not sent',
    tool: 'crm_list_companies',
    change: ({ limit: _, ...args }) => args,
    arguments: { limit: 1 },
    differences: ['query.limit: expected "1", sent nothing'],
  },
  {
    title: 'an array that is joined',
    tool: 'crm_list_persons',
    change: ({ fieldIds: ids, ...args }) =>
      Array.isArray(ids) && ids.length > 1 ? { ...args, fieldIds: [ids.join(',')] } : { ...args, fieldIds: ids },
    arguments: { fieldIds: [' ', ' '] },
    differences: ['query.fieldIds: expected [" "," "], sent [" , "]'],
  },
  {
    title: 'text that is encoded twice',
    tool: 'mailer_list_brands',
    change: ({ cursor, ...args }) =>
      cursor === undefined ? args : { ...args, cursor: encodeURIComponent(`${cursor}`) },
    arguments: { cursor: ' ' },
    differences: ['query.cursor: expected " ", sent "%20"'],
  },
  {
    title: 'two path parameters that are swapped',
    tool: 'mailer_get_contact',
    change: ({ brandId, contactId }) => ({ brandId: contactId, contactId: brandId }),
    arguments: { brandId: ' ', contactId: '!' },
    differences: ['path.brand_id: expected " ", sent "!"', 'path.contact_id: expected "!", sent " "'],
  },
  {
    title: 'a header that is not sent',
    tool: 'retrieval_get_document_chunks',
    change: ({ partition: _, ...args }) => args,
    arguments: { documentId: '00000000-0000-1000-8000-000000000000', partition: '-' },
    differences: ['header.partition: expected "-", sent nothing'],
  },
  {
    title: 'a value that is not removed from a body',
    tool: 'retrieval_update_partition',
    change: ({ clear: _, ...args }) => args,
    arguments: { partitionId: '-', clear: ['description'] },
    differences: ['body.description: expected null, sent nothing'],
  },
  {
    title: 'a number inside a body that becomes text',
    tool: 'retrieval_patch_document_metadata',
    change: ({ metadata, ...args }) => ({
      ...args,
      metadata: JSON.parse(JSON.stringify(metadata), (_, value) => (typeof value === 'number' ? `${value}` : value)),
    }),
    arguments: { documentId: '00000000-0000-1000-8000-000000000000', metadata: { '': 0 } },
    differences: ['body.metadata: expected {"":0}, sent {"":"0"}'],
  },
];

/** A client that changes the arguments on their way to the tool. */
function breakCalls(client: Client, { change }: Broken): Client {
  const callTool: Client['callTool'] = (call, ...options) =>
    client.callTool({ ...call, arguments: change(call.arguments ?? {}) }, ...options);
  return Object.assign(Object.create(client) as Client, { callTool });
}

const connectors = await loadConnectors();

let setting: Setting;
beforeAll(async () => {
  setting = await startSetting(connectors);
});
afterAll(async () => {
  await setting?.close();
});

describe('a tool whose call is broken', () => {
  test.each(BROKEN)('$title is found with the smallest arguments', async (broken) => {
    const name = broken.tool;
    const connector = connectors.find(({ tools }) => tools.some((tool) => tool.name === name))!;
    const tool = connector.tools.find((candidate) => candidate.name === name)!;
    const sentAs = loadSentAs(join(ROOT, 'generated'), connector.name).get(name)!;
    const client = breakCalls(setting.client, broken);
    const service = connector.name;
    const failure = await findFailure({ ...setting, client, tool, service, sentAs, seed: 1, runs: 60 });
    const lines = (failure ?? '').split('\n');
    expect(lines[0]).toContain(name);
    expect(lines.filter((line) => line.startsWith('  '))).toEqual(
      [`arguments: ${JSON.stringify(broken.arguments)}`, ...broken.differences].map((line) => `  ${line}`),
    );
    expect(lines.at(-1)).toBe(`Again: CONTRACT_SEED=1 CONTRACT_RUNS=60 npm test -- test/requests/contract -t ${name}`);
  });
});
