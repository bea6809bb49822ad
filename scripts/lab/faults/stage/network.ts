/** The network between the nodes and the database: its own namespace, and a pair of virtual interfaces per node. */

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A namespace that a database server can be started in. */
export interface Network {
  /** The start of a command line that runs in the namespace. */
  readonly prefix: readonly string[];
  /** The namespace's address for a node. */
  addressOf(node: number): string;
  /** Takes the interface of a node down, so that all its traffic is lost, or up again. */
  cut(node: number, isCut: boolean): Promise<void>;
  /** Drops what the namespace sends to a node, and nothing else. */
  silence(node: number, isSilent: boolean): Promise<void>;
  close(): Promise<void>;
}

/** The loopback interface of a new namespace is down. */
export async function openLoopback(): Promise<void> {
  await run('ip', ['link', 'set', 'lo', 'up']);
}

/** Creates the network. It always ends with the namespace of this process. */
export async function openNetwork(nodes: number): Promise<Network> {
  const holder = spawn('unshare', ['--net', 'sleep', 'infinity'], { stdio: 'ignore' });
  const ended = once(holder, 'exit');
  const own = await readNamespace('self');
  while ((await readNamespace(String(holder.pid)).catch(() => own)) === own) await new Promise(setImmediate);
  const prefix = ['nsenter', `--net=/proc/${holder.pid}/ns/net`];
  const there = (...args: string[]) => run('nsenter', [...prefix.slice(1), 'ip', ...args]);
  await there('link', 'set', 'lo', 'up');
  for (let node = 0; node < nodes; node += 1) {
    await run('ip', ['link', 'add', `node${node}`, 'type', 'veth', 'peer', 'name', `db${node}`]);
    await run('ip', ['link', 'set', `db${node}`, 'netns', String(holder.pid)]);
    await run('ip', ['address', 'add', `10.99.${node}.1/30`, 'dev', `node${node}`]);
    await run('ip', ['link', 'set', `node${node}`, 'up']);
    await there('address', 'add', `10.99.${node}.2/30`, 'dev', `db${node}`);
    await there('link', 'set', `db${node}`, 'up');
  }
  return {
    prefix,
    addressOf: (node) => `10.99.${node}.2`,
    async cut(node, isCut) {
      await there('link', 'set', `db${node}`, isCut ? 'down' : 'up');
    },
    async silence(node, isSilent) {
      await there('route', isSilent ? 'add' : 'del', 'blackhole', `10.99.${node}.1/32`);
    },
    async close() {
      holder.kill('SIGKILL');
      await ended;
    },
  };
}

async function readNamespace(pid: string): Promise<string> {
  const { stdout } = await run('readlink', [`/proc/${pid}/ns/net`]);
  return stdout;
}
