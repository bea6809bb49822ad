/** Answers messages with the official SDK: all that are not recognised, including every invalid one. */

import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import type { Logger } from 'pino';
import type { HttpExchange } from '../../base/http/exchange.ts';
import type { Principal } from '../../base/principal/principal.ts';
import type { ToolResult } from '../tools/provider.ts';
import { batchOf } from './batch.ts';
import { idOf, METHOD_NOT_FOUND, methodOf, toErrorText } from './json-rpc.ts';
import { serveLegacy } from './legacy-leg.ts';
import { createProtocolServer, type ProtocolServerOptions, type SdkRequest } from './protocol-server.ts';

export interface SdkPath {
  /** @param result of the call in the body, if it was already made. */
  serve(exchange: HttpExchange, principal: Principal, body: unknown, result: ToolResult | null): Promise<void>;
  /** Ends the exchanges that are still open. */
  close(): Promise<void>;
}

/** Creates the path through the SDK. */
export function createSdkPath(options: ProtocolServerOptions & { readonly logger: Logger }): SdkPath {
  const requests = new WeakMap<Request, SdkRequest>();
  const modern = createMcpHandler(
    ({ requestInfo }) => createProtocolServer(options, openRequest(requests, requestInfo), '2026'),
    {
      legacy: 'reject',
      // Nothing to subscribe to is advertised; without a free place the SDK opens no stream.
      maxSubscriptions: 0,
      onerror: (error) => options.logger.debug({ err: error }, 'mcp request refused'),
    },
  );

  const serveModern = async (request: Request, body: unknown): Promise<Response> => {
    const answer = await modern.fetch(request, { parsedBody: body });
    // The SDK serves this method itself, after all checks, whatever the server declares.
    if (!answer.ok || methodOf(body) !== 'subscriptions/listen') return answer;
    const text = toErrorText(idOf(body), METHOD_NOT_FOUND, 'Method not found');
    return new Response(text, { status: 404, headers: { 'content-type': 'application/json' } });
  };

  return {
    async serve(exchange, principal, body, result) {
      const answer = async (request: Request): Promise<Response> => {
        const isLegacy = await isLegacyMessage(exchange, request, body);
        const open: SdkRequest = { exchange, principal, result };
        if (isLegacy) return serveLegacy(createProtocolServer(options, open, '2025'), request, body, options.progress);
        requests.set(request, open);
        return serveModern(request, body);
      };
      const onerror = (error: Error) => exchange.log.error({ err: error }, 'mcp request failed');
      const response = exchange.handOver();
      await toNodeHandler({ fetch: answer }, { onerror })(exchange.request as NodeIncomingMessageLike, response, body);
    },
    close: () => modern.close(),
  };
}

/** Responses are refused in every revision, and batches in revisions without them; the SDK answers so. */
async function isLegacyMessage(
  { request: { headers } }: HttpExchange,
  request: Request,
  body: unknown,
): Promise<boolean> {
  for (const message of batchOf(headers, body) ?? [body]) {
    if (methodOf(message) === null || !(await isLegacyRequest(request, message))) return false;
  }
  return true;
}

function openRequest(requests: WeakMap<Request, SdkRequest>, request: Request | undefined): SdkRequest {
  const open = request && requests.get(request);
  if (open === undefined) throw new Error('the SDK made a server for a request that is not open');
  return open;
}
