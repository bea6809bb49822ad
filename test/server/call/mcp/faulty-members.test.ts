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

describe('the id of a request', () => {
  const post = async (body: string, headers: Record<string, string>): Promise<readonly [number, string]> => {
    const response = await fetch(endpoint.url, { method: 'POST', headers, body });
    return [response.status, await response.text()];
  };
  const ERAS = [legacyRequest({ method: 'tools/list' }), modernRequest({ method: 'tools/list' })].map((request) => ({
    headers: request.headers as Record<string, string>,
    body: JSON.parse(String(request.body)) as Record<string, unknown>,
  }));
  const toText = (body: object, id: string) => JSON.stringify({ ...body, id: '(id)' }).replace('"(id)"', id);

  test.each([
    ['9007199254740991', '9007199254740991'],
    ['-9007199254740991', '-9007199254740991'],
    ['-7', '-7'],
    ['0', '0'],
    ['1e3', '1000'],
    ['"12345678901234567890"', '"12345678901234567890"'],
    ['""', '""'],
  ])('%s is returned', async (id, answered) => {
    for (const { headers, body } of ERAS) {
      const [status, text] = await post(toText(body, id), headers);
      expect([status, text.includes(`"id":${answered}`)]).toEqual([200, true]);
    }
  });

  test.each([
    ['9007199254740992', '9007199254740992'],
    ['9007199254740993', '9007199254740993'],
    ['-9007199254740993', '-9007199254740993'],
    ['12345678901234567890', '12345678901234567890'],
    ['1.5', '1.5'],
    ['1.00000000000000001', '1.00000000000000001'],
    ['1e400', '1e400'],
    ['null', 'null'],
    ['true', 'null'],
    ['{"a":9007199254740993}', 'null'],
  ])('%s is refused with the range, and with the digits that were sent', async (id, answered) => {
    const message =
      'Invalid request: \\"id\\" must be a string, or an integer from -9007199254740991 to 9007199254740991.';
    const refused = `{"jsonrpc":"2.0","id":${answered},"error":{"code":-32600,"message":"${message}"}}`;
    for (const { headers, body } of ERAS) expect(await post(toText(body, id), headers)).toEqual([400, refused]);
    const batch = `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":${id},"method":"ping"}]`;
    const headers = { 'content-type': 'application/json', 'mcp-protocol-version': '2025-03-26' };
    expect(await post(batch, headers)).toEqual([400, refused]);
  });
});
