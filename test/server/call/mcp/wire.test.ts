import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  echo,
  legacyRequest,
  MODERN_META,
  modernRequest,
  provideTools,
  type RunningEndpoint,
  startEndpoint,
} from './support.ts';

let endpoint: RunningEndpoint;
beforeAll(async () => {
  endpoint = await startEndpoint({
    tools: provideTools({
      library_echo: echo,
      library_secret: () => {
        throw new Error('kaboom secret detail');
      },
    }),
    maxBodyBytes: 4096,
  });
});
afterAll(() => endpoint.close());

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const ECHO = { name: 'library_echo', arguments: { text: 'hi' } };
const JSON_TYPE = { 'content-type': 'application/json' };

type Headers = Record<string, string | null>;
const MODERN: Record<string, string> = {
  ...JSON_TYPE,
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
};

function headersOf(base: Record<string, string>, changes: Headers): Record<string, string> {
  const entries = Object.entries({ ...base, ...changes }).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  );
  return Object.fromEntries(entries);
}

interface Reply {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: string;
}

async function send(method: string, headers: Record<string, string>, body: string | Buffer): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(endpoint.url, { method, headers }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

const post = (headers: Record<string, string>, message: unknown) =>
  send('POST', headers, typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message));

interface Row {
  readonly title: string;
  readonly headers?: Headers;
  readonly message: unknown;
  readonly status: number;
  readonly code?: number;
  readonly id?: unknown;
  readonly data?: unknown;
}

function check(row: Row, reply: Reply): void {
  expect(reply.status).toBe(row.status);
  expect(reply.headers['mcp-session-id']).toBeUndefined();
  if (row.code === undefined) {
    if (row.status !== 202) expect(JSON.parse(reply.body)).toHaveProperty('result');
    else expect(reply.body).toBe('');
    return;
  }
  const answer = JSON.parse(reply.body);
  expect(answer.error.code).toBe(row.code);
  expect(answer.id ?? null).toBe(row.id === undefined ? 1 : row.id);
  if (row.data !== undefined) expect(answer.error.data).toEqual(row.data);
}

const modern = (method: string, params: object = {}, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params: { _meta: MODERN_META, ...params },
});
const withMeta = (meta: object) => ({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } });

