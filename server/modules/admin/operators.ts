/** Changes operators and their sessions, with audit events; used by the command line and the dashboard. */

import { OPERATOR_ROLES, type OperatorRole } from '../../base/dashboard/pages.ts';
import { createSecret, hashSecret } from '../../base/principal/secrets.ts';
import type { Executor } from '../../base/store/schema.ts';
import { ADMIN_EVENTS } from './events.ts';
import {
  deleteOperator,
  endOperatorSessions,
  insertOperator,
  type Operator,
  updateOperator,
} from './stored-operators.ts';

/** Time, origin and operator of a change. On the command line there is no request, so address and request id are missing. */
interface OperatorEvent {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly address?: string | null;
  readonly requestId?: string | null;
  readonly operator?: string;
}

/** The operator who signs in with ADMIN_SECRET. */
export const BOOTSTRAP_OPERATOR = 'admin';

/** A value that cannot be used; the problem follows the setting's name. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  readonly setting: 'name' | 'role';
  readonly problem: string;

  constructor(setting: OperatorError['setting'], problem: string) {
    super(`${setting} ${problem}`);
    this.setting = setting;
    this.problem = problem;
  }
}

/** Reads a name such as `ada.lovelace`. E-mail addresses are reserved for the OpenID provider. @throws {OperatorError} */
export function parseOperatorName(text: string): string {
  if (text === BOOTSTRAP_OPERATOR) throw new OperatorError('name', 'is reserved for the operator who has ADMIN_SECRET');
  if (/^[a-z0-9][a-z0-9._-]{0,63}$/.test(text)) return text;
  throw new OperatorError('name', 'must have 1 to 64 characters of a-z, 0-9 and ._-, and begin with a letter or digit');
}

/** Reads a role. @throws {OperatorError} */
export function parseOperatorRole(text: string): OperatorRole {
  const role = OPERATOR_ROLES.find((known) => known === text);
  if (role !== undefined) return role;
  throw new OperatorError('role', `must be ${OPERATOR_ROLES.join(' or ')}`);
}

/**
 * Adds an operator with a secret, which is only returned here. Needs a transaction.
 *
 * @throws the driver's unique violation when the name is taken (see `isUniqueViolation`).
 */
export async function addOperator(
  transaction: Executor,
  { name, role }: { name: string; role: OperatorRole },
  event: OperatorEvent,
): Promise<string> {
  const secret = createSecret('operatorSecret');
  await insertOperator(transaction, { name, role, secretHash: hashSecret(transaction, secret), now: event.now });
  await ADMIN_EVENTS.emit(transaction, { type: 'operator_added', details: { name, role }, ...event });
  return secret;
}

/** Changes the role, also for open sessions. Needs a transaction. */
export async function changeRole(
  transaction: Executor,
  { id, name }: Operator,
  role: OperatorRole,
  event: OperatorEvent,
): Promise<void> {
  if (!(await updateOperator(transaction, id, { role }))) return;
  await ADMIN_EVENTS.emit(transaction, { type: 'operator_changed', details: { name, role }, ...event });
}

/** Replaces the secret, and ends the sessions that began with the old one. Needs a transaction. */
export async function replaceSecret(
  transaction: Executor,
  { id, name }: Operator,
  event: OperatorEvent,
): Promise<string> {
  const secret = createSecret('operatorSecret');
  await updateOperator(transaction, id, { secretHash: hashSecret(transaction, secret) });
  await ADMIN_EVENTS.emit(transaction, { type: 'operator_changed', details: { name, secret: 'replaced' }, ...event });
  await endSessions(transaction, { name }, event);
  return secret;
}

/** Removes an operator, and ends the operator's sessions. Needs a transaction. */
export async function removeOperator(
  transaction: Executor,
  { id, name }: Operator,
  event: OperatorEvent,
): Promise<void> {
  await endSessions(transaction, { name }, event);
  if (!(await deleteOperator(transaction, id))) return;
  await ADMIN_EVENTS.emit(transaction, { type: 'operator_removed', details: { name }, ...event });
}

/** Ends sessions. Needs a transaction. @returns how many it ended. */
export async function endSessions(
  transaction: Executor,
  which: Parameters<typeof endOperatorSessions>[1],
  event: OperatorEvent,
): Promise<number> {
  const ended = await endOperatorSessions(transaction, which);
  for (const { id, name } of ended) {
    const details = { name, sessionId: id };
    await ADMIN_EVENTS.emit(transaction, { type: 'operator_session_ended', details, ...event });
  }
  return ended.length;
}
