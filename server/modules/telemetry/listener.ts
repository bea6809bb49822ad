/** Metrics and probes for operators' machines, without authentication. The listener must not be reachable for anyone else. */

import type { ServerResponse } from 'node:http';
import type { ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { Logger } from 'pino';
import { isAddress } from '../../base/guarded-fetch/networks.ts';
import type { RequestHandler } from '../../base/http/front.ts';
import { type HealthDependencies, readiness } from '../../base/http/health.ts';
import { hostOf } from '../../base/http/origin.ts';
import { CONTENT_TYPE, expose } from './exposition.ts';

/** Dependencies of the handler. */
interface ListenerDependencies extends HealthDependencies {
  readonly log: Logger;
  readonly collect: () => Promise<ResourceMetrics>;
}

/** The path of the metrics. */
export const METRICS_PATH = '/metrics';

/** Answers `GET /metrics`, `/healthz` and `/readyz`. */
export function createMetricsHandler({ log, collect, ...health }: ListenerDependencies): RequestHandler {
  const answer = async (path: string, response: ServerResponse): Promise<void> => {
    switch (path) {
      case METRICS_PATH:
        return send(response, 200, CONTENT_TYPE, expose(await collect()));
      case '/healthz':
        return sendStatus(response, 200, 'ok');
      case '/readyz': {
        const status = await readiness(health, log);
        return sendStatus(response, status === 'ready' ? 200 : 503, status);
      }
      default:
        return sendStatus(response, 404, 'not found');
    }
  };
  return (request, response) => {
    const { method, url = '' } = request;
    if (!isInternalHost(hostOf(request))) return sendStatus(response, 403, 'host not allowed');
    if (method !== 'GET' && method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      return sendStatus(response, 405, 'method not allowed');
    }
    answer(url.split('?', 1)[0] ?? '', response).catch((error: unknown) => {
      log.error({ err: error }, 'metrics could not be read');
      sendStatus(response, 500, 'metrics could not be read');
    });
  };
}

/** Host names that no public name server resolves. With any other name, a page in an operator's browser could read the metrics (DNS rebinding). */
const INTERNAL_NAME = /^[^.]+$|\.(local|internal|svc)$/;

function isInternalHost(host: string): boolean {
  const hostname = URL.parse(`http://${host}`)?.hostname;
  return hostname !== undefined && (isAddress(hostname) || INTERNAL_NAME.test(hostname));
}

function sendStatus(response: ServerResponse, status: number, text: string): void {
  send(response, status, 'application/json; charset=utf-8', JSON.stringify({ status: text }));
}

function send(response: ServerResponse, status: number, contentType: string, body: string): void {
  const length = String(Buffer.byteLength(body));
  response.writeHead(status, {
    'Content-Type': contentType,
    'Content-Length': length,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(body);
}
