import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1Transport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { findTool } from '../support/fuller-checks.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { type ClientMode, connectClient } from '../support/mcp-client.ts';

const INSPECTOR = findTool('@modelcontextprotocol/inspector/clients/launcher/build/index.js');
const CALL = { name: 'crm_get_company', arguments: { companyId: 7 } };
const FIELD = { id: null, name: null, type: null, enrichmentSource: null, value: { type: null, data: null } };
const ANSWERS: readonly (readonly [string, Record<string, unknown>])[] = [
  ['null in every member', { id: null, name: null, domain: null, domains: null, isGlobal: null, fields: null }],
  ['null inside lists and objects', { id: 7, domains: [null, 'a.example'], fields: [null, FIELD, { value: null }] }],
  ['no members', {}],
  ['new members', { id: 7, owner: { id: null, teams: [1, 'a', null] }, fields: [{ value: { unit: {} } }] }],
];

let answer: Record<string, unknown> = {};
const upstream = createServer((_request, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
});
let gateway: RunningGateway;
beforeAll(async () => {
  await new Promise<void>((done) => upstream.listen(0, '127.0.0.1', done));
  const { port } = upstream.address() as AddressInfo;
  gateway = await startGateway({
    connectors: (await loadConnectors()).filter(({ name }) => name === 'crm'),
    env: { CRM_BASE_URL: `http://127.0.0.1:${port}` },
    secretOf: () => 'crm-key',
  });
});
afterAll(async () => {
  await gateway?.close();
  upstream.close();
});

interface Result {
  readonly [member: string]: unknown;
  readonly content?: unknown;
  readonly structuredContent?: unknown;
  readonly isError?: unknown;
}

function check({ content, structuredContent, isError }: Result, given: Record<string, unknown>): void {
  const [{ text }] = content as [{ text: string }];
  expect(isError ?? false).toBe(false);
  expect(structuredContent).toEqual(given);
  expect(JSON.parse(text)).toEqual(given);
}

describe.each(ANSWERS)('an answer with %s', (_title, given) => {
  beforeAll(() => {
    answer = given;
  });

  test('is accepted by the v1 SDK client, with the same text and structured content', async () => {
    const client = new V1Client({ name: 'v1', version: '1.0.0' });
    const transport = new V1Transport(new URL(gateway.url), {
      requestInit: { headers: { Authorization: `Bearer ${gateway.token}` } },
    });
    await client.connect(transport as Parameters<typeof client.connect>[0]);
    await client.listTools();
    check(await client.callTool(CALL), given);
    await client.close();
  });

  test.each<ClientMode>(['legacy', 'auto', '2026-07-28'])(
    'is accepted by the v2 SDK client in mode %s',
    async (mode) => {
      const client = await connectClient({ ...gateway, mode });
      await client.listTools();
      check(await client.callTool(CALL), given);
      await client.close();
    },
  );

  test.skipIf(INSPECTOR === null).each(['legacy', 'modern'])(
    'is accepted by the MCP Inspector in era %s',
    async (era) => {
      const args = ['--cli', gateway.url, '--transport', 'http', '--header', `Authorization: Bearer ${gateway.token}`];
      const call = ['--method', 'tools/call', '--tool-name', CALL.name, '--tool-args-json'];
      const output = await new Promise<string>((done, fail) => {
        execFile(
          process.execPath,
          [
            INSPECTOR ?? '',
            ...args,
            '--protocol-era',
            era,
            '--format',
            'json',
            ...call,
            JSON.stringify(CALL.arguments),
          ],
          (error, stdout) => (error === null ? done(stdout) : fail(error)),
        );
      });
      const printed = JSON.parse(output) as { result?: Result } & Result;
      check(printed.result ?? printed, given);
    },
    60_000,
  );
});
