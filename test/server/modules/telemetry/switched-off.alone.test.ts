import { registerHooks } from 'node:module';
import { afterEach, expect, test } from 'vitest';
import { loadConfig } from '../../../../server/index.ts';
import { telemetry } from '../../../../server/modules/telemetry/module.ts';
import { fakeConnector } from '../../../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../../../support/gateway.ts';
import { settingsOf } from '../../../support/module-settings.ts';

const connectors = [fakeConnector({ tools: [] })];
const loaded: string[] = [];
const hooks = registerHooks({
  resolve(specifier, context, next) {
    if (specifier.startsWith('@opentelemetry/')) loaded.push(specifier);
    return next(specifier, context);
  },
});

let gateway: RunningGateway | undefined;
afterEach(() => gateway?.close());

async function start(env: Record<string, string>): Promise<void> {
  gateway = await startGateway({ connectors, env, secretOf: () => '' });
}

test('nothing of OpenTelemetry is loaded unless it is enabled', async () => {
  await start({});
  expect(loaded).toEqual([]);
  await gateway?.close();
  await start({ METRICS_LISTEN: '127.0.0.1:9464' });
  expect(loaded).toContain('@opentelemetry/sdk-metrics');
  hooks.deregister();
});

const telemetryOf = (env: Record<string, string>) => settingsOf(loadConfig({ connectors, env }), telemetry);
const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' };

test.each([
  ['nothing is set', {}],
  ['OTEL_SDK_DISABLED is true', { ...ENDPOINT, METRICS_LISTEN: '127.0.0.1:9464', OTEL_SDK_DISABLED: 'true' }],
  [
    'every exporter is none',
    { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' },
  ],
  ['only a sampler is set', { OTEL_TRACES_SAMPLER: 'always_on' }],
])('telemetry is off if %s', (_, env) => {
  expect(telemetryOf(env as Record<string, string>)).toBeNull();
});

test('an endpoint enables traces, metrics and logs', () => {
  expect(telemetryOf(ENDPOINT)).toMatchObject({
    traces: { sampler: 'parentbased_always_on', ratio: 1 },
    metricsIntervalMs: 60_000,
    sendsLogs: true,
    metricsListen: null,
  });
});

test.each([
  ['TRACES', { metricsIntervalMs: null, sendsLogs: false }],
  ['METRICS', { traces: null, metricsIntervalMs: 60_000, sendsLogs: false }],
  ['LOGS', { traces: null, metricsIntervalMs: null, sendsLogs: true }],
])('an endpoint for %s enables nothing else', (signal, expected) => {
  const settings = telemetryOf({ [`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`]: 'https://collector.example/in' });
  expect(settings).toMatchObject(expected);
});

test.each([
  ['OTEL_METRICS_EXPORTER', 'prometheus', 'must be otlp or none; /metrics has METRICS_LISTEN'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', 'must be a URL that begins with https:// or http://'],
  ['OTEL_TRACES_SAMPLER', 'sometimes', 'must be one of always_on'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.5', 'must be a number from 0 to 1'],
  ['OTEL_PROPAGATORS', 'b3', 'must be some of tracecontext, baggage, none'],
  ['TRACEPARENT_SERVICES', 'library,shop', 'names no service of this gateway: shop'],
  ['METRICS_LISTEN', '9464', 'must be an address and a port'],
])('%s=%s stops the start', (name, value, problem) => {
  expect(() => telemetryOf({ [name]: value })).toThrow(`${name} ${problem}`);
});
