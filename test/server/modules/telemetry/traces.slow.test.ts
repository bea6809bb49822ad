import { afterEach, describe, expect, test } from 'vitest';
import { fakeConnector, fakeHandWritten, fakeTool } from '../../../support/fake-connector.ts';
import { callOf, legacyCallOf, startWatched, treeOf, type Watched, type WatchedOptions } from './support.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const OTHER_TRACE = 'a3ce929d0e0e47364bf92f3577b34da6';
const PARENT = '00f067aa0ba902b7';
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`;
const OTHER_TRACEPARENT = `00-${OTHER_TRACE}-${PARENT}-01`;
const READING = ['repeatRefused', 'readAnswer', 'followPages', 'shapeResult'];
const RIGHTS = ['checkLimit', 'checkPartner', 'checkAccess', 'requireToolConsent', 'openConnection'];

let watched: Watched;
afterEach(() => watched.close());

async function given(options: WatchedOptions = {}): Promise<Watched> {
  watched = await startWatched(options);
  return watched;
}

function serverSpan() {
  const found = watched.spans.filter(({ kind }) => kind === 1);
  expect(found).toHaveLength(1);
  return found[0]!;
}

describe.each([
  [
    '2026-07-28',
    (name: string, args?: object, meta?: object, headers?: Record<string, string>) =>
      watched.modern(callOf(name, args, meta), headers),
  ],
  [
    '2025-11-25',
    (name: string, args?: object, meta?: object, headers?: Record<string, string>) =>
      watched.legacy(legacyCallOf(name, args, meta), { 'mcp-protocol-version': '2025-11-25', ...headers }),
  ],
] as const)('traces of a call, %s', (version, call) => {
  test('are a span of the call, one of each stage, and one of the request to the upstream', async () => {
    await given();
    await call('library_get', { shelfId: 'a' });
    const stages = [
      ...RIGHTS,
      'checkArguments',
      'claimIdempotencyKey',
      'awaitApproval',
      'countByRules',
      ['sendRequest', ['GET /shelves/{shelfId}/books']],
    ];
    expect(treeOf(watched.spans)).toEqual([['tools/call library_get', [...stages, ...READING]]]);
  });

  test('carry the attributes of the conventions', async () => {
    await given();
    await call('library_get', { shelfId: 'a' });
    expect(serverSpan().attributes).toEqual({
      'mcp.method.name': 'tools/call',
      'mcp.protocol.version': version,
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'library_get',
      'network.transport': 'tcp',
      'network.protocol.name': 'http',
      'network.protocol.version': '1.1',
      'gateway.request.id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'gateway.service': 'library',
      'gateway.outcome': 'ok',
    });
    const { port, hostname } = new URL(watched.upstream.origin);
    expect(watched.spans.find(({ kind }) => kind === 2)?.attributes).toEqual({
      'http.request.method': 'GET',
      'url.template': '/shelves/{shelfId}/books',
      'server.address': hostname,
      'server.port': Number(port),
      'http.response.status_code': 200,
      'gateway.service': 'library',
    });
  });

  test('continue traceparent of the HTTP request', async () => {
    await given();
    await call('library_list', {}, {}, { traceparent: TRACEPARENT, tracestate: 'rojo=1' });
    const { parentSpanContext, links } = serverSpan();
    expect(parentSpanContext).toMatchObject({ traceId: TRACE, spanId: PARENT, isRemote: true });
    expect(new Set(watched.spans.map((span) => span.spanContext().traceId))).toEqual(new Set([TRACE]));
    expect(links).toEqual([]);
  });

  test('continue _meta rather than the HTTP request, which is linked', async () => {
    await given();
    await call('library_list', {}, { traceparent: TRACEPARENT }, { traceparent: OTHER_TRACEPARENT });
    const { parentSpanContext, links } = serverSpan();
    expect(parentSpanContext).toMatchObject({ traceId: TRACE, spanId: PARENT });
    expect(links).toMatchObject([{ context: { traceId: OTHER_TRACE, spanId: PARENT } }]);
  });

  test.each([
    ['not a string', 7],
    ['not a trace context', 'x'],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${PARENT}-01`],
  ])('start in the gateway if traceparent of _meta is %s', async (_, traceparent) => {
    await given();
    await call('library_list', {}, { traceparent });
    expect(serverSpan().parentSpanContext).toBeUndefined();
  });

  test('name the stage that ended a call, and the outcome', async () => {
    await given();
    watched.upstream.answer({ status: 500, body: { error: 'no' } });
    await call('library_list');
    expect(serverSpan()).toMatchObject({ status: { code: 2 }, attributes: { 'error.type': 'tool_error' } });
    const failed = watched.spans.filter(({ status }) => status.code === 2).map(({ name }) => name);
    expect(failed).toEqual(['GET /things', 'readAnswer', 'tools/call library_list']);
    await call('library_get', { wrong: 1 });
    expect(watched.spans.findLast(({ name }) => name === 'checkArguments')?.attributes).toEqual({
      'error.type': 'invalid_arguments',
    });
  });
});

