/** Two endpoints over the same tools, one of which leaves every answer to the SDK. */

import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { ToolProvider } from '../../../../../server/call/tools/provider.ts';
import { ECHO_TOOL, provideTools, type RunningEndpoint, startEndpoint } from '../support.ts';

/** One HTTP request, as it is sent. */
export interface Sent {
  readonly method: string;
  /** Names may repeat. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/** An answer, without what differs between answers. */
export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Parsed; undefined when there is none. */
  readonly body: unknown;
  readonly text: string;
  /** `Content-Length`. */
  readonly length: string | undefined;
}

export interface Pair {
  readonly fast: RunningEndpoint;
  /** Answers of the fast path and of the SDK. */
  ask(sent: Sent): Promise<{ readonly fast: Answered; readonly sdk: Answered }>;
  close(): Promise<void>;
}

const PICTURE = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
const ASKS_FOR_URL = {
  resultType: 'input_required',
  inputRequests: {
    connect: { method: 'elicitation/create', params: { mode: 'url', message: 'Connect', url: 'https://x.example/' } },
  },
  requestState: 'sealed',
} as const;

/** By name: the answers of the tools. The first repeats its arguments. */
export const TOOLS: ToolProvider = provideTools(
  {
    library_echo: (args, { era, clientCapabilities, meta, inputResponses, requestState, waitSeconds }) => ({
      content: [{ type: 'text', text: 'Grüße' }],
      structuredContent: {
        args,
        context: { era, clientCapabilities, meta, inputResponses, requestState, waitSeconds },
      },
    }),
    library_fails: () => ({ content: [{ type: 'text', text: 'no' }], isError: true }),
    library_complete: () => ({ resultType: 'complete', content: [PICTURE] }),
    library_meta: () => ({ content: [], _meta: { 'x.example/own': { deep: [1] } } }),
    library_odd: () => ({ content: [{ type: 'text', text: 'a', 'x.example/more': 1 }] }),
    library_invalid: () => ({ content: [{ type: 'text', text: 5 }] }),
    library_asks: (_, { requestState }) => (requestState === null ? ASKS_FOR_URL : { content: [] }),
    library_throws: () => {
      throw new Error('kaboom');
    },
  },
  [ECHO_TOOL, { ...ECHO_TOOL, name: 'library_ключ' }],
  1,
);

/** Headers that differ between answers, or describe the framing. */
const VOLATILE = ['date', 'x-request-id', 'keep-alive', 'connection', 'content-length', 'transfer-encoding'];

export async function startPair(): Promise<Pair> {
  const fast = await startEndpoint({ tools: TOOLS });
  const sdk = await startEndpoint({ tools: TOOLS, fastPath: false });
  const agent = new Agent({ keepAlive: true });
  return {
    fast,
    async ask(sent) {
      return { fast: await send(fast.url, agent, sent), sdk: await send(sdk.url, agent, sent) };
    },
    async close() {
      agent.destroy();
      await fast.close();
      await sdk.close();
    },
  };
}

async function send(url: string, agent: Agent, { method, headers, body }: Sent): Promise<Answered> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = httpRequest(url, { method, agent }, resolve).on('error', reject);
    for (const [name, value] of headers) outgoing.appendHeader(name, value);
    outgoing.end(body);
  });
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const text = decode(Buffer.concat(chunks), response.headers['content-encoding']);
  const entries = Object.entries(response.headers).filter(([name]) => !VOLATILE.includes(name));
  return {
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(entries),
    length: response.headers['content-length'],
    text,
    body: text === '' ? undefined : JSON.parse(text),
  };
}

function decode(bytes: Buffer, coding: string | undefined): string {
  const plain = coding === 'br' ? brotliDecompressSync(bytes) : coding === 'gzip' ? gunzipSync(bytes) : bytes;
  return plain.toString('utf8');
}
