/** Tool calls of the partner's users: single calls, sums, and the OAuth clients that make them. */

import { z } from 'zod';
import { durationQuantile, type TimeSpan } from '../base/store/reports/call-statistics.ts';
import { listPartnerClients } from '../base/store/reports/client-list.ts';
import { listPartnerCalls } from '../base/store/reports/partner-calls.ts';
import {
  sumUsage,
  USAGE_DIMENSIONS,
  type UsageDimension,
  type UsageGroup,
} from '../base/store/reports/partner-usage.ts';
import type { CallPosition } from '../base/store/repositories/calls/call-order.ts';
import { invalid, operation, requireUser } from './operation.ts';
import {
  CALL_FILTERS,
  CURSOR_META,
  clientName,
  count,
  day,
  INVALID_CURSOR,
  limit,
  next,
  outcome,
  pageOf,
  textParameter,
  time,
  toPage,
} from './shapes.ts';

const DAY_MS = 86_400_000;
const DEFAULT_USAGE_DAYS = 30;
const MAX_USAGE_DAYS = 92;
/** Keys of lists of calls, which `toPlace` reads. */
export const CALL_KEY = /^\d{1,15} [0-9a-f-]{36}$/;
/** Longer than any sealed cursor. */
const MAX_SEALED_LENGTH = 500;
const CURSOR_TTL_MS = DAY_MS;
const USAGE_KEY = /^\[.*\]$/s;
/** As registered, or the URL of a metadata document. */
const CLIENT_ID = /^\P{Cc}{1,2048}$/u;

const DATE = /^\d{4}-\d\d-\d\d$/;
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

const call = z
  .object({
    id: z.string(),
    called_at: time,
    user_id: z.string().nullable().meta({ description: 'Null: the user was removed.' }),
    grant: z.string().nullable().meta({ description: '`id` of the grant. Null: the token came from none.' }),
    service: z.string(),
    tool: z.string().meta({ description: 'As it was called, which may be an old name.' }),
    outcome,
    upstream_status: count.nullable(),
    upstream_code: z.string().nullable().meta({
      description: "The service's own code of an error; for `invalid_arguments`, the names of the arguments.",
    }),
    duration_ms: count,
    request_bytes: count,
    response_bytes: count,
    request_id: z.string(),
  })
  .meta({ id: 'Call' });

const sum = z
  .object({
    day: day.optional().meta({ description: 'In UTC.' }),
    service: z.string().optional(),
    tool: z.string().optional(),
    outcome: outcome.optional(),
    calls: count,
    errors: count.meta({ description: 'Calls whose outcome is not `ok`: `failed` and `waiting` together.' }),
    failed: count.meta({ description: 'Calls that failed.' }),
    waiting: count.meta({
      description: 'Calls that were not sent, because the user has to allow the tool or approve the call first.',
    }),
    p50_ms: count.meta({ description: 'Half of the calls took no longer, as far as bands of durations say.' }),
    p95_ms: count,
  })
  .meta({ id: 'Usage' });

/** The members of a sum that name its group. */
interface UsageGroupMembers {
  readonly day?: number;
  readonly service?: string;
  readonly tool?: string;
  readonly outcome?: z.output<typeof outcome>;
}

const client = z
  .object({
    client_id: z.string(),
    client_name: clientName,
    redirect_uris: z.array(z.string()),
    grants: count.meta({ description: 'Those that live.' }),
    users: count.meta({ description: 'Users of the partner who made them.' }),
    allowed_at: time.meta({ description: 'When the youngest was made.' }),
  })
  .meta({ id: 'Client' });

