import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  acceptsEvents,
  PROGRESS_TIMING,
  type ProgressParams,
  reportWhileWaiting,
} from '../../../../server/call/mcp/open-calls.ts';

describe('progress of a call', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('is reported after two seconds, then every five, until it stops', () => {
    const reports: ProgressParams[] = [];
    const call = { progressToken: 7, name: 'crm_find' };
    const stop = reportWhileWaiting(call, PROGRESS_TIMING, (params) => reports.push(params));
    vi.advanceTimersByTime(1_999);
    expect(reports).toEqual([]);
    vi.advanceTimersByTime(10_001);
    expect(reports).toEqual(
      [2, 7, 12].map((progress) => ({
        progressToken: 7,
        progress,
        message: `Waiting for the service behind crm_find: ${progress} s.`,
      })),
    );
    stop();
    vi.advanceTimersByTime(60_000);
    expect(reports).toHaveLength(3);
  });

  test.each([
    ['application/json, text/event-stream', true],
    ['text/event-stream', true],
    ['application/json', false],
    ['*/*', false],
    [undefined, false],
  ])('is streamed to a client that accepts %s: %s', (accept, accepts) => {
    expect(acceptsEvents(accept)).toBe(accepts);
  });
});
