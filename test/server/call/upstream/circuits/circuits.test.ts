import { describe, expect, test } from 'vitest';
import type { UpstreamAnswer } from '../../../../../server/call/upstream/answer.ts';
import { type CircuitFigures, createCircuits } from '../../../../../server/call/upstream/circuits.ts';
import { UpstreamFailure, type UpstreamFailureKind } from '../../../../../server/call/upstream/failures.ts';

const CRM = { service: 'crm', origin: 'https://crm.example' };
const WHOLE_TIME_MS = 30_000;

interface Sent {
  /** Time that the request was given. */
  readonly timeoutMs: number;
  answer(status?: number): Promise<void>;
  fail(kind: UpstreamFailureKind, reason?: string): Promise<void>;
}

type End = 'answered' | UpstreamFailure;

/** Circuits on a clock of the test, with requests that the test answers. */
function given(maxInFlight = 100) {
  const clock = { now: 1_000_000 };
  const changes: CircuitFigures[] = [];
  const timers = new Set<{ at: number; done: () => void }>();
  const circuits = createCircuits({
    maxInFlight,
    now: () => clock.now,
    onChange: (figures) => changes.push(figures),
    wait: (ms, signal) =>
      new Promise((done, reject) => {
        timers.add({ at: clock.now + ms, done });
        signal.addEventListener('abort', () => reject(new Error('aborted')));
        if (signal.aborted) reject(new Error('aborted'));
      }),
  });
  const call = (caller: string | null, more: { signal?: AbortSignal; timeoutMs?: number; place?: typeof CRM } = {}) => {
    const { signal = new AbortController().signal, timeoutMs = WHOLE_TIME_MS, place = CRM } = more;
    let sent: Sent | null = null;
    const end: Promise<End> = circuits
      .run({ ...place, caller, signal, timeoutMs, wholeTimeMs: WHOLE_TIME_MS }, (leftMs) => {
        const { promise, resolve, reject } = Promise.withResolvers<UpstreamAnswer>();
        sent = {
          timeoutMs: leftMs,
          answer(status = 200) {
            resolve({ status, header: () => null, body: Buffer.alloc(0) });
            return settled();
          },
          fail(kind, reason) {
            reject(new UpstreamFailure(kind, reason === undefined ? {} : { reason }));
            return settled();
          },
        };
        return promise;
      })
      .then(
        () => 'answered' as const,
        (error: UpstreamFailure) => error,
      );
    return {
      end,
      get sent() {
        return sent;
      },
      /** For a request that was let through at once. */
      get request(): Sent {
        if (sent === null) throw new Error('nothing was sent');
        return sent;
      },
    };
  };
  const pass = async (ms: number): Promise<void> => {
    clock.now += ms;
    for (const timer of timers) {
      if (timer.at > clock.now) continue;
      timers.delete(timer);
      timer.done();
    }
    await settled();
  };
  const failBy = async (callers: readonly (string | null)[], kind: UpstreamFailureKind = 'timeout'): Promise<void> => {
    for (const caller of callers) await call(caller).request.fail(kind);
  };
  const figures = () => circuits.list()[0]!;
  return { circuits, call, pass, failBy, figures, changes, clock };
}

async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

const TWO_USERS = ['ada', 'bob', 'ada', 'bob', 'ada'];

