import { describe, expect, test } from 'vitest';
import type { CallOutcome } from '../../../../../server/call/tools/call/call-outcome.ts';
import { describeSeconds, findReachedLimit } from '../../../../../server/call/tools/results/error-causes.ts';
import {
  adviceOf,
  fateOf,
  isRetryable,
  OUTCOMES,
  outcomeOfStatus,
  remedyOf,
} from '../../../../../server/call/tools/results/outcomes.ts';
import type { RateLimitHeaders } from '../../../../../server/contract/index.ts';

describe('the same call may succeed later', () => {
  const failures = OUTCOMES.filter((outcome) => outcome !== 'ok');

  test('whatever the tool does, after these outcomes', () => {
    expect(failures.filter((outcome) => isRetryable(outcome, false))).toEqual([
      'too_many_calls',
      'credential_not_renewed',
      'call_in_progress',
      'call_limit_reached',
      'no_free_turn',
      'upstream_circuit_open',
      'upstream_busy',
      'refused_once',
      'rate_limited',
      'upstream_unavailable',
      'upstream_unreachable',
    ]);
  });

  test('where the tool is idempotent, after these too', () => {
    const more = failures.filter((outcome) => isRetryable(outcome, true) && !isRetryable(outcome, false));
    expect(more).toEqual([
      'upstream_error',
      'upstream_timeout',
      'upstream_connection_lost',
      'upstream_protocol_error',
      'upstream_invalid_answer',
      'internal_error',
    ]);
  });

  test('once the user has acted on a page, after these', () => {
    const withRemedy = OUTCOMES.map((outcome) => [outcome, remedyOf(outcome)]).filter(([, remedy]) => remedy !== null);
    expect(Object.fromEntries(withRemedy)).toEqual({
      not_connected: 'connect',
      needs_approval: 'allow',
      connection_needs_attention: 'reconnect',
      scope_not_granted: 'reconnect',
      credential_refused: 'reconnect',
      awaiting_approval: 'approve',
    });
  });

  test('or not: then the advice says what to do or is left to the answer', () => {
    expect(adviceOf('upstream_redirect', true)).toBe('Calling again will not help.');
    expect(adviceOf('not_found', true)).toBe('');
  });
});