describe('traces', () => {
  test('have a span for other messages, with the code of an error', async () => {
    await given();
    await watched.modern({ method: 'tools/list' });
    await watched.modern(callOf('library_nothing', {}));
    await watched.legacy({ jsonrpc: '2.0', id: 1, method: 'secrets/steal' });
    expect(watched.spans.map(({ name, attributes }) => [name, attributes['error.type']])).toEqual([
      ['tools/list', undefined],
      ['tools/call _OTHER', '-32602'],
      ['_OTHER', '-32601'],
    ]);
  });

  test('name a tool that is called through another', async () => {
    await given();
    await watched.modern(callOf('call_reading_tool', { name: 'library_list', arguments: {} }));
    expect(serverSpan()).toMatchObject({ name: 'tools/call library_list', attributes: { 'gateway.outcome': 'ok' } });
  });

  test('nest the calls of a hand-written tool in its stage', async () => {
    const survey = fakeHandWritten({
      async run(_, context) {
        await context.call('library_list', {});
        return { count: 1 };
      },
    });
    const connectors = [fakeConnector({ tools: [fakeTool({ name: 'library_list' })], handWritten: [survey] })];
    await given({ connectors });
    await watched.modern(callOf('library_survey'));
    const [[, stages]] = treeOf(watched.spans) as [[string, unknown[]]];
    expect(stages.at(-1)).toEqual(['runTool', ['checkUse', ['sendRequest', ['GET /things']], ...READING]]);
  });

  test('have one span for a batch', async () => {
    await given();
    await watched.legacy([legacyCallOf('library_list'), { ...legacyCallOf('library_get', { shelfId: 'a' }), id: 2 }]);
    expect(serverSpan().name).toBe('tools/call');
    expect(watched.spans.filter(({ kind }) => kind === 2)).toHaveLength(2);
  });

  test.each([
    ['always_off', {}, 0],
    ['traceidratio', { OTEL_TRACES_SAMPLER_ARG: '0' }, 0],
    ['parentbased_always_off', {}, 16],
    ['always_on', {}, 16],
  ])('are sampled by %s', async (OTEL_TRACES_SAMPLER, more, want) => {
    await given({ env: { OTEL_TRACES_EXPORTER: 'otlp', OTEL_TRACES_SAMPLER, ...more } });
    await watched.modern(callOf('library_list'), { traceparent: TRACEPARENT });
    expect(watched.spans).toHaveLength(want);
  });

  test.each([
    ['traceidratio', '0', 0],
    ['traceidratio', '1', 32],
    ['parentbased_traceidratio', '1', 32],
    ['parentbased_always_on', '0', 32],
    ['parentbased_always_off', '1', 0],
    ['always_off', '1', 0],
  ])('that start in the gateway are sampled by %s with %s', async (sampler, OTEL_TRACES_SAMPLER_ARG, want) => {
    await given({ env: { OTEL_TRACES_EXPORTER: 'otlp', OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG } });
    await watched.modern(callOf('library_list'));
    await watched.modern(callOf('library_list'));
    expect(watched.spans).toHaveLength(want);
  });

  test.each(['traceidratio', 'parentbased_traceidratio'])(
    'that start in the gateway are sampled as a whole by %s',
    async (sampler) => {
      await given({
        env: { OTEL_TRACES_EXPORTER: 'otlp', OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: '0.5' },
      });
      for (let calls = 0; calls < 64; calls += 1) await watched.modern(callOf('library_list'));
      const traces = Map.groupBy(watched.spans, (span) => span.spanContext().traceId);
      expect(new Set([...traces.values()].map((spans) => spans.length))).toEqual(new Set([16]));
      expect(traces.size).toBeLessThan(64);
    },
  );

  test('do not continue those of callers if OTEL_PROPAGATORS is none', async () => {
    await given({ env: { OTEL_TRACES_EXPORTER: 'otlp', OTEL_PROPAGATORS: 'none' } });
    await watched.modern(callOf('library_list', {}, { traceparent: TRACEPARENT }), { traceparent: OTHER_TRACEPARENT });
    expect(serverSpan()).toMatchObject({ parentSpanContext: undefined, links: [] });
  });
});

describe('the trace context for upstreams', () => {
  const sent = () => watched.upstream.calls()[0]!.headers;

  test('is not sent unless their service is named', async () => {
    await given();
    await watched.modern(callOf('library_list', {}, { traceparent: TRACEPARENT, tracestate: 'a=b', baggage: 'c=d' }));
    expect(sent()).not.toHaveProperty('traceparent');
    expect(sent()).not.toHaveProperty('tracestate');
    expect(sent()).not.toHaveProperty('baggage');
  });

  test('is only traceparent, of the span of the request', async () => {
    await given({ env: { OTEL_TRACES_EXPORTER: 'otlp', TRACEPARENT_SERVICES: 'library' } });
    await watched.modern(callOf('library_list', {}, { traceparent: TRACEPARENT, tracestate: 'a=b', baggage: 'c=d' }));
    const request = watched.spans.find(({ kind }) => kind === 2)!.spanContext();
    expect(sent().traceparent).toBe(`00-${TRACE}-${request.spanId}-01`);
    expect(sent()).not.toHaveProperty('tracestate');
    expect(sent()).not.toHaveProperty('baggage');
  });

  test('has the flag of an unsampled trace', async () => {
    await given({
      env: { OTEL_TRACES_EXPORTER: 'otlp', OTEL_TRACES_SAMPLER: 'always_off', TRACEPARENT_SERVICES: 'library' },
    });
    await watched.modern(callOf('library_list', {}, { traceparent: TRACEPARENT }));
    expect(sent().traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
    await watched.modern(callOf('library_list'));
    expect(watched.upstream.calls()[1]?.headers.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  });

  test('never replaces a header of the tool', async () => {
    const tool = fakeTool({
      name: 'library_list',
      input: { properties: { trace: { type: 'string' } } },
      request: { header: { traceparent: 'trace' } },
    });
    const connectors = [fakeConnector({ tools: [tool] })];
    await given({ connectors, env: { OTEL_TRACES_EXPORTER: 'otlp', TRACEPARENT_SERVICES: 'library' } });
    await watched.modern(callOf('library_list', { trace: 'mine' }));
    expect(sent().traceparent).toBe('mine');
  });
});
