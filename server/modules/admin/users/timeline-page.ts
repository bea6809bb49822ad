/** One page of a user's timeline, in both directions. Positions are times in milliseconds since 1970. */

import { searchAuditEvents } from '../../../base/store/reports/audit-search.ts';
import type { ListPage, ListPlace } from '../../../base/store/reports/list-page.ts';
import { type FoundUserToken, listUserCalls } from '../../../base/store/reports/user-search.ts';
import type { Executor } from '../../../base/store/schema.ts';
import { buildTimeline, type TimelineEntry } from './timeline.ts';

/** How many events are read for one page, which shows at most `MAX_ENTRIES` entries. */
const MAX_EVENTS = 100;
const MAX_CALLS = 500;
const MAX_ENTRIES = 50;

interface TimelineOf {
  readonly userId: string;
  readonly tokens: readonly FoundUserToken[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Reads the page. Entries of one millisecond stay on one page, unless they are more than a page holds.
 *
 * A page that would reach the present becomes the first page, so that it is full.
 */
export async function readTimeline(
  executor: Executor,
  of: TimelineOf,
  place: ListPlace,
): Promise<ListPage<TimelineEntry>> {
  const after = toTime(place.after);
  if (after !== null) {
    const { entries, more } = await read(executor, of, { since: after + 1, oldest: true });
    if (!more) return readTimeline(executor, of, {});
    return { rows: entries, newer: String(entries[0]?.at ?? after), older: String(entries.at(-1)?.since ?? after + 1) };
  }
  const before = toTime(place.before);
  const { entries, more } = await read(executor, of, before === null ? {} : { until: before });
  const [newest] = entries;
  const oldest = entries.at(-1);
  return {
    rows: entries,
    newer: before === null ? null : String(newest?.at ?? before - 1),
    older: more && oldest !== undefined ? String(oldest.since) : null,
  };
}

interface Span {
  readonly since?: number;
  readonly until?: number;
  /** Starts at the earlier end. Default: at the later one. */
  readonly oldest?: true;
}

/** The entries at one end of a span, the newest first, and whether there are more in it. */
async function read(executor: Executor, { userId, tokens, now }: TimelineOf, span: Span) {
  const events = await searchAuditEvents(executor, { userId, ...span }, MAX_EVENTS);
  const calls = await listUserCalls(executor, userId, MAX_CALLS, span);
  const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY, oldest = false } = span;
  const ended = tokens.filter(({ expiresAt }) => expiresAt >= since && expiresAt < until);
  const ends = [
    events.length === MAX_EVENTS ? events.at(-1)?.createdAt : undefined,
    calls.length === MAX_CALLS ? calls.at(-1)?.createdAt : undefined,
  ].filter((time) => time !== undefined);
  // Where one kind was not read to its end, nothing beyond that point is known to be complete.
  const isKnown = (at: number) => ends.every((end) => (oldest ? at < end : at > end));
  const whole = buildTimeline({ events, tokens: ended, calls, now });
  const known = buildTimeline({
    events: events.filter(({ createdAt }) => isKnown(createdAt)),
    tokens: ended.filter(({ expiresAt }) => isKnown(expiresAt)),
    calls: calls.filter(({ createdAt }) => isKnown(createdAt)),
    now,
  });
  const entries = known.length === 0 ? whole : known;
  return {
    entries: oldest ? lastOf(entries) : firstOf(entries),
    more: ends.length > 0 || entries.length > MAX_ENTRIES,
  };
}

/** The newest entries, without those of a millisecond that would be split. */
function firstOf(entries: readonly TimelineEntry[]): TimelineEntry[] {
  const next = entries[MAX_ENTRIES];
  const page = entries.slice(0, MAX_ENTRIES);
  const whole = page.filter(({ since }) => since !== next?.at);
  return whole.length === 0 ? page : whole;
}

function lastOf(entries: readonly TimelineEntry[]): TimelineEntry[] {
  const next = entries.at(-MAX_ENTRIES - 1);
  const page = entries.slice(-MAX_ENTRIES);
  const whole = page.filter(({ at }) => at !== next?.since);
  return whole.length === 0 ? page : whole;
}

function toTime(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
