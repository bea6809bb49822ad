import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CallRecord } from '../../../../server/base/store/repositories/call-records.ts';
import { type CallRecorderOptions, createCallRecorder } from '../../../../server/call/tools/call-records.ts';

const record = (tool: string): CallRecord => ({
  createdAt: 1,
  partnerId: 'p',
  userId: 'u',
  tokenId: 't',
  service: 's',
  tool,
  outcome: 'ok',
  upstreamStatus: 200,
  upstreamCode: null,
  durationMs: 1,
  requestBytes: 2,
  responseBytes: 3,
  requestId: 'r',
});

function setUp(options: Partial<CallRecorderOptions> = {}) {
  const batches: string[][] = [];
  const problems: { lost: number; error?: unknown }[] = [];
  const recorder = createCallRecorder({
    write: async (records) => void batches.push(records.map(({ tool }) => tool)),
    intervalMs: 10_000,
    onProblem: (problem) => problems.push(problem),
    ...options,
  });
  return { recorder, batches, problems };
}

const wait = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('createCallRecorder', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('does not write while a request waits', async () => {
    const { recorder, batches } = setUp();
    recorder.record(record('a'));
    await wait(9999);
    expect(batches).toEqual([]);
    await recorder.stop();
    expect(batches).toEqual([['a']]);
  });

  it('writes after the interval', async () => {
    const { recorder, batches } = setUp({ intervalMs: 10 });
    recorder.record(record('a'));
    recorder.record(record('b'));
    await wait(10);
    expect(batches).toEqual([['a', 'b']]);
  });

  it('writes as soon as a batch is full, in order', async () => {
    const { recorder, batches } = setUp({ batchSize: 2 });
    recorder.record(record('a'));
    recorder.record(record('b'));
    await wait(0);
    expect(batches).toEqual([['a', 'b']]);
    for (const tool of ['c', 'd', 'e']) recorder.record(record(tool));
    await recorder.stop();
    expect(batches).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
  });

  it('retries a batch that could not be written, and loses nothing', async () => {
    const written: string[] = [];
    let broken = true;
    const { recorder, problems } = setUp({
      intervalMs: 10,
      write: async (records) => {
        if (broken) throw new Error('locked');
        written.push(...records.map(({ tool }) => tool));
      },
    });
    recorder.record(record('a'));
    await wait(25);
    broken = false;
    recorder.record(record('b'));
    await wait(10);
    expect(written).toEqual(['a', 'b']);
    expect(problems[0]).toEqual({ lost: 0, error: new Error('locked') });
  });

  it('holds no more than its limit, and reports how many records were lost', async () => {
    const { recorder, batches, problems } = setUp({ maxQueued: 10, batchSize: 100 });
    for (let index = 0; index < 15; index += 1) recorder.record(record(String(index)));
    await recorder.stop();
    expect(batches.flat().length).toBeLessThanOrEqual(10);
    expect(batches.flat().at(-1)).toBe('14');
    expect(problems.reduce((sum, { lost }) => sum + lost, 0) + batches.flat().length).toBe(15);
  });

  it('stops in bounded time when nothing can be written', async () => {
    const { recorder, problems } = setUp({
      write: async () => {
        throw new Error('gone');
      },
    });
    recorder.record(record('a'));
    await recorder.stop();
    expect(problems.at(-1)).toEqual({ lost: 1 });
  });
});
