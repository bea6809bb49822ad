/** PostgreSQL: a connection pool to a database that many gateway processes share. */

import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { DatabaseConnection, Dialect, PostgresDialectConfig } from 'kysely';
import { CompiledQuery, PostgresAdapter, PostgresDriver, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import pg from 'pg';
import { retryOnConflict } from './conflicts.ts';
import { markRefusal, READ_ONLY } from './outage.ts';
import { refuseNul } from './statements.ts';

const MAX_CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 15_000;

/**
 * While a migration waits for a table, every other statement waits behind it. It gives up before PostgreSQL looks for
 * deadlocks (`deadlock_timeout`, one second), because PostgreSQL might cancel a statement of a gateway instead.
 */
const TABLE_LOCK_TIMEOUT_MS = 500;
const INT8_OID = 20;

/** For a transaction that is idle between two statements: a disconnected node must not keep its row locks. */
const OPEN_TRANSACTION_TIMEOUT_MS = 5_000;

/** Longer than any statement may take: a server that is silent for this long is unreachable. */
const SILENCE_TIMEOUT_MS = 17_000;

/** Times and counts are `int8`, which pg returns as text; ours stay below 2^53. */
const getTypeParser = ((oid: number, format?: 'text' | 'binary') =>
  oid === INT8_OID && format !== 'binary'
    ? Number
    : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser;

type Limits = Readonly<Record<string, number>>;

/** A pool, and the limits that each transaction has to set for itself. */
type PostgresPool = pg.Pool & { readonly ofTransactions: Limits };

/**
 * True for an address that says `pgbouncer=true`: of a pooler that gives each transaction the next free session. So nothing may rest on a
 * session: no named statement, no parameter when connecting.
 */
export function isPooled(url: string): boolean {
  return new URL(url).searchParams.get('pgbouncer') === 'true';
}

/** Marks what the pool cannot connect with as an outage. */
function markRefusals(pool: pg.Pool): void {
  const connect = pool.connect.bind(pool);
  pool.connect = ((callback?: Parameters<typeof connect>[0]) => {
    if (callback === undefined) {
      return connect().catch((error: Error) => {
        markRefusal(error);
        throw error;
      });
    }
    return connect((error, client, done) => {
      if (error !== undefined) markRefusal(error);
      callback(error, client, done);
    });
  }) as typeof pool.connect;
}

/**
 * Reads the file of the address again for each new connection, for a user and password that are rotated. While it cannot be read, the
 * last ones count. Another server or database needs a restart.
 */
function followFile(pool: pg.Pool, url: string, file: string): void {
  const address = new URL(url);
  Object.defineProperty(pool.options, 'connectionString', {
    get() {
      try {
        const { username, password } = new URL(readFileSync(file, 'utf8').trim());
        Object.assign(address, { username, password });
      } catch {
        // Secrets are replaced in more than one step.
      }
      return address.href;
    },
  });
}

/**
 * Creates the pool. It connects when first used.
 *
 * @param options.onError called with errors of connections that broke while idle; the pool replaces them.
 * @param options.patient for migrations: statements have no timeout, but wait only half a second for a table.
 */
export function createPostgresPool(options: {
  url: string;
  /** The file that `url` was read from. See `followFile`. Default: none. */
  urlFile?: string | null | undefined;
  onError: (error: Error) => void;
  patient?: boolean;
  /** Milliseconds without a byte after which a connection is closed. Default: 17,000. */
  silenceMs?: number;
}): PostgresPool {
  const { patient = false, silenceMs = SILENCE_TIMEOUT_MS, urlFile = null } = options;
  const limit: Limits = patient
    ? { lock_timeout: TABLE_LOCK_TIMEOUT_MS }
    : {
        statement_timeout: STATEMENT_TIMEOUT_MS,
        idle_in_transaction_session_timeout: OPEN_TRANSACTION_TIMEOUT_MS,
      };
  const pool = new pg.Pool({
    connectionString: options.url,
    max: patient ? 1 : MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    fallback_application_name: 'unified-tool-gateway',
    types: { getTypeParser },
    ...(isPooled(options.url) ? {} : limit),
  });
  if (urlFile !== null) followFile(pool, options.url, urlFile);
  markRefusals(pool);
  pool.on('error', options.onError);
  // Without a listener, a connection that breaks in a transaction would crash the process; the next statement fails.
  pool.on('connect', (client) => {
    client.on('error', () => {});
    leaveReadOnly(client);
    if (!patient) endSilent(client, silenceMs);
  });
  return Object.assign(pool, { ofTransactions: isPooled(options.url) ? limit : {} });
}

/**
 * Closes a connection that waits for an answer while the network silently drops packets: the statement then fails as in
 * any other outage. Idle connections leave the pool long before.
 */
function endSilent({ connection }: pg.PoolClient, silenceMs: number): void {
  const socket = connection.stream as Socket;
  socket.setTimeout(silenceMs, () => socket.destroy(new Error('Connection terminated: no answer')));
}

/**
 * Closes a connection that refused to write, so that the pool does not keep it: it leads to a server that another one replaced, and would
 * refuse the next writes too.
 */
function leaveReadOnly({ connection }: pg.PoolClient): void {
  connection.on('errorMessage', (message: { code?: string }) => {
    if (message.code !== READ_ONLY) return;
    (connection.stream as Socket).destroy(new Error('Connection terminated: it is read-only'));
  });
}

/** Creates the Kysely dialect for a pool. */
export function createPostgresDialect(pool: PostgresPool): Dialect {
  return {
    createDriver: () => new CheckedPostgresDriver({ pool }, pool.ofTransactions),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => new InTransactionAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  };
}

/** Migrations run in a transaction that holds their lock; see `migrateToLatest`. */
class InTransactionAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

class CheckedPostgresDriver extends PostgresDriver {
  readonly #prepared = new WeakSet<DatabaseConnection>();
  readonly #inTransaction = new WeakSet<DatabaseConnection>();
  readonly #setLimits: CompiledQuery | null;

  constructor(config: PostgresDialectConfig, limits: Limits) {
    super(config);
    const set = Object.entries(limits).map(([name, value]) => `set_config('${name}', '${value}', true)`);
    this.#setLimits = set.length === 0 ? null : CompiledQuery.raw(`select ${set.join(', ')}`);
  }

  override async acquireConnection(
    ...options: Parameters<PostgresDriver['acquireConnection']>
  ): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection(...options);
    if (!this.#prepared.has(connection)) {
      this.#prepared.add(connection);
      this.#repeatSingleStatements(refuseNul(connection));
    }
    return connection;
  }

  override async beginTransaction(...[connection, settings]: Parameters<PostgresDriver['beginTransaction']>) {
    this.#inTransaction.add(connection);
    await super.beginTransaction(connection, settings);
    if (this.#setLimits !== null) await connection.executeQuery(this.#setLimits);
  }

  override async commitTransaction(connection: Parameters<PostgresDriver['commitTransaction']>[0]): Promise<void> {
    await super.commitTransaction(connection);
    this.#inTransaction.delete(connection);
  }

  override async rollbackTransaction(connection: Parameters<PostgresDriver['rollbackTransaction']>[0]): Promise<void> {
    await super.rollbackTransaction(connection);
    this.#inTransaction.delete(connection);
  }

  /** Retries single statements. Transactions are retried as a whole; see `retryConflicts`. */
  #repeatSingleStatements(connection: DatabaseConnection): void {
    const execute = connection.executeQuery.bind(connection);
    connection.executeQuery = (...query) =>
      this.#inTransaction.has(connection) ? execute(...query) : retryOnConflict(() => execute(...query));
  }
}