describe('the circuit breaker of an upstream', () => {
  test('opens after five failures of more than one user, and then sends nothing', async () => {
    const { call, failBy, figures, changes, circuits } = given();
    await failBy(TWO_USERS.slice(1));
    expect(figures()).toMatchObject({ state: 'closed', since: null });
    await failBy(['ada']);
    expect(figures()).toMatchObject({ state: 'open', since: 1_000_000, lastFailure: { kind: 'timeout' } });
    const refused = call('eve');
    expect(await refused.end).toMatchObject({ kind: 'circuit_open', retryAfterSeconds: 5, isUnsent: true });
    expect(refused.sent).toBeNull();
    expect(() => circuits.check(CRM)).toThrow('circuit_open');
    expect(changes.map(({ service, state }) => [service, state])).toEqual([['crm', 'open']]);
  });

  test.each([
    ['a single user', TWO_USERS.map(() => 'ada'), 'timeout', 'closed'],
    ['failed connections of a single user', TWO_USERS.map(() => 'ada'), 'unreachable', 'open'],
    ['requests without a user', TWO_USERS.map(() => null), 'reset', 'open'],
    ['clients that disconnected', TWO_USERS, 'cancelled', 'closed'],
    ['answers that are too large', TWO_USERS, 'too_large', 'closed'],
    ['answers that cannot be parsed', TWO_USERS, 'protocol', 'closed'],
  ] as const)('%s', async (_, callers, kind, state) => {
    const { failBy, figures } = given();
    await failBy(callers, kind);
    expect(figures().state).toBe(state);
  });

  test('opens for answers that are not HTTP', async () => {
    const { call, figures } = given();
    for (const caller of TWO_USERS) await call(caller).request.fail('protocol', 'HPE_INVALID_CONSTANT');
    expect(figures().state).toBe('open');
  });

  test.each([
    [502, 'open'],
    [503, 'open'],
    [504, 'open'],
    [522, 'open'],
    [200, 'closed'],
    [401, 'closed'],
    [404, 'closed'],
    [429, 'closed'],
    [500, 'closed'],
  ])('after answers with %i it is %s', async (status, state) => {
    const { call, figures } = given();
    for (const caller of TWO_USERS) {
      const made = call(caller);
      await made.request.answer(status);
      expect(await made.end).toBe('answered');
    }
    expect(figures().state).toBe(state);
  });

  test('stays closed while more than half of the requests are answered', async () => {
    const { call, failBy, figures } = given();
    for (let each = 0; each < 6; each += 1) await call('ada').request.answer();
    await failBy(TWO_USERS);
    expect(figures().state).toBe('closed');
    await failBy(['bob']);
    expect(figures().state).toBe('open');
  });

  test('forgets results older than half a minute', async () => {
    const { failBy, pass, figures } = given();
    await failBy(TWO_USERS.slice(1));
    await pass(30_001);
    await failBy(['ada']);
    expect(figures().state).toBe('closed');
  });

  test('does not count the timeout of a request that had little time', async () => {
    const { call, figures } = given();
    for (const caller of TWO_USERS) await call(caller, { timeoutMs: 14_000 }).request.fail('timeout');
    expect(figures().state).toBe('closed');
  });

  test('does not count a timeout where a later request was answered', async () => {
    const { call, pass, failBy, figures } = given();
    const hanging = TWO_USERS.map((user) => call(user));
    await pass(20_000);
    await call('eve').request.answer();
    await pass(10_000);
    for (const one of hanging) await one.request.fail('timeout');
    expect(figures().state).toBe('closed');
    await failBy(TWO_USERS);
    expect(figures().state).toBe('open');
  });

  test('counts a refused connection, whatever was answered meanwhile', async () => {
    const { call, figures } = given();
    const broken = TWO_USERS.map((user) => call(user));
    await call('eve').request.answer();
    for (const one of broken) await one.request.fail('unreachable');
    expect(figures().state).toBe('open');
  });

  test('does not affect another base URL or another service there', async () => {
    const { call, failBy } = given();
    await failBy(TWO_USERS);
    const own = call('ada', { place: { service: 'crm', origin: 'https://crm.of-a-customer.example' } });
    const other = call('ada', { place: { service: 'mailer', origin: CRM.origin } });
    expect([own.sent, other.sent]).not.toContain(null);
  });

  test('lets one request through every five seconds, and closes when the first is answered', async () => {
    const { call, failBy, pass, figures, changes } = given();
    await failBy(TWO_USERS);
    await pass(4_999);
    expect(await call('ada').end).toMatchObject({ retryAfterSeconds: 1 });
    await pass(1);
    const hanging = call('ada');
    expect(hanging.sent).not.toBeNull();
    expect(figures().state).toBe('half-open');
    expect(await call('bob').end).toMatchObject({ kind: 'circuit_open', retryAfterSeconds: 5 });
    await pass(5_000);
    const answered = call('bob');
    await answered.request.answer();
    expect(figures()).toMatchObject({ state: 'closed', since: 1_010_000 });
    expect(call('eve').sent).not.toBeNull();
    await hanging.request.fail('timeout');
    expect(figures().state).toBe('closed');
    expect(changes.map(({ state }) => state)).toEqual(['open', 'closed']);
  });

  test('is not opened again by requests that began before it closed', async () => {
    const { call, failBy, pass, figures } = given();
    const early = TWO_USERS.map((caller) => call(caller));
    await failBy(TWO_USERS);
    await pass(5_000);
    const hanging = call('ada');
    await pass(5_000);
    await call('ada').request.answer();
    for (const each of [hanging, ...early]) await each.request.fail('timeout');
    expect(figures().state).toBe('closed');
    await failBy(TWO_USERS);
    await pass(5_000);
    call('ada');
    expect(figures().state).toBe('half-open');
  });

  test('stays open after a probe that fails or whose client disconnects', async () => {
    const { call, failBy, pass, figures } = given();
    await failBy(TWO_USERS);
    for (const kind of ['timeout', 'cancelled'] as const) {
      await pass(5_000);
      await call('ada').request.fail(kind);
      expect(figures().state).toBe('open');
    }
  });

  test('opens, and lets a probe through, after the clock was set back', async () => {
    const { call, failBy, pass, figures, clock } = given();
    await pass(3_600_000);
    for (let calls = 0; calls < 10; calls += 1) await call('ada').request.answer();
    clock.now -= 3_600_000;
    await failBy(TWO_USERS);
    expect(figures().state).toBe('open');
    clock.now -= 3_600_000;
    await call('ada').request.fail('timeout');
    expect(await call('ada').end).toMatchObject({ kind: 'circuit_open', retryAfterSeconds: 5 });
    await pass(5_000);
    await call('ada').request.answer();
    expect(figures().state).toBe('closed');
  });

  test('is not closed by a request that began before it opened', async () => {
    const { call, failBy, figures } = given();
    const early = call('eve');
    await failBy(TWO_USERS);
    await early.request.answer();
    expect(figures().state).toBe('open');
  });
});

