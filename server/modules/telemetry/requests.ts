/** Telemetry around HTTP: requests to the gateway, and requests that it sends to upstreams. */

import { type SpanContext, SpanKind, trace } from '@opentelemetry/api';
import type { RequestHandler } from '../../base/http/front.ts';
import { type AnsweredRequest, NO_ROUTE } from '../../base/http/front.ts';
import { type AroundRequest, UpstreamFailure } from '../../call/upstream/index.ts';
import { httpMethodOf, toServer } from './attributes.ts';
import type { Metrics } from './metrics.ts';
import { inSpan, markFailed, type Telemetry } from './operation-context.ts';

const NO_HEADERS = {};
const TOO_MANY_REQUESTS = 429;

/** Creates the counters of requests to the gateway. @param scheme of its public URL. */
export function createRequestWatch(metrics: Metrics, scheme: string) {
  const active = new Map<string, number>();
  const count = (method: string, change: number) => active.set(method, (active.get(method) ?? 0) + change);
  metrics.observe(['httpServerActive'], (report) => {
    for (const [method, requests] of active) {
      report('httpServerActive', requests, { 'http.request.method': method, 'url.scheme': scheme });
    }
  });
  return {
    /** Counts the requests that a handler has not answered yet. */
    around(handle: RequestHandler): RequestHandler {
      return (request, response) => {
        const method = httpMethodOf(request.method);
        count(method, 1);
        response.on('close', () => count(method, -1));
        handle(request, response);
      };
    },
    onAnswered({ method, route, start, response }: AnsweredRequest): void {
      const { statusCode: status, headersSent, writableFinished } = response;
      const knownRoute = route === NO_ROUTE ? null : route;
      let errorType = writableFinished ? null : 'disconnected';
      if (headersSent && status >= 500) errorType = String(status);
      const seconds = (performance.now() - start) / 1000;
      const sentStatus = headersSent ? status : null;
      metrics.record('httpServerDuration', seconds, httpMethodOf(method), scheme, knownRoute, sentStatus, errorType);
      if (status === TOO_MANY_REQUESTS) metrics.record('limitRefusals', 1, 'requests', knownRoute);
    },
  };
}

/** Creates the wrapper of each request to an upstream. */
export function createAroundRequest(telemetry: Telemetry): AroundRequest {
  const { metrics, contexts, traceparentServices } = telemetry;
  // Origins come from the settings, so there are few.
  const servers = new Map<string, ReturnType<typeof toServer>>();
  return (request, send) => {
    const { service, method, path, origin } = request;
    const server = servers.get(origin) ?? toServer(origin);
    servers.set(origin, server);
    const { address, port } = server;
    return inSpan(telemetry, `${method} ${path}`, SpanKind.CLIENT, async (span) => {
      span?.setAttributes({
        'http.request.method': method,
        'server.address': address,
        'server.port': port,
        'gateway.service': service,
        'url.template': path,
      });
      const context = traceparentServices.has(service) ? contexts.getStore()?.context : undefined;
      const parent = context === undefined ? undefined : trace.getSpanContext(context);
      const headers = parent === undefined ? NO_HEADERS : { traceparent: toTraceparent(parent) };
      const started = performance.now();
      let status: number | null = null;
      let errorType: string | null = 'internal_error';
      try {
        const answer = await send(headers);
        status = answer.status;
        errorType = status >= 400 ? String(status) : null;
        return answer;
      } catch (error) {
        if (error instanceof UpstreamFailure) errorType = error.kind;
        throw error;
      } finally {
        const seconds = (performance.now() - started) / 1000;
        metrics.record('httpClientDuration', seconds, method, address, port, service, status, errorType);
        if (span !== null) {
          if (status !== null) span.setAttribute('http.response.status_code', status);
          if (errorType !== null) markFailed(span, errorType);
          span.end();
        }
      }
    });
  };
}

/** Returns the header of W3C Trace Context. */
function toTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
