import { describe, expect, test } from 'vitest';
import { dayOf, exactPeriod, relativeTime } from '../../../../server/base/pages/times.ts';

const NOW = Date.UTC(2026, 10, 24, 14, 30);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const textOf = (html: unknown) => String(html).replaceAll(/<[^>]+>/g, '');

describe('a time near now', () => {
  test.each([
    [0, 'just now'],
    [-29_000, 'just now'],
    [-MINUTE, '1 minute ago'],
    [-59 * MINUTE, '59 minutes ago'],
    [-59.8 * MINUTE, '1 hour ago'],
    [-HOUR, '1 hour ago'],
    [-47 * HOUR, '47 hours ago'],
    [-3 * DAY, '3 days ago'],
    [12 * MINUTE, 'in 12 minutes'],
    [-8 * DAY, '16 Nov'],
    [40 * DAY, '3 Jan 2027'],
  ])('%i ms away is "%s"', (offset, text) => {
    expect(textOf(relativeTime(NOW + offset, NOW))).toBe(text);
  });

  test('has its exact time as the title and for programs', () => {
    expect(String(relativeTime(NOW - 2 * HOUR, NOW))).toBe(
      '<time datetime="2026-11-24 12:30:00Z" title="2026-11-24 12:30:00 UTC">2 hours ago</time>',
    );
  });
});

test.each([
  [-HOUR, 'today'],
  [-15 * HOUR, 'yesterday'],
  [10 * HOUR, 'tomorrow'],
  [34 * DAY, '28 Dec'],
  [400 * DAY, '29 Dec 2027'],
])('the day %i ms away is "%s"', (offset, text) => {
  expect(textOf(dayOf(NOW + offset, NOW))).toBe(text);
});

test.each([
  [30_000, '2026-11-24 14:30 UTC'],
  [HOUR, '2026-11-24 14:30 to 15:30 UTC'],
  [DAY, '2026-11-24 14:30 to 2026-11-25 14:30 UTC'],
])('a period of %i ms is "%s"', (length, text) => {
  expect(textOf(exactPeriod(NOW, NOW + length))).toBe(text);
});
