/** What happened to one user, in one list: security events, tokens that ended, connect flows, and tool calls. */

import type { FoundAuditEvent } from '../store/repositories/audit-search.ts';
import type { FoundUserToken, listUserCalls } from '../store/repositories/user-search.ts';

/** One entry. */
export interface TimelineEntry {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly kind: 'good' | 'bad' | 'warn' | 'quiet';
  /** One word for the badge. */
  readonly label: string;
  readonly text: string;
  readonly detail: string | null;
}

/** What entries are made of. */
export interface TimelineSources {
  readonly events: readonly FoundAuditEvent[];
  readonly tokens: readonly FoundUserToken[];
  readonly calls: Awaited<ReturnType<typeof listUserCalls>>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

const BAD_EVENTS = /refused|replayed|needs_attention|denied|declined/;
const ENDING_EVENTS = /revoked|removed/;

/** The newest `limit` entries, the newest first. */
export function buildTimeline({ events, tokens, calls, now }: TimelineSources, limit: number): TimelineEntry[] {
  const entries = [
    ...events.map(fromEvent),
    ...tokens.filter(({ expiresAt, revokedAt }) => revokedAt === null && expiresAt <= now).map(fromEndedToken),
    ...calls.map(fromCall),
  ];
  return entries.sort((a, b) => b.at - a.at).slice(0, limit);
}

function fromEvent(event: FoundAuditEvent): TimelineEntry {
  const { type, createdAt, clientName, clientId, address } = event;
  const who = clientName ?? clientId;
  const parts = [
    who === null ? null : `client ${who}`,
    address === null ? null : `from ${address}`,
    ...Object.entries(event.details).map(([name, value]) => `${name}: ${toWords(value)}`),
  ];
  return {
    at: createdAt,
    kind: BAD_EVENTS.test(type) ? 'bad' : ENDING_EVENTS.test(type) ? 'warn' : 'quiet',
    label: 'event',
    text: eventWords(type),
    detail: parts.filter((part) => part !== null).join(' · ') || null,
  };
}

function fromEndedToken({ expiresAt, clientName, grantId }: FoundUserToken): TimelineEntry {
  const holder = grantId === null ? 'minted for testing' : `of ${clientName ?? 'the partner'}`;
  return {
    at: expiresAt,
    kind: 'warn',
    label: 'token',
    text: `An access token ran out (${holder})`,
    detail: 'From here on its client gets 401, until it refreshes.',
  };
}

function fromCall(call: TimelineSources['calls'][number]): TimelineEntry {
  const ok = call.outcome === 'ok';
  const status = call.upstreamStatus === null ? '' : `, upstream ${call.upstreamStatus}`;
  return {
    at: call.createdAt,
    kind: ok ? 'good' : 'bad',
    label: 'call',
    text: ok ? `Called ${call.tool}` : `Called ${call.tool}: ${call.outcome}`,
    detail: `${call.durationMs} ms${status} · request ${call.requestId}`,
  };
}

/** `connection_code_minted` as a person says it. */
export function eventWords(type: string): string {
  const words = type.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A value of an event's details. */
export function toWords(value: unknown): string {
  if (Array.isArray(value)) return value.map(toWords).join(', ');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}
