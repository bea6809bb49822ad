/** Serves the 2025 revisions of the protocol without a session: one JSON answer, or a stream that ends with it. */

import { type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { STREAM_HEADERS } from '../../base/http/exchange.ts';
import { idOf, methodOf } from './json-rpc.ts';
import { acceptsEvents, type ProgressTiming, reportWhileWaiting, toEvent, type WatchedCall } from './progress.ts';

const BOTH_MEDIA_TYPES = 'application/json, text/event-stream';

/**
 * Answers one message or batch of a 2025 client.
 *
 * Accepts any `Accept`, and any `Content-Type` that the endpoint let through, so that a plain `curl -d` works. Progress of calls
 * is reported if their client asked for it and accepts a stream.
 */
export async function serveLegacy(
  server: Server,
  request: Request,
  body: unknown,
  timing: ProgressTiming,
): Promise<Response> {
  const answering = answer(server, request, body);
  const watched = acceptsEvents(request.headers.get('accept') ?? undefined) ? findWatched(body) : [];
  return watched.length === 0 ? answering : answerOrStream(answering, watched, timing);
}

async function answer(server: Server, request: Request, body: unknown): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  const headers = new Headers(request.headers);
  headers.set('accept', BOTH_MEDIA_TYPES);
  headers.set('content-type', 'application/json');
  const answered = await transport.handleRequest(new Request(request.url, { method: 'POST', headers }), {
    parsedBody: body,
  });
  await transport.close();
  return answered.ok ? answered : withRequestId(answered, body);
}

/** @param body one message or a batch, unchecked. */
function findWatched(body: unknown): WatchedCall[] {
  return [body].flat().flatMap((message): WatchedCall[] => {
    if (methodOf(message) !== 'tools/call' || idOf(message) === null) return [];
    const { name, _meta } = ((message as Members).params ?? {}) as Members;
    const { progressToken } = (_meta ?? {}) as Members;
    const isToken = typeof progressToken === 'string' || typeof progressToken === 'number';
    return isToken && typeof name === 'string' ? [{ name, progressToken }] : [];
  });
}

type Members = Readonly<Record<string, unknown>>;

/** The answer itself; or, once a call has taken so long that there is progress to report, a stream that ends with the answer. */
function answerOrStream(
  answering: Promise<Response>,
  watched: readonly WatchedCall[],
  timing: ProgressTiming,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    let stream: ReadableStreamDefaultController<Uint8Array> | null = null;
    const send = (message: object): void => stream?.enqueue(Buffer.from(toEvent(JSON.stringify(message))));
    const stop = (): void => {
      for (const stopReport of stops) stopReport();
    };
    const open = (): void => {
      if (stream !== null) return;
      const cancel = (): void => {
        stop();
        stream = null;
      };
      const start = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
        stream = controller;
      };
      resolve(new Response(new ReadableStream<Uint8Array>({ start, cancel }), { headers: STREAM_HEADERS }));
    };
    const stops = watched.map((call) =>
      reportWhileWaiting(call, timing, (params) => {
        open();
        send({ jsonrpc: '2.0', method: 'notifications/progress', params });
      }),
    );
    const end = async (answered: Response): Promise<void> => {
      stop();
      resolve(answered);
      if (stream === null) return;
      for (const message of [await answered.json()].flat()) send(message as object);
      stream?.close();
    };
    answering.then(end).catch(reject).finally(stop);
  });
}

/** The SDK refuses an unknown revision without the id of the request, which JSON-RPC requires (§5). */
async function withRequestId(answer: Response, body: unknown): Promise<Response> {
  const id = idOf(body);
  const error = (await answer.json()) as Record<string, unknown>;
  return Response.json(id === null ? error : { ...error, id }, { status: answer.status });
}
