/** The store: one database, SQLite or PostgreSQL, behind one set of repositories. */

import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Database as SqliteDatabase } from 'better-sqlite3';
import { Kysely, type KyselyConfig, sql } from 'kysely';
import { createCallWriter } from './call-file.ts';
import { retryConflicts, retryOnConflict } from './conflicts.ts';
import { DEFAULT_DATABASE_URL } from './default-url.ts';
import { gather } from './gather.ts';
import { migrateToLatest } from './migrate.ts';
import { type CallRecord, toCallRow } from './repositories/call-records.ts';
import { POSTGRES_CALLS_INSERT, toTallyRows } from './repositories/calls/call-tallies.ts';
import { CORE_TABLES, type Database } from './schema.ts';
import { createSqliteDialect, holdSqliteFile, openSqliteFile, openSqliteReader, retryWhileBusy } from './sqlite.ts';
import { createStatementWatch, type OnStatement, toKyselyLog } from './statements.ts';
import { SQLITE_CHANGES } from './tables/count-changes.ts';
import type { TableSet } from './tables/table-set.ts';
import {
  COUNT_SQLITE_CHANGES,
  cacheWhileUnchanged,
  type FoundAccessToken,
  findMember,
  POSTGRES_SHARE_LOOKUP,
  POSTGRES_TOKEN_LOOKUP,
  type SharedConnectionRow,
  SQLITE_SHARE_LOOKUP,
  SQLITE_TOKEN_LOOKUP,
  SQLITE_VERSION,
  type TokenLookupRow,
  toFoundAccessToken,
} from './token-lookup.ts';
import { explainPostgres, explainSqlite, StoreUnavailableError } from './unavailable.ts';

export { StoreUnavailableError } from './unavailable.ts';

/** The part of a store that authenticates requests. */
export interface TokenStore {
  /** For repositories and transactions. No transaction may wait for the network, and each must be safe to repeat. */
  readonly db: Kysely<Database>;
  /** Reads a token that is not revoked, by hash. Sees committed rows only, and all that was committed before the call. */
  findAccessToken(tokenHash: string): Promise<FoundAccessToken | undefined>;
}

/** An open database whose tables are up to date. */
export interface Store extends TokenStore {
  readonly dialect: 'sqlite' | 'postgres';
  /** For single statements on call records and tallies. On SQLite, a thread runs them, in the order of `insertCallRecords`. */
  readonly calls: Kysely<Database>;
  /** Writes a batch of call records and adds them to their partners' tallies, all or none. */
  insertCallRecords(records: readonly CallRecord[]): Promise<void>;
  /** Resolves when the database answers. */
  ping(): Promise<void>;
  /** Connections to the database. Absent on SQLite. */
  readonly connections?: () => ConnectionFigures;
  close(): Promise<void>;
}

/** The connections of one process to a database server. */
export interface ConnectionFigures {
  readonly max: number;
  readonly idle: number;
  readonly used: number;
  /** Statements that wait for a connection. */
  readonly waiting: number;
}

/** The address of the store, and the receiver of problems that the store fixes itself. */
interface StoreOptions {
  /** `sqlite:<path>`, relative to the working directory, or `postgres://...`. */
  readonly url: string;
  /** The file that a `postgres://` address was read from: a password that is changed there is used without a restart. Default: none. */
  readonly urlFile?: string | null;
  readonly onError?: (error: Error) => void;
  /** Called for every statement. Default: not reported. */
  readonly onStatement?: OnStatement | undefined;
  /** The tables that it has. Default: those of the core. */
  readonly sets?: readonly TableSet[];
  /** Refuses a SQLite file that another process has opened so. Default: it may be opened many times. */
  readonly alone?: boolean;
}

/**
 * Opens the store and brings its tables up to date. Several processes may do so at once.
 *
 * @throws {StoreUnavailableError} when the database cannot be reached. Something else when it cannot be migrated.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { url, urlFile = null, onError = () => {}, onStatement, sets = [CORE_TABLES], alone = false } = options;
  const log = onStatement === undefined ? {} : { log: toKyselyLog(onStatement) };
  const store = await (url.startsWith('sqlite:')
    ? openSqliteStore(toWritablePath(url), sets, { ...log, alone })
    : openPostgresStore({ url, urlFile, onError }, sets, log));
  if (onStatement === undefined) return store;
  const watch = createStatementWatch(onStatement);
  return {
    ...store,
    findAccessToken: (hash) => watch('SELECT', () => store.findAccessToken(hash)),
    insertCallRecords: (records) => watch('INSERT', () => store.insertCallRecords(records)),
    ping: () => watch('SELECT', () => store.ping()),
  };
}

/**
 * Holds the store for the processes of one gateway, which open it without `alone`.
 *
 * @throws {StoreUnavailableError} when another gateway has its SQLite file. @returns ends the hold.
 */
export async function holdStore(url: string): Promise<() => void> {
  if (!url.startsWith('sqlite:')) return () => {};
  const path = toWritablePath(url);
  const file = await openSqliteFile(path).catch((error: unknown) => {
    throw explainSqlite(path, error);
  });
  file.close();
  return holdSqliteFile(path);
}

function toWritablePath(url: string): string {
  const path = resolve(url.slice('sqlite:'.length));
  const folder = dirname(path);
  if (url === DEFAULT_DATABASE_URL) makeFolder(folder, path);
  if (existsSync(folder)) return path;
  throw new StoreUnavailableError(
    `DATABASE_URL names ${path}, but there is no folder ${folder}: create it, or correct the path.`,
  );
}

function makeFolder(folder: string, path: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw explainSqlite(path, error);
  }
}

