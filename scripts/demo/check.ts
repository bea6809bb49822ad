/**
 * `npm run demo -- --check`: sends the running demo the requests of its printed commands, and again with an official client.
 */

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { answerOf, createPartnerClient } from '../../packages/partner/index.ts';
import { allToolsOf } from '../../server/call/tools/catalogue/permitted.ts';
import { checkApp } from './check-app.ts';
import { chooseExampleCall, type DemoFacts, LIST_REQUEST, toCallRequest } from './text.ts';

const MAX_SHOWN_CHARACTERS = 600;

/** @throws {Error} saying which request was not answered as expected. */
export async function checkDemo(facts: DemoFacts, print: (line: string) => void): Promise<void> {
  const expectedNames = facts.connectors.flatMap((connector) => allToolsOf(connector).map(({ name }) => name)).sort();
  const call = chooseExampleCall(facts.connectors);
  if (call === null) throw new Error('No service has a tool that can be called without arguments.');

  const listAnswer = await post(facts, LIST_REQUEST);
  print(`POST tools/list\n  ${shorten(listAnswer.text)}`);
  const listedTools = (listAnswer.json as { result?: { tools?: { name: string }[] } }).result?.tools ?? [];
  expectSame('tools/list by POST', listedTools.map(({ name }) => name).sort(), expectedNames);

  const callAnswer = await post(facts, toCallRequest(call));
  print(`POST tools/call ${call.name}\n  ${shorten(callAnswer.text)}`);
  const result = (callAnswer.json as { result?: { isError?: boolean; content?: unknown[] } }).result;
  if (result === undefined || result.isError === true)
    throw new Error(`${call.name} by POST failed: ${callAnswer.text}`);

  const client = new Client({ name: 'demo-check', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(facts.url), {
      requestInit: { headers: { Authorization: `Bearer ${facts.token}` } },
    }),
  );
  try {
    const { tools } = await client.listTools();
    print(`official client, listTools\n  ${tools.length} tools: ${shorten(tools.map(({ name }) => name).join(', '))}`);
    expectSame('listTools', tools.map(({ name }) => name).sort(), expectedNames);
    const answer = await client.callTool({ name: call.name, arguments: { ...call.arguments } });
    print(`official client, callTool ${call.name}\n  ${shorten(JSON.stringify(answer.content))}`);
    if (answer.isError === true) throw new Error(`${call.name} by the official client failed.`);
  } finally {
    await client.close();
  }
  const credentials = { clientId: facts.partner, clientSecret: facts.partnerSecret };
  const partner = createPartnerClient(new URL(facts.url).origin, credentials);
  const params = { path: { user_id: facts.user } };
  const { connections } = await answerOf(partner.GET('/api/partner/users/{user_id}/connections', { params }));
  const connected = connections.map(({ service }) => service);
  print(`partner API, connections of ${facts.user}\n  ${shorten(JSON.stringify(connections))}`);
  expectSame('the partner API', connected, facts.connectors.map(({ name }) => name).sort());
  await checkApp(facts, print);
  print('All answers are as they should be.');
}

async function post(facts: DemoFacts, request: object): Promise<{ text: string; json: unknown }> {
  const response = await fetch(facts.url, {
    method: 'POST',
    headers: { Authorization: `Bearer ${facts.token}`, 'Content-Type': 'application/json', Accept: '*/*' },
    body: JSON.stringify(request),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`The gateway answered ${response.status}: ${text}`);
  return { text, json: JSON.parse(text) };
}

function expectSame(what: string, actual: readonly string[], expected: readonly string[]): void {
  if (actual.join() === expected.join()) return;
  const missing = expected.filter((name) => !actual.includes(name));
  throw new Error(
    `${what} gave ${actual.length} names, not ${expected.length}. Missing: ${missing.join(', ') || 'none'}.`,
  );
}

function shorten(text: string): string {
  return text.length <= MAX_SHOWN_CHARACTERS
    ? text
    : `${text.slice(0, MAX_SHOWN_CHARACTERS)}... (${text.length} characters)`;
}