const MODERN_ROWS: readonly Row[] = [
  {
    title: 'server/discover',
    headers: { 'mcp-method': 'server/discover' },
    message: modern('server/discover'),
    status: 200,
  },
  { title: 'tools/list', headers: { 'mcp-method': 'tools/list' }, message: modern('tools/list'), status: 200 },
  {
    title: 'tools/list with any Accept',
    headers: { 'mcp-method': 'tools/list', accept: null },
    message: modern('tools/list'),
    status: 200,
  },
  {
    title: 'tools/call',
    headers: { 'mcp-method': 'tools/call', 'mcp-name': 'library_echo' },
    message: modern('tools/call', ECHO),
    status: 200,
  },
  {
    title: 'a name in base64',
    headers: { 'mcp-method': 'tools/call', 'mcp-name': '=?base64?bGlicmFyeV9lY2hv?=' },
    message: modern('tools/call', ECHO),
    status: 200,
  },
  {
    title: 'spaces around header values',
    headers: { 'mcp-method': '  tools/list  ', 'mcp-protocol-version': ' 2026-07-28 ' },
    message: modern('tools/list'),
    status: 200,
  },
  {
    title: 'a stale session',
    headers: { 'mcp-method': 'tools/list', 'mcp-session-id': 'old', 'last-event-id': '7' },
    message: modern('tools/list'),
    status: 200,
  },
  {
    title: 'a request without client info',
    headers: { 'mcp-method': 'tools/list' },
    message: modern('tools/list'),
    status: 200,
  },
  {
    title: 'an unsupported revision',
    headers: { 'mcp-method': 'tools/list', 'mcp-protocol-version': '2099-01-01' },
    message: withMeta({ [VERSION]: '2099-01-01', [CAPABILITIES]: {} }),
    status: 400,
    code: -32022,
    data: { supported: ['2026-07-28'], requested: '2099-01-01' },
  },
  {
    title: 'an old revision in the envelope',
    headers: { 'mcp-method': 'tools/list', 'mcp-protocol-version': '2025-11-25' },
    message: withMeta({ [VERSION]: '2025-11-25', [CAPABILITIES]: {} }),
    status: 400,
    code: -32022,
    data: { supported: ['2026-07-28'], requested: '2025-11-25' },
  },
  {
    title: 'a revision that differs from the header',
    headers: { 'mcp-method': 'tools/list', 'mcp-protocol-version': '2025-11-25' },
    message: modern('tools/list'),
    status: 400,
    code: -32020,
  },
  {
    title: 'a missing version header',
    headers: { 'mcp-method': 'tools/list', 'mcp-protocol-version': null },
    message: modern('tools/list'),
    status: 400,
    code: -32020,
  },
  { title: 'a missing method header', message: modern('tools/list'), status: 400, code: -32020 },
  {
    title: 'another method header',
    headers: { 'mcp-method': 'tools/call' },
    message: modern('tools/list'),
    status: 400,
    code: -32020,
  },
  {
    title: 'a method header in other case',
    headers: { 'mcp-method': 'Tools/List' },
    message: modern('tools/list'),
    status: 400,
    code: -32020,
  },
  {
    title: 'a missing name header',
    headers: { 'mcp-method': 'tools/call' },
    message: modern('tools/call', ECHO),
    status: 400,
    code: -32020,
  },
  {
    title: 'another name header',
    headers: { 'mcp-method': 'tools/call', 'mcp-name': 'other' },
    message: modern('tools/call', ECHO),
    status: 400,
    code: -32020,
  },
  {
    title: 'a name header in broken base64',
    headers: { 'mcp-method': 'tools/call', 'mcp-name': '=?base64?bGlic?=' },
    message: modern('tools/call', ECHO),
    status: 400,
    code: -32020,
  },
  {
    title: 'no _meta',
    headers: { 'mcp-method': 'tools/list' },
    message: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
    status: 400,
    code: -32602,
  },
  {
    title: 'no params',
    headers: { 'mcp-method': 'tools/list' },
    message: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    status: 400,
    code: -32602,
  },
  {
    title: 'no capabilities',
    headers: { 'mcp-method': 'tools/list' },
    message: withMeta({ [VERSION]: '2026-07-28' }),
    status: 400,
    code: -32602,
  },
  {
    title: 'capabilities that are no object',
    headers: { 'mcp-method': 'tools/list' },
    message: withMeta({ [VERSION]: '2026-07-28', [CAPABILITIES]: [] }),
    status: 400,
    code: -32602,
  },
  ...[
    'initialize',
    'ping',
    'logging/setLevel',
    'prompts/list',
    'resources/list',
    'completion/complete',
    'subscriptions/listen',
    'tasks/list',
    'nonsense',
  ].map(
    (method): Row => ({
      title: method,
      headers: { 'mcp-method': method },
      message: modern(method, {
        protocolVersion: '2026-07-28',
        level: 'info',
        notifications: { toolsListChanged: true },
      }),
      status: 404,
      code: -32601,
    }),
  ),
  ...(['tasks/get', 'tasks/update', 'tasks/cancel'] as const).flatMap((method): Row[] =>
    [{}, { 'mcp-name': 'k1' }, { 'mcp-name': 'k2' }].map((named) => ({
      title: `${method} of a server without tasks, ${JSON.stringify(named)},`,
      headers: { 'mcp-method': method, ...named },
      message: modern(method, { taskId: 'k1' }),
      status: 404,
      code: -32601,
    })),
  ),
  {
    title: 'tasks/get with another method header',
    headers: { 'mcp-method': 'tools/call' },
    message: modern('tasks/get', { taskId: 'k1' }),
    status: 400,
    code: -32020,
  },
  {
    title: 'subscriptions/listen without its parameters',
    headers: { 'mcp-method': 'subscriptions/listen' },
    message: modern('subscriptions/listen'),
    status: 404,
    code: -32601,
  },
  {
    title: 'a cursor that no one gave out',
    headers: { 'mcp-method': 'tools/list' },
    message: modern('tools/list', { cursor: '' }),
    status: 200,
    code: -32602,
  },
  {
    title: 'an unknown tool',
    headers: { 'mcp-method': 'tools/call', 'mcp-name': 'nope' },
    message: modern('tools/call', { name: 'nope' }),
    status: 200,
    code: -32602,
  },
  {
    title: 'arguments that are no object',
    headers: { 'mcp-method': 'tools/call', 'mcp-name': 'library_echo' },
    message: modern('tools/call', { name: 'library_echo', arguments: 'x' }),
    status: 200,
    code: -32602,
  },
  {
    title: 'a string as id',
    headers: { 'mcp-method': 'nonsense' },
    message: modern('nonsense', {}, 'a-"b"'),
    status: 404,
    code: -32601,
    id: 'a-"b"',
  },
  {
    title: 'null as id',
    headers: { 'mcp-method': 'tools/list' },
    message: modern('tools/list', {}, null),
    status: 400,
    code: -32600,
    id: null,
  },
  {
    title: 'a batch',
    headers: { 'mcp-method': 'tools/list' },
    message: [modern('tools/list')],
    status: 400,
    code: -32600,
    id: null,
  },
  { title: 'an empty batch', message: [], status: 400, code: -32600, id: null },
  { title: 'a response', message: { jsonrpc: '2.0', id: 1, result: {} }, status: 400, code: -32600, id: null },
  {
    title: 'an error response',
    message: { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'x' } },
    status: 400,
    code: -32600,
    id: null,
  },
  { title: 'another jsonrpc', message: { ...modern('tools/list'), jsonrpc: '1.0' }, status: 400, code: -32600 },
  { title: 'a number', message: '5', status: 400, code: -32600, id: null },
  { title: 'null', message: 'null', status: 400, code: -32600, id: null },
  { title: 'broken JSON', message: '{"jsonrpc":', status: 400, code: -32700, id: null },
  { title: 'an empty body', message: '', status: 400, code: -32700, id: null },
  { title: 'bytes that are not UTF-8', message: Buffer.from([0x22, 0xff, 0x22]), status: 400, code: -32700, id: null },
  { title: 'a body over the limit', message: `"${'x'.repeat(5000)}"`, status: 413, code: -32600, id: null },
  {
    title: 'text/plain',
    headers: { 'content-type': 'text/plain' },
    message: modern('tools/list'),
    status: 415,
    code: -32600,
    id: null,
  },
  {
    title: 'no Content-Type',
    headers: { 'content-type': null },
    message: modern('tools/list'),
    status: 415,
    code: -32600,
    id: null,
  },
  {
    title: 'a form',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'mcp-method': 'tools/list' },
    message: modern('tools/list'),
    status: 415,
    code: -32000,
    id: null,
  },
  {
    title: 'a compressed body',
    headers: { 'content-encoding': 'gzip' },
    message: modern('tools/list'),
    status: 415,
    code: -32600,
    id: null,
  },
  {
    title: 'arguments of absurd depth',
    headers: { 'mcp-method': 'tools/call', 'mcp-name': 'library_echo' },
    message: JSON.stringify(modern('tools/call', { name: 'library_echo', arguments: { deep: 'HERE' } })).replace(
      '"HERE"',
      `${'['.repeat(500)}${']'.repeat(500)}`,
    ),
    status: 400,
    code: -32600,
  },
  {
    title: 'a notification',
    message: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    status: 202,
  },
];

