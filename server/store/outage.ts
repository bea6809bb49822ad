/** Recognises that the database cannot be used now, by what its drivers throw. */

/** System calls on the way to PostgreSQL. */
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
 * SQLSTATE: no connection (08), no resources (53), ended or still starting (57P01 to 57P03), a statement that took too long
 * (57014), a transaction that was left open (25P03), one that collided again and again (40001, 40P01).
 */
const SQLSTATE = /^(08...|53...|57P0[123]|57014|25P03|40001|40P01)$/;

/** Another process writes for too long, or the disk does not take or give what it should. */
const SQLITE = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY)/;

/** Errors of `pg` and `pg-pool` that have no code. */
const MESSAGE =
  /^(Connection terminated|timeout e|Query read timeout|Client (has encountered a connection error|was closed)|Cannot use a pool after)/;

/** True for a failure that passes: the same request may succeed a little later. */
export function isStoreOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (!('code' in error) || typeof error.code !== 'string') return MESSAGE.test(error.message);
  return NETWORK.has(error.code) || SQLSTATE.test(error.code) || SQLITE.test(error.code);
}