/** The part of Kysely's settings that reports statements. */
interface StatementLog {
  readonly log?: NonNullable<KyselyConfig['log']>;
}

async function openSqliteStore(
  path: string,
  sets: readonly TableSet[],
  { alone, ...log }: StatementLog & { readonly alone: boolean },
): Promise<Store> {
  let release = () => {};
  const database = await openSqliteFile(path).catch((error: unknown) => {
    throw explainSqlite(path, error);
  });
  const db = new Kysely<Database>({ dialect: createSqliteDialect(database), ...log });
  try {
    if (alone) release = holdSqliteFile(path);
    await migrateToLatest(db, 'sqlite', sets);
    for (const statement of COUNT_SQLITE_CHANGES) await sql.raw(statement).execute(db);
  } catch (error) {
    release();
    await db.destroy();
    throw error;
  }
  const reader = openSqliteReader(path);
  const lookup = reader.prepare<[string], TokenLookupRow>(SQLITE_TOKEN_LOOKUP);
  const sharesOf = reader.prepare<[string], SharedConnectionRow>(SQLITE_SHARE_LOOKUP);
  const findToken = cacheWhileUnchanged(createAccessVersion(reader), (tokenHash) => {
    const rows = lookup.all(tokenHash);
    const member = findMember(rows);
    return toFoundAccessToken(rows, member === null ? [] : sharesOf.all(member));
  });
  const pingStatement = reader.prepare('select 1');
  const calls = createCallWriter(path);
  return {
    dialect: 'sqlite',
    db,
    async findAccessToken(tokenHash) {
      return retryWhileBusy(() => findToken(tokenHash));
    },
    calls: calls.db,
    insertCallRecords: calls.insert,
    async ping() {
      await retryWhileBusy(() => pingStatement.get());
    },
    async close() {
      await calls.close();
      reader.close();
      await db.destroy();
      release();
    },
  };
}

/** Returns a version that differs from the last one if what the token lookup reads has changed. Most commits change something else. */
function createAccessVersion(reader: SqliteDatabase): () => number {
  // The reader writes nothing itself, so every change is one of another connection.
  const version = reader.prepare<[], number>(SQLITE_VERSION).pluck();
  const changes = reader.prepare<[], number>(SQLITE_CHANGES).pluck();
  let lastVersion = Number.NaN;
  let lastChanges = Number.NaN;
  return () => {
    const currentVersion = version.get() ?? Number.NaN;
    if (currentVersion !== lastVersion) {
      lastChanges = changes.get() ?? Number.NaN;
      lastVersion = currentVersion;
    }
    return lastChanges;
  };
}

/** Reads and locks nothing, and is refused where nothing may be written: a standby answers reads, but serves no gateway. */
const POSTGRES_PING = 'select 1 from partners where false for update';

async function openPostgresStore(
  { url, urlFile, onError }: { url: string; urlFile: string | null; onError: (error: Error) => void },
  sets: readonly TableSet[],
  log: StatementLog,
): Promise<Store> {
  const { createPostgresDialect, createPostgresPool, isPooled } = await import('./postgres.ts');
  const migrating = new Kysely<unknown>({
    dialect: createPostgresDialect(createPostgresPool({ url, urlFile, onError, patient: true })),
  });
  try {
    await migrateToLatest(migrating, 'postgres', sets);
  } catch (error) {
    throw explainPostgres(url, error);
  } finally {
    await migrating.destroy();
  }
  const pool = createPostgresPool({ url, urlFile, onError });
  const db = retryConflicts(new Kysely<Database>({ dialect: createPostgresDialect(pool), ...log }));
  const prepared = ({ name, text }: { name: string; text: string }) => (isPooled(url) ? { text } : { name, text });
  const lookup = prepared(POSTGRES_TOKEN_LOOKUP);
  const insertCalls = prepared(POSTGRES_CALLS_INSERT);
  const findRows = gather(async (hashes: readonly string[]) => {
    const query = { ...lookup, values: [[...new Set(hashes)]] };
    const { rows } = await retryOnConflict(() => pool.query<{ rows: TokenLookupRow[] | null }>(query));
    const byHash = Map.groupBy(rows[0]?.rows ?? [], (row) => row.token_hash);
    return (hash) => byHash.get(hash) ?? [];
  });
  const shareLookup = prepared(POSTGRES_SHARE_LOOKUP);
  const findShares = gather(async (userIds: readonly string[]) => {
    const query = { ...shareLookup, values: [[...new Set(userIds)]] };
    const { rows } = await retryOnConflict(() => pool.query<{ rows: SharedConnectionRow[] | null }>(query));
    const byMember = Map.groupBy(rows[0]?.rows ?? [], (row) => row.member_id);
    return (userId) => byMember.get(userId) ?? [];
  });
  return {
    dialect: 'postgres',
    db,
    calls: db,
    async findAccessToken(tokenHash) {
      const rows = await findRows(tokenHash);
      const member = findMember(rows);
      return toFoundAccessToken(rows, member === null ? [] : await findShares(member));
    },
    async insertCallRecords(records) {
      const values = [JSON.stringify(records.map(toCallRow)), JSON.stringify(toTallyRows(records))];
      await retryOnConflict(() => pool.query({ ...insertCalls, values }));
    },
    async ping() {
      await pool.query(POSTGRES_PING);
    },
    connections: () => ({
      max: pool.options.max ?? 0,
      idle: pool.idleCount,
      used: pool.totalCount - pool.idleCount,
      waiting: pool.waitingCount,
    }),
    async close() {
      await db.destroy();
      if (!pool.ended) await pool.end();
    },
  };
}
