/** Explains to the operator why the store cannot be opened, in one sentence that names the setting. */

import { isStoreOutage } from './outage.ts';

/** The database that `DATABASE_URL` names cannot be used. The message holds no password. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

const NOT_WRITABLE = /^(EACCES|EPERM|EROFS|ENOTDIR|SQLITE_(CANTOPEN|READONLY|PERM))/;
const REFUSED_LOGIN = /^28/;
const NO_DATABASE = '3D000';

/** pgbouncer's error for a parameter that it cannot track separately for each session. */
const UNSUPPORTED = /unsupported startup parameter(?: in options)?: (\w+)/;

const SETTING = 'DATABASE_URL';

/** @param path of the file. @param setting that names it. @returns any other error unchanged. */
export function explainSqlite(path: string, error: unknown, setting = SETTING): unknown {
  const code = codeOf(error);
  if (code === 'SQLITE_NOTADB')
    return new StoreUnavailableError(`${setting} names ${path}, which is not a SQLite database.`);
  if (!NOT_WRITABLE.test(code)) return error;
  return new StoreUnavailableError(`${setting} names ${path}, which this account cannot write (${code}).`);
}

/** @param url `postgres://...`. @param setting that names it. @returns any other error unchanged. */
export function explainPostgres(url: string, error: unknown, setting = SETTING): unknown {
  const { hostname, port, pathname } = new URL(url);
  const server = `${hostname || 'localhost'}:${port || 5432}`;
  const code = codeOf(error);
  if (REFUSED_LOGIN.test(code)) {
    return new StoreUnavailableError(`PostgreSQL at ${server} does not accept the user or password in ${setting}.`);
  }
  if (code === NO_DATABASE) {
    return new StoreUnavailableError(
      `PostgreSQL at ${server} has no database "${decodeURIComponent(pathname.slice(1))}", which ${setting} names.`,
    );
  }
  if (!isStoreOutage(error)) return error;
  const [, parameter] = UNSUPPORTED.exec(String(error)) ?? [];
  if (parameter !== undefined) {
    return new StoreUnavailableError(
      `The pooler at ${server}, which ${setting} names, refuses the startup parameter ${parameter}: add ?pgbouncer=true to the ` +
        'address (docs/guides/store.md).',
    );
  }
  if (/^(?!57)[0-9A-Z]{5}$/.test(code)) {
    return new StoreUnavailableError(
      `PostgreSQL at ${server}, which ${setting} names, refuses the connection (${code}).`,
    );
  }
  return new StoreUnavailableError(
    `No PostgreSQL server answers at ${server}, which ${setting} names${code === '' ? '' : ` (${code})`}.`,
  );
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
