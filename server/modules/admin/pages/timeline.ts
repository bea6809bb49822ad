/** The timeline of one user, in one list: security events, tokens that expired or were revoked, connect flows, and tool calls. */

import type { Trail, TrailEvent } from '../../../base/dashboard/pages.ts';
import { eventWords, figure, toWords } from '../../../base/dashboard/parts.ts';
import { clientNameText } from '../../../base/pages/client-name.ts';
import type { ListPage, PageCursor } from '../../../base/store/list-page.ts';
import { callCategory } from '../../../base/store/reports/call-category.ts';
import { listUserCalls } from '../../../base/store/reports/user-search.ts';
import type { FoundUserToken } from '../../../base/store/repositories/access-tokens.ts';
import type { Executor } from '../../../base/store/schema.ts';

/** An entry about one record, or about successive calls. */
interface Entry {
  /** Milliseconds since 1970. For several calls, the time of the last one. */
  readonly at: number;
  readonly kind: 'good' | 'bad' | 'warn' | 'quiet';
  /** One word for the badge. */
  readonly label: string;
  readonly text: string;
  readonly detail: string | null;
  /** Row id of the call that it is about, or null. */
  readonly call: string | null;
  /** The OAuth client that it is about. Default: none. */
  readonly client?: { readonly clientId: string; readonly clientName: string | null };
}

/** One entry of the page. */
export interface TimelineEntry extends Entry {
  /** Milliseconds since 1970. For several calls, the time of the first one. */
  readonly since: number;
}

