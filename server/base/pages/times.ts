/** Times on pages: exact ones in UTC, and everyday ones, such as `2 minutes ago`, with the exact time on hover. */

import { type Html, html } from './html.ts';

/** The language of the pages. */
const LANGUAGE = 'en-GB';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** From this distance on, a date says more than a number of days. */
const MAX_RELATIVE_MS = 7 * DAY_MS;

/** Made on first use: the rules of a language would be loaded with every start. */
let formats: { readonly distances: Intl.RelativeTimeFormat; readonly days: Intl.RelativeTimeFormat } | undefined;

/**
 * Returns an exact time in UTC. The scripts of pages show it in the viewer's time zone.
 *
 * @param precision the last unit that is shown.
 */
export function exactTime(time: number, precision: 'minute' | 'second'): Html {
  return html`<time datetime="${new Date(time).toISOString()}">${precision === 'minute' ? `${toMinute(time)} UTC` : toSecond(time)}</time>`;
}

/** Returns the minutes from one time to another in UTC. On the same day, the second time has no date. */
export function exactPeriod(from: number, until: number): Html {
  const [first, last] = [toMinute(from), toMinute(until)];
  if (first === last) return exactTime(until, 'minute');
  const rest = first.slice(0, 10) === last.slice(0, 10) ? last.slice(11) : last;
  return html`<time datetime="${new Date(from).toISOString()}">${first}</time> to <time datetime="${new Date(until).toISOString()}">${rest} UTC</time>`;
}

/** Returns a time as its distance from now, such as `2 minutes ago`, or as a date if it is more than a week away. */
export function relativeTime(time: number, now: number): Html {
  return described(time, Math.abs(time - now) < MAX_RELATIVE_MS ? distance(time, now) : toDate(time, now));
}

/** Returns the day of a time in UTC: `today`, `yesterday`, `tomorrow`, or a date such as `28 Dec`. */
export function dayOf(time: number, now: number): Html {
  const days = Math.floor(time / DAY_MS) - Math.floor(now / DAY_MS);
  return described(time, Math.abs(days) > 1 ? toDate(time, now) : languageFormats().days.format(days, 'day'));
}

/** Returns the distance between two times in everyday words: `3 hours ago`, `in 12 minutes`. */
export function distance(time: number, now: number): string {
  const difference = time - now;
  const size = Math.abs(difference);
  if (size < MINUTE_MS / 2) return 'just now';
  if (size < 59.5 * MINUTE_MS) return inWords(difference / MINUTE_MS, 'minute');
  return size < 48 * HOUR_MS ? inWords(difference / HOUR_MS, 'hour') : inWords(difference / DAY_MS, 'day');
}

function inWords(count: number, unit: 'minute' | 'hour' | 'day'): string {
  const rounded = Math.sign(count) * Math.round(Math.abs(count));
  return languageFormats().distances.format(rounded, unit);
}

function languageFormats() {
  formats ??= {
    distances: new Intl.RelativeTimeFormat(LANGUAGE),
    days: new Intl.RelativeTimeFormat(LANGUAGE, { numeric: 'auto' }),
  };
  return formats;
}

/** Returns `28 Dec`, or `28 Dec 2027` in another year than now. */
function toDate(time: number, now: number): string {
  const isThisYear = new Date(time).getUTCFullYear() === new Date(now).getUTCFullYear();
  return new Intl.DateTimeFormat(LANGUAGE, {
    day: 'numeric',
    month: 'short',
    year: isThisYear ? undefined : 'numeric',
    timeZone: 'UTC',
  }).format(time);
}

/** The scripts of pages replace the texts of times whose `datetime` has a T, and leave these. Both forms are valid in HTML. */
function described(time: number, text: string): Html {
  return html`<time datetime="${toSecond(time)}Z" title="${toSecond(time)} UTC">${text}</time>`;
}

function toMinute(time: number): string {
  return new Date(time).toISOString().slice(0, 16).replace('T', ' ');
}

function toSecond(time: number): string {
  return new Date(time).toISOString().slice(0, 19).replace('T', ' ');
}