test.each([
  [299, 'request_refused'],
  [300, 'upstream_redirect'],
  [399, 'upstream_redirect'],
  [400, 'bad_request'],
  [401, 'credential_refused'],
  [402, 'payment_required'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [405, 'method_not_allowed'],
  [406, 'not_acceptable'],
  [408, 'upstream_timeout'],
  [409, 'conflict'],
  [410, 'gone'],
  [413, 'request_too_large'],
  [418, 'request_refused'],
  [422, 'invalid_request'],
  [429, 'rate_limited'],
  [499, 'request_refused'],
  [500, 'upstream_error'],
  [503, 'upstream_unavailable'],
  [504, 'upstream_error'],
])('the status %i is %s', (status, outcome) => {
  expect(outcomeOfStatus(status)).toBe(outcome);
});

describe('what an outcome says about the call', () => {
  const fate = (mayHaveActed: boolean, status: number | null, more: object = {}) => {
    const ending = { outcome: 'upstream_error', upstreamStatus: status, error: { retryAfterSeconds: null }, ...more };
    return fateOf({ mayHaveActed }, ending as unknown as CallOutcome);
  };

  test.each([
    400, 401, 402, 403, 404, 405, 406, 407, 409, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 423, 425, 426, 428,
    429, 431, 451,
  ])('%i means that it was not made', (status) => {
    expect(fate(true, status)).toBe('free');
  });

  test.each([null, 207, 303, 408, 418, 424, 499, 500, 502, 504])('%s leaves open whether it was made', (status) => {
    expect(fate(true, status, { error: { retryAfterSeconds: 3 } })).toBe('unknown');
  });

  test('503 means that it was not made only with Retry-After', () => {
    expect([fate(true, 503), fate(true, 503, { error: { retryAfterSeconds: 3 } })]).toEqual(['unknown', 'free']);
  });

  test('it was made where there is a result, even one that is too large', () => {
    expect(fate(true, 200, { outcome: 'ok', error: null })).toBe('done');
    expect(fate(true, 200, { outcome: 'result_too_large' })).toBe('done');
    expect(fate(true, 200, { outcome: 'upstream_invalid_answer' })).toBe('done');
    expect(fate(true, 207, { outcome: 'upstream_invalid_answer' })).toBe('unknown');
    expect(fate(false, null, { outcome: 'result_too_large' })).toBe('free');
  });

  test('it was not made where nothing was sent', () => {
    expect(fate(false, 500)).toBe('free');
  });
});

describe('the limit that an upstream reports as reached', () => {
  const NOW = Date.UTC(2026, 0, 31);
  const minute: RateLimitHeaders = { remaining: 'minute-left', reset: 'minute-reset' };
  const hour: RateLimitHeaders = { remaining: 'hour-left', reset: 'hour-reset' };
  const month: RateLimitHeaders = { remaining: 'month-left', reset: 'month-reset', quota: true };
  const find = (limits: readonly RateLimitHeaders[], headers: Readonly<Record<string, string>>) =>
    findReachedLimit(limits, (name) => headers[name] ?? null, NOW);
  const limit = (seconds: number | null) => ({ quota: false, seconds });
  const quota = (seconds: number | null) => ({ quota: true, seconds });

  test.each<[string, RateLimitHeaders[], Record<string, string>, ReturnType<typeof find>]>([
    ['none without headers', [minute, month], {}, null],
    ['none where no limits are defined', [], { 'minute-left': '0' }, null],
    ['none where requests remain', [minute], { 'minute-left': '1', 'minute-reset': '37' }, null],
    ['the one that is used up', [minute], { 'minute-left': '0', 'minute-reset': '37' }, limit(37)],
    ['the one that is overdrawn', [minute], { 'minute-left': '-2', 'minute-reset': '37' }, limit(37)],
    ['the one that is used up, without a reset time', [minute], { 'minute-left': '0' }, limit(null)],
    ['the one that has only a reset time', [minute], { 'minute-reset': '37' }, limit(37)],
    [
      'the later of two',
      [minute, hour],
      { 'minute-left': '0', 'minute-reset': '37', 'hour-left': '0', 'hour-reset': '90' },
      limit(90),
    ],
    [
      'of two the one with a reset time',
      [minute, hour],
      { 'minute-left': '0', 'minute-reset': '37', 'hour-left': '0' },
      limit(37),
    ],
    [
      'the one that is used up before one that may be',
      [minute, hour],
      { 'minute-left': '0', 'minute-reset': '37', 'hour-reset': '90' },
      limit(37),
    ],
    [
      'a quota before others',
      [minute, month],
      { 'minute-left': '0', 'minute-reset': '37', 'month-left': '0' },
      quota(null),
    ],
    [
      'a limit before a quota that may be',
      [minute, month],
      { 'minute-left': '0', 'minute-reset': '37', 'month-reset': '99' },
      limit(37),
    ],
    [
      'a limit that may be before a quota that may be',
      [minute, month],
      { 'minute-reset': '37', 'month-reset': '99' },
      limit(37),
    ],
    ['a quota that may be', [minute, month], { 'minute-left': '5', 'month-reset': '99' }, quota(99)],
    ['no quota that is not used up', [month], { 'month-left': '5', 'month-reset': '99' }, null],
    ['one whose remaining count cannot be read', [minute], { 'minute-left': 'x0', 'minute-reset': '37' }, limit(37)],
    ['one with only a reset header', [{ reset: 'minute-reset' }], { 'minute-reset': '37' }, limit(37)],
    ['one with only a remaining header', [{ remaining: 'minute-left' }], { 'minute-left': '0' }, limit(null)],
  ])('is %s', (_title, limits, headers, want) => {
    expect(find(limits, headers)).toEqual(want);
  });

  test.each([
    ['0', 1],
    ['0.4', 1],
    ['37', 37],
    [' 37 ', 37],
    ['37.2', 38],
    ['37.25', 38],
    ['999999999', 999_999_999],
    ['1000000000', 1],
    [String(NOW / 1000 + 60), 60],
    [String(NOW / 1000 + 59.5), 60],
    ['1000000000000', 1],
    [String(NOW + 60_500), 61],
    ['Sat, 31 Jan 2026 00:01:00 GMT', 60],
    ['2026-01-30T00:00:00Z', 1],
    ['soon', null],
    ['x37', null],
    ['37x', null],
    ['', null],
  ])('that ends at %j ends in %s seconds', (reset, seconds) => {
    const found = find([minute], { 'minute-left': '0', 'minute-reset': reset });
    expect(found).toEqual(limit(seconds));
  });

  test.each([
    [1, '1 second'],
    [2, '2 seconds'],
    [119, '119 seconds'],
    [120, '2 minutes'],
    [7199, '120 minutes'],
    [7200, '2 hours'],
    [172_799, '48 hours'],
    [172_800, '2 days'],
    [1_036_800, '12 days'],
  ])('%i seconds are %s', (seconds, want) => {
    expect(describeSeconds(seconds)).toBe(want);
  });
});
