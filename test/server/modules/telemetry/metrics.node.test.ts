import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { toFamilyName, toLabel } from '../../../../server/modules/telemetry/exposition.ts';
import { INSTRUMENTS, type Instrument } from '../../../../server/modules/telemetry/instruments.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { callOf, legacyCallOf, samplesOf, startWatched, type Watched, type WatchedOptions } from './support.ts';

const SCRAPED = { METRICS_LISTEN: '127.0.0.1:9464' };

let watched: Watched;
afterEach(async () => {
  vi.unstubAllEnvs();
  await watched.close();
});

async function given(options: WatchedOptions = { env: SCRAPED }): Promise<Watched> {
  watched = await startWatched(options);
  return watched;
}

/** Values of the samples with that name, by their labels. */
async function read(name: string): Promise<Record<string, number>> {
  const samples = samplesOf((await watched.scrape()).text).filter((sample) => sample.name === name);
  return Object.fromEntries(samples.map(({ labels, value }) => [labels, value]));
}

describe('metrics', () => {
  test('count calls by service, tool and outcome', async () => {
    await given();
    await watched.modern(callOf('library_list'));
    await watched.legacy(legacyCallOf('library_list'));
    await watched.modern(callOf('library_get', { wrong: 1 }));
    expect(await read('gateway_tool_calls_total')).toEqual({
      '{gateway_service="library",gen_ai_tool_name="library_list",gateway_outcome="ok",gateway_outcome_category="ok"}': 2,
      '{gateway_service="library",gen_ai_tool_name="library_get",gateway_outcome="invalid_arguments",gateway_outcome_category="failed"}': 1,
    });
  });

  test('show which circuit is open, and how often it opened', async () => {
    await given();
    await watched.modern(callOf('library_list'));
    const { hostname, port } = new URL(watched.upstream.origin);
    const upstream = `{gateway_service="library",server_address="${hostname}",server_port="${port}"}`;
    expect(await read('gateway_upstream_circuit_state')).toEqual({ [upstream]: 0 });
    expect(await read('http_client_active_requests')).toEqual({ [upstream]: 0 });
    expect(await read('gateway_upstream_pending_requests')).toEqual({ [upstream]: 0 });
    await watched.upstream.close();
    for (let calls = 0; calls < 6; calls += 1) await watched.modern(callOf('library_list'));
    expect(await read('gateway_upstream_circuit_state')).toEqual({ [upstream]: 2 });
    expect(await read('gateway_upstream_circuit_opened_total')).toEqual({ [upstream]: 1 });
    const outcome = (name: string) =>
      `{gateway_service="library",gen_ai_tool_name="library_list",gateway_outcome="${name}",gateway_outcome_category="failed"}`;
    expect((await read('gateway_tool_calls_total'))[outcome('upstream_circuit_open')]).toBeGreaterThanOrEqual(1);
  });

  test('time operations, requests to upstreams and statements', async () => {
    await given();
    await watched.modern(callOf('library_list'));
    watched.upstream.answer({ status: 404, body: {} });
    await watched.modern(callOf('library_list'));
    await watched.modern({ method: 'tools/list' });
    expect(await read('mcp_server_operation_duration_seconds_count')).toEqual({
      '{mcp_method_name="tools/call",gen_ai_tool_name="library_list"}': 1,
      '{mcp_method_name="tools/call",gen_ai_tool_name="library_list",error_type="tool_error"}': 1,
      '{mcp_method_name="tools/list"}': 1,
    });
    const { hostname, port } = new URL(watched.upstream.origin);
    const upstream = `http_request_method="GET",server_address="${hostname}",server_port="${port}",gateway_service="library"`;
    expect(await read('http_client_request_duration_seconds_count')).toEqual({
      [`{${upstream},http_response_status_code="200"}`]: 1,
      [`{${upstream},http_response_status_code="404",error_type="404"}`]: 1,
    });
    const selects = (await read('db_client_operation_duration_seconds_count'))[
      '{db_system_name="sqlite",db_operation_name="SELECT"}'
    ];
    expect(selects).toBeGreaterThanOrEqual(3);
  });

  test('name operations alike, whether their spans are sampled, dropped or off', async () => {
    const namesWith = async (env: Readonly<Record<string, string>>) => {
      await given({ env: { ...SCRAPED, ...env } });
      await watched.modern(callOf('library_list'));
      await watched.modern(callOf('library_get', { wrong: 1 }));
      await watched.modern(callOf('library_none'));
      await watched.legacy([legacyCallOf('library_list'), legacyCallOf('library_none')]);
      await watched.modern({ method: 'tools/list', params: { cursor: 'forged' } });
      const names = await read('mcp_server_operation_duration_seconds_count');
      await watched.close();
      return names;
    };
    const traces = { OTEL_TRACES_EXPORTER: 'otlp' };
    const kept = await namesWith({ ...traces, OTEL_TRACES_SAMPLER: 'always_on' });
    expect(Object.keys(kept).length).toBeGreaterThanOrEqual(4);
    expect(await namesWith({ ...traces, OTEL_TRACES_SAMPLER: 'always_off' })).toEqual(kept);
    expect(await namesWith({ OTEL_TRACES_EXPORTER: 'none' })).toEqual(kept);
    await given();
  });

  test('time requests by route, never by path', async () => {
    await given();
    const { origin } = new URL(watched.gateway.url);
    await fetch(`${origin}/healthz`);
    await fetch(`${origin}/connect/library-of-somebody`);
    await fetch(`${origin}/no/such/path`);
    const routes = Object.keys(await read('http_server_request_duration_seconds_count'));
    expect(routes.map((labels) => /http_route="([^"]*)"/.exec(labels)?.[1])).toEqual([
      '/healthz',
      '/connect/:service',
      undefined,
    ]);
  });

  test('count an unreachable upstream as such', async () => {
    await given({ env: { ...SCRAPED, LIBRARY_BASE_URL: 'http://127.0.0.1:1' } });
    await watched.modern(callOf('library_add'));
    expect(Object.keys(await read('http_client_request_duration_seconds_count'))).toEqual([
      expect.stringContaining('error_type="unreachable"'),
    ]);
  });

  test('count refusals for a limit', async () => {
    await given({ env: { ...SCRAPED, TOOL_CALLS_PER_MINUTE: '1' } });
    await watched.modern(callOf('library_list'));
    await watched.modern(callOf('library_list'));
    await watched.modern({ method: 'tools/list' });
    expect(await read('gateway_limit_refusals_total')).toEqual({
      '{gateway_limit="user_calls"}': 1,
      '{gateway_limit="requests",http_route="/api/mcp/unified"}': 1,
    });
  });

  test('show requests that are under way', async () => {
    let answer: (() => void) | undefined;
    const slow = createServer((_, response) => {
      answer = () => response.end('{}');
    }).listen(0, '127.0.0.1');
    await once(slow, 'listening');
    const origin = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`;
    await given({ env: { ...SCRAPED, LIBRARY_BASE_URL: origin } });
    const call = watched.modern(callOf('library_list'));
    await once(slow, 'request');
    const labels = '{http_request_method="POST",url_scheme="http"}';
    expect(await read('http_server_active_requests')).toEqual({ [labels]: 1 });
    answer?.();
    await (await call).text();
    slow.closeAllConnections();
    slow.close();
    await expect.poll(() => read('http_server_active_requests')).toEqual({ [labels]: 0 });
  });

  test('include the process metrics', async () => {
    await given();
    await watched.scrape();
    const names = new Set(samplesOf((await watched.scrape()).text).map(({ name }) => name));
    for (const name of ['process_cpu_time_seconds_total', 'process_memory_usage_bytes', 'process_uptime_seconds']) {
      expect(names).toContain(name);
    }
    expect(names).toContain('nodejs_eventloop_utilization_ratio');
    expect(names).toContain('v8js_memory_heap_used_bytes');
  });

  test('have only the documented labels', async () => {
    await given();
    await watched.modern(callOf('library_list'));
    await watched.legacy([]);
    const declared = new Map(
      Object.values<Instrument>(INSTRUMENTS).map((one) => [toFamilyName(one), one.attributes.map(toLabel)]),
    );
    const samples = samplesOf((await watched.scrape()).text).filter(({ name }) => name !== 'target_info');
    for (const { name, labels } of samples) {
      const known = [...declared.keys()].find((each) => name === each || name.startsWith(`${each}_`));
      // Metrics that a module brings have no labels.
      const family = known ?? /^gateway_(?:audit|code|tasks|uploads)_/.exec(name)?.[0];
      const used = [...labels.matchAll(/[{,]([A-Za-z_]+)="/g)].map((match) => match[1]);
      const allowed = [...(declared.get(family ?? '') ?? []), 'le'];
      expect({ name, family, unknown: used.filter((label) => !allowed.includes(label ?? '')) }).toEqual({
        name,
        family: expect.any(String),
        unknown: [],
      });
    }
  });
});

describe('arbitrary input of callers', () => {
  test('gives all unknown names one label value', async () => {
    await given();
    const names = fc.sample(fc.string({ minLength: 1, maxLength: 40 }), { numRuns: 40, seed: 1 });
    for (const name of names) {
      await watched.legacy(legacyCallOf(name));
      await watched.legacy({ jsonrpc: '2.0', id: 1, method: name });
      await watched.legacy({ jsonrpc: '2.0', method: `notifications/${name}` });
    }
    const labels = Object.keys(await read('mcp_server_operation_duration_seconds_count'));
    expect(labels.length).toBeLessThanOrEqual(5);
    for (const each of labels) expect(each).toMatch(/mcp_method_name="(_OTHER|tools\/call)"/);
    expect(labels.join()).toContain('gen_ai_tool_name="_OTHER"');
    expect(await read('gateway_tool_calls_total')).toEqual({});
  });

  test('puts no argument, answer, token, user or header into telemetry', async () => {
    const canary = (of: string) => `canary${of}1f2e3d`;
    const collector = await startCollector();
    const connectors = [
      fakeConnector({
        parts: [{ id: 'key', type: 'header', label: 'Key', name: 'x-api-key' }],
        tools: [fakeTool({ name: 'library_get', path: '/shelves/{shelfId}/books' })],
      }),
    ];
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.origin);
    vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'api-key=collector%20key');
    await given({
      connectors,
      secret: canary('Credential'),
      env: {
        ...SCRAPED,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin,
        TRACEPARENT_SERVICES: 'library',
      },
      realSpans: true,
    });
    watched.upstream.answer({ status: 200, body: { said: canary('Answer') } });
    const headers = {
      baggage: `user=${canary('Baggage')}`,
      'user-agent': canary('Agent'),
      'x-request-id': canary('RequestId'),
    };
    const meta = { note: canary('Meta'), baggage: `a=${canary('MetaBaggage')}` };
    await watched.modern(callOf('library_get', { shelfId: canary('Argument') }, meta), headers);
    expect(watched.upstream.calls()[0]).toMatchObject({
      url: `/shelves/${canary('Argument')}/books`,
      headers: { 'x-api-key': canary('Credential'), traceparent: expect.any(String) },
    });
    watched.upstream.answer({ status: 500, body: { error: canary('Error') } });
    await watched.modern(callOf('library_get', { shelfId: canary('Argument') }, meta), headers);
    await watched.modern(callOf(canary('Tool'), { [canary('Name')]: 1 }), headers);
    await watched.legacy({ jsonrpc: '2.0', id: canary('Id'), method: canary('Method') }, headers);
    await watched.legacy(legacyCallOf('library_get'), { authorization: `Bearer ${canary('Token')}` });
    const { text } = await watched.scrape();
    const { db } = watched.gateway.store;
    const ids = await Promise.all(
      (['users', 'partners', 'access_tokens', 'connections'] as const).map((table) =>
        db.selectFrom(table).select('id').execute(),
      ),
    );
    await watched.close();
    const sent = collector.bodies();
    expect(sent).toContain('tools/call library_get');
    expect(sent).toContain('gateway.tool.calls');
    expect(ids.flat().length).toBeGreaterThanOrEqual(4);
    for (const everything of [sent, text]) {
      expect(everything).not.toContain('canary');
      expect(everything).not.toContain(watched.gateway.token);
      expect(everything).not.toMatch(/\bada\b/);
      for (const { id } of ids.flat()) expect(everything).not.toContain(id);
    }
    expect(collector.headers()).toMatchObject({ 'api-key': 'collector key', 'content-type': 'application/x-protobuf' });
    await collector.close();
    watched = { ...watched, close: async () => {} };
  });
});

test('metrics are compressed as the variable for this signal says', async () => {
  const collector = await startCollector();
  vi.stubEnv('OTEL_EXPORTER_OTLP_COMPRESSION', 'none');
  vi.stubEnv('OTEL_EXPORTER_OTLP_METRICS_COMPRESSION', 'gzip');
  vi.stubEnv('OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', collector.origin);
  await given({ env: { OTEL_METRICS_EXPORTER: 'otlp' } });
  await watched.close();
  expect(collector.headers()).toMatchObject({ 'content-encoding': 'gzip' });
  await collector.close();
  watched = { ...watched, close: async () => {} };
});

/** An OTLP receiver. Texts are unencoded in protobuf. */
async function startCollector() {
  const bodies: Buffer[] = [];
  let headers: IncomingHttpHeaders = {};
  const server = createServer(async (request, response) => {
    for await (const chunk of request) bodies.push(chunk as Buffer);
    headers = request.headers;
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies: () => Buffer.concat(bodies).toString('latin1'),
    headers: () => headers,
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
