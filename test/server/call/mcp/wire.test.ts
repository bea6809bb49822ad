import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { echo, MODERN_META, modernRequest, provideTools, type RunningEndpoint, startEndpoint } from './support.ts';

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

/** A title, a message, the headers that differ from those of its method, and what an error says beside its code. */
type Row = readonly [title: string, message: unknown, headers?: Headers, error?: { id?: unknown; data?: unknown }];
/** Rows by the status and the error code of their answers; null: no error. */
type Answers = readonly (readonly [status: number, code: number | null, rows: readonly Row[]])[];

type Case = [title: string, status: number, code: number | null, message: unknown, headers: Headers, error?: Row[3]];

const tableOf = (answers: Answers) =>
  answers.flatMap(([status, code, rows]) =>
    rows.map(([title, message, headers = {}, error]): Case => [title, status, code, message, headers, error]),
  );

function check(reply: Reply, status: number, code: number | null, { id, data }: { id?: unknown; data?: unknown } = {}) {
  expect(reply.status).toBe(status);
  expect(reply.headers['mcp-session-id']).toBeUndefined();
  if (status === 202) expect(reply.body).toBe('');
  else if (code === null) expect(JSON.parse(reply.body)).toHaveProperty('result');
  else {
    const answer = JSON.parse(reply.body);
    expect(answer.error.code).toBe(code);
    expect(answer.id ?? null).toBe(id === undefined ? 1 : id);
    if (data !== undefined) expect(answer.error.data).toEqual(data);
  }
}

const modern = (method: string, params: object = {}, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params: { _meta: MODERN_META, ...params },
});
const withMeta = (meta: object) => ({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } });
const LIST = modern('tools/list');
const CALL = modern('tools/call', ECHO);
const NO_ID = { id: null };
const DEEP = `${'['.repeat(500)}${']'.repeat(500)}`;
const UNKNOWN = ['initialize', 'ping', 'logging/setLevel', 'prompts/list', 'resources/list', 'completion/complete'];

/** The headers that a message has by the specification, with changes. */
function modernHeaders(message: unknown, changes: Headers = {}): Record<string, string> {
  const { method = null, params } = (message ?? {}) as { method?: string; params?: { name?: string } };
  return headersOf(MODERN, { 'mcp-method': method, 'mcp-name': params?.name ?? null, ...changes });
}

const MODERN_ANSWERS: Answers = [
  [
    200,
    null,
    [
      ['server/discover', modern('server/discover')],
      ['tools/list', LIST],
      ['tools/list with any Accept', LIST, { accept: null }],
      ['tools/call', CALL],
      ['a name in base64', CALL, { 'mcp-name': '=?base64?bGlicmFyeV9lY2hv?=' }],
      ['spaces around headers', LIST, { 'mcp-method': '  tools/list  ', 'mcp-protocol-version': ' 2026-07-28 ' }],
      ['a stale session', LIST, { 'mcp-session-id': 'old', 'last-event-id': '7' }],
    ],
  ],
  [202, null, [['a notification', { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }]]],
  [
    400,
    -32022,
    [
      ['2099-01-01', 'an unsupported revision'],
      ['2025-11-25', 'an old revision'],
    ].map(
      ([revision = '', title = '']): Row => [
        `${title} in the envelope`,
        withMeta({ [VERSION]: revision, [CAPABILITIES]: {} }),
        { 'mcp-protocol-version': revision },
        { data: { supported: ['2026-07-28'], requested: revision } },
      ],
    ),
  ],
  [
    400,
    -32020,
    [
      ['a revision that differs from the header', LIST, { 'mcp-protocol-version': '2025-11-25' }],
      ['a missing version header', LIST, { 'mcp-protocol-version': null }],
      ['a missing method header', LIST, { 'mcp-method': null }],
      ['another method header', LIST, { 'mcp-method': 'tools/call' }],
      ['a method header in other case', LIST, { 'mcp-method': 'Tools/List' }],
      ['a missing name header', CALL, { 'mcp-name': null }],
      ['another name header', CALL, { 'mcp-name': 'other' }],
      ['a name header in broken base64', CALL, { 'mcp-name': '=?base64?bGlic?=' }],
      ['tasks/get with another method header', modern('tasks/get', { taskId: 'k1' }), { 'mcp-method': 'tools/call' }],
    ],
  ],
  [
    400,
    -32602,
    [
      ['no _meta', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }],
      ['no params', { jsonrpc: '2.0', id: 1, method: 'tools/list' }],
      ['no capabilities', withMeta({ [VERSION]: '2026-07-28' })],
      ['capabilities that are no object', withMeta({ [VERSION]: '2026-07-28', [CAPABILITIES]: [] })],
    ],
  ],
  [
    404,
    -32601,
    [
      ...[...UNKNOWN, 'tasks/list', 'nonsense'].map(
        (method): Row => [method, modern(method, { protocolVersion: '2026-07-28', level: 'info' })],
      ),
      ['subscriptions/listen', modern('subscriptions/listen', { notifications: { toolsListChanged: true } })],
      ['subscriptions/listen without its parameters', modern('subscriptions/listen')],
      ...['tasks/get', 'tasks/update', 'tasks/cancel'].flatMap((method) =>
        [null, 'k1', 'k2'].map(
          (name): Row => [
            `${method} of a server without tasks, named ${name},`,
            modern(method, { taskId: 'k1' }),
            { 'mcp-name': name },
          ],
        ),
      ),
      ['a string as id', modern('nonsense', {}, 'a-"b"'), {}, { id: 'a-"b"' }],
    ],
  ],
  [
    200,
    -32602,
    [
      ['a cursor that no one gave out', modern('tools/list', { cursor: '' })],
      ['an unknown tool', modern('tools/call', { name: 'nope' })],
      ['arguments that are no object', modern('tools/call', { name: 'library_echo', arguments: 'x' })],
    ],
  ],
  [
    400,
    -32600,
    [
      ['null as id', modern('tools/list', {}, null), {}, NO_ID],
      ['a batch', [LIST], { 'mcp-method': 'tools/list' }, NO_ID],
      ['an empty batch', [], {}, NO_ID],
      ['a response', { jsonrpc: '2.0', id: 1, result: {} }, {}, NO_ID],
      ['an error response', { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'x' } }, {}, NO_ID],
      ['another jsonrpc', { ...LIST, jsonrpc: '1.0' }],
      ['a number', '5', {}, NO_ID],
      ['null', 'null', {}, NO_ID],
      [
        'arguments of absurd depth',
        JSON.stringify(modern('tools/call', { name: 'library_echo', arguments: { deep: 'HERE' } })).replace(
          '"HERE"',
          DEEP,
        ),
        { 'mcp-method': 'tools/call', 'mcp-name': 'library_echo' },
      ],
    ],
  ],
  [
    400,
    -32700,
    [
      ['broken JSON', '{"jsonrpc":', {}, NO_ID],
      ['an empty body', '', {}, NO_ID],
      ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), {}, NO_ID],
    ],
  ],
  [413, -32600, [['a body over the limit', `"${'x'.repeat(5000)}"`, {}, NO_ID]]],
  [
    415,
    -32600,
    [
      ['text/plain', LIST, { 'content-type': 'text/plain' }, NO_ID],
      ['no Content-Type', LIST, { 'content-type': null }, NO_ID],
      ['a compressed body', LIST, { 'content-encoding': 'gzip' }, NO_ID],
    ],
  ],
  [415, -32000, [['a form', LIST, { 'content-type': 'application/x-www-form-urlencoded' }, NO_ID]]],
];

