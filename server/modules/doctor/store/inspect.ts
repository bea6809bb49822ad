/** Inspects the database without changing it; opens it if its tables are those of this version. */

import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { type CheckResult, count, error, ok, warning } from '../../../base/checks.ts';
import { toCallsPath } from '../../../base/store/call-file.ts';
import { DEFAULT_DATABASE_URL } from '../../../base/store/default-url.ts';
import { openStore, type Store, StoreUnavailableError } from '../../../base/store/index.ts';
import { compareMigrations, type MigrationState } from '../../../base/store/migrate.ts';
import { openSqliteReader } from '../../../base/store/sqlite.ts';
import type { TableSet } from '../../../base/store/tables/table-set.ts';
import { explainPostgres, explainSqlite } from '../../../base/store/unavailable.ts';
import type { Config } from '../../../config/index.ts';
import { modulesOf, tableSetsOf } from '../../../module.ts';
import { judgeSkew } from '../gateway-checks.ts';

export interface InspectedStore {
  readonly findings: readonly CheckResult[];
  /** The open store. Null if the database is unreachable or not migrated. */
  readonly store: Store | null;
  /** Null if there is no database. */
  readonly migrations: MigrationState | null;
}

const MEBIBYTE = 1_048_576;
const LITTLE_SPACE = 1_024 * MEBIBYTE;
const NO_SPACE = 100 * MEBIBYTE;
const NO_TABLE = new Set(['42P01', 'SQLITE_ERROR']);

/** Inspects the database. The caller closes the store. @param modules the modules whose tables belong to it. */
export async function inspectStore(url: string, modules: Config['modules']): Promise<InspectedStore> {
  const sets = tableSetsOf(modulesOf({ modules }));
  try {
    return await (url.startsWith('sqlite:') ? inspectSqlite(url, sets) : inspectPostgres(url, sets));
  } catch (problem) {
    if (!(problem instanceof StoreUnavailableError)) throw problem;
    const finding = error(problem.message.replace(/\.$/, ''), 'correct DATABASE_URL, or start the database');
    return { findings: [finding], store: null, migrations: null };
  }
}

async function inspectSqlite(url: string, sets: readonly TableSet[]): Promise<InspectedStore> {
  const file = path.resolve(url.slice('sqlite:'.length));
  const folder = path.dirname(file);
  const space = existsSync(folder) ? [await judgeSpace(folder)] : [];
  if (!existsSync(file)) return { findings: [judgeMissing(url, folder), ...space], store: null, migrations: null };
  const migrations = compareMigrations(readSqliteMigrations(file), sets);
  const migrationFinding = judgeMigrations(migrations);
  if (migrations.pending.length > 0) return { findings: [migrationFinding, ...space], store: null, migrations };
  const store = await openStore({ url, sets });
  const modes = [file, toCallsPath(file)].flatMap(judgeMode);
  return { findings: [migrationFinding, await judgeWriting(store), ...modes, ...space], store, migrations };
}

/** Judges a missing database by what `openStore` would do at the next start. */
function judgeMissing(url: string, folder: string): CheckResult {
  const isCreatedAtStart = url === DEFAULT_DATABASE_URL;
  if (!isCreatedAtStart && !existsSync(folder)) {
    return error(
      `DATABASE_URL names a file in ${folder}, which does not exist`,
      'create the folder, or correct the path',
    );
  }
  try {
    accessSync(existsSync(folder) ? folder : path.dirname(folder), constants.W_OK);
    return warning('there is no database yet', 'the first start creates it (npm start); or correct DATABASE_URL');
  } catch {
    const text = `this account cannot write into ${folder}, where DATABASE_URL names a file`;
    return error(text, 'give it access to the folder, or correct the path');
  }
}

function readSqliteMigrations(file: string): string[] {
  try {
    const reader = openSqliteReader(file);
    try {
      const rows = reader.prepare<[], { name: string }>('select name from kysely_migration order by name').all();
      return rows.map(({ name }) => name);
    } finally {
      reader.close();
    }
  } catch (problem) {
    return noneIfNew(explainSqlite(file, problem));
  }
}

async function inspectPostgres(url: string, sets: readonly TableSet[]): Promise<InspectedStore> {
  const { createPostgresPool } = await import('../../../base/store/postgres.ts');
  const pool = createPostgresPool({ url, onError: () => {} });
  const query = <Row extends object>(text: string) =>
    pool.query<Row>(text).then(
      ({ rows }) => rows,
      (problem: unknown) => {
        throw explainPostgres(url, problem);
      },
    );
  try {
    const sentAt = Date.now();
    const [clock] = await query<{ ms: string }>('select extract(epoch from clock_timestamp()) * 1000 as ms');
    const skew = judgeSkew('the database', Number(clock?.ms) - (sentAt + Date.now()) / 2);
    const names = await query<{ name: string }>('select name from kysely_migration order by name').then(
      (rows) => rows.map(({ name }) => name),
      noneIfNew,
    );
    const migrations = compareMigrations(names, sets);
    const migrationFinding = judgeMigrations(migrations);
    if (migrations.pending.length > 0) return { findings: [migrationFinding, skew], store: null, migrations };
    const store = await openStore({ url, sets });
    return { findings: [migrationFinding, await judgeWriting(store), skew], store, migrations };
  } finally {
    await pool.end();
  }
}

/** A database without the migrations table is new. */
function noneIfNew(problem: unknown): string[] {
  const code = problem instanceof Error && 'code' in problem ? String(problem.code) : '';
  if (NO_TABLE.has(code)) return [];
  throw problem;
}

function judgeMigrations({ applied, pending, unknown }: MigrationState): CheckResult {
  if (pending.length > 0) {
    return warning(
      `the database is ${applied.length === 0 ? 'empty' : `${count(pending.length, 'migration')} behind`}`,
      'the next start of the gateway migrates it; make a backup first',
    );
  }
  if (unknown.length > 0) {
    const text = `the database answers; a newer gateway has migrated it (${unknown.join(', ')})`;
    return warning(text, 'this is expected during an upgrade; otherwise run the newer version here too');
  }
  return ok(`the database answers, and has all ${applied.length} migrations`);
}

class RolledBack extends Error {
  override name = 'RolledBack';
}

/** Writes a row in a transaction, and rolls it back. */
async function judgeWriting({ db }: Store): Promise<CheckResult> {
  try {
    await db.transaction().execute(async (transaction) => {
      const row = { key: `utg doctor ${process.pid}`, count: 0, expires_at: 0 };
      await transaction.insertInto('attempt_counters').values(row).execute();
      throw new RolledBack();
    });
  } catch (problem) {
    if (problem instanceof RolledBack) return ok('the database can be written');
    const code = problem instanceof Error && 'code' in problem ? ` (${String(problem.code)})` : '';
    return error(`the database cannot be written${code}`, 'give the account the right to write, or free space');
  }
  return error('a transaction was not rolled back', 'report this as a bug in the gateway');
}

function judgeMode(file: string): CheckResult[] {
  if (process.platform === 'win32' || (statSync(file).mode & 0o077) === 0) return [];
  return [warning('others on this machine can read the database file', `chmod 600 ${file}`)];
}

async function judgeSpace(folder: string): Promise<CheckResult> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const text = `the disk of the database has ${Math.round(free / MEBIBYTE).toLocaleString('en')} MiB left`;
  const fix = 'free space, or move the database: a full disk stops every write';
  if (free < NO_SPACE) return error(text, fix);
  return free < LITTLE_SPACE ? warning(text, fix) : ok(text);
}
