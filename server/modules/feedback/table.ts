/** Feedback of agents: what they could not do. */

import { fromCursor, type PageCursor } from '../../base/store/list-page.ts';
import { newId } from '../../base/store/rows.ts';
import type { Database, Executor } from '../../base/store/schema.ts';
import { defineTables, type RowsOf } from '../../base/store/tables/table-set.ts';

export const FEEDBACK_TABLES = defineTables('feedback', {
  /** Texts of agents. They are data of their users, and go with them. */
  feedback: {
    columns: {
      id: 'text primary key',
      partner_id: 'text not null references partners (id) on delete cascade',
      user_id: 'text not null references users (id) on delete cascade',
      /** `client_id` of the OAuth client. Null if the token was minted outside OAuth. */
      client_id: 'text',
      /** Name that the agent gave. No tool may have it. Null if it gave none. */
      tool: 'text',
      tried: 'text not null',
      missing: 'text not null',
      created_at: 'bigint not null',
      /** Time at which an operator marked it as read. Null if none has. */
      read_at: 'bigint',
    },
    indexes: {
      feedback_by_time: '(created_at)',
      feedback_by_tool: '(tool, id)',
      feedback_of_partner: '(partner_id, id)',
      feedback_of_user: '(user_id)',
    },
  },
});

declare module '../../base/store/schema.ts' {
  interface Database extends RowsOf<typeof FEEDBACK_TABLES> {}
}

export type Feedback = Database['feedback'];

export type NewFeedback = Omit<Feedback, 'id' | 'read_at'>;

/** Adds feedback, which no one has read. @returns its id. */
export async function insertFeedback(executor: Executor, feedback: NewFeedback): Promise<string> {
  const id = newId(feedback.created_at);
  await executor
    .insertInto('feedback')
    .values({ ...feedback, id, read_at: null })
    .execute();
  return id;
}

/** Feedback with the names of its sender. */
export type ListedFeedback = Awaited<ReturnType<typeof listFeedback>>[number];

interface FeedbackFilter extends PageCursor {
  readonly partnerId?: string;
  /** Empty for feedback without a tool. Null or undefined for all. */
  readonly tool?: string | null;
}

/** Lists feedback from a place on; see `fromCursor`. */
export function listFeedback(executor: Executor, { partnerId, tool = null, ...cursor }: FeedbackFilter, limit: number) {
  let query = executor
    .selectFrom('feedback as f')
    .innerJoin('users as u', 'u.id', 'f.user_id')
    .innerJoin('partners as p', 'p.id', 'f.partner_id')
    .leftJoin('oauth_clients as c', 'c.client_id', 'f.client_id')
    .selectAll('f')
    .select(['u.external_user_id', 'c.client_name', 'p.test_of']);
  if (partnerId !== undefined) query = query.where('f.partner_id', '=', partnerId);
  if (tool === '') query = query.where('f.tool', 'is', null);
  else if (tool !== null) query = query.where('f.tool', '=', tool);
  return fromCursor(query, 'f.id', cursor).limit(limit).execute();
}

/** Feedback about one tool. */
export interface FeedbackCount {
  /** Null for feedback without a tool. */
  readonly tool: string | null;
  readonly count: number;
  readonly unread: number;
  /** Milliseconds since 1970. */
  readonly last: number;
}

/** Counts feedback by tool: those with the most that no one has read first. */
export async function countFeedback(executor: Executor, limit: number): Promise<FeedbackCount[]> {
  const rows = await executor
    .selectFrom('feedback')
    .select(({ fn, eb }) => [
      'tool',
      fn.countAll().as('count'),
      fn.sum(eb.case().when('read_at', 'is', null).then(1).else(0).end()).as('unread'),
      fn.max('created_at').as('last'),
    ])
    .groupBy('tool')
    .orderBy('unread', 'desc')
    .orderBy('count', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ tool, count, unread, last }) => ({
    tool,
    count: Number(count),
    unread: Number(unread),
    last: Number(last),
  }));
}
