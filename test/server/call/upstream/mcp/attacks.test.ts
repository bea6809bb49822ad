import { expect, test } from 'vitest';
import { startHost } from '../support.ts';
import { type Answer, type Message, open, openServer, send, stream } from './scripted-server.ts';
import { GREET, KEY, mcpConnector, mcpTool } from './support.ts';

test('the address is used as it is, with its final slash', async () => {
  const { call, paths } = await openServer(
    (message, response) => send(response, message, { resultType: 'complete', content: [] }),
    { path: '/a//mcp/' },
  );
  expect((await call()).code).toBe('ok');
  expect([...paths]).toEqual(['/a//mcp/']);
});

const BIG = '{"id":12345678901234567890,"price":0.12345678901234567891}';

test.each([
  ['an answer in JSON', 'application/json', (message: string) => message],
  ['an array of messages', 'application/json', (message: string) => `[${message}]`],
  ['a stream', 'text/event-stream', (message: string) => `: x\ndata: ${message.replace(',', '\ndata: ,')}\n\n`],
])('numbers in %s keep every digit', async (_, contentType, write) => {
  const { call } = await openServer(({ id }, response) => {
    const structured = `"structuredContent":${BIG}`;
    const message = `{"jsonrpc":"2.0","id":${id},"result":{"resultType":"complete","content":[],${structured}}}`;
    response.writeHead(200, { 'content-type': contentType }).end(write(message));
  });
  const { result } = await call();
  const digits = { id: '12345678901234567890', price: '0.12345678901234567891' };
  expect(result.structuredContent).toEqual(digits);
  expect(JSON.parse(String(result.content[0]?.text))).toEqual(digits);
});

test('a stream of events that never ends is cut at the limit of bytes', async () => {
  const { call } = await openServer((_, response) => {
    stream(response);
    const write = () =>
      response.write(`: ${'x'.repeat(50_000)}\n\n`, (error) => (error ? undefined : setImmediate(write)));
    write();
  });
  expect((await call()).code).toBe('result_too_large');
});

test('a stream that ends without an answer is a lost connection, and a reading call is made again once', async () => {
  const { call, messages } = await openServer((_, response) => void stream(response).end(': nothing\n\n'));
  expect((await call()).code).toBe('upstream_connection_lost');
  expect(messages.filter(({ method }) => method === 'tools/call')).toHaveLength(2);
});

test('a silent stream ends with the time of the call', async () => {
  const { call } = await openServer((_, response) => void stream(response).write(': open\n\n'), { timeoutMs: 150 });
  expect((await call()).code).toBe('upstream_timeout');
});

test('progress goes to a client that asked for it, cleaned', async () => {
  const { fixture } = await openServer((message, response) => {
    stream(response);
    const { progressToken } = message.params!._meta as { progressToken: number };
    const params = { progressToken, progress: 1, message: `half\u0007way ${'x'.repeat(2000)}` };
    response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params })}\n\n`);
    const result = { resultType: 'complete', content: [] };
    response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id: message.id, result })}\n\n`);
  });
  const progress = { message: null as string | null };
  await fixture.call('people_greet', { name: 'Ada' }, { progress });
  expect(progress.message).toMatch(/^halfway x{900,1000}…$/);
});

