/** The table of tasks, and its statements, which decide between nodes that work on the same task. */

import { type Kysely, type RawBuilder, sql } from 'kysely';

import { withdrawApproval } from '../../base/store/repositories/calls/approvals.ts';
import { lockUser } from '../../base/store/repositories/users.ts';
import { columnsOf, countRows, hasRow, type Row } from '../../base/store/rows.ts';
import type { Database, Executor } from '../../base/store/schema.ts';
import { column, defineTables, type RowsOf } from '../../base/store/tables/table-set.ts';

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

export const TASKS_TABLES = defineTables('tasks', {
  /** A call that continues after its answer. */
  tasks: {
    columns: {
      /** Hash of the task id. */
      id: 'text primary key',
      user_id: 'text not null references users (id) on delete cascade',
      status: column<TaskStatus>('text not null'),
      /** Number of changes, without those that only hold the task for longer. A request changes only the version that it read. */
      version: 'integer not null',
      /** `TaskState`, sealed for the user and the grant. */
      state: 'text not null',
      /** The result, sealed also for the access that the caller had when it arrived. Null if there is no result yet. */
      result: 'text',
      /** The approval that the call waits for. */
      approval_id: 'text',
      /**
       * The run that took the call up last. Null if no run is needed: the call waits for input or an approval, or is over. If there is a
       * run and `held_until` has passed, that run left the call or died, and the next request of the client takes the call up.
       */
      holder: 'text',
      /** Time until which other nodes leave the task to that run, in milliseconds since 1970. 0 if nothing holds it. */
      held_until: 'bigint not null',
      /** 1 if the client cancelled the task. */
      stops: 'integer not null',
      created_at: 'bigint not null',
      /** Time of the last change of the status or of the client's answers. */
      updated_at: 'bigint not null',
      expires_at: 'bigint not null',
    },
    indexes: {
      tasks_by_user: '(user_id, expires_at)',
      tasks_by_expiry: '(expires_at)',
    },
  },
});

declare module '../../base/store/schema.ts' {
  interface Database extends RowsOf<typeof TASKS_TABLES> {}
}

const TASK = columnsOf(TASKS_TABLES.tables.tasks);

export type Task = Row<'tasks', typeof TASK>;

/** A new task, which has no result yet. */
type NewTask = Omit<Database['tasks'], 'version' | 'result' | 'stops' | 'updated_at'>;

/** Adds a task. Returns false if the user already has `maxTasks` tasks. */
export async function insertTask(db: Kysely<Database>, task: NewTask, maxTasks: number): Promise<boolean> {
  const row = { ...task, version: 1, result: null, stops: 0, updated_at: task.created_at };
  return db.transaction().execute(async (transaction) => {
    await lockUser(transaction, task.user_id);
    const tasks = transaction.selectFrom('tasks').where('user_id', '=', task.user_id);
    if ((await countRows(tasks.where('expires_at', '>', task.created_at))) >= maxTasks) return false;
    await transaction.insertInto('tasks').values(row).execute();
    return true;
  });
}

/** @param now milliseconds since 1970. */
export async function findTask(
  executor: Executor,
  { id, userId, now }: { readonly id: string; readonly userId: string; readonly now: number },
): Promise<Task | undefined> {
  return executor
    .selectFrom('tasks')
    .select(TASK)
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** New values of columns. The statements count `version` themselves. */
export type TaskChange = Partial<Omit<Database['tasks'], 'id' | 'user_id' | 'version' | 'created_at'>>;

/** The holder of a task whose call needs no run. */
export const NO_RUN = { holder: null, held_until: 0 } as const;

/** The change by which a run leaves a call that must continue. `holder` stays, and the next request of the client continues the call. */
export const LEFT_BY_RUN = { held_until: 0 } as const;

/**
 * Changes a task, unless a run holds it or it was changed since it was read.
 *
 * @returns true if it was changed.
 */
export async function changeTask(executor: Executor, task: Task, change: TaskChange, now: number): Promise<boolean> {
  return hasRow(
    executor
      .updateTable('tasks')
      .set({ ...change, version: task.version + 1 })
      .where('id', '=', task.id)
      .where('version', '=', task.version)
      .where(({ or, eb }) => or([eb('holder', 'is', null), eb('held_until', '<=', now)]))
      .returning('id'),
  );
}

interface HeldTask {
  readonly id: string;
  readonly holder: string;
}

/**
 * Changes a task that a run holds.
 *
 * @returns true if the client cancelled it, or null if the run no longer holds it.
 */
export function changeHeldTask(executor: Executor, held: HeldTask, change: TaskChange): Promise<boolean | null> {
  return updateHeldTask(executor, held, { ...change, version: sql<number>`version + 1` });
}

/** Holds a task for longer. @param heldUntil milliseconds since 1970. @returns the same as `changeHeldTask`. */
export function extendHold(executor: Executor, held: HeldTask, heldUntil: number): Promise<boolean | null> {
  return updateHeldTask(executor, held, { held_until: heldUntil });
}

async function updateHeldTask(
  executor: Executor,
  { id, holder }: HeldTask,
  values: TaskChange & { readonly version?: RawBuilder<number> },
): Promise<boolean | null> {
  const row = await executor
    .updateTable('tasks')
    .set(values)
    .where('id', '=', id)
    .where('holder', '=', holder)
    .returning('stops')
    .executeTakeFirst();
  return row === undefined ? null : row.stops === 1;
}

/** Withdraws the request for an approval that a cancelled task waited for, unless another task waits for it: that of the same call. */
export async function withdrawFor(
  executor: Executor,
  { id, approvalId }: { readonly id: string; readonly approvalId: string },
): Promise<void> {
  const others = executor.selectFrom('tasks').where('approval_id', '=', approvalId).where('id', '!=', id);
  if ((await countRows(others.where('status', 'in', ['working', 'input_required']))) > 0) return;
  await withdrawApproval(executor, approvalId);
}

/** Notes that the client cancelled a task. */
export async function askToStop(executor: Executor, id: string): Promise<void> {
  await executor.updateTable('tasks').set({ stops: 1 }).where('id', '=', id).execute();
}
