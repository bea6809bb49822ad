/** Checks every request to the MCP endpoint on Node's own objects: the same checks as the app's, in the same order. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Principal } from '../principal/principal.ts';
import { corsHeaders, MCP_CORS, preflightHeaders } from './cors.ts';
import { toRefusal } from './error-handler.ts';
import type { RequestError } from './errors.ts';
import { HttpExchange, JSON_UTF8 } from './exchange.ts';
import type { AddressReader } from './forwarded.ts';
import {
  createHostTest,
  createOriginTest,
  type HostRules,
  hostOf,
  invalidHost,
  invalidOrigin,
  type OriginRules,
} from './origin.ts';
import { type AnsweredRequest, logRequest, newRequestId } from './request-log.ts';
import { securityHeadersFor } from './security-headers.ts';

/** What the front is created from. */
export interface FrontDependencies {
  readonly config: HostRules & OriginRules;
  readonly log: Logger;
  readonly addressOf: AddressReader;
  /** Name of the route in the log. */
  readonly path: string;
  /** True once the gateway has begun to stop. */
  isStopping(): boolean;
  /**
   * Authenticates the sender of a request with this `Authorization` and this query to this host.
   *
   * @throws {RequestError} when authentication fails.
   */
  authenticate(authorization: string, query: string, host: string): Promise<Principal>;
  /** Called when a request was answered, or its client disconnected. Default: no call. */
  readonly onAnswered?: ((request: AnsweredRequest) => void) | undefined;
}

/** Answers a request that passed all checks. @throws {RequestError} to refuse it. */
export type ServeExchange = (exchange: HttpExchange, principal: Principal) => Promise<void>;

/** Answers one request of a `node:http` server. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Creates the front of `serve`.
 *
 * Order: request id -> security headers -> Host -> Origin -> preflight -> access token. Writes one log line per request.
 */
export function createFront(deps: FrontDependencies, serve: ServeExchange): RequestHandler {
  const { config, log, path, addressOf } = deps;
  const securityHeaders = Object.entries(securityHeadersFor(config)).flat();
  const isOwnHost = createHostTest(config);
  const isAllowedOrigin = createOriginTest(config);

  const pass = async (exchange: HttpExchange): Promise<Principal | null> => {
    const { headers, method, url = '' } = exchange.request;
    if (deps.isStopping()) exchange.addHeaders({ Connection: 'close' });
    if (!isOwnHost(exchange.host)) throw invalidHost();
    const origin = headers.origin ?? '';
    if (origin !== '' && !isAllowedOrigin(origin)) throw invalidOrigin();
    exchange.addHeaders({ Vary: 'Origin' });
    if (origin !== '') {
      exchange.addHeaders(corsHeaders(MCP_CORS, origin));
      if (method === 'OPTIONS' && headers['access-control-request-method']) {
        exchange.addHeaders(preflightHeaders(MCP_CORS));
        return null;
      }
    }
    const query = url.indexOf('?');
    return deps.authenticate(headers.authorization ?? '', query < 0 ? '' : url.slice(query + 1), exchange.host);
  };

  return (request, response) => {
    const requestId = newRequestId();
    const address = addressOf(request);
    const exchange = new HttpExchange({
      request,
      response,
      requestId,
      host: hostOf(request),
      log,
      headers: ['X-Request-Id', requestId, ...securityHeaders],
    });
    let principal: Principal | undefined;
    response.once('close', () => {
      const { method, headers } = request;
      const sentId = headers['x-request-id'];
      const start = exchange.startedAt;
      const answered = { requestId, sentId, method, route: path, address, start, response, principal };
      logRequest(log, 'info', answered);
      deps.onAnswered?.(answered);
    });

    const answer = async (): Promise<void> => {
      const found = await pass(exchange);
      if (found === null) return exchange.sendEmpty(204);
      principal = found;
      await serve(exchange, found);
    };
    answer().catch((error: unknown) => {
      const refusal = toRefusal(error, exchange);
      if (response.headersSent) {
        response.destroy();
        return;
      }
      exchange.addHeaders(refusal.headers);
      exchange.send(refusal.status, JSON_UTF8, JSON.stringify(toAnswer(refusal)));
    });
  };
}

/** Refusals of the resource server use OAuth's format; failures to serve at all are JSON-RPC errors. */
function toAnswer(refusal: RequestError): object {
  if (refusal.status !== 503) return refusal.toBody();
  return { jsonrpc: '2.0', id: null, error: { code: refusal.status, message: refusal.description } };
}