test('answers to other requests are ignored', async () => {
  const { call } = await openServer((message, response) => {
    stream(response);
    for (const id of [0, 1, 99, 'x', message.id! + 1]) {
      const result = { content: [{ type: 'text', text: 'not yours' }] };
      if (id !== message.id) response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
    }
    const result = { resultType: 'complete', content: [{ type: 'text', text: 'yours' }] };
    response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id: message.id, result })}\n\n`);
  });
  expect((await call()).text).toBe('yours');
});

test('a server that asks for input again and again is asked once, and its question is quoted', async () => {
  const { call, messages } = await openServer((message, response) =>
    send(response, message, {
      resultType: 'input_required',
      inputRequests: {
        q: { method: 'elicitation/create', params: { mode: 'form', message: 'Your PIN?', requestedSchema: {} } },
      },
      requestState: 'secret-state',
    }),
  );
  const { code, text, result } = await call();
  expect(code).toBe('needs_input');
  expect(text).toContain('as data: "Your PIN?"');
  expect(JSON.stringify(result)).not.toContain('secret-state');
  expect(messages.filter(({ method }) => method === 'tools/call')).toHaveLength(1);
});

test('a question goes to a client that can ask its user, under the name of the service, and the answer to the server', async () => {
  const params = {
    mode: 'form',
    message: 'Which one?',
    requestedSchema: { type: 'object', properties: {} },
    more: 'x',
  };
  const { fixture, messages } = await openServer((message, response) => {
    const { inputResponses, requestState } = message.params ?? {};
    if (inputResponses !== undefined) {
      const text = JSON.stringify({ inputResponses, requestState });
      return send(response, message, { resultType: 'complete', content: [{ type: 'text', text }] });
    }
    const inputRequests = { q: { method: 'elicitation/create', params } };
    return send(response, message, { resultType: 'input_required', inputRequests, requestState: 'task:42' });
  });
  const clientCapabilities = { elicitation: { form: {} } };
  const asked = (await fixture.call('people_greet', { name: 'Ada' }, { clientCapabilities })) as unknown as {
    inputRequests: Record<string, unknown>;
    requestState: string;
  };
  const { more: _, ...known } = params;
  expect(asked.inputRequests).toEqual({
    q: { method: 'elicitation/create', params: { ...known, message: 'People asks: Which one?' } },
  });
  const inputResponses = { q: { action: 'accept', content: {} }, other: { action: 'accept' } };
  const answered = { clientCapabilities, inputResponses, requestState: asked.requestState };
  const result = await fixture.call('people_greet', { name: 'Ada' }, answered);
  expect(JSON.parse(String(result.content[0]?.text))).toEqual({
    inputResponses: { q: { action: 'accept', content: {} } },
    requestState: 'task:42',
  });
  expect(messages.filter(({ method }) => method === 'tools/call')).toHaveLength(2);
  await expect(fixture.call('people_greet', { name: 'Eve' }, answered)).rejects.toThrow('belongs to another call');
});

test.each([
  { url: 'https://bank.example@evil.example/', shown: undefined },
  { url: 'http://pay.example/', shown: undefined },
  { url: 'HTTPS://pay.example/\u202e a\n', shown: 'https://pay.example/%E2%80%AE%20a' },
])('of the page $url, a client that can open pages gets $shown', async ({ url, shown }) => {
  const inputRequests = { q: { method: 'elicitation/create', params: { mode: 'url', message: 'Pay.', url } } };
  const { fixture } = await openServer((message, response) =>
    send(response, message, { resultType: 'input_required', inputRequests }),
  );
  const clientCapabilities = { elicitation: { url: {} } };
  const asked = (await fixture.call('people_greet', { name: 'Ada' }, { clientCapabilities })) as unknown as {
    inputRequests?: { q: { params: { url: string } } };
  };
  expect(asked.inputRequests?.q.params.url).toBe(shown);
});

test.each([
  { structuredContent: {}, want: 'Hello.' },
  { structuredContent: null, want: 'Hello.' },
  { structuredContent: { a: 1 }, want: '{"a":1}' },
  { structuredContent: {}, outputSchema: { type: 'object' }, want: '{}' },
])(
  'of a text next to $structuredContent, with the schema $outputSchema, the answer is $want',
  async ({ structuredContent, outputSchema, want }) => {
    const tool = outputSchema === undefined ? GREET : { ...GREET, outputSchema };
    const result = { resultType: 'complete', content: [{ type: 'text', text: 'Hello.' }], structuredContent };
    const { call } = await openServer((message, response) => send(response, message, result), {
      tool,
      results: { 'tools/list': () => ({ resultType: 'complete', tools: [tool], ttlMs: 0, cacheScope: 'private' }) },
    });
    expect((await call()).text).toBe(want);
  },
);

test.each([
  { wrong: { name: 'other' }, code: 'ok' },
  { wrong: { name: 'greet' }, code: 'definition_changed' },
])('a tool with a wrong annotation does not stop those next to it: $wrong', async ({ wrong, code }) => {
  const other = { ...GREET, ...wrong, annotations: { readOnlyHint: 'yes' } };
  const tools = wrong.name === 'greet' ? [other] : [GREET, other];
  const { call } = await openServer(
    (message, response) => send(response, message, { resultType: 'complete', content: [] }),
    { results: { 'tools/list': () => ({ resultType: 'complete', tools, ttlMs: 0, cacheScope: 'private' }) } },
  );
  expect((await call()).code).toBe(code);
});

test('a server that repeats the credential in a question does not show it to the user', async () => {
  const key = 'secret-of-ada-0123456789';
  const properties = { [key]: { type: 'string', title: `Bearer ${key}` } };
  const params = { mode: 'form', message: `Is ${key} yours?`, requestedSchema: { type: 'object', properties } };
  const { fixture } = await openServer(
    (message, response, headers) => {
      expect(headers.authorization).toBe(`Bearer ${key}`);
      const inputRequests = { q: { method: 'elicitation/create', params } };
      send(response, message, { resultType: 'input_required', inputRequests });
    },
    { more: { connectors: [mcpConnector([mcpTool(GREET)], [KEY])], fields: { key } } },
  );
  const clientCapabilities = { elicitation: {} };
  const asked = await fixture.call('people_greet', { name: 'Ada' }, { clientCapabilities });
  expect(asked).toMatchObject({ resultType: 'input_required' });
  expect(JSON.stringify(asked)).not.toContain(key);
});

test('a server that sends request after request in its answer is not answered without end', async () => {
  const initialize = () => ({
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'people', version: '1' },
  });
  const results = { initialize, 'server/discover': undefined };
  const onCall: Answer = ({ method }, response) => {
    if (method === 'server/discover') return void response.writeHead(404).end();
    if (method !== 'tools/call') return void response.writeHead(202).end();
    stream(response);
    for (let ping = 0; ping < 1000; ping += 1)
      response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: `p${ping}`, method: 'ping' })}\n\n`);
  };
  const { call, messages } = await openServer(onCall, { results });
  expect((await call()).code).toBe('upstream_protocol_error');
  expect(messages.length).toBeLessThan(300);
});

