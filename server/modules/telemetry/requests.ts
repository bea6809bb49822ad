/** Telemetry around HTTP: requests to the gateway, and requests that it sends to upstreams. */

import { SpanKind, trace } from '@opentelemetry/api';
import type { RequestHandler } from '../../base/http/front.ts';
import { type AnsweredRequest, NO_ROUTE } from '../../base/http/front.ts';
import { type AroundRequest, UpstreamFailure } from '../../call/upstream/index.ts';
import { httpMethodOf, toServer } from './attributes.ts';
import type { Watching } from './messages.ts';
import type { Metrics } from './metrics.ts';
import { fail, inSpan } from './place.ts';

const NO_HEADERS = {};
const TOO_MANY_REQUESTS = 429;

/** Creates what counts requests to the gateway. @param scheme of its public URL. */
export function createRequestWatch(metrics: Metrics, scheme: string) {
  const active = new Map<string, number>();
  const count = (method: string, by: number): void => void active.set(method, (active.get(method) ?? 0) + by);
  metrics.observe(['httpServerActive'], (say) => {
    for (const [method, requests] of active) {
      say('httpServerActive', requests, { 'http.request.method': method, 'url.scheme': scheme });
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
      const found = route === NO_ROUTE ? null : route;
      const errorType = headersSent && status >= 500 ? String(status) : writableFinished ? null : 'disconnected';
      const seconds = (performance.now() - start) / 1000;
      const sent = headersSent ? status : null;
      metrics.record('httpServerDuration', seconds, httpMethodOf(method), scheme, found, sent, errorType);
      if (status === TOO_MANY_REQUESTS) metrics.record('limitRefusals', 1, 'requests', found);
    },
  };
}

/** Creates the wrapper of each request to an upstream. @param traceparentServices see `TraceSettings`. */
export function createAroundRequest(watching: Watching, traceparentServices: ReadonlySet<string>): AroundRequest {
  const { metrics, places } = watching;
  const serverOf = createServers();
  return (request, send) => {
    const { service, method, path, origin } = request;
    const { address, port } = serverOf(origin);
    return inSpan(watching, `${method} ${path}`, SpanKind.CLIENT, async (span) => {
      span?.setAttributes({
        'http.request.method': method,
        'server.address': address,
        'server.port': port,
        'gateway.service': service,
        'url.template': path,
      });
      const context = places.followed.getStore()?.context;
      const around =
        traceparentServices.has(service) && context !== undefined ? trace.getSpanContext(context) : undefined;
      const headers =
        around === undefined
          ? NO_HEADERS
          : { traceparent: `00-${around.traceId}-${around.spanId}-${around.traceFlags.toString(16).padStart(2, '0')}` };
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
          if (errorType !== null) fail(span, errorType);
          span.end();
        }
      }
    });
  };
}

/** Caches by base URL. Base URLs come from the settings, so there are few. */
function createServers(): typeof toServer {
  const known = new Map<string, ReturnType<typeof toServer>>();
  return (origin) => {
    const server = known.get(origin) ?? toServer(origin);
    known.set(origin, server);
    return server;
  };
}
