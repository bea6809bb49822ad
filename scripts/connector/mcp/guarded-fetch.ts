/** The one way out to an MCP server, and to the authorization servers that its discovery names: bounded, and to public addresses only. */

import type { FetchLike } from '@modelcontextprotocol/client';
import { fetch as undiciFetch } from 'undici';
import { UsageError } from '../../../shared/cli/run.ts';
import { quoteText } from '../../../shared/invisible.ts';
import { MCP_LIMITS } from '../../../shared/mcp/lock.ts';
import { chooseAgent, createAgents, type FetchRules, toFetchReason } from '../source.ts';

const TIMEOUT_MS = 60_000;
/** Of all answers together: the list is read twice, and wrapped in messages. */
const MAX_BYTES = 4 * MCP_LIMITS.chars;

interface McpFetchRules {
  /** The server's own address: only requests to it carry the headers. */
  readonly endpoint: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly mayBePrivate: FetchRules['mayBePrivate'];
}

export interface McpFetch {
  readonly fetch: FetchLike;
  /** The first failure that a person can do something about; the client's own error says less. */
  readonly failure: () => UsageError | undefined;
  /** Aborted when the answers are too large: the client would wait for the rest of a stream that was cut. */
  readonly cut: AbortSignal;
  /** The body of the last answer, as far as it was read. */
  readonly lastAnswer: () => string;
  close(): Promise<void>;
}

/** Follows no redirect: it could lead a token, or what a model reads, to another host. */
export function createMcpFetch({ endpoint, headers: ownHeaders, mayBePrivate }: McpFetchRules): McpFetch {
  const agents = createAgents();
  let bytes = 0;
  let lastChunks: Uint8Array[] = [];
  let failure: UsageError | undefined;
  const cut = new AbortController();
  const fail = (message: string): UsageError => {
    failure ??= new UsageError(message);
    return failure;
  };
  const send = async (url: URL, init: RequestInit): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (url.href === endpoint.href) for (const [name, value] of Object.entries(ownHeaders)) headers.set(name, value);
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    // The client sends texts and forms only.
    const body = init.body == null ? null : String(init.body);
    if (init.body instanceof URLSearchParams) headers.set('content-type', 'application/x-www-form-urlencoded');
    const response = await undiciFetch(url.href, {
      method: init.method ?? 'GET',
      headers: Object.fromEntries(headers),
      body,
      redirect: 'manual',
      signal: init.signal == null ? timeout : AbortSignal.any([init.signal, timeout]),
      dispatcher: chooseAgent(url.href, agents, mayBePrivate),
    });
    const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
    if (location !== null) {
      await response.body?.cancel();
      throw fail(`${url.href} redirects to ${quoteText(location)}. If that is the server, name that address.`);
    }
    const { body: answer, status } = response;
    const chunks: Uint8Array[] = [];
    lastChunks = chunks;
    const bounded = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        chunks.push(chunk);
        if (bytes <= MAX_BYTES) return controller.enqueue(chunk);
        const error = fail(`${endpoint.href} answers with more than ${MAX_BYTES} bytes.`);
        controller.error(error);
        cut.abort(error);
      },
    });
    return new Response(answer === null ? null : (answer as ReadableStream<Uint8Array>).pipeThrough(bounded), {
      status,
      headers: [...response.headers],
    });
  };
  const toFailure = (url: string, error: unknown): UsageError => {
    try {
      return fail(
        error instanceof UsageError ? error.message : `${url} cannot be reached: ${toFetchReason(url, error)}.`,
      );
    } catch (notPublic) {
      return fail(notPublic instanceof Error ? notPublic.message : String(notPublic));
    }
  };
  return {
    async fetch(address, init = {}) {
      const url = new URL(address);
      try {
        return await send(url, init);
      } catch (error) {
        if (init.signal?.aborted === true) throw error;
        throw toFailure(url.href, error);
      }
    },
    failure: () => failure,
    cut: cut.signal,
    lastAnswer: () => Buffer.concat(lastChunks).toString('utf8'),
    close: agents.close,
  };
}
