/** A gateway whose traces stay in memory and whose metrics are scraped. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { SimpleSpanProcessor } from '@opentelemetry/sdk-trace';
import type { Connector } from '../../../../server/contract/index.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../../../support/gateway.ts';
import { type Recorder, startRecorder } from '../../../support/recorder.ts';
import { type Message, MODERN_META, modernRequest } from '../../call/mcp/support.ts';

export const LIBRARY = fakeConnector({
  parts: [{ id: 'key', type: 'header', label: 'Key', name: 'x-api-key' }],
  tools: [
    fakeTool({ name: 'library_list', input: { properties: { shelf: { type: 'string' } } } }),
    fakeTool({ name: 'library_get', path: '/shelves/{shelfId}/books' }),
    fakeTool({ name: 'library_add', method: 'POST' }),
  ],
});

export interface Watched {
  readonly gateway: RunningGateway;
  readonly upstream: Recorder;
  /** Finished spans, in order. */
  readonly spans: readonly ReadableSpan[];
  /** One message as a client of 2026-07-28 sends it. @param headers in addition to those of the protocol. */
  modern(message: Message, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** One body as a client of 2025 sends it. */
  legacy(body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** The metrics as a scraper gets them. */
  scrape(): Promise<{ readonly contentType: string | null; readonly text: string }>;
  close(): Promise<void>;
}

export interface WatchedOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly connectors?: readonly Connector[];
  readonly secret?: string;
  /** True: spans are exported as configured. */
  readonly realSpans?: boolean;
}

const BOTH_ON = { OTEL_TRACES_EXPORTER: 'otlp', METRICS_LISTEN: '127.0.0.1:9464' };

export async function startWatched({
  env = BOTH_ON,
  connectors = [LIBRARY],
  secret = 'upstream-key',
  realSpans = false,
}: WatchedOptions = {}): Promise<Watched> {
  const upstream = await startRecorder();
  const spans: ReadableSpan[] = [];
  const exporter = {
    export(ended: ReadableSpan[], done: (result: { code: number }) => void) {
      spans.push(...ended);
      done({ code: 0 });
    },
    shutdown: async () => {},
  };
  const gateway = await startGateway({
    connectors,
    env: { LIBRARY_BASE_URL: upstream.origin, ...env },
    secretOf: () => secret,
    sinks: realSpans ? {} : { spans: new SimpleSpanProcessor({ exporter }) },
  });
  const metrics = gateway.metrics && (await listen(gateway.metrics));
  const authorization = { authorization: `Bearer ${gateway.token}` };
  return {
    gateway,
    upstream,
    spans,
    modern(message, headers = {}) {
      const request = modernRequest(message);
      return fetch(gateway.url, {
        ...request,
        headers: { ...(request.headers as Record<string, string>), ...authorization, ...headers },
      });
    },
    legacy: (body, headers = {}) =>
      fetch(gateway.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json', ...authorization, ...headers },
        body: JSON.stringify(body),
      }),
    async scrape() {
      if (metrics === null) throw new Error('METRICS_LISTEN is not set');
      const { port } = metrics.address() as AddressInfo;
      const response = await fetch(`http://127.0.0.1:${port}/metrics`);
      return { contentType: response.headers.get('content-type'), text: await response.text() };
    },
    async close() {
      metrics?.closeAllConnections();
      metrics?.close();
      await gateway.close();
      await upstream.close();
    },
  };
}

async function listen(handle: NonNullable<RunningGateway['metrics']>): Promise<Server> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** A call of 2026-07-28, with more members of `_meta`. */
export function callOf(name: string, args: object = {}, meta: object = {}): Message {
  return { method: 'tools/call', params: { name, arguments: args, _meta: { ...MODERN_META, ...meta } } };
}

/** A call of 2025. */
export function legacyCallOf(name: string, args: object = {}, meta?: object): object {
  const params = { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) };
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
}

/** The tree of spans, as nested names: children in the order in which they began. */
export function treeOf(spans: readonly ReadableSpan[], parent?: string): readonly unknown[] {
  const ids = new Set(spans.map((span) => span.spanContext().spanId));
  const isChild = ({ parentSpanContext }: ReadableSpan) =>
    parent === undefined
      ? parentSpanContext === undefined || !ids.has(parentSpanContext.spanId)
      : parentSpanContext?.spanId === parent;
  return spans
    .filter(isChild)
    .toSorted((a, b) => a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1])
    .map((span) => {
      const children = treeOf(spans, span.spanContext().spanId);
      return children.length === 0 ? span.name : [span.name, children];
    });
}

/** Samples of the text format: each line that is not a comment. */
export function samplesOf(text: string): { readonly name: string; readonly labels: string; readonly value: number }[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = /^([^\s{]+)(\{.*\})? (\S+)$/.exec(line) ?? [];
      return { name, labels, value: Number(value) };
    });
}