export const ACTIVITY_OPERATIONS = [
  operation(
    {
      method: 'get',
      path: '/clients',
      id: 'listClients',
      summary: 'OAuth clients with grants of the users of the partner that live, by id.',
      query: pageOf(CLIENT_ID),
      answers: { 200: 'The clients.' },
      answer: z.object({ clients: z.array(client), next }),
    },
    async ({ partner, query: { cursor: after, limit } }, { db, now }) => {
      const options = { partnerId: partner.id, now: now(), limit: limit + 1, after };
      const page = toPage(await listPartnerClients(db, options), limit, ({ clientId }) => clientId);
      return { clients: page.rows, next: page.next };
    },
  ),
  operation(
    {
      method: 'get',
      path: '/calls',
      id: 'listCalls',
      summary:
        'Tool calls, the latest first. A page may have fewer members than its limit, or none, although `next` is there.',
      query: {
        user_id: textParameter('Only of this user.'),
        ...CALL_FILTERS,
        since: z
          .string()
          .optional()
          .meta({ description: 'Only calls from then on: an RFC 3339 time, or a day (UTC).' }),
        until: z.string().optional().meta({ description: 'Only calls before: an RFC 3339 time, or a day (UTC).' }),
        cursor: z.string().max(MAX_SEALED_LENGTH).optional().meta(CURSOR_META),
        limit,
      },
      answers: { 200: 'The calls.' },
      answer: z.object({ calls: z.array(call), next }),
      refusals: [404],
    },
    async ({ partner, query }, { db, cursors, now }) => {
      const { cursor, limit: most, user_id: externalUserId } = query;
      const holder = `calls of ${partner.id}`;
      const after = cursor === undefined ? undefined : cursors.open(cursor, { holder, now: now() });
      if (cursor !== undefined && after === undefined) throw invalid(INVALID_CURSOR);
      const span = readSpan(query, { since: 0, until: Number.MAX_SAFE_INTEGER }, 'time');
      const user = externalUserId === undefined ? null : await requireUser(db, partner, externalUserId);
      const filter = {
        partnerId: partner.id,
        userId: user?.id,
        service: query.service,
        tool: query.tool,
        outcome: query.outcome,
        span,
        after: after as CallPosition | undefined,
      };
      const page = await listPartnerCalls(db, filter, most);
      const calls = page.calls.map((row) => ({
        ...row,
        calledAt: row.createdAt,
        userId: row.externalUserId,
        grant: row.grantId,
        outcome: row.outcome as z.output<typeof outcome>,
      }));
      if (page.next === null) return { calls, next: null };
      // The last row that the page examined may be of another partner.
      const { createdAt, id } = page.next;
      return { calls, next: cursors.seal({ createdAt, id }, { holder, expiresAt: now() + CURSOR_TTL_MS }) };
    },
  ),
  operation(
    {
      method: 'get',
      path: '/usage',
      id: 'sumUsage',
      summary: 'Sums of tool calls, by day and by what else is asked for.',
      query: {
        by: z.string().default('day').meta({
          description:
            'What calls are grouped by: some of `day`, `service`, `tool` and `outcome`, separated by commas.',
        }),
        ...CALL_FILTERS,
        since: day
          .optional()
          .meta({ description: 'The first day (UTC). Default: 30 days before `until`; at most 92.' }),
        until: day.optional().meta({ description: 'The first day that is not counted. Default: tomorrow.' }),
        ...pageOf(USAGE_KEY),
      },
      answers: { 200: 'The sums, sorted by what they are grouped by.' },
      answer: z.object({ since: day, until: day, usage: z.array(sum), next }),
    },
    async ({ partner, query }, { db, now }) => {
      const { cursor, limit } = query;
      const span = readUsageSpan(query, now());
      const by = readDimensions(query.by);
      const filter = {
        partnerId: partner.id,
        service: query.service,
        tool: query.tool,
        outcome: query.outcome,
        span,
        by,
        after: cursor === undefined ? undefined : toGroup(cursor, by),
      };
      const sums = await sumUsage(db, filter, limit + 1);
      const page = toPage(sums, limit, ({ group }) => JSON.stringify(by.map((name) => group[name])));
      const usage = page.rows.map(({ group, ...tally }) => ({
        ...tally,
        ...(group as UsageGroupMembers),
        errors: tally.failed + tally.waiting,
        p50Ms: durationQuantile(tally, 0.5) ?? 0,
        p95Ms: durationQuantile(tally, 0.95) ?? 0,
      }));
      return { ...span, usage, next: page.next };
    },
  ),
];

interface TimeQuery {
  readonly since: string | undefined;
  readonly until: string | undefined;
}

/**
 * Reads `since` and `until`: days, or with `time` also times (RFC 3339). A day means its start (UTC).
 *
 * @param fallback for a time that is not given.
 */
function readSpan(query: TimeQuery, fallback: TimeSpan, precision: 'day' | 'time'): TimeSpan {
  const read = (name: 'since' | 'until'): number => {
    const text = query[name];
    if (text === undefined) return fallback[name];
    const value = DATE.test(text) || (precision === 'time' && DATE_TIME.test(text)) ? Date.parse(text) : Number.NaN;
    if (!Number.isNaN(value)) return value;
    const example = precision === 'day' ? 'a day' : 'a day or an RFC 3339 time';
    throw invalid(`${name} must be ${example}, such as 2026-01-31${precision === 'day' ? '' : 'T12:00:00Z'}.`);
  };
  const span = { since: read('since'), until: read('until') };
  if (span.since >= span.until) throw invalid('since must be before until.');
  return span;
}

function readUsageSpan(query: TimeQuery, now: number): TimeSpan {
  const tomorrow = now - (now % DAY_MS) + DAY_MS;
  const until = readSpan(query, { since: 0, until: tomorrow }, 'day').until;
  const span = readSpan(query, { since: until - DEFAULT_USAGE_DAYS * DAY_MS, until }, 'day');
  if (span.until - span.since > MAX_USAGE_DAYS * DAY_MS) {
    throw invalid(`since and until must not be more than ${MAX_USAGE_DAYS} days apart.`);
  }
  return span;
}

function readDimensions(text: string): readonly UsageDimension[] {
  const names = text.split(',');
  const dimensions = USAGE_DIMENSIONS.filter((name) => names.includes(name));
  if (dimensions.length === new Set(names).size) return dimensions;
  throw invalid(`by must list some of ${USAGE_DIMENSIONS.join(', ')}, separated by commas.`);
}

export function toPlace(key: string): CallPosition {
  const [createdAt, id = ''] = key.split(' ');
  return { createdAt: Number(createdAt), id };
}

function toGroup(key: string, by: readonly UsageDimension[]): UsageGroup {
  const values = parseList(key);
  const isGroup = by.every((name, index) => {
    const value = values[index];
    return name === 'day' ? Number.isSafeInteger(value) : typeof value === 'string' && !value.includes('\0');
  });
  if (!isGroup || values.length !== by.length) throw invalid('cursor must come from a page with the same `by`.');
  return Object.fromEntries(by.map((name, index) => [name, values[index]]));
}

function parseList(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