describe('the 2026-07-28 wire (MCP 2026-07-28, Streamable HTTP)', () => {
  for (const row of MODERN_ROWS) {
    it(`answers ${row.title} with ${row.status}${row.code === undefined ? '' : ` and ${row.code}`}`, async () => {
      check(row, await post(headersOf(MODERN, row.headers ?? {}), row.message));
    });
  }
});

const legacy = (method: string, params?: object, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params && { params }),
});
const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };

const LEGACY_ROWS: readonly Row[] = [
  { title: 'initialize', message: legacy('initialize', INITIALIZE), status: 200 },
  { title: 'notifications/initialized', message: { jsonrpc: '2.0', method: 'notifications/initialized' }, status: 202 },
  {
    title: 'notifications/cancelled',
    message: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    status: 202,
  },
  { title: 'ping', message: legacy('ping'), status: 200 },
  { title: 'tools/list without Accept', message: legacy('tools/list'), status: 200 },
  { title: 'tools/list with Accept: */*', headers: { accept: '*/*' }, message: legacy('tools/list'), status: 200 },
  {
    title: 'tools/list with Accept: text/html',
    headers: { accept: 'text/html' },
    message: legacy('tools/list'),
    status: 200,
  },
  {
    title: 'what curl -d sends',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: '*/*' },
    message: legacy('tools/list'),
    status: 200,
  },
  {
    title: 'the revision of March 2025',
    headers: { 'mcp-protocol-version': '2025-03-26' },
    message: legacy('tools/list'),
    status: 200,
  },
  {
    title: 'the revision of June 2025',
    headers: { 'mcp-protocol-version': '2025-06-18' },
    message: legacy('tools/list'),
    status: 200,
  },
  {
    title: 'the revision of November 2025',
    headers: { 'mcp-protocol-version': '2025-11-25' },
    message: legacy('tools/list'),
    status: 200,
  },
  {
    title: 'a revision that never was',
    headers: { 'mcp-protocol-version': '2025-01-01' },
    message: legacy('tools/list'),
    status: 400,
    code: -32000,
  },
  {
    title: 'a stale session',
    headers: { 'mcp-session-id': 'old', 'last-event-id': '7' },
    message: legacy('tools/list'),
    status: 200,
  },
  { title: 'tools/call', message: legacy('tools/call', ECHO), status: 200 },
  { title: 'an unknown tool', message: legacy('tools/call', { name: 'nope' }), status: 200, code: -32602 },
  {
    title: 'arguments that are no object',
    message: legacy('tools/call', { name: 'library_echo', arguments: 'x' }),
    status: 200,
    code: -32602,
  },
  { title: 'a cursor that no one gave out', message: legacy('tools/list', { cursor: 'x' }), status: 200, code: -32602 },
  ...['logging/setLevel', 'prompts/list', 'resources/list', 'server/discover', 'subscriptions/listen', 'nonsense'].map(
    (method): Row => ({ title: method, message: legacy(method, { level: 'info' }), status: 200, code: -32601 }),
  ),
  {
    title: 'a batch of a revision that has none',
    headers: { 'mcp-protocol-version': '2025-06-18' },
    message: [legacy('tools/list'), legacy('ping', undefined, 2)],
    status: 400,
    code: -32600,
    id: null,
  },
  { title: 'a response', message: { jsonrpc: '2.0', id: 1, result: {} }, status: 400, code: -32600, id: null },
  {
    title: 'text/plain',
    headers: { 'content-type': 'text/plain' },
    message: legacy('tools/list'),
    status: 415,
    code: -32600,
    id: null,
  },
];

