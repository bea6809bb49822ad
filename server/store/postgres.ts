/** PostgreSQL: a pool of connections that many gateway processes share a database through. */

import type { Socket } from 'node:net';
import type { DatabaseConnection, Dialect } from 'kysely';
import { PostgresAdapter, PostgresDriver, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import pg from 'pg';
import { tryAgain } from './conflicts.ts';
import { refuseNul } from './nul.ts';

const MAX_CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 15_000;

/**
 * While a migration waits for a table, everyone else waits behind it. It gives up before PostgreSQL looks for those that wait for
 * one another (`deadlock_timeout`, a second), because that would end a statement of a gateway instead.
 */
const TABLE_LOCK_TIMEOUT_MS = 500;
const INT8_OID = 20;

/** Of a transaction between two statements: a node that was cut off must not keep others from the rows that it locked. */
const OPEN_TRANSACTION_TIMEOUT_MS = 5_000;

/** Longer than any statement takes: a side that is silent for so long is behind a network that loses everything. */
const SILENCE_TIMEOUT_MS = 17_000;

/** Times and counts are `int8`, which pg hands over as text; ours stay below 2^53. */
const getTypeParser = ((oid: number, format?: 'text' | 'binary') =>
  oid === INT8_OID && format !== 'binary'
    ? Number
    : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser;

/**
 * Creates the pool. It connects when first used.
 *
 * @param options.onError is called with errors of connections that broke while idle; the pool replaces them.
 * @param options.patient for migrations: statements may take as long as they need, but wait only half a second for a table.
 */
export function createPostgresPool(options: {
  url: string;
  onError: (error: Error) => void;
  patient?: boolean;
  /** Milliseconds without a byte after which a connection is given up. Default: 17,000. */
  silenceMs?: number;
}): pg.Pool {
  const { patient = false, silenceMs = SILENCE_TIMEOUT_MS } = options;
  const limit = patient
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
    ...limit,
  });
  pool.on('error', options.onError);
  // A connection that breaks between two statements of a transaction would end the process; the next statement says it.
  pool.on('connect', (client) => {
    client.on('error', () => {});
    if (!patient) endSilent(client, silenceMs);
  });
  return pool;
}

/**
 * Gives a connection up that waits for an answer where the network loses everything, and no one is informed: the statement fails as in any
 * other outage. Connections that are idle leave the pool long before.
 */
function endSilent({ connection }: pg.PoolClient, silenceMs: number): void {
  const socket = connection.stream as Socket;
  socket.setTimeout(silenceMs, () => socket.destroy(new Error('Connection terminated: no answer')));
}

/** Creates the Kysely dialect for a pool. */
export function createPostgresDialect(pool: pg.Pool): Dialect {
  return {
    createDriver: () => new CheckedPostgresDriver({ pool }),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  };
}

class CheckedPostgresDriver extends PostgresDriver {
  readonly #prepared = new WeakSet<DatabaseConnection>();
  readonly #inTransaction = new WeakSet<DatabaseConnection>();

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
  }

  override async commitTransaction(connection: Parameters<PostgresDriver['commitTransaction']>[0]): Promise<void> {
    await super.commitTransaction(connection);
    this.#inTransaction.delete(connection);
  }

  override async rollbackTransaction(connection: Parameters<PostgresDriver['rollbackTransaction']>[0]): Promise<void> {
    await super.rollbackTransaction(connection);
    this.#inTransaction.delete(connection);
  }

  /** Transactions are repeated as a whole; see `retryConflicts`. */
  #repeatSingleStatements(connection: DatabaseConnection): void {
    const execute = connection.executeQuery.bind(connection);
    connection.executeQuery = (...query) =>
      this.#inTransaction.has(connection) ? execute(...query) : tryAgain(() => execute(...query));
  }
}
