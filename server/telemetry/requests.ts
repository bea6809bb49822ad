/** Around HTTP: requests to the gateway, and those that it sends to upstreams. */

import { type Attributes, type Span, SpanKind, trace } from '@opentelemetry/api';
import type { RequestHandler } from '../http/front.ts';
import { type AnsweredRequest, NO_ROUTE } from '../http/request-log.ts';
import { type AroundRequest, UpstreamFailure } from '../upstream/index.ts';
import { httpMethodOf } from './attributes.ts';
import type { Watching } from './messages.ts';
import type { Metrics } from './metrics.ts';
import { fail, inSpan } from './place.ts';

const NO_HEADERS = {};
const TOO_MANY_REQUESTS = 429;

/** Creates what counts requests to the gateway. @param scheme that of its public URL. */
export function createRequestWatch(metrics: Metrics, scheme: string) {
  const active = new Map<string, number>();
  const count = (method: string, by: number): void => void active.set(method, (active.get(method) ?? 0) + by);
  metrics.observe(['httpServerActive'], (say) => {
    for (const [method, requests] of active) {
      say('httpServerActive', requests, { 'http.request.method': method, 'url.scheme': scheme });
    }
  });
  return {
    /** Counts what a handler has not answered yet. */
    around(handle: RequestHandler): RequestHandler {
      return (request, response) => {
        const method = httpMethodOf(request.method);
        count(method, 1);
        response.once('close', () => count(method, -1));
        handle(request, response);
      };
    },
    onAnswered({ method, route, start, response }: AnsweredRequest): void {
      const { statusCode: status, headersSent, writableFinished } = response;
      const ofRoute = route === NO_ROUTE ? NO_HEADERS : { 'http.route': route };
      const errorType = headersSent && status >= 500 ? String(status) : writableFinished ? null : 'disconnected';
      metrics.record('httpServerDuration', (performance.now() - start) / 1000, {
        'http.request.method': httpMethodOf(method),
        'url.scheme': scheme,
        ...ofRoute,
        ...(headersSent ? { 'http.response.status_code': status } : {}),
        ...(errorType === null ? {} : { 'error.type': errorType }),
      });
      if (status === TOO_MANY_REQUESTS) metrics.record('limitRefusals', 1, { 'gateway.limit': 'requests', ...ofRoute });
    },
  };
}

/** Creates what runs around each request to an upstream. @param traceparentServices see `TraceSettings`. */
export function createAroundRequest(watching: Watching, traceparentServices: ReadonlySet<string>): AroundRequest {
  const { metrics, places } = watching;
  const ofOrigin = createOriginAttributes();
  return (request, send) => {
    const { service, method, path, origin } = request;
    const constant = { 'http.request.method': method, ...ofOrigin(origin), 'gateway.service': service };
    const attributes = { ...constant, 'url.template': path };
    return inSpan(watching, `${method} ${path}`, { kind: SpanKind.CLIENT, attributes }, async (span) => {
      const context = places.getStore()?.context;
      const around =
        traceparentServices.has(service) && context !== undefined ? trace.getSpanContext(context) : undefined;
      const headers =
        around === undefined
          ? NO_HEADERS
          : { traceparent: `00-${around.traceId}-${around.spanId}-${around.traceFlags.toString(16).padStart(2, '0')}` };
      const started = performance.now();
      let facts: Attributes = { 'error.type': 'internal_error' };
      try {
        const answer = await send(headers);
        const { status } = answer;
        facts = { 'http.response.status_code': status, ...(status >= 400 ? { 'error.type': String(status) } : {}) };
        return answer;
      } catch (error) {
        if (error instanceof UpstreamFailure) facts = { 'error.type': error.kind };
        throw error;
      } finally {
        metrics.record('httpClientDuration', (performance.now() - started) / 1000, { ...constant, ...facts });
        finish(span, facts);
      }
    });
  };
}

function finish(span: Span | null, { 'error.type': errorType, ...facts }: Attributes): void {
  span?.setAttributes(facts);
  if (errorType !== undefined) fail(span, String(errorType));
  span?.end();
}

/** Base URLs come from the settings, so there are few. */
function createOriginAttributes(): (origin: string) => Attributes {
  const known = new Map<string, Attributes>();
  return (origin) => {
    const found = known.get(origin);
    if (found !== undefined) return found;
    const { hostname, port, protocol } = new URL(origin);
    const defaultPort = protocol === 'https:' ? 443 : 80;
    const attributes = { 'server.address': hostname, 'server.port': port === '' ? defaultPort : Number(port) };
    known.set(origin, attributes);
    return attributes;
  };
}