/** Records from which entries are built. */
interface TimelineSources {
  readonly events: readonly TrailEvent[];
  readonly tokens: readonly FoundUserToken[];
  readonly calls: Awaited<ReturnType<typeof listUserCalls>>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** An entry from one record. */
interface SourceEntry extends Entry {
  /** Name of the tool of a successful call. Undefined for any other record. */
  readonly tool?: string;
}

/** Events that are read for one page, which shows at most `MAX_ENTRIES` entries. */
const MAX_EVENTS = 100;
const MAX_CALLS = 500;
const MAX_ENTRIES = 50;
const MAX_NAMED_TOOLS = 5;
const BAD_EVENTS = /refused|replayed|needs_attention|denied|declined/;
const ENDING_EVENTS = /revoked|removed/;

interface TimelineRequest {
  readonly userId: string;
  /** The audit trail. Null if no module keeps one. */
  readonly trail: Trail | null;
  readonly tokens: readonly FoundUserToken[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Reads one page, in both directions. Positions are times in milliseconds since 1970.
 * Entries of one millisecond stay on one page, unless they are more than a page holds.
 *
 * A page that would reach the present becomes the first page, so that it is full.
 */
export async function readTimeline(
  executor: Executor,
  request: TimelineRequest,
  place: PageCursor,
): Promise<ListPage<TimelineEntry>> {
  const after = toTime(place.after);
  if (after !== null) {
    const { entries, more } = await readSpan(executor, request, { since: after + 1, oldest: true });
    if (!more) return readTimeline(executor, request, {});
    return { rows: entries, newer: String(entries[0]?.at ?? after), older: String(entries.at(-1)?.since ?? after + 1) };
  }
  const before = toTime(place.before);
  const { entries, more } = await readSpan(executor, request, before === null ? {} : { until: before });
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
  /** True to start at the earlier end of the span. By default it starts at the later end. */
  readonly oldest?: true;
}

/** Reads the entries at one end of a span, the newest first, and tells whether there are more in it. */
async function readSpan(executor: Executor, { userId, trail, tokens, now }: TimelineRequest, span: Span) {
  const events = (await trail?.eventsOf(userId, span, MAX_EVENTS)) ?? [];
  const calls = await listUserCalls(executor, userId, MAX_CALLS, span);
  const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY, oldest = false } = span;
  const expiredTokens = tokens.filter(({ expiresAt }) => expiresAt >= since && expiresAt < until);
  const cutoffTimes: number[] = [];
  if (events.length === MAX_EVENTS) cutoffTimes.push(events.at(-1)?.createdAt ?? 0);
  if (calls.length === MAX_CALLS) cutoffTimes.push(calls.at(-1)?.createdAt ?? 0);

  // Where one kind was not read to its end, nothing beyond that point is known to be complete.
  const entries = toEntries({ events, tokens: expiredTokens, calls, now });
  const complete = entries.filter(({ at }) => cutoffTimes.every((end) => (oldest ? at < end : at > end)));
  const joined = joinRuns(complete.length === 0 ? entries : complete);
  const page = oldest ? joined.slice(-MAX_ENTRIES) : joined.slice(0, MAX_ENTRIES);

  // Entries of a millisecond that would be split are left to the next page.
  const next = oldest ? joined.at(-MAX_ENTRIES - 1) : joined[MAX_ENTRIES];
  const unsplit = page.filter((entry) => (oldest ? entry.at !== next?.since : entry.since !== next?.at));
  return {
    entries: unsplit.length === 0 ? page : unsplit,
    more: cutoffTimes.length > 0 || joined.length > MAX_ENTRIES,
  };
}

function toTime(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** Returns the entries, the newest first. Successive successful calls are one entry. */
export function buildTimeline(sources: TimelineSources): TimelineEntry[] {
  return joinRuns(toEntries(sources));
}

/** Returns an entry for each event, expired token and call, the newest first. */
function toEntries({ events, tokens, calls, now }: TimelineSources): SourceEntry[] {
  const expired = tokens.filter(({ expiresAt, revokedAt }) => revokedAt === null && expiresAt <= now);
  const entries = [...events.map(fromEvent), ...expired.map(fromEndedToken), ...calls.map(fromCall)];
  return entries.sort((a, b) => b.at - a.at);
}

/** @param entries the newest first. */
function joinRuns(entries: readonly SourceEntry[]): TimelineEntry[] {
  const joined: (SourceEntry & { since: number; count: number })[] = [];
  for (const entry of entries) {
    const newer = joined.at(-1);
    if (entry.tool === undefined || newer?.tool === undefined) {
      joined.push({ ...entry, since: entry.at, count: 1 });
    } else {
      const count = newer.count + 1;
      const tools = new Set(newer.tool.split(', ')).add(entry.tool);
      const text = `${figure(count)} successful calls since ${new Date(entry.at).toISOString().slice(11, 19)} UTC`;
      const detail = shortenToolList([...tools]);
      const tool = [...tools].join(', ');
      joined[joined.length - 1] = { ...newer, since: entry.at, count, text, detail, tool, call: null };
    }
  }
  return joined.map(({ tool: _tool, count: _count, ...entry }) => entry);
}

function shortenToolList(tools: readonly string[]): string {
  const firstTools = tools.slice(0, MAX_NAMED_TOOLS).join(', ');
  return tools.length > MAX_NAMED_TOOLS ? `${firstTools} and ${tools.length - MAX_NAMED_TOOLS} more` : firstTools;
}

function fromEvent({ type, createdAt, clientName, clientId, address, details }: TrailEvent): SourceEntry {
  const facts: string[] = [];
  if (clientId !== null) facts.push(`client ${clientNameText(clientName, clientId)}`);
  if (address !== null) facts.push(`from ${address}`);
  for (const [name, value] of Object.entries(details)) if (value !== null) facts.push(`${name}: ${toWords(value)}`);
  const entry = {
    at: createdAt,
    kind: eventKind(type),
    label: 'event',
    text: eventWords(type),
    detail: facts.join(' · ') || null,
    call: null,
  };
  return clientId === null ? entry : { ...entry, client: { clientId, clientName } };
}

function eventKind(type: string): TimelineEntry['kind'] {
  if (BAD_EVENTS.test(type)) return 'bad';
  return ENDING_EVENTS.test(type) ? 'warn' : 'quiet';
}

function fromEndedToken({ expiresAt, clientName, grantId }: FoundUserToken): SourceEntry {
  const holder = grantId === null ? 'minted for testing' : `of ${clientNameText(clientName, 'the partner')}`;
  return {
    at: expiresAt,
    kind: 'warn',
    label: 'token',
    text: `An access token expired (${holder})`,
    detail: 'From here on its client gets 401, until it refreshes.',
    call: null,
  };
}

function fromCall(call: TimelineSources['calls'][number]): SourceEntry {
  const status = call.upstreamStatus === null ? '' : `, upstream ${call.upstreamStatus}`;
  const code = call.upstreamCode === null ? '' : ` ${call.upstreamCode}`;
  const entry = {
    at: call.createdAt,
    label: 'call',
    detail: `${figure(call.durationMs)} ms${status}${code} · request ${call.requestId}`,
    call: call.id,
  };
  const category = callCategory(call.outcome);
  if (category === 'ok') return { ...entry, kind: 'good', text: `Called ${call.tool}`, tool: call.tool };
  return { ...entry, kind: category === 'failed' ? 'bad' : 'warn', text: `Called ${call.tool}: ${call.outcome}` };
}
