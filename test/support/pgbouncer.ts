/** Starts a separate pgbouncer for a test, in transaction mode, with fewer server connections than a gateway uses. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../shared/cli/free-port.ts';
import { findProgram, skipBecause } from './fuller-checks.ts';

export interface Pooler {
  /** The address of a database through the pooler. @param direct its own address. */
  urlOf(direct: string): string;
  stop(): Promise<void>;
}

/** The path of `pgbouncer`; if null, prints why tests are skipped. @throws {Error} if nothing may be skipped. */
export function findPgbouncer(): string | null {
  const program = findProgram('pgbouncer') ?? findProgram('../sbin/pgbouncer');
  if (program === null) skipBecause('pgbouncer is not installed (.ci/run installs it)');
  return program;
}

/** @param program path of `pgbouncer`. @param server address of the PostgreSQL server. */
export async function startPgbouncer(program: string, server: string): Promise<Pooler> {
  const folder = await mkdtemp(join(tmpdir(), 'utg-pgbouncer-'));
  await chmod(folder, 0o755);
  const { hostname, port: serverPort, username } = new URL(server);
  const port = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(join(folder, 'users'), `"${username}" ""\n`);
  await writeFile(
    file,
    [
      '[databases]',
      `* = host=${hostname} port=${serverPort || 5432}`,
      '[pgbouncer]',
      `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =`,
      `auth_type = trust\nauth_file = ${join(folder, 'users')}`,
      'pool_mode = transaction\ndefault_pool_size = 3\nmax_client_conn = 200\n',
    ].join('\n'),
  );
  // It refuses to run as root.
  const account = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];
  const child = spawn(program, [...account, file], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error('pgbouncer ended');
    await sleep(20);
  }
  return {
    urlOf(direct) {
      const url = new URL(direct);
      url.host = `127.0.0.1:${port}`;
      return url.href;
    },
    async stop() {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}
