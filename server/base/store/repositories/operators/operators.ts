/** Named operators of the dashboard. Their secrets are stored by hash. */

import { newId } from '../../rows.ts';
import type { Executor } from '../../schema.ts';

/** What an operator may do: view everything, or also make changes. */
export const OPERATOR_ROLES = ['look', 'act'] as const;

export type OperatorRole = (typeof OPERATOR_ROLES)[number];

export interface Operator {
  readonly id: string;
  /** Unique. */
  readonly name: string;
  readonly role: OperatorRole;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

const COLUMNS = ['id', 'name', 'role', 'created_at as createdAt'] as const;

/** @throws the driver's unique violation if the name is taken (see `isUniqueViolation`). */
export async function insertOperator(
  executor: Executor,
  operator: { name: string; role: OperatorRole; secretHash: string; now: number },
): Promise<Operator> {
  const { name, role, secretHash, now } = operator;
  return executor
    .insertInto('operators')
    .values({ id: newId(now), name, role, secret_hash: secretHash, created_at: now })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

export async function findOperator(executor: Executor, name: string): Promise<Operator | undefined> {
  return executor.selectFrom('operators').select(COLUMNS).where('name', '=', name).executeTakeFirst();
}

/** The operator whose secret has this hash. */
export async function findOperatorBySecret(executor: Executor, secretHash: string): Promise<Operator | undefined> {
  return executor.selectFrom('operators').select(COLUMNS).where('secret_hash', '=', secretHash).executeTakeFirst();
}

/** The first `limit`, by name. */
export async function listOperators(executor: Executor, limit: number): Promise<Operator[]> {
  return executor.selectFrom('operators').select(COLUMNS).orderBy('name').limit(limit).execute();
}

/** Replaces the given members. @returns false if there is no such operator. */
export async function updateOperator(
  executor: Executor,
  id: string,
  changes: { role: OperatorRole } | { secretHash: string },
): Promise<boolean> {
  const set = 'role' in changes ? { role: changes.role } : { secret_hash: changes.secretHash };
  const { numUpdatedRows } = await executor.updateTable('operators').set(set).where('id', '=', id).executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Removes an operator with its sessions. @returns false if there is no such operator. */
export async function deleteOperator(executor: Executor, id: string): Promise<boolean> {
  const { numDeletedRows } = await executor.deleteFrom('operators').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}
