/** Searches calls for operators: newest first, paged in both directions, with a bounded number of records examined. */

import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Realm } from '../../realm.ts';
import { locksRows } from '../conflicts.ts';
import { isInRealm } from '../in-realm.ts';
import { type ListPage, type PageCursor, readListPage } from '../list-page.ts';
import { type CallRecord, spanOfRequest } from '../repositories/call-records.ts';
import { callOrder, isOfUser } from '../repositories/calls/call-order.ts';
import { columns } from '../rows.ts';
import type { Executor } from '../schema.ts';
import { isGroupOfOutcomes, isInCategory } from './call-category.ts';

/** True where call records can be found by everything that pages search by. On SQLite it is by time and by user. */
export const hasEveryIndex: (executor: Executor) => boolean = locksRows;

/** One call, with the names of the rows it refers to, if they still exist. */
export interface FoundCall extends Required<CallRecord> {
  readonly id: string;
  readonly partnerName: string | null;
  /** Row id of the live partner, if the call is one of test mode. Null for a live call. */
  readonly testOf: string | null;
  /** The partner's own name for the user. Null if the user was removed. */
  readonly externalUserId: string | null;
  /** The client of the call's grant. Null if there was no grant, or it was removed. */
  readonly clientId: string | null;
  /** The name that the client gives itself. It is not verified. */
  readonly clientName: string | null;
}

/** The search criteria; a call must match all that are given. */
export interface CallSearch {
  readonly requestId?: string;
  /** Row id. */
  readonly userId?: string;
  /** Row id. */
  readonly partnerId?: string;
  readonly service?: string;
  readonly tool?: string;
  /** One outcome, or the category `waiting` or `failed`. */
  readonly outcome?: string;
  /** Only of this realm. Default: of both. */
  readonly realm?: Realm;
  /** `client_id` of the OAuth client that called. */
  readonly clientId?: string;
  /** Milliseconds since 1970, inclusive. */
  readonly since?: number;
  /** Milliseconds since 1970, exclusive. */
  readonly until?: number;
}

/** Records that one page examines at most. */
const MAX_EXAMINED = 5000;

type Condition = RawBuilder<SqlBool>;

/** @param apart write it so that databases use no index for it, because another index bounds the search. */
type Narrowing = (avoidsIndex: boolean) => Condition;

/**
 * Reads one page of the matching calls.
 *
 * A page examines at most `maxExamined` of the calls that one index finds, so that a search with few matches never
 * scans everything. So a page may have fewer than `limit` calls, or none, although the list continues.
 */
export function searchCalls(
  executor: Executor,
  { place, limit, ...search }: CallSearch & { place: PageCursor; limit: number },
  maxExamined = MAX_EXAMINED,
): Promise<ListPage<FoundCall>> {
  const isIndexed = hasEveryIndex(executor);
  const { userId, ...unindexed } = search;
  const [first, ...rest] = indexedOf(search);
  const ofUser = userId === undefined ? [] : [isOfUser(executor, userId)];
  const base = isIndexed ? [first].filter((each) => each !== undefined).map((each) => each(false)) : ofUser;
  const remaining = isIndexed ? rest : indexedOf(unindexed);
  const otherConditions = [...[...remaining, ...outcomeOf(search)].map((each) => each(true)), ...unindexedOf(search)];
  const order = callOrder(executor);
  const spans = [search, isIndexed ? {} : spanOfRequest(search.requestId)].flatMap((span) => spanOf(executor, span));
  const candidates = (from: PageCursor) => {
    const conditions = [...base, ...spans, ...cursorConditions(executor, from)];
    const query = calls(executor).orderBy(order.by(from.after === undefined ? 'desc' : 'asc'));
    return conditions.length === 0 ? query : query.where(sql<SqlBool>`${sql.join(conditions, sql` and `)}`);
  };
  return readListPage({
    place,
    limit,
    keyOf: ({ createdAt, id }) => `${createdAt}.${id}`,
    async read(from, rows) {
      if (otherConditions.length === 0) return withNames(candidates(from)).limit(rows).execute();
      const end = await candidates(from)
        .select(columns('r.created_at', 'r.id'))
        .offset(maxExamined - 1)
        .limit(1)
        .executeTakeFirst();
      let query = candidates(from).where(sql<SqlBool>`${sql.join(otherConditions, sql` and `)}`);
      if (end !== undefined) query = query.where(order.is(from.after === undefined ? '>=' : '<=', end));
      const pageCalls = await withNames(query).limit(rows).execute();
      return { rows: pageCalls, end: end === undefined ? null : `${end.createdAt}.${end.id}` };
    },
  });
}

/** One call by its row id. */
export function findCall(executor: Executor, id: string): Promise<FoundCall | undefined> {
  return withNames(executor.selectFrom('call_records as r').where('r.id', '=', id)).executeTakeFirst();
}

