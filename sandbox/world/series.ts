/** Tables of rows by key and date, such as the prices of a ticker on every weekday: each row is made when it is read. */

import type { JsonObject } from '../json.ts';
import { draw } from './people.ts';
import type { Records } from './values.ts';

/** The rule of a column: `key`, `date`, `open`, `high`, `low` or `close`; a number between two; or one of several values. */
type ColumnRule = string | readonly [low: number, high: number] | { readonly pick: readonly unknown[] };

export interface SeriesRule {
  /** Facts of the table, as the operation that describes it answers them, but for columns and filters. */
  readonly about: JsonObject;
  /** In their order. */
  readonly columns: Readonly<Record<string, { readonly type: string; readonly is: ColumnRule }>>;
  /** Columns that rows can be filtered by. */
  readonly filters: readonly string[];
  /** The values of the key, joined by spaces. */
  readonly keys: string;
  /** First and last day, such as `2000-01-03`. */
  readonly from: string;
  readonly to: string;
  /** Days between two rows of a key; 1: weekdays only. */
  readonly every: number;
}

export interface Series extends Records {
  readonly rule: SeriesRule;
  /** The rows of these keys. */
  only(keys: readonly string[]): Series;
  /** The rows of days that pass, each given as `2026-11-20`. */
  when(passes: (day: string) => boolean): Series;
}

const DAY_MS = 86_400_000;

export function createSeries(
  rule: SeriesRule,
  keys: readonly string[] = rule.keys.split(' '),
  days: readonly string[] = daysOf(rule),
): Series {
  return {
    rule,
    length: keys.length * days.length,
    only: (selectedKeys) =>
      createSeries(
        rule,
        keys.filter((key) => selectedKeys.includes(key)),
        days,
      ),
    when: (passes) => createSeries(rule, keys, days.filter(passes)),
    at(index) {
      const key = keys[Math.floor(index / days.length)] ?? '';
      const day = days[index % days.length] ?? '';
      const cells = Object.entries(rule.columns).map(([name, { is }]) => [name, cellOf(is, key, day, name)] as const);
      return Object.fromEntries(cells);
    },
  };
}

function daysOf({ from, to, every }: SeriesRule): readonly string[] {
  const [first, last] = [Date.parse(from) / DAY_MS, Date.parse(to) / DAY_MS];
  const days = Array.from(
    { length: Math.floor((last - first) / every) + 1 },
    (_, index) => new Date((first + index * every) * DAY_MS),
  );
  return days.filter((day) => every > 1 || day.getUTCDay() % 6 !== 0).map((day) => day.toISOString().slice(0, 10));
}

function cellOf(is: ColumnRule, key: string, day: string, name: string): unknown {
  if (is === 'key') return key;
  if (is === 'date') return day;
  if (typeof is === 'string') return priceOf(is, key, day);
  const random = draw(key, day, name);
  if ('pick' in is) return is.pick[Math.floor(random * is.pick.length)];
  const value = is[0] + random * (is[1] - is[0]);
  return Number.isInteger(is[1]) && is[1] > 1000 ? Math.round(value) : Math.round(value * 100) / 100;
}

/** A price that grows over the years, in waves; a day's low is its lowest and its high the highest. */
function priceOf(name: string, key: string, day: string): number {
  const years = (Date.parse(day) / DAY_MS - 10_957) / 365.25;
  const { level, growth, waves } = courseOf(key);
  const wave = waves.reduce(
    (sum, { years: length, start }) => sum + Math.sin((years / length + start) * 2 * Math.PI) * 0.06 * length ** 0.7,
    0,
  );
  const course = level * Math.exp(growth * years + wave);
  const [open, close] = ['open', 'close'].map((time) => course * (0.985 + 0.03 * draw(key, day, time))) as [
    number,
    number,
  ];
  const edge = 0.012 * draw(key, day, name);
  const value = { open, close, high: Math.max(open, close) * (1 + edge), low: Math.min(open, close) * (1 - edge) }[
    name
  ];
  return Math.round((value ?? close) * 100) / 100;
}

interface Course {
  readonly level: number;
  readonly growth: number;
  readonly waves: readonly { readonly years: number; readonly start: number }[];
}

const courses = new Map<string, Course>();

function courseOf(key: string): Course {
  const cachedCourse = courses.get(key);
  if (cachedCourse !== undefined) return cachedCourse;
  const waves = [0.7, 2.3, 6.1].map((years) => ({ years, start: draw(key, years) }));
  const course = { level: 5 + 60 * draw(key, 'level'), growth: 0.02 + 0.08 * draw(key, 'growth'), waves };
  courses.set(key, course);
  return course;
}
