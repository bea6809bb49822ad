import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { type Host, startHost } from '../server/call/upstream/support.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { INSPECTOR, inspectCall } from '../support/inspector.ts';
import { type AnyResult, CLIENTS } from '../support/official-clients.ts';

const CALL = { name: 'crm_get_company', arguments: { companyId: 7 } };
const FIELD = { id: null, name: null, type: null, enrichmentSource: null, value: { type: null, data: null } };
const ANSWERS: readonly (readonly [string, Record<string, unknown>])[] = [
  ['null in every member', { id: null, name: null, domain: null, domains: null, isGlobal: null, fields: null }],
  ['null inside lists and objects', { id: 7, domains: [null, 'a.example'], fields: [null, FIELD, { value: null }] }],
  ['no members', {}],
  ['new members', { id: 7, owner: { id: null, teams: [1, 'a', null] }, fields: [{ value: { unit: {} } }] }],
];

let answer: Record<string, unknown> = {};
let upstream: Host;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await startHost((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
  });
  gateway = await startGateway({
    connectors: (await loadConnectors()).filter(({ name }) => name === 'crm'),
    env: { CRM_BASE_URL: upstream.origin },
    secretOf: () => 'crm-key',
  });
});
afterAll(async () => {
  await gateway?.close();
  await upstream?.close();
});

function check({ content, structuredContent, isError }: AnyResult, given: Record<string, unknown>): void {
  const text = content[0]?.text ?? '';
  expect(isError ?? false).toBe(false);
  expect(structuredContent).toEqual(given);
  expect(JSON.parse(text)).toEqual(given);
}

describe.each(ANSWERS)('an answer with %s', (_title, given) => {
  beforeAll(() => {
    answer = given;
  });

  test.each(CLIENTS)('is accepted by %s, with the same text and structured content', async (_, connect) => {
    const client = await connect(gateway);
    await client.listTools();
    check(await client.callTool(CALL), given);
    await client.close();
  });

  test.skipIf(INSPECTOR === null).each(['legacy', 'modern'])(
    'is accepted by the MCP Inspector in era %s',
    async (era) => {
      const printed = JSON.parse((await inspectCall(gateway, era, CALL)).output) as { result?: AnyResult } & AnyResult;
      check(printed.result ?? printed, given);
    },
    60_000,
  );
});
