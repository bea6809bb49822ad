import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { type AnyResult, CLIENTS } from '../support/official-clients.ts';
import { type Recorder, startRecorder } from '../support/recorder.ts';

const LIMIT_TOKENS = 2000;
const chunks = Array.from({ length: 200 }, (_, index) => ({
  id: `chunk-${index}`,
  text: 'words '.repeat(30),
  score: 0.5,
}));

type Arguments = Record<string, unknown>;
type Page = { readonly nextArguments: Arguments | null };

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

describe('an answer that is too long for a model', () => {
  test.each(CLIENTS)('is read in parts by %s, whose validator accepts each part', async (_, connect) => {
    const client = await connect(gateway);
    await client.listTools();
    recorder.answer({ status: 200, body: { scored_chunks: chunks } });
    const shown: unknown[] = [];
    let next: Arguments | null = { query: 'leave', topK: 200 };
    while (next !== null) {
      const { isError, content, structuredContent }: AnyResult = await client.callTool({
        name: 'retrieval_retrieve',
        arguments: next,
      });
      expect(isError ?? false).toBe(false);
      const bytes = content.reduce((sum, { text = '' }) => sum + Buffer.byteLength(text), 0);
      expect(bytes).toBeLessThanOrEqual(LIMIT_TOKENS * 2.75);
      shown.push(...((structuredContent?.scored_chunks as unknown[]) ?? []));
      next = (structuredContent?.page as Page | undefined)?.nextArguments ?? null;
    }
    expect(shown).toEqual(chunks);
    const bodies = new Set(recorder.calls().map(({ body }) => body));
    expect([...bodies].map((body) => JSON.parse(body))).toEqual([{ query: 'leave', top_k: 200 }]);
  });
});
