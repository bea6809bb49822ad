import { request as httpRequest } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { ToolCallContext } from '../../../../server/call/tools/provider.ts';
import { closeAfterEach } from '../../../support/close-after-each.ts';
import {
  type Call,
  type EndpointOptions,
  echo,
  legacyRequest,
  type Message,
  MODERN_META,
  modernRequest,
  provideTools,
  type RunningEndpoint,
  startEndpoint,
} from './support.ts';

const running = closeAfterEach<RunningEndpoint>();

async function start(options: EndpointOptions): Promise<RunningEndpoint> {
  const endpoint = await startEndpoint(options);
  running.push(endpoint);
  return endpoint;
}

const serve = (call: Call, options: Partial<EndpointOptions> = {}) =>
  start({ tools: provideTools({ library_echo: call }), ...options });
const CALL: Message = { method: 'tools/call', params: { name: 'library_echo', arguments: {} } };
const ERAS = [
  ['2026', modernRequest],
  ['2025', legacyRequest],
] as const;

async function post(endpoint: RunningEndpoint, init: RequestInit, user = 'user-1') {
  const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${user}` };
  const response = await fetch(endpoint.url, { ...init, headers });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

describe('concurrent requests', () => {
  for (const [era, request] of ERAS) {
    it(`with the same id each get their own answer (${era})`, async () => {
      const waiting: (() => void)[] = [];
      const endpoint = await serve(async (args, _, principal) => {
        await new Promise<void>((resolve) => waiting.push(resolve));
        return echo({ user: principal.userId, ...args });
      });
      const users = ['ada', 'grace', 'edsger', 'barbara'];
      const calls = users.map((user, index) => {
        const params = { name: 'library_echo', arguments: { index } };
        return post(endpoint, request({ method: 'tools/call', id: 7, params }), user);
      });
      while (waiting.length < users.length) await delay(5);
      for (const resolve of waiting.reverse()) {
        resolve();
        await delay(2);
      }
      const answers = (await Promise.all(calls)).map(({ text }) => JSON.parse(text));
      expect(answers.map(({ id, result }) => [id, result.structuredContent])).toEqual(
        users.map((user, index) => [7, { user, index }]),
      );
    });
  }

  it('each see their own list', async () => {
    const tools = provideTools({});
    const lists: Record<string, Uint8Array> = {
      ada: Buffer.from('[{"name":"a"}]'),
      grace: Buffer.from('[{"name":"g"}]'),
    };
    const endpoint = await start({ tools: { ...tools, list: async ({ userId }) => ({ json: lists[userId]! }) } });
    const texts = await Promise.all(
      ['ada', 'grace', 'ada', 'grace'].map((user) => post(endpoint, modernRequest({ method: 'tools/list' }), user)),
    );
    expect(texts.map(({ text }) => JSON.parse(text).result.tools[0].name)).toEqual(['a', 'g', 'a', 'g']);
  });
});

describe('a client that disconnects', () => {
  it.each([
    ['2026', modernRequest, true],
    ['2025', legacyRequest, false],
  ] as const)('of %s aborts its call: %3$s', async (_era, request, cancels) => {
    const contexts: ToolCallContext[] = [];
    const finish: (() => void)[] = [];
    let ended = 0;
    const endpoint = await serve(async (args, context) => {
      contexts.push(context);
      await new Promise<void>((resolve) => finish.push(resolve));
      ended += 1;
      return echo(args);
    });
    const { headers, body } = request(CALL);
    const leaving = httpRequest(endpoint.url, { method: 'POST', headers: headers as Record<string, string> });
    leaving.on('error', () => undefined);
    leaving.end(body as string);
    while (contexts.length < 1) await delay(5);
    const staying = post(endpoint, request(CALL));
    while (contexts.length < 2) await delay(5);
    const gone = new Promise((resolve) => leaving.once('close', resolve));
    leaving.destroy();
    await gone;
    if (cancels) while (!contexts[0]!.signal.aborted) await delay(5);
    else await delay(50);
    expect(contexts.map(({ signal }) => signal.aborted)).toEqual([cancels, false]);
    for (const resolve of finish) resolve();
    expect((await staying).status).toBe(200);
    expect((await post(endpoint, request({ method: 'tools/list' }))).status).toBe(200);
    expect(ended).toBe(2);
  });

  it('does not abort after the answer was sent', async () => {
    const contexts: ToolCallContext[] = [];
    const endpoint = await serve((args, context) => {
      contexts.push(context);
      return echo(args);
    });
    await post(endpoint, modernRequest(CALL));
    await post(endpoint, legacyRequest(CALL));
    await delay(20);
    expect(contexts.map(({ signal }) => signal.aborted)).toEqual([false, false]);
  });
});

describe('notifications/cancelled (MCP 2025-11-25, Cancellation)', () => {
  const RECOGNISED = CALL;
  const UNUSUAL: Message = { ...CALL, params: { ...CALL.params, unusual: true } };

  function givenCalls(...calls: readonly (readonly [user: string, id: string | number])[]) {
    return givenCallsLike(RECOGNISED, ...calls);
  }

  async function givenCallsLike(call: Message, ...calls: readonly (readonly [user: string, id: string | number])[]) {
    const contexts: ToolCallContext[] = [];
    const finish: (() => void)[] = [];
    const endpoint = await serve(async (args, context) => {
      contexts.push(context);
      await new Promise<void>((resolve) => {
        finish.push(resolve);
        context.signal.addEventListener('abort', () => resolve());
      });
      return echo(args);
    });
    const answers: ReturnType<typeof post>[] = [];
    for (const [user, id] of calls) {
      answers.push(post(endpoint, legacyRequest({ ...call, id }), user));
      while (contexts.length < answers.length) await delay(5);
    }
    const cancel = async (user: string, requestId: unknown) => {
      const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
      expect((await post(endpoint, { ...legacyRequest(CALL), body }, user)).status).toBe(202);
    };
    const end = async () => {
      for (const resolve of finish) resolve();
      return (await Promise.all(answers)).map(({ text }) => JSON.parse(text).id);
    };
    return { cancel, end, aborted: () => contexts.map(({ signal }) => signal.aborted) };
  }

  it('cancels the call of that id, and no other', async () => {
    const { cancel, end, aborted } = await givenCalls(['ada', 7], ['ada', '7'], ['ada', 8]);
    await cancel('ada', 7);
    expect(aborted()).toEqual([true, false, false]);
    expect(await end()).toEqual([7, '7', 8]);
  });

  it('cancels a call that the SDK answers', async () => {
    const { cancel, end, aborted } = await givenCallsLike(UNUSUAL, ['ada', 7], ['ada', 8]);
    await cancel('ada', 7);
    expect(aborted()).toEqual([true, false]);
    expect(await end()).toEqual([7, 8]);
  });

  it('cancels no call of another token', async () => {
    const { cancel, end, aborted } = await givenCalls(['ada', 7]);
    await cancel('grace', 7);
    expect(aborted()).toEqual([false]);
    await end();
  });

  it('cancels nothing if two calls have that id', async () => {
    const { cancel, end, aborted } = await givenCalls(['ada', 7], ['ada', 7]);
    await cancel('ada', 7);
    expect(aborted()).toEqual([false, false]);
    await end();
  });

  it.each([undefined, null, 9, {}, 1.5])('ignores %j', async (requestId) => {
    const { cancel, end, aborted } = await givenCalls(['ada', 7]);
    await cancel('ada', requestId);
    expect(aborted()).toEqual([false]);
    await end();
  });
});

describe('the context of a call', () => {
  it("has the era, the request, and the client's capabilities", async () => {
    const seen: ToolCallContext[] = [];
    const endpoint = await serve((args, context) => {
      seen.push(context);
      return echo(args);
    });
    const meta = { ...MODERN_META, 'io.modelcontextprotocol/clientCapabilities': { elicitation: { url: {} } } };
    await post(endpoint, modernRequest({ ...CALL, params: { ...CALL.params, _meta: meta } }));
    await post(endpoint, legacyRequest(CALL));
    expect(seen[0]).toMatchObject({
      era: '2026',
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      clientCapabilities: { elicitation: { url: {} } },
      inputResponses: {},
      requestState: null,
    });
    expect(seen[1]).toMatchObject({ era: '2025', clientCapabilities: {} });
    expect(seen[1]).not.toHaveProperty('requestId', seen[0]!.requestId);
  });
});

describe('progress', () => {
  const TIMING = { afterMs: 30, everyMs: 20 };
  const STREAM = 'application/json, text/event-stream';
  const PLAIN = 'application/json';
  const token = { progressToken: 'p1' };
  const eventsOf = (text: string) =>
    text
      .split('\n')
      .filter((line) => line.startsWith('data: '))
      .map((line) => JSON.parse(line.slice('data: '.length)));
  const slow: Call = async (args, { signal }) => {
    await delay(200, undefined, { signal });
    return echo(args);
  };
  const asking = (request: typeof modernRequest, accept: string, meta: object = token, more: object = {}) => {
    const _meta = request === modernRequest ? { ...MODERN_META, ...meta } : meta;
    const init = request({ ...CALL, params: { ...CALL.params, ...more, _meta } });
    return { ...init, headers: { ...(init.headers as object), accept } };
  };

  const PATHS = [true, false].flatMap((fastPath) =>
    ERAS.map(([era, request]) => [fastPath ? `${era}, fast` : `${era}, SDK`, request, fastPath] as const),
  );
  for (const [era, request, fastPath] of PATHS) {
    it(`is streamed during a long call, only increases, and ends with the result (${era})`, async () => {
      const endpoint = await serve(slow, { progress: TIMING, fastPath });
      const { status, type, text } = await post(endpoint, asking(request, STREAM));
      expect([status, type]).toEqual([200, 'text/event-stream']);
      const events = eventsOf(text);
      const reports = events.slice(0, -1).map(({ method, params }) => [method, params.progressToken]);
      expect(reports.length).toBeGreaterThan(0);
      expect(new Set(reports.map(String))).toEqual(new Set(['notifications/progress,p1']));
      const steps: number[] = events.slice(0, -1).map(({ params }) => params.progress);
      expect(steps).toEqual([...new Set(steps)].sort((a, b) => a - b));
      expect(events[0].params.message).toBe('Waiting for the service behind library_echo: 0 s.');
      expect(events.at(-1)).toMatchObject({ id: 1, result: { structuredContent: {} } });
    });

    it.each([
      ['that is answered soon', asking(request, STREAM), { afterMs: 60_000, everyMs: 60_000 }],
      ['whose client accepts no stream', asking(request, PLAIN), TIMING],
      ['whose client did not ask for it', asking(request, STREAM, {}), TIMING],
    ])(`is not streamed for a call %s (${era})`, async (_title, init, progress) => {
      const endpoint = await serve(slow, { progress, fastPath });
      const { type, text } = await post(endpoint, init);
      expect(type).toBe('application/json');
      expect(JSON.parse(text).result.structuredContent).toEqual({});
    });

    it(`is followed by an error on the stream too (${era})`, async () => {
      const failing: Call = async (args, context) => {
        await slow(args, context, {} as never);
        throw new Error('kaboom');
      };
      const endpoint = await serve(failing, { progress: TIMING, fastPath });
      const { text } = await post(endpoint, asking(request, STREAM));
      expect(eventsOf(text).at(-1)).toEqual({
        jsonrpc: '2.0',
        id: 1,
        error: { code: -32603, message: 'Internal error' },
      });
    });
  }

  it('is streamed for the calls of a batch, each under its own token, and ends with all results', async () => {
    const endpoint = await serve(slow, { progress: TIMING });
    const calls = [1, 2].map((id) => ({
      ...CALL,
      jsonrpc: '2.0',
      id,
      params: { ...CALL.params, _meta: { progressToken: `p${id}` } },
    }));
    const { type, text } = await post(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: STREAM },
      body: JSON.stringify(calls),
    });
    expect(type).toBe('text/event-stream');
    const events = eventsOf(text);
    expect(new Set(events.slice(0, -2).map(({ params }) => params.progressToken))).toEqual(new Set(['p1', 'p2']));
    expect(events.slice(-2).map(({ id, result }) => [id, result.structuredContent])).toEqual([
      [1, {}],
      [2, {}],
    ]);
  });

  it('is streamed for a call that continues after its user was asked', async () => {
    const endpoint = await serve(slow, { progress: TIMING });
    const { type, text } = await post(endpoint, asking(modernRequest, STREAM, token, { requestState: 'sealed' }));
    expect(type).toBe('text/event-stream');
    expect(eventsOf(text).at(-1).result.structuredContent).toEqual({});
  });

  it('does not hold back a request for input', async () => {
    const asks: Call = async (args, context) => {
      await slow(args, context, {} as never);
      return { resultType: 'input_required', requestState: 'sealed' };
    };
    const endpoint = await serve(asks, { progress: TIMING });
    const { text } = await post(endpoint, asking(modernRequest, STREAM));
    expect(eventsOf(text).at(-1).result).toMatchObject({ resultType: 'input_required', requestState: 'sealed' });
  });

  it.each([true, false])(
    'leaves a call of 2025 running when its client disconnects (fast path: %s)',
    async (fastPath) => {
      const contexts: ToolCallContext[] = [];
      let ended = false;
      const endpoint = await serve(
        async (args, context) => {
          contexts.push(context);
          await delay(300);
          ended = true;
          return echo(args);
        },
        { progress: TIMING, fastPath },
      );
      const leaving = new AbortController();
      await fetch(endpoint.url, { ...asking(legacyRequest, STREAM), signal: leaving.signal });
      leaving.abort();
      await expect.poll(() => ended).toBe(true);
      expect(contexts.map(({ signal }) => signal.aborted)).toEqual([false]);
    },
  );

  it('ends when its client disconnects', async () => {
    let context: ToolCallContext | undefined;
    const endpoint = await serve(
      async (args, its) => {
        context = its;
        await delay(10_000, undefined, { signal: its.signal });
        return echo(args);
      },
      { progress: TIMING },
    );
    const leaving = new AbortController();
    const response = await fetch(endpoint.url, { ...asking(modernRequest, STREAM), signal: leaving.signal });
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    leaving.abort();
    await expect.poll(() => context?.signal.aborted).toBe(true);
  });
});

describe('a call that needs input', () => {
  const url = 'https://partner.example/connect/library';
  const needsInput: Call = (args, context) =>
    context.requestState === 'sealed'
      ? echo({ answered: context.inputResponses, ...args })
      : {
          resultType: 'input_required',
          inputRequests: {
            connect: { method: 'elicitation/create', params: { mode: 'url', message: 'Connect Library', url } },
          },
          requestState: 'sealed',
        };
  const ask = (capabilities: object, more: object = {}): RequestInit =>
    modernRequest({
      ...CALL,
      params: {
        ...CALL.params,
        ...more,
        _meta: { ...MODERN_META, 'io.modelcontextprotocol/clientCapabilities': capabilities },
      },
    });

  it('asks a 2026 client that declared it', async () => {
    const endpoint = await serve(needsInput);
    const { status, text } = await post(endpoint, ask({ elicitation: { url: {} } }));
    expect(status).toBe(200);
    expect(JSON.parse(text).result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { connect: { method: 'elicitation/create', params: { mode: 'url', url } } },
      requestState: 'sealed',
    });
  });

  it('gets the answers when the client calls again', async () => {
    const endpoint = await serve(needsInput);
    const more = { inputResponses: { connect: { action: 'accept' } }, requestState: 'sealed' };
    const { text } = await post(endpoint, ask({ elicitation: { url: {} } }, more));
    expect(JSON.parse(text).result.structuredContent).toEqual({ answered: { connect: { action: 'accept' } } });
  });

  it('is -32021 for a 2026 client that did not declare it', async () => {
    const endpoint = await serve(needsInput);
    const { status, text } = await post(endpoint, ask({ elicitation: {} }));
    expect(status).toBe(400);
    expect(JSON.parse(text).error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: { url: {} } } },
    });
  });

  it('is a failed call for a 2025 client, at once', async () => {
    const endpoint = await serve(needsInput);
    const { status, text } = await post(endpoint, legacyRequest(CALL));
    expect(status).toBe(200);
    expect(JSON.parse(text).result.isError).toBe(true);
  });
});

describe('a provider', () => {
  it('that fails is logged in full, and its error is hidden', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
    const endpoint = await start({
      logger,
      tools: {
        ...provideTools({}),
        list: () => {
          throw new Error('the database at 10.0.0.5 is away');
        },
      },
    });
    for (const [, request] of ERAS) {
      const { text } = await post(endpoint, request({ method: 'tools/list' }));
      expect(JSON.parse(text)).toEqual({ jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal error' } });
    }
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain('10.0.0.5');
  });

  it('may answer with any kind of content', async () => {
    const content = [
      { type: 'text', text: 'a' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'x:///y', mimeType: 'text/plain', text: 'b' } },
      { type: 'resource_link', uri: 'https://x.example/', name: 'x' },
    ];
    const endpoint = await serve(() => ({ content }));
    const linkAsText = { type: 'text', text: 'x: https://x.example/' };
    for (const [era, request] of ERAS) {
      const expected = era === '2026' ? content : [...content.slice(0, -1), linkAsText];
      expect(JSON.parse((await post(endpoint, request(CALL))).text).result.content).toEqual(expected);
    }
  });

  it('keeps the digits of numbers that JavaScript cannot hold', async () => {
    const raw = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON('12345678901234567890');
    const endpoint = await serve(() => ({ content: [], structuredContent: { id: raw, deep: { ids: [raw] } } }));
    for (const [, request] of ERAS) {
      expect((await post(endpoint, request(CALL))).text).toContain(
        '"structuredContent":{"id":12345678901234567890,"deep":{"ids":[12345678901234567890]}}',
      );
    }
  });
});