/** Counts the calls of a request, up to `limit`. On SQLite, examines `MAX_EXAMINED` at most, from when the request began. */
export async function countCallsOfRequest(executor: Executor, requestId: string, limit: number): Promise<number> {
  let examined = calls(executor).select(['r.id', 'r.request_id']);
  if (!hasEveryIndex(executor)) {
    const span = spanOf(executor, spanOfRequest(requestId));
    examined = examined.orderBy(callOrder(executor).by(span.length === 0 ? 'desc' : 'asc')).limit(MAX_EXAMINED);
    for (const condition of span) examined = examined.where(condition);
  }
  const matchingCalls = executor
    .selectFrom(examined.as('x'))
    .select('id')
    .where('request_id', '=', requestId)
    .limit(limit);
  return (await matchingCalls.execute()).length;
}

/** Returns true if a text is a position in this list. */
export function isCallKey(text: string): boolean {
  return /^\d{1,15}\.[0-9a-f-]{1,36}$/.test(text);
}

/** The conditions that have an index on PostgreSQL, most selective first. */
function indexedOf({ requestId, userId, partnerId, service, tool, outcome }: CallSearch): Narrowing[] {
  // The exact condition of the index of failed calls, so that SQLite uses that index.
  const isFailure: Narrowing = (avoidsIndex) => sql<SqlBool>`${toColumn('r.outcome', avoidsIndex)} <> 'ok'`;
  const failures = outcome === undefined || outcome === 'ok' ? [] : [isFailure];
  return [
    ...equal('r.request_id', requestId),
    ...equal('r.user_id', userId),
    ...failures,
    ...equal('r.tool', tool),
    ...equal('r.service', service),
    ...equal('r.partner_id', partnerId),
  ];
}

/** Returns the conditions of a search, for calls that are few already. */
export function conditionsOf(executor: Executor, search: CallSearch): Condition[] {
  const ofColumns = [...indexedOf(search), ...outcomeOf(search)].map((each) => each(true));
  return [...ofColumns, ...unindexedOf(search), ...spanOf(executor, search)];
}

function outcomeOf({ outcome }: CallSearch): Narrowing[] {
  if (!isGroupOfOutcomes(outcome)) return equal('r.outcome', outcome);
  return [(avoidsIndex) => isInCategory(outcome, toColumn('r.outcome', avoidsIndex))];
}

/** The conditions that no index finds. */
function unindexedOf({ realm, clientId }: CallSearch): Condition[] {
  const conditions: Condition[] = [];
  if (realm !== undefined) conditions.push(isInRealm(realm, 'r.partner_id'));
  if (clientId !== undefined) conditions.push(isOfClient(clientId));
  return conditions;
}

/** The call was made under a grant of the client. */
function isOfClient(clientId: string): Condition {
  return sql`coalesce(r.grant_id, '') in (select id from oauth_grants where client_id = ${clientId})`;
}

function equal(column: string, value: string | undefined): Narrowing[] {
  return value === undefined ? [] : [(avoidsIndex) => sql<SqlBool>`${toColumn(column, avoidsIndex)} = ${value}`];
}

function toColumn(column: string, avoidsIndex: boolean): RawBuilder<unknown> {
  return avoidsIndex ? sql`coalesce(${sql.ref(column)}, '')` : sql.ref(column);
}

function spanOf(executor: Executor, { since, until }: CallSearch): Condition[] {
  const conditions: Condition[] = [];
  if (since !== undefined) conditions.push(callOrder(executor).since(since));
  if (until !== undefined) conditions.push(callOrder(executor).until(until));
  return conditions;
}

function cursorConditions(executor: Executor, { before, after }: PageCursor): Condition[] {
  const key = before ?? after;
  if (key === undefined) return [];
  const [createdAt, id = ''] = key.split('.');
  return [callOrder(executor).is(after === undefined ? '<' : '>', { createdAt: Number(createdAt), id })];
}

function calls(executor: Executor) {
  return executor.selectFrom('call_records as r');
}

/** Adds the names of the rows that calls refer to. */
export function withNames(query: ReturnType<typeof calls>) {
  return query
    .leftJoin('partners as p', 'p.id', 'r.partner_id')
    .leftJoin('users as u', 'u.id', 'r.user_id')
    .leftJoin('oauth_grants as g', 'g.id', 'r.grant_id')
    .leftJoin('oauth_clients as c', 'c.client_id', 'g.client_id')
    .select([...columns('r.id', 'r.created_at', 'r.partner_id', 'p.test_of'), 'p.name as partnerName'])
    .select(
      columns(
        'r.user_id',
        'u.external_user_id',
        'r.token_id',
        'r.grant_id',
        'g.client_id',
        'c.client_name',
        'r.service',
        'r.tool',
        'r.outcome',
        'r.upstream_status',
        'r.definition',
        'r.connection_id',
        'r.approved_by',
        'r.upstream_code',
        'r.duration_ms',
        'r.request_id',
        'r.request_bytes',
        'r.response_bytes',
      ),
    );
}
