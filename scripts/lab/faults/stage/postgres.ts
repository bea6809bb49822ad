/** The gate's own PostgreSQL server, which can be stopped in every way. */

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, chown, mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { FailureError } from '../../../../shared/cli/run.ts';
import { type Program, startProgram } from './program.ts';

export interface PostgresServer {
  readonly port: number;
  /** Uses a socket in the file system, which no network fault affects. */
  readonly ownUrl: string;
  /** Starts the server, and waits until it answers. */
  start(): Promise<void>;
  /** `fast` ends sessions and writes everything; `immediate` simulates a crash. Does nothing if the server is down. */
  stop(mode: 'fast' | 'immediate'): Promise<void>;
  isRunning(): boolean;
  /** @throws if the server refuses the statement. */
  ask(statement: string): Promise<readonly Record<string, unknown>[]>;
  /** Counts transactions that have been idle for ten seconds while holding their locks. */
  countForgotten(): Promise<number>;
}

const run = promisify(execFile);
const SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const;
const START_TIMEOUT_MS = 30_000;
// Below the ports that systems give to outgoing connections: one that has just been closed keeps its port for a minute.
const PORT = 25_432;
const STANDBY_PORT = 25_433;
const LOG_TAIL_LENGTH = 2_000;
const ACCOUNT = 'postgres';
const DATABASE = 'gateway';
const FORGOTTEN =
  "select count(*) from pg_stat_activity where state = 'idle in transaction' and state_change < now() - interval '10 s'";
const LIBRARIES = '/usr/lib/postgresql';

/** The folder with the server's programs, the newest if there are several; null: none. */
export async function findPostgres(): Promise<string | null> {
  const versions = existsSync(LIBRARIES) ? await readdir(LIBRARIES) : [];
  const newestFirst = versions.sort((a, b) => Number(b) - Number(a)).map((version) => `${LIBRARIES}/${version}/bin`);
  const folders = [...newestFirst, '/usr/local/bin', '/usr/bin'];
  return (
    folders.find((folder) =>
      ['initdb', 'postgres', 'pg_basebackup'].every((name) => existsSync(path.join(folder, name))),
    ) ?? null
  );
}

/**
 * Starts a server: with an empty database, or as a standby that confirms every commit of its primary.
 *
 * @param options.folder an existing folder that the server's account can enter.
 * @param options.prefix start of the server's command line. @param options.addresses where the server listens.
 * @param options.primary default: the server is no standby.
 */
export async function createPostgres(options: {
  readonly binaries: string;
  readonly folder: string;
  readonly prefix: readonly string[];
  readonly addresses: string;
  readonly logFile: string;
  readonly primary?: PostgresServer;
}): Promise<PostgresServer> {
  const { binaries, folder, prefix, logFile, primary } = options;
  const port = primary === undefined ? PORT : STANDBY_PORT;
  const own = path.join(folder, primary === undefined ? 'postgres' : 'standby');
  const data = path.join(own, 'data');
  await mkdir(own);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await chown(own, await idOf('-u'), await idOf('-g'));
  const asAccount = isRoot ? ['setpriv', `--reuid=${ACCOUNT}`, `--regid=${ACCOUNT}`, '--clear-groups'] : [];
  // Small segments, so that a full disk takes effect soon.
  const empty = ['initdb', '-U', DATABASE, '--auth=trust', '-E', 'UTF8', '--wal-segsize=1'];
  const copy = ['pg_basebackup', '-d', primary?.ownUrl ?? '', '--write-recovery-conf', '--checkpoint=fast'];
  const [program = '', ...init] = primary === undefined ? empty : copy;
  const [file = '', ...args] = [...asAccount, path.join(binaries, program), '-D', data, '--no-sync', ...init];
  await run(file, args, { cwd: '/' });
  if (primary === undefined) await appendFile(path.join(data, 'pg_hba.conf'), 'host all all 10.99.0.0/16 trust\n');
  const settings = {
    listen_addresses: options.addresses,
    unix_socket_directories: own,
    port,
    min_wal_size: '2MB',
    max_wal_size: '16MB',
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const command = [...prefix, ...asAccount, path.join(binaries, 'postgres'), '-D', data, ...flags];
  const urlOf = (database: string): string =>
    `postgres://${DATABASE}@localhost:${port}/${database}?host=${encodeURIComponent(own)}`;
  let server: Program | null = null;
  const isRunning = (): boolean => server?.isRunning() ?? false;
  const start = async (): Promise<void> => {
    server = startProgram(command, { logFile });
    const endsAt = Date.now() + START_TIMEOUT_MS;
    while ((await query(urlOf('postgres'), 'select 1')) === null) {
      if (!isRunning() || Date.now() > endsAt)
        throw new FailureError(
          `PostgreSQL does not start:\n${(await readFile(logFile, 'utf8')).slice(-LOG_TAIL_LENGTH)}`,
        );
      await delay(50);
    }
  };
  await start();
  await (primary === undefined ? query(urlOf('postgres'), `create database ${DATABASE}`) : waitForStandby(primary));
  return {
    port,
    ownUrl: urlOf(DATABASE),
    start,
    async stop(mode) {
      if (isRunning()) await server?.end(SIGNALS[mode]);
    },
    isRunning,
    async ask(statement) {
      const rows = await query(urlOf(DATABASE), statement);
      if (rows === null)
        throw new FailureError(`PostgreSQL refuses "${statement}". Run with --keep, and see ${logFile}.`);
      return rows;
    },
    countForgotten: async () => Number((await query(urlOf(DATABASE), FORGOTTEN))?.[0]?.count ?? 0),
  };
}

/** From then on, the primary answers no commit that its standby does not have. */
async function waitForStandby(primary: PostgresServer): Promise<void> {
  await primary.ask("alter system set synchronous_standby_names = '*'");
  await primary.ask('select pg_reload_conf()');
  const endsAt = Date.now() + START_TIMEOUT_MS;
  while ((await primary.ask("select 1 from pg_stat_replication where sync_state = 'sync'")).length === 0) {
    if (Date.now() > endsAt) throw new FailureError('The standby does not follow its primary.');
    await delay(50);
  }
}

async function idOf(option: '-u' | '-g'): Promise<number> {
  return Number((await run('id', [option, ACCOUNT])).stdout);
}

/** @returns the rows; null: the query failed. */
async function query(url: string, statement: string): Promise<readonly Record<string, unknown>[] | null> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query(statement)).rows;
  } catch {
    return null;
  } finally {
    await client.end().catch(() => {});
  }
}