describe('the 2025 wire (MCP 2025-11-25, Streamable HTTP)', () => {
  for (const row of LEGACY_ROWS) {
    it(`answers ${row.title} with ${row.status}${row.code === undefined ? '' : ` and ${row.code}`}`, async () => {
      const reply = await post(headersOf(JSON_TYPE, row.headers ?? {}), row.message);
      check(row, reply);
      if (row.status !== 202) expect(reply.headers['content-type']).toMatch(/^application\/json/);
    });
  }

  it('answers initialize with its newest revision if it does not support the requested one', async () => {
    const reply = await post(JSON_TYPE, legacy('initialize', { ...INITIALIZE, protocolVersion: '2031-01-01' }));
    expect(JSON.parse(reply.body).result).toEqual({
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'test-gateway', version: '1.2.3' },
      instructions: 'Call tools.',
    });
  });

  it('answers ping with an empty object', async () => {
    expect(JSON.parse((await post(JSON_TYPE, legacy('ping'))).body)).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  });
});

describe('the method', () => {
  for (const method of ['GET', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS']) {
    it(`${method} is answered with 405 and Allow: POST`, async () => {
      const reply = await send(method, { accept: 'text/event-stream' }, '');
      expect(reply.status).toBe(405);
      expect(reply.headers.allow).toBe('POST');
      if (method !== 'HEAD') expect(JSON.parse(reply.body).error.code).toBe(-32600);
    });
  }
});

describe('the capabilities of the server', () => {
  it('name one revision and tools without listChanged, and are cacheable for all', async () => {
    const reply = await fetch(endpoint.url, modernRequest({ method: 'server/discover', id: 'd' }));
    expect(await reply.json()).toEqual({
      jsonrpc: '2.0',
      id: 'd',
      result: {
        resultType: 'complete',
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {} },
        instructions: 'Call tools.',
        ttlMs: 3_600_000,
        cacheScope: 'public',
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'test-gateway', version: '1.2.3' } },
      },
    });
  });

  it('let the list of tools be cached for a minute, only for its user', async () => {
    const reply = await fetch(endpoint.url, modernRequest({ method: 'tools/list' }));
    const { result } = (await reply.json()) as { result: Record<string, unknown> };
    expect(result).toMatchObject({ resultType: 'complete', ttlMs: 60_000, cacheScope: 'private' });
    expect(result).not.toHaveProperty('nextCursor');
  });

  it.each([
    ['2025', legacyRequest({ method: 'tools/list' }), {}],
    ['2026', modernRequest({ method: 'tools/list' }), { 'io.modelcontextprotocol/serverInfo': expect.anything() }],
  ])('name the descriptors of the listed services in _meta (%s)', async (_era, request, more) => {
    const { result } = (await (await fetch(endpoint.url, request)).json()) as { result: Record<string, unknown> };
    const descriptors = { library: 'sha256:digest of library' };
    expect(result._meta).toEqual({ ...more, 'unified-tool-gateway/descriptors': descriptors });
  });
});

describe('an internal error', () => {
  it('never reaches the client', async () => {
    const call = { name: 'library_secret', arguments: {} };
    const replies = [
      await post(JSON_TYPE, legacy('tools/call', call)),
      await post(
        headersOf(MODERN, { 'mcp-method': 'tools/call', 'mcp-name': 'library_secret' }),
        modern('tools/call', call),
      ),
    ];
    for (const reply of replies) {
      expect(JSON.parse(reply.body)).toEqual({
        jsonrpc: '2.0',
        id: 1,
        error: { code: -32603, message: 'Internal error' },
      });
      expect(reply.body).not.toContain('kaboom');
    }
  });
});
