import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConnectors } from '../../../server/call/tools/catalogue/connectors.ts';
import { type RunningGateway, startGateway } from '../../support/gateway.ts';
import { connectClient } from '../../support/mcp-client.ts';
import { type Recorder, startRecorder } from '../../support/recorder.ts';
import { uncapped } from '../uncapped.ts';
import type { WireTable } from './case.ts';

const connectors = await loadConnectors();

const TABLES = connectors.map(({ name, tools }) => {
  const text = readFileSync(path.join(import.meta.dirname, `${name}.yaml`), 'utf8');
  return { name, tools, ...(parse(text) as WireTable) };
});
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

describe.each(TABLES)('$name on the wire', ({ sent, cases }) => {
  beforeEach(async () => {
    await gateway.store.db.updateTable('connections').set({ status: 'active' }).execute();
  });

  test.each(cases.map((row) => [`${row.tool} ${row.title}`, row] as const))('%s', async (_, row) => {
    const { status = 200 } = row;
    recorder.answer({ status, body: row.answer, ...(row.answerHeaders && { headers: row.answerHeaders }) });
    const result = await client.callTool({ name: row.tool, arguments: { ...row.arguments } });

    const isRefused = status === 401 || row.error?.includes('credential_refused') === true;
    expect(recorder.calls()).toHaveLength(isRefused ? 2 : 1);
    const [call] = recorder.calls();
    expect(`${call!.method} ${call!.url}`).toBe(row.sends);
    const contentType = row.body !== undefined && { 'content-type': 'application/json' };
    const headers: Readonly<Record<string, string>> = { ...sent.headers, ...contentType, ...row.headers };
    expect(call!.headers).toMatchObject(headers);
    const absent = ['content-type', ...sent.absentHeaders].filter((name) => !(name in headers));
    expect(absent.filter((name) => name in call!.headers)).toEqual([]);
    expect(call!.body === '' ? undefined : JSON.parse(call!.body)).toEqual(row.body);

    const text = result.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    for (const part of row.error ?? row.text ?? []) expect(text).toContain(part);
    expect([result.isError ?? false, text]).toEqual([row.error !== undefined, text]);
    if (row.error !== undefined) return;
    const content = 'result' in row ? (row.result ?? undefined) : row.answer;
    const nextArguments = row.next && { ...row.arguments, ...row.next };
    const page = nextArguments !== undefined && { page: { nextArguments } };
    expect(result.structuredContent).toEqual(page ? { ...(content as object), ...page } : content);
  });
});
