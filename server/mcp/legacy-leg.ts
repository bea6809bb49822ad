/** Serves the 2025 revisions of the protocol: one request, one plain JSON answer, no session. */

import { type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { idOf } from './json-rpc.ts';

const BOTH_MEDIA_TYPES = 'application/json, text/event-stream';

/**
 * Answers one message of a 2025 client.
 *
 * Any `Accept` will do, and any `Content-Type` that the endpoint let through, so that a plain `curl -d` works.
 */
export async function serveLegacy(server: Server, request: Request, body: unknown): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  const headers = new Headers(request.headers);
  headers.set('accept', BOTH_MEDIA_TYPES);
  headers.set('content-type', 'application/json');
  const answer = await transport.handleRequest(new Request(request.url, { method: 'POST', headers }), {
    parsedBody: body,
  });
  await transport.close();
  return answer.ok ? answer : withRequestId(answer, body);
}

/** The SDK refuses a revision that it does not know without the id of the request, which JSON-RPC wants (§5). */
async function withRequestId(answer: Response, body: unknown): Promise<Response> {
  const id = idOf(body);
  const error = (await answer.json()) as Record<string, unknown>;
  return Response.json(id === null ? error : { ...error, id }, { status: answer.status });
}