test('members with the names of prototypes are data', async () => {
  const text = '{"__proto__":{"isError":true},"constructor":{"prototype":1},"names":["Ada"]}';
  const { call } = await openServer(({ id }, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const result = `{"resultType":"complete","content":[],"__proto__":{"isError":true},"structuredContent":${text}}`;
    response.end(`{"jsonrpc":"2.0","id":${id},"result":${result}}`);
  });
  const { code, text: shown } = await call();
  expect([code, shown]).toEqual(['ok', text]);
});

test('a server that never stops asking ends with an error', async () => {
  const params = { mode: 'form', message: 'More?', requestedSchema: { type: 'object', properties: {} } };
  const { fixture } = await openServer((message, response) => {
    const inputRequests = { q: { method: 'elicitation/create', params } };
    send(response, message, { resultType: 'input_required', inputRequests });
  });
  const clientCapabilities = { elicitation: {} };
  let requestState: string | undefined;
  let times = 0;
  for (; times < 10; times += 1) {
    const answers = requestState === undefined ? {} : { requestState, inputResponses: { q: { action: 'accept' } } };
    const result = (await fixture.call(
      'people_greet',
      { name: 'Ada' },
      { clientCapabilities, ...answers },
    )) as unknown as {
      requestState?: string;
      isError?: boolean;
    };
    if (result.isError === true) break;
    ({ requestState } = result);
  }
  expect(times).toBe(3);
});

test('a list that is huge or has no end, or a tool listed twice, is no reviewed definition', async () => {
  const endless = {
    'tools/list': () => ({ resultType: 'complete', tools: [], nextCursor: 'more', ttlMs: 0, cacheScope: 'private' }),
  };
  const { call, messages } = await openServer(() => {}, { results: endless });
  expect((await call()).code).toBe('definition_changed');
  expect(messages.filter(({ method }) => method === 'tools/list')).toHaveLength(100);
  const tools = [GREET, { ...GREET, name: 'huge', description: 'x'.repeat(10_000_000) }];
  const huge = { 'tools/list': () => ({ resultType: 'complete', tools, ttlMs: 0, cacheScope: 'private' }) };
  const { call: callHuge, messages: sent } = await openServer(() => {}, { results: huge });
  const refused = await callHuge();
  expect([refused.code, refused.text]).toEqual(['definition_changed', expect.stringContaining('Nothing was sent.')]);
  expect(sent.filter(({ method }) => method === 'tools/call')).toEqual([]);
  const twice = {
    'tools/list': () => ({ resultType: 'complete', tools: [GREET, GREET], ttlMs: 0, cacheScope: 'private' }),
  };
  expect((await (await openServer(() => {}, { results: twice })).call()).code).toBe('definition_changed');
});

