import { request as httpRequest } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import type { ToolCallContext } from '../../../server/tools/provider.ts';
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

const running: RunningEndpoint[] = [];
afterEach(async () => {
  for (const endpoint of running.splice(0)) await endpoint.close();
});

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

describe('requests that overlap', () => {
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

  it('see their own list', async () => {
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

describe('a client that goes away', () => {
  for (const [era, request] of ERAS) {
    it(`aborts the signal of its call and of no other (${era})`, async () => {
      const contexts: ToolCallContext[] = [];
      const finish: (() => void)[] = [];
      const endpoint = await serve(async (args, context) => {
        contexts.push(context);
        await new Promise<void>((resolve) => finish.push(resolve));
        return echo(args);
      });
      const { headers, body } = request(CALL);
      const leaving = httpRequest(endpoint.url, { method: 'POST', headers: headers as Record<string, string> });
      leaving.on('error', () => undefined);
      leaving.end(body as string);
      while (contexts.length < 1) await delay(5);
      const staying = post(endpoint, request(CALL));
      while (contexts.length < 2) await delay(5);
      leaving.destroy();
      while (!contexts[0]!.signal.aborted) await delay(5);
      expect(contexts[1]!.signal.aborted).toBe(false);
      for (const resolve of finish) resolve();
      expect((await staying).status).toBe(200);
      expect((await post(endpoint, request({ method: 'tools/list' }))).status).toBe(200);
    });
  }

  it('does not abort when the answer has simply been sent', async () => {
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

  it('cannot cancel the call of another by its id (2025)', async () => {
    const contexts: ToolCallContext[] = [];
    const finish: (() => void)[] = [];
    const endpoint = await serve(async (args, context) => {
      contexts.push(context);
      await new Promise<void>((resolve) => finish.push(resolve));
      return echo(args);
    });
    const call = post(endpoint, legacyRequest({ ...CALL, id: 7 }), 'ada');
    while (finish.length === 0) await delay(5);
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
    const init = { ...legacyRequest(CALL), body: JSON.stringify(cancel) };
    expect((await post(endpoint, init, 'grace')).status).toBe(202);
    finish[0]!();
    expect(JSON.parse((await call).text).result.isError).toBeUndefined();
    expect(contexts[0]!.signal.aborted).toBe(false);
  });
});

describe('what a call is told', () => {
  it('is the era, the request, and what the client declared', async () => {
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
      requestId: 'request-1',
      clientCapabilities: { elicitation: { url: {} } },
      inputResponses: {},
      requestState: null,
      progress: null,
    });
    expect(seen[1]).toMatchObject({ era: '2025', requestId: 'request-2', clientCapabilities: {}, progress: null });
  });
});

describe('progress', () => {
  const reporting: Call = async (args, { progress }) => {
    for (const step of [1, 2, 2, 1, 3]) await progress?.({ progress: step, total: 3 });
    setTimeout(() => void progress?.({ progress: 99 }), 10);
    return echo(args);
  };
  const asking: Message = { ...CALL, params: { ...CALL.params, _meta: { ...MODERN_META, progressToken: 'p1' } } };
  const eventsOf = (text: string) =>
    text
      .split('\n')
      .filter((line) => line.startsWith('data: '))
      .map((line) => JSON.parse(line.slice('data: '.length)));

  const reporter = { ...provideTools({ library_echo: reporting }), reportsProgress: () => true };

  it('is streamed before the result, only growing, and ends with it (2026)', async () => {
    const endpoint = await start({ tools: reporter });
    const { type, text } = await post(endpoint, modernRequest(asking));
    expect(type).toBe('text/event-stream');
    const events = eventsOf(text);
    expect(events.slice(0, -1)).toEqual(
      [1, 2, 3].map((progress) => ({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 'p1', progress, total: 3 },
      })),
    );
    expect(events.at(-1).result.structuredContent).toEqual({});
  });

  it('is not sent to a client that did not ask', async () => {
    const endpoint = await start({ tools: reporter });
    expect((await post(endpoint, modernRequest(CALL))).type).toBe('application/json');
  });

  it('needs no stream where the tool has none to report', async () => {
    const endpoint = await serve(reporting);
    const { type, text } = await post(endpoint, modernRequest(asking));
    expect(type).toBe('application/json');
    expect(JSON.parse(text).result.structuredContent).toEqual({});
  });

  it('is streamed in 2025 only for a tool that is known to report it', async () => {
    const tools = provideTools({ library_echo: reporting });
    const legacy = legacyRequest({ ...CALL, params: { ...CALL.params, _meta: { progressToken: 1 } } });
    const streaming = {
      ...legacy,
      headers: { ...(legacy.headers as object), accept: 'application/json, text/event-stream' },
    };
    const plain = await start({ tools });
    expect((await post(plain, streaming)).type).toBe('application/json');
    const reporter = await start({ tools: { ...tools, reportsProgress: (name) => name === 'library_echo' } });
    expect((await post(reporter, legacy)).type).toBe('application/json');
    const { type, text } = await post(reporter, streaming);
    expect(type).toBe('text/event-stream');
    expect(eventsOf(text).map(({ params }) => params?.progress)).toEqual([1, 2, 3, undefined]);
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

  it('gets what the client answered when it calls again', async () => {
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
  it('that fails is logged in full and hidden', async () => {
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
    for (const [, request] of ERAS) {
      expect(JSON.parse((await post(endpoint, request(CALL))).text).result.content).toEqual(content);
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
