/** Routes of the partner API for tool calls: single calls, and totals. */

import type Router from '@koa/router';
import type { Context } from 'koa';
import { noStore } from '../base/http/no-store.ts';
import type { RequestState } from '../base/http/state.ts';
import { durationQuantile } from '../base/store/reports/call-statistics.ts';
import { type CallPlace, listPartnerCalls, type PartnerCall } from '../base/store/reports/partner-calls.ts';
import {
  sumUsage,
  USAGE_DIMENSIONS,
  type UsageDimension,
  type UsageGroup,
} from '../base/store/reports/partner-usage.ts';
import type { Partner } from '../base/store/repositories/partners.ts';
import type { Executor } from '../base/store/schema.ts';
import { OUTCOMES } from '../call/tools/results/outcomes.ts';
import { invalid, toTime } from './grants.ts';
import { readPage, toCursor, toPage } from './page.ts';
import { readSpan, toDay } from './times.ts';
import { requireUser } from './users.ts';

interface ActivityDependencies {
  readonly db: Executor;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const DAY_MS = 86_400_000;
const DEFAULT_USAGE_DAYS = 30;
const MAX_USAGE_DAYS = 92;
const CALL_KEY = /^\d{1,15} [0-9a-f-]{36}$/;
const USAGE_KEY = /^\[.*\]$/s;

/** @param partnerOf finds the partner that sends a request; throws when there is none. */
export function addActivityRoutes(
  router: Router<RequestState>,
  { db, now }: ActivityDependencies,
  partnerOf: (ctx: Context) => Promise<Partner>,
): void {
  router.get('/api/partner/calls', noStore, async (ctx) => {
    const { id: partnerId } = await partnerOf(ctx);
    const query = new URLSearchParams(ctx.querystring);
    const { limit, after } = readPage(query, CALL_KEY);
    const span = readSpan(query, { since: 0, until: Number.MAX_SAFE_INTEGER }, 'time');
    const externalUserId = readText(query, 'user_id');
    const user = externalUserId === null ? null : await requireUser(db, { partnerId, externalUserId });
    const filter = {
      partnerId,
      ...(user === null ? {} : { userId: user.id }),
      ...readFilter(query),
      span,
      ...(after === undefined ? {} : { after: toPlace(after) }),
    };
    const { calls, next } = await listPartnerCalls(db, filter, limit);
    ctx.body = { calls: calls.map(toCallView), next: next && toCursor(`${next.createdAt} ${next.id}`) };
  });

  router.get('/api/partner/usage', noStore, async (ctx) => {
    const { id: partnerId } = await partnerOf(ctx);
    const query = new URLSearchParams(ctx.querystring);
    const span = readUsageSpan(query, now());
    const by = readDimensions(query.get('by') ?? 'day');
    const { limit, after } = readPage(query, USAGE_KEY);
    const filter = {
      partnerId,
      ...readFilter(query),
      span,
      by,
      ...(after === undefined ? {} : { after: toGroup(after, by) }),
    };
    const found = await sumUsage(db, filter, limit + 1);
    const { shown, next } = toPage(found, limit, ({ group }) => JSON.stringify(by.map((name) => group[name])));
    ctx.body = {
      since: toDay(span.since),
      until: toDay(span.until),
      usage: shown.map(({ group, ...tally }) => ({
        ...group,
        ...(typeof group.day === 'number' ? { day: toDay(group.day) } : {}),
        calls: tally.calls,
        errors: tally.errors,
        p50_ms: durationQuantile(tally, 0.5),
        p95_ms: durationQuantile(tally, 0.95),
      })),
      next,
    };
  });
}

function readFilter(query: URLSearchParams): { service?: string; tool?: string; outcome?: string } {
  const outcome = query.get('outcome');
  if (outcome !== null && !OUTCOMES.some((known) => known === outcome)) {
    throw invalid(`outcome must be one of ${OUTCOMES.join(', ')}.`);
  }
  const given = ['service', 'tool', 'outcome'].flatMap((name) => {
    const value = readText(query, name);
    return value === null ? [] : [[name, value]];
  });
  return Object.fromEntries(given);
}

function readText(query: URLSearchParams, name: string): string | null {
  return query.get(name)?.replaceAll('\0', '') ?? null;
}

function readUsageSpan(query: URLSearchParams, now: number): { since: number; until: number } {
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
  const known = USAGE_DIMENSIONS.filter((name) => names.includes(name));
  if (known.length === new Set(names).size) return known;
  throw invalid(`by must list some of ${USAGE_DIMENSIONS.join(', ')}, separated by commas.`);
}

function toPlace(key: string): CallPlace {
  const [createdAt, id = ''] = key.split(' ');
  return { createdAt: Number(createdAt), id };
}

function toGroup(key: string, by: readonly UsageDimension[]): UsageGroup {
  const values = parseList(key);
  const isGroup = by.every((name, index) =>
    name === 'day' ? Number.isSafeInteger(values[index]) : isText(values[index]),
  );
  if (!isGroup || values.length !== by.length) throw invalid('cursor must come from a page with the same `by`.');
  return Object.fromEntries(by.map((name, index) => [name, values[index]]));
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && !value.includes('\0');
}

function parseList(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function toCallView(call: PartnerCall): object {
  return {
    id: call.id,
    called_at: toTime(call.createdAt),
    user_id: call.externalUserId,
    grant: call.grantId,
    service: call.service,
    tool: call.tool,
    outcome: call.outcome,
    upstream_status: call.upstreamStatus,
    upstream_code: call.upstreamCode,
    duration_ms: call.durationMs,
    request_bytes: call.requestBytes,
    response_bytes: call.responseBytes,
    request_id: call.requestId,
  };
}
