/** What happened to one user, in one list: security events, tokens that expired or were revoked, connect flows, and tool calls. */

import type { FoundAuditEvent } from '../../../base/store/reports/audit-search.ts';
import type { FoundUserToken, listUserCalls } from '../../../base/store/reports/user-search.ts';
import { figure } from '../view/parts.ts';

/** One entry. */
export interface TimelineEntry {
  /** Milliseconds since 1970; of several calls, the last one. */
  readonly at: number;
  /** Of several calls, the first one. */
  readonly since: number;
  readonly kind: 'good' | 'bad' | 'warn' | 'quiet';
  /** One word for the badge. */
  readonly label: string;
  readonly text: string;
  readonly detail: string | null;
  /** Row id of the call that it is about, or null. */
  readonly call: string | null;
}

/** What entries are built from. */
interface TimelineSources {
  readonly events: readonly FoundAuditEvent[];
  readonly tokens: readonly FoundUserToken[];
  readonly calls: Awaited<ReturnType<typeof listUserCalls>>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** `tool` names the tool of a successful call. */
type SourceEntry = Omit<TimelineEntry, 'since'> & { readonly tool?: string };

const MAX_NAMED_TOOLS = 5;
const BAD_EVENTS = /refused|replayed|needs_attention|denied|declined/;
const ENDING_EVENTS = /revoked|removed/;

/** The entries, the newest first. Successive successful calls are one entry. */
export function buildTimeline({ events, tokens, calls, now }: TimelineSources): TimelineEntry[] {
  const entries: SourceEntry[] = [
    ...events.map(fromEvent),
    ...tokens.filter(({ expiresAt, revokedAt }) => revokedAt === null && expiresAt <= now).map(fromEndedToken),
    ...calls.map(fromCall),
  ];
  return joinRuns(entries.sort((a, b) => b.at - a.at));
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
      const [detail, tool] = [shorten([...tools]), [...tools].join(', ')];
      joined[joined.length - 1] = { ...newer, since: entry.at, count, text, detail, tool, call: null };
    }
  }
  return joined.map(({ tool: _tool, count: _count, ...entry }) => entry);
}

function shorten(tools: readonly string[]): string {
  const shown = tools.slice(0, MAX_NAMED_TOOLS).join(', ');
  return tools.length > MAX_NAMED_TOOLS ? `${shown} and ${tools.length - MAX_NAMED_TOOLS} more` : shown;
}

function fromEvent(event: FoundAuditEvent): SourceEntry {
  const { type, createdAt, clientName, clientId, address } = event;
  const who = clientName ?? clientId;
  const parts = [
    who === null ? null : `client ${who}`,
    address === null ? null : `from ${address}`,
    ...Object.entries(event.details)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => `${name}: ${toWords(value)}`),
  ];
  return {
    at: createdAt,
    kind: BAD_EVENTS.test(type) ? 'bad' : ENDING_EVENTS.test(type) ? 'warn' : 'quiet',
    label: 'event',
    text: eventWords(type),
    detail: parts.filter((part) => part !== null).join(' · ') || null,
    call: null,
  };
}

function fromEndedToken({ expiresAt, clientName, grantId }: FoundUserToken): SourceEntry {
  const holder = grantId === null ? 'minted for testing' : `of ${clientName ?? 'the partner'}`;
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
  const ok = call.outcome === 'ok';
  const status = call.upstreamStatus === null ? '' : `, upstream ${call.upstreamStatus}`;
  const code = call.upstreamCode === null ? '' : ` ${call.upstreamCode}`;
  return {
    at: call.createdAt,
    kind: ok ? 'good' : 'bad',
    label: 'call',
    text: ok ? `Called ${call.tool}` : `Called ${call.tool}: ${call.outcome}`,
    detail: `${figure(call.durationMs)} ms${status}${code} · request ${call.requestId}`,
    call: call.id,
    ...(ok ? { tool: call.tool } : {}),
  };
}

/** An event type such as `connection_code_minted`, in plain words. */
export function eventWords(type: string): string {
  const words = type.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A value of an event's details, as text. */
export function toWords(value: unknown): string {
  if (Array.isArray(value)) return value.map(toWords).join(', ');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}