describe('the 2026-07-28 wire (MCP 2026-07-28, Streamable HTTP)', () => {
  it.each(tableOf(MODERN_ANSWERS))(
    'answers %s with %i and code %s',
    async (_, status, code, message, headers, error) => {
      check(await post(modernHeaders(message, headers), message), status, code, error);
    },
  );
});

const legacy = (method: string, params?: object, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params && { params }),
});
const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
const OLD_LIST = legacy('tools/list');

const LEGACY_ANSWERS: Answers = [
  [
    200,
    null,
    [
      ['initialize', legacy('initialize', INITIALIZE)],
      ['ping', legacy('ping')],
      ['tools/list without Accept', OLD_LIST],
      ['tools/list with Accept: */*', OLD_LIST, { accept: '*/*' }],
      ['tools/list with Accept: text/html', OLD_LIST, { accept: 'text/html' }],
      ['what curl -d sends', OLD_LIST, { 'content-type': 'application/x-www-form-urlencoded', accept: '*/*' }],
      ...['2025-03-26', '2025-06-18', '2025-11-25'].map(
        (revision): Row => [`the revision ${revision}`, OLD_LIST, { 'mcp-protocol-version': revision }],
      ),
      ['a stale session', OLD_LIST, { 'mcp-session-id': 'old', 'last-event-id': '7' }],
      ['tools/call', legacy('tools/call', ECHO)],
    ],
  ],
  [
    202,
    null,
    [
      ['notifications/initialized', { jsonrpc: '2.0', method: 'notifications/initialized' }],
      ['notifications/cancelled', { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }],
    ],
  ],
  [400, -32000, [['a revision that never was', OLD_LIST, { 'mcp-protocol-version': '2025-01-01' }]]],
  [
    200,
    -32602,
    [
      ['an unknown tool', legacy('tools/call', { name: 'nope' })],
      ['arguments that are no object', legacy('tools/call', { name: 'library_echo', arguments: 'x' })],
      ['a cursor that no one gave out', legacy('tools/list', { cursor: 'x' })],
    ],
  ],
  [
    200,
    -32601,
    ['logging/setLevel', 'prompts/list', 'resources/list', 'server/discover', 'subscriptions/listen', 'nonsense'].map(
      (method): Row => [method, legacy(method, { level: 'info' })],
    ),
  ],
  [
    400,
    -32600,
    [
      [
        'a batch of a revision that has none',
        [OLD_LIST, legacy('ping', undefined, 2)],
        { 'mcp-protocol-version': '2025-06-18' },
        NO_ID,
      ],
      ['a response', { jsonrpc: '2.0', id: 1, result: {} }, {}, NO_ID],
    ],
  ],
  [415, -32600, [['text/plain', OLD_LIST, { 'content-type': 'text/plain' }, NO_ID]]],
];

describe('the 2025 wire (MCP 2025-11-25, Streamable HTTP)', () => {
  it.each(tableOf(LEGACY_ANSWERS))(
    'answers %s with %i and code %s',
    async (_, status, code, message, headers, error) => {
      const reply = await post(headersOf(JSON_TYPE, headers), message);
      check(reply, status, code, error);
      if (status !== 202) expect(reply.headers['content-type']).toMatch(/^application\/json/);
    },
  );

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
  it.each(['GET', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS'])(
    '%s is answered with 405 and Allow: POST',
    async (method) => {
      const reply = await send(method, { accept: 'text/event-stream' }, '');
      expect(reply.status).toBe(405);
      expect(reply.headers.allow).toBe('POST');
      if (method !== 'HEAD') expect(JSON.parse(reply.body).error.code).toBe(-32600);
    },
  );
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