describe('the cap of an upstream', () => {
  test('lets that many requests through, and as many wait in order', async () => {
    const { call, figures } = given(2);
    const calls = ['a', 'b', 'c', 'd'].map((caller) => call(caller));
    const tooMany = call('e');
    expect(await tooMany.end).toMatchObject({ kind: 'busy', retryAfterSeconds: 5, isUnsent: true });
    expect(figures()).toMatchObject({ inFlight: 2, waiting: 2 });
    await calls[1]!.request.answer();
    expect(calls.map(({ sent }) => sent !== null)).toEqual([true, true, true, false]);
    await calls[0]!.request.fail('reset');
    await calls[2]!.request.answer();
    await calls[3]!.request.answer();
    expect(figures()).toMatchObject({ inFlight: 0, waiting: 0 });
  });

  test('applies to one upstream only', () => {
    const { call } = given(1);
    call('ada');
    expect(call('ada').sent).toBeNull();
    expect(call('ada', { place: { service: 'mailer', origin: 'https://mail.example' } }).sent).not.toBeNull();
  });

  test('keeps a request waiting for at most five seconds or half of its timeout', async () => {
    const { call, pass } = given(1);
    call('ada');
    const [patient, hurried] = [call('bob'), call('bob', { timeoutMs: 4_000 })];
    await pass(2_000);
    expect(await hurried.end).toMatchObject({ kind: 'busy' });
    expect(patient.sent).toBeNull();
    await pass(3_000);
    expect(await patient.end).toMatchObject({ kind: 'busy' });
  });

  test('subtracts the wait from the timeout of the request', async () => {
    const { call, pass } = given(1);
    const first = call('ada');
    const second = call('bob');
    await pass(3_000);
    await first.request.answer();
    expect(second.request.timeoutMs).toBe(WHOLE_TIME_MS - 3_000);
  });

  test('frees the place in the queue of a client that disconnects', async () => {
    const { call, figures } = given(1);
    const first = call('ada');
    const client = new AbortController();
    const waiting = call('bob', { signal: client.signal });
    client.abort();
    expect(await waiting.end).toMatchObject({ kind: 'cancelled' });
    await first.request.answer();
    expect(figures()).toMatchObject({ inFlight: 0, waiting: 0 });
  });

  test('rejects waiting requests when the breaker opens, and never delays a probe', async () => {
    const { call, pass, figures } = given(5);
    const hanging = TWO_USERS.map((caller) => call(caller));
    const waiting = TWO_USERS.map((caller) => call(caller));
    for (const each of hanging) await each.request.fail('timeout');
    expect(figures()).toMatchObject({ state: 'open', inFlight: 4, waiting: 0 });
    expect(await waiting[4]!.end).toMatchObject({ kind: 'circuit_open', retryAfterSeconds: 5 });
    for (const inFlight of [5, 6]) {
      await pass(5_000);
      expect(call('ada').sent).not.toBeNull();
      expect(figures()).toMatchObject({ state: 'half-open', inFlight });
    }
  });

  test('forgets upstreams without active requests, beyond a thousand', async () => {
    const { call, circuits } = given();
    const placeOf = (number: number) => ({ service: 'crm', origin: `https://crm-${number}.example` });
    call('ada', { place: placeOf(0) });
    for (let number = 1; number < 1_100; number += 1) await call('ada', { place: placeOf(number) }).request.answer();
    const origins = circuits.list().map(({ origin }) => origin);
    expect(origins).toHaveLength(1_000);
    expect(origins).toContain(placeOf(0).origin);
    expect(origins).toContain(placeOf(1_099).origin);
  });
});
