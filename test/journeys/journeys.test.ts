import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { connectClient } from '../support/mcp-client.ts';
import { billingJourneys } from './billing.ts';
import { crmJourneys } from './crm.ts';
import { datatableJourneys } from './datatable.ts';
import { type CallTool, type Content, type Journey, ToolRefusal } from './journey.ts';
import { mailerJourneys } from './mailer.ts';
import { retrievalJourneys } from './retrieval.ts';
import { type ScriptedUpstream, startScriptedUpstream } from './scripted-upstream.ts';

const JOURNEYS: readonly Journey[] = [
  ...crmJourneys,
  ...billingJourneys,
  ...datatableJourneys,
  ...retrievalJourneys,
  ...mailerJourneys,
];
const connectors = await loadConnectors();

let upstream: ScriptedUpstream;
let gateway: RunningGateway;
let client: Client;
let texts: ReadonlyMap<string, string>;

beforeAll(async () => {
  upstream = await startScriptedUpstream();
  gateway = await startGateway({
    connectors,
    env: Object.fromEntries(
      connectors.map(({ name }) => [
        `${name.toUpperCase()}_BASE_URL`,
        `${upstream.origin}${name === 'datatable' ? '/api/v3' : ''}`,
      ]),
    ),
    secretOf: ({ name }) => `test-${name}-key`,
  });
  client = await connectClient(gateway);
  const { tools } = await client.listTools();
  texts = new Map(tools.map(({ name, description, inputSchema }) => [name, textsOf({ description, inputSchema })]));
});
afterAll(async () => {
  await client?.close();
  await gateway?.close();
  await upstream?.close();
});

const call: CallTool = async (name, args = {}) => {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: { ...args } });
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
  if (isError) throw new ToolRefusal(text);
  return structuredContent as Content;
};

function textsOf(value: unknown): string {
  if (typeof value === 'string') return `${value}\n`;
  return typeof value === 'object' && value !== null ? Object.values(value).map(textsOf).join('') : '';
}

test('there are twenty journeys, through every service', () => {
  expect(JOURNEYS.length).toBeGreaterThanOrEqual(20);
  const services = JOURNEYS.flatMap(({ words }) => Object.keys(words).map((tool) => tool.split('_')[0]));
  expect([...new Set(services)].sort()).toEqual(connectors.map(({ name }) => name).sort());
});

describe.each(JOURNEYS.map((journey) => [journey.request, journey] as const))('%s', (_, journey) => {
  beforeEach(() => upstream.answer(journey.answers));

  test('relies on words that the tools contain', () => {
    const unsaid = Object.entries(journey.words).flatMap(([tool, words]) =>
      words.filter((text) => !(texts.get(tool) ?? '').includes(text)).map((text) => `${tool}: ${text}`),
    );
    expect(unsaid).toEqual([]);
  });

  test('gives the expected reply by the expected requests', async () => {
    expect(await journey.steps(call)).toEqual(journey.outcome);
    expect(upstream.requests()).toEqual(journey.sent ?? Object.keys(journey.answers));
  });
});
