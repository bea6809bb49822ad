import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadConnectors } from '../../../server/call/tools/catalogue/connectors.ts';
import { type RunningGateway, startGateway } from '../../support/gateway.ts';
import { connectClient } from '../../support/mcp-client.ts';
import { type Recorder, startRecorder } from '../../support/recorder.ts';
import { uncapped } from '../uncapped.ts';
import { billingCases } from './billing.ts';
import type { WireCase } from './case.ts';
import { crmCases } from './crm.ts';
import { datatableCases } from './datatable.ts';
import { mailerCases } from './mailer.ts';
import { crmRefusals, datatableRefusals, mailerRefusals } from './refusals.ts';
import { retrievalCases } from './retrieval.ts';

const connectors = await loadConnectors();

const CASES: Readonly<Record<string, readonly WireCase[]>> = {
  billing: billingCases,
  crm: [...crmCases, ...crmRefusals],
  datatable: [...datatableCases, ...datatableRefusals],
  mailer: [...mailerCases, ...mailerRefusals],
  retrieval: retrievalCases,
};
const TABLES = connectors.map(({ name, tools }) => ({ name, tools, cases: CASES[name] ?? [] }));
const BASE_PATHS: Readonly<Record<string, string>> = { datatable: '/api/v3' };

let recorder: Recorder;
let gateway: RunningGateway;
let client: Client;
beforeAll(async () => {
  recorder = await startRecorder();
  const bases = connectors.map(({ name }) => [
    `${name.toUpperCase()}_BASE_URL`,
    `${recorder.origin}${BASE_PATHS[name] ?? ''}`,
  ]);
  gateway = await startGateway({
    connectors: uncapped(connectors),
    env: Object.fromEntries(bases) as Record<string, string>,
    secretOf: ({ name }) => `test-${name}-key`,
  });
  client = await connectClient(gateway);
  await client.listTools();
});
afterAll(async () => {
  await client?.close();
  await gateway?.close();
  await recorder?.close();
});

describe('tables', () => {
  test('every tool has a literal request', () => {
    const bare = TABLES.flatMap(({ tools, cases }) =>
      tools.map(({ name }) => name).filter((name) => !cases.some(({ tool }) => tool === name)),
    );
    expect(bare).toEqual([]);
  });

  test('every literal request belongs to a tool', () => {
    const orphans = TABLES.flatMap(({ tools, cases }) =>
      cases.map(({ tool }) => tool).filter((name) => !tools.some((tool) => tool.name === name)),
    );
    expect(orphans).toEqual([]);
  });
});

describe.each(TABLES)('$name on the wire', ({ cases }) => {
  beforeEach(async () => {
    await gateway.store.db.updateTable('connections').set({ status: 'active' }).execute();
  });

  test.each(cases.map((row) => [`${row.tool} ${row.title}`, row] as const))('%s', async (_, row) => {
    recorder.answer(row.reply);
    const result = await client.callTool({ name: row.tool, arguments: { ...row.arguments } });

    const isRefused = row.reply.status === 401 || row.result.text?.includes('credential_refused') === true;
    expect(recorder.calls()).toHaveLength(isRefused ? 2 : 1);
    const [call] = recorder.calls();
    expect([call!.method, call!.url]).toEqual([row.request.method, row.request.url]);
    expect(call!.headers).toMatchObject(row.request.headers ?? {});
    expect((row.request.absentHeaders ?? []).filter((name) => name in call!.headers)).toEqual([]);
    expect(call!.body === '' ? undefined : JSON.parse(call!.body)).toEqual(row.request.body);

    const text = result.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    expect([result.isError ?? false, text]).toEqual([row.result.isError ?? false, text]);
    if (row.result.structuredContent !== undefined) {
      expect(result.structuredContent).toEqual(row.result.structuredContent);
    }
    for (const part of row.result.text ?? []) expect(text).toContain(part);
  });
});
