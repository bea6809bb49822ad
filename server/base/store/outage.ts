/** Recognises an outage of the database by the errors of its drivers. */

/** System errors on the way to PostgreSQL. */
const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/**
 * SQLSTATE: no connection (08), login refused (28), a right withdrawn (42501), no resources (53), shutting down or still starting
 * (57P01 to 57P03), statement timeout (57014), idle transaction timeout (25P03), repeated conflicts of a transaction (40001, 40P01), and a server that became a
 * standby (25006).
 */
const SQLSTATE = /^(08...|28...|42501|53...|57P0[123]|57014|25P03|25006|40001|40P01)$/;

/** SQLSTATE of a write where only reads are allowed: the server became a standby, or its session did. */
export const READ_ONLY = '25006';

/** Another process holds the write lock for too long, or the disk fails. */
const SQLITE = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY)/;

/** Errors of `pg` and `pg-pool` that have no code. */
const MESSAGE =
  /^(Connection terminated|timeout e|Query read timeout|Client (has encountered a connection error|was closed)|Cannot use a pool after)/;

/** Errors of connections that could not be made. */
const REFUSALS = new WeakSet<Error>();

/** A server that refuses a connection is an outage, whatever code it gives: it says nothing of a statement. */
export function markRefusal(error: Error): void {
  REFUSALS.add(error);
}

/** True for a temporary failure: the same request may succeed a little later, or once the operator has acted. */
export function isStoreOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (REFUSALS.has(error)) return true;
  if (!('code' in error) || typeof error.code !== 'string') return MESSAGE.test(error.message);
  return NETWORK.has(error.code) || SQLSTATE.test(error.code) || SQLITE.test(error.code);
}
