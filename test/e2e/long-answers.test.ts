import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1Transport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { connectClient } from '../support/mcp-client.ts';
import { type Recorder, startRecorder } from '../support/recorder.ts';

const LIMIT_TOKENS = 2000;
const chunks = Array.from({ length: 200 }, (_, index) => ({
  id: `chunk-${index}`,
  text: 'words '.repeat(30),
  score: 0.5,
}));

interface Answer {
  readonly isError?: unknown;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: {
    readonly scored_chunks?: unknown[];
    readonly page?: { readonly nextArguments: Arguments | null };
  };
}
type Arguments = Record<string, unknown>;
type Call = (args: Arguments) => Promise<Answer>;

let recorder: Recorder;
let gateway: RunningGateway;
beforeAll(async () => {
  recorder = await startRecorder();
  gateway = await startGateway({
    connectors: await loadConnectors(),
    env: { RETRIEVAL_BASE_URL: recorder.origin, RESULT_TOKENS: String(LIMIT_TOKENS) },
    secretOf: () => 'a-key',
  });
});
afterAll(async () => {
  await gateway?.close();
  await recorder?.close();
});

async function v1(): Promise<Call> {
  const client = new V1Client({ name: 'v1', version: '1.0.0' });
  const transport = new V1Transport(new URL(gateway.url), {
    requestInit: { headers: { Authorization: `Bearer ${gateway.token}` } },
  });
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  await client.listTools();
  return async (args) => (await client.callTool({ name: 'retrieval_retrieve', arguments: args })) as Answer;
}

async function v2(): Promise<Call> {
  const client = await connectClient(gateway);
  await client.listTools();
  return async (args) => (await client.callTool({ name: 'retrieval_retrieve', arguments: args })) as Answer;
}

describe('an answer that is too long for a model', () => {
  test.each([
    ['v1', v1],
    ['v2', v2],
  ])('is read in parts by the %s SDK client, whose validator accepts each part', async (_, connect) => {
    const call = await connect();
    recorder.answer({ status: 200, body: { scored_chunks: chunks } });
    const shown: unknown[] = [];
    let next: Arguments | null = { query: 'leave', topK: 200 };
    while (next !== null) {
      const { isError, content, structuredContent }: Answer = await call(next);
      expect(isError ?? false).toBe(false);
      const bytes = content.reduce((sum, { text = '' }) => sum + Buffer.byteLength(text), 0);
      expect(bytes).toBeLessThanOrEqual(LIMIT_TOKENS * 2.75);
      shown.push(...(structuredContent?.scored_chunks ?? []));
      next = structuredContent?.page?.nextArguments ?? null;
    }
    expect(shown).toEqual(chunks);
    const bodies = new Set(recorder.calls().map(({ body }) => body));
    expect([...bodies].map((body) => JSON.parse(body))).toEqual([{ query: 'leave', top_k: 200 }]);
  });
});
