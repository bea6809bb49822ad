import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { echo, legacyRequest, modernRequest, provideTools, type RunningEndpoint, startEndpoint } from './support.ts';

let endpoint: RunningEndpoint;
beforeAll(async () => {
  endpoint = await startEndpoint({ tools: provideTools({ library_echo: echo }) });
});
afterAll(() => endpoint.close());

const INFO = { name: 'client', version: '1' };
const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: INFO };

async function answerTo(request: RequestInit): Promise<unknown> {
  const response = await fetch(endpoint.url, request);
  return [response.status, await response.json()];
}

const refusal = (message: string) => [
  200,
  { jsonrpc: '2.0', id: 1, error: { code: -32602, message: `Invalid params: ${message}.` } },
];

describe('a faulty member of the parameters is named in one sentence', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['tools/call', { name: 'library_echo', arguments: null }, '"arguments" is null, and must be object'],
    ['tools/call', { name: 'library_echo', arguments: [] }, '"arguments" is array, and must be object'],
    ['tools/call', { arguments: {} }, '"name" is missing'],
    ['tools/list', { cursor: 7 }, '"cursor" is number, and must be string'],
    ['tools/list', { cursor: null }, '"cursor" is null, and must be string'],
  ])('of %s with %j, in both eras', async (method, params, message) => {
    expect(await answerTo(legacyRequest({ method, params }))).toEqual(refusal(message));
    expect(await answerTo(modernRequest({ method, params }))).toEqual(refusal(message));
  });

  test.each<[Record<string, unknown> | undefined, string]>([
    [undefined, 'params is missing'],
    [{}, '"protocolVersion" is missing'],
    [{ ...INITIALIZE, protocolVersion: 7 }, '"protocolVersion" is number, and must be string'],
    [{ ...INITIALIZE, capabilities: null }, '"capabilities" is null, and must be object'],
    [{ ...INITIALIZE, capabilities: { roots: 'all' } }, '"capabilities.roots" is string, and must be object'],
    [{ ...INITIALIZE, clientInfo: { name: 'client' } }, '"clientInfo.version" is missing'],
    [{ ...INITIALIZE, clientInfo: { ...INFO, icons: [7] } }, '"clientInfo.icons.0" is number, and must be object'],
  ])('of initialize with %j', async (params, message) => {
    const request = legacyRequest({ method: 'initialize', ...(params && { params }) });
    expect(await answerTo(request)).toEqual(refusal(message));
  });

  test('in a batch, next to answers as they are', async () => {
    const messages = [
      { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor: 7 } },
      { jsonrpc: '2.0', id: 2, method: 'ping' },
    ];
    const headers = { 'content-type': 'application/json', 'mcp-protocol-version': '2025-03-26' };
    const [status, answers] = (await answerTo({ method: 'POST', headers, body: JSON.stringify(messages) })) as [
      number,
      { readonly id: number }[],
    ];
    expect([status, answers.sort((a, b) => a.id - b.id)]).toEqual([
      200,
      [refusal('"cursor" is number, and must be string')[1], { jsonrpc: '2.0', id: 2, result: {} }],
    ]);
  });
});
