/** The gate's own PostgreSQL servers, which can be stopped in every way. */

import { existsSync, readdirSync } from 'node:fs';
import { appendFile, chown, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { FailureError } from '../../../../shared/cli/run.ts';
import { type Program, run, startProgram } from './programs.ts';

type Rows = readonly Readonly<Record<string, unknown>>[];

export interface PostgresServer {
  readonly port: number;
  /** Uses a socket in the file system, which no network fault affects. */
  readonly socketUrl: string;
  /** Starts the server, and waits until it answers. Does nothing if it is running. */
  start(): Promise<void>;
  /** `fast` ends sessions and writes everything; `immediate` simulates a crash. */
  stop(mode: 'fast' | 'immediate'): Promise<void>;
  /** @throws if the server refuses the statement. */
  query(statement: string): Promise<Rows>;
}

const SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const;
const START_TIMEOUT_MS = 120_000;
// Below the ports that systems give to outgoing connections: one that has just been closed keeps its port for a minute.
const PORT = 25_432;
const STANDBY_PORT = 25_433;
const ACCOUNT = 'postgres';
const DATABASE = 'gateway';
const LIBRARIES = '/usr/lib/postgresql';

/** Returns the folder with the server's programs, the newest if there are several; undefined if there is none. */
export function findPostgres(): string | undefined {
  const versions = existsSync(LIBRARIES) ? readdirSync(LIBRARIES) : [];
  const newestFirst = versions.sort((a, b) => Number(b) - Number(a)).map((version) => `${LIBRARIES}/${version}/bin`);
  return [...newestFirst, '/usr/local/bin', '/usr/bin'].find((folder) =>
    ['initdb', 'postgres', 'pg_basebackup'].every((name) => existsSync(path.join(folder, name))),
  );
}

/**
 * Starts a server: with an empty database, or as a standby that confirms every commit of its primary.
 *
 * @param options.folder an existing folder that the server's account can enter.
 * @param options.prefix start of the server's command line. Default: none.
 * @param options.primary default: the server is no standby.
 */
export async function createPostgres(options: {
  readonly folder: string;
  readonly logFile: string;
  readonly prefix?: readonly string[] | undefined;
  readonly primary?: PostgresServer;
}): Promise<PostgresServer> {
  const { prefix = [], logFile, primary } = options;
  const binaries = findPostgres() ?? '';
  const port = primary === undefined ? PORT : STANDBY_PORT;
  const folder = path.join(options.folder, primary === undefined ? 'postgres' : 'standby');
  const data = path.join(folder, 'data');
  await mkdir(folder);
  const asAccount: string[] = [];
  if (process.getuid?.() === 0) {
    const [user, group] = await Promise.all(['-u', '-g'].map((option) => run('id', [option, ACCOUNT])));
    await chown(folder, Number(user?.stdout), Number(group?.stdout));
    asAccount.push('setpriv', `--reuid=${ACCOUNT}`, `--regid=${ACCOUNT}`, '--clear-groups');
  }

  // Small segments, so that a full disk takes effect soon.
  const initialize = ['initdb', '-U', DATABASE, '--auth=trust', '-E', 'UTF8', '--wal-segsize=1'];
  const copy = ['pg_basebackup', '-d', primary?.socketUrl ?? '', '--write-recovery-conf', '--checkpoint=fast'];
  const [program = '', ...args] = primary === undefined ? initialize : copy;
  const [file = '', ...rest] = [...asAccount, path.join(binaries, program), '-D', data, '--no-sync', ...args];
  await run(file, rest, { cwd: '/' });
  if (primary === undefined) await appendFile(path.join(data, 'pg_hba.conf'), 'host all all 10.99.0.0/16 trust\n');
  const settings = [
    `listen_addresses=${prefix.length === 0 ? '127.0.0.1' : '*'}`,
    `unix_socket_directories=${folder}`,
    `port=${port}`,
    'min_wal_size=2MB',
    'max_wal_size=16MB',
  ].flatMap((setting) => ['-c', setting]);
  const command = [...prefix, ...asAccount, path.join(binaries, 'postgres'), '-D', data, ...settings];

  const urlOf = (database: string): string =>
    `postgres://${DATABASE}@localhost:${port}/${database}?host=${encodeURIComponent(folder)}`;
  let server: Program | undefined;
  const start = async (): Promise<void> => {
    if (server?.isRunning()) return;
    const started = startProgram(command, { logFile });
    server = started;
    const isUp = await waitFor(() => query(urlOf('postgres'), 'select 1'), started.isRunning);
    if (!isUp) throw new FailureError(`PostgreSQL does not start:\n${(await readFile(logFile, 'utf8')).slice(-2000)}`);
  };
  await start();
  if (primary === undefined) await query(urlOf('postgres'), `create database ${DATABASE}`);
  else await followSynchronously(primary);
  return {
    port,
    socketUrl: urlOf(DATABASE),
    start,
    async stop(mode) {
      if (server?.isRunning()) await server.end(SIGNALS[mode]);
    },
    query: (statement) => query(urlOf(DATABASE), statement),
  };
}

/** From then on, the primary answers no commit that its standby does not have. */
async function followSynchronously(primary: PostgresServer): Promise<void> {
  await primary.query("alter system set synchronous_standby_names = '*'");
  await primary.query('select pg_reload_conf()');
  const follows = await waitFor(async () => {
    const rows = await primary.query("select 1 from pg_stat_replication where sync_state = 'sync'");
    if (rows.length === 0) throw new Error('not yet');
  });
  if (!follows) throw new FailureError('The standby does not follow its primary.');
}

/** Tries until it succeeds. @returns false if that takes too long, or can no longer happen. */
export async function waitFor(attempt: () => Promise<unknown>, isPossible = () => true): Promise<boolean> {
  const endsAt = Date.now() + START_TIMEOUT_MS;
  while (isPossible() && Date.now() < endsAt) {
    try {
      await attempt();
      return true;
    } catch {
      await delay(20);
    }
  }
  return false;
}

async function query(url: string, statement: string): Promise<Rows> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query(statement)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}