test('a list that is longer than any that is added is not kept', async () => {
  const found: Record<string, number> = {};
  for (const pages of [80, 90]) {
    const list = ({ params }: Message) => {
      const page = Number(params?.cursor ?? 0);
      const tools = [GREET, { ...GREET, name: `${page}`.padEnd(95_000, 'x') }].slice(page === 0 ? 0 : 1);
      const next = page === pages ? {} : { nextCursor: String(page + 1) };
      return { resultType: 'complete', tools, ...next, ttlMs: 0, cacheScope: 'private' };
    };
    const answer: Answer = (message, response) => send(response, message, { resultType: 'complete', content: [] });
    const { code } = await (await openServer(answer, { results: { 'tools/list': list } })).call();
    found[code] = pages;
  }
  expect(found).toEqual({ ok: 80, definition_changed: 90 });
});

test('files and links go on, other members of them do not', async () => {
  const png = Buffer.from('png').toString('base64');
  const content = [
    { type: 'text', text: 'See these.' },
    { type: 'image', data: png, mimeType: 'image/png', _meta: { secret: true } },
    { type: 'resource_link', uri: 'https://x.example/a', name: 'a', icons: [{ src: 'https://track.example' }] },
    { type: 'resource', resource: { uri: 'file:///b', blob: png, mimeType: 'application/pdf' } },
    ...['java\nscript:alert(1)', ' data:text/html,x', 'kept://files/f-1'].map((uri) => ({
      type: 'resource_link',
      uri,
      name: 'x',
    })),
  ];
  const { call } = await openServer((message, response) =>
    send(response, message, { resultType: 'complete', content }),
  );
  expect((await call()).result.content).toEqual([
    { type: 'text', text: 'See these.' },
    { type: 'image', data: png, mimeType: 'image/png' },
    { type: 'resource_link', uri: 'https://x.example/a', name: 'a' },
    { type: 'resource', resource: { uri: 'file:///b', blob: png, mimeType: 'application/pdf' } },
  ]);
});

test('no capability is declared, and no session id or header of the server reaches the caller', async () => {
  const { call, messages } = await openServer((message, response) => {
    response.setHeader('mcp-session-id', 'session-7');
    send(response, message, { resultType: 'complete', content: [{ type: 'text', text: 'done' }] });
  });
  const { result } = await call();
  const { _meta: meta } = messages.find(({ method }) => method === 'tools/call')!.params as {
    _meta: Record<string, unknown>;
  };
  expect(meta['io.modelcontextprotocol/clientCapabilities']).toEqual({});
  expect(JSON.stringify(result)).not.toContain('session-7');
});

test('a refusal that names a document of an authorization server makes the gateway fetch nothing', async () => {
  const hidden = await startHost((_, response) => void response.end('{}'));
  open.push(hidden.close);
  const { call, messages } = await openServer((_, response) => {
    const challenge = `Bearer resource_metadata="${hidden.origin}/.well-known/oauth-protected-resource"`;
    response.writeHead(401, { 'www-authenticate': challenge }).end();
  });
  expect((await call()).code).toBe('refused_once');
  expect([hidden.hits(), messages.filter(({ method }) => method === 'GET')]).toEqual([0, []]);
});

test('two connections have two sessions, also for the same ids and at the same time', async () => {
  const { fixture, messages } = await openServer((message, response) => {
    const text = String((message.params!.arguments as { name: string }).name);
    send(response, message, { resultType: 'complete', content: [{ type: 'text', text }] });
  });
  const names = Array.from({ length: 40 }, (_, index) => `name-${index}`);
  const texts = await Promise.all(
    names.map(async (name, index) => {
      const id = `user-${index % 8}`;
      const connection = { id: `${id}/library`, status: 'active' as const, sealedCredential: null, updatedAt: 7 };
      const principal = { userId: id, connections: new Map([['library', connection]]) };
      return (await fixture.call('people_greet', { name }, { principal })).content[0]?.text;
    }),
  );
  expect(texts).toEqual(names);
  expect(messages.filter(({ method }) => method === 'server/discover')).toHaveLength(8);
});
