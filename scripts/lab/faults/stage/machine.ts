/** Checks what this machine lacks, and changes it inside the namespaces of this process, with which every change ends. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, rmSync, writeSync } from 'node:fs';
import { mkdir, readlink } from 'node:fs/promises';
import path from 'node:path';
import { run } from './programs.ts';

const PROGRAMS = ['ip', 'unshare', 'nsenter', 'mount', 'umount', 'setpriv'];

/** The library that shifts a process's clock; undefined if it is not installed. */
export const FAKETIME = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib', '/usr/local/lib']
  .map((folder) => `${folder}/faketime/libfaketime.so.1`)
  .find((file) => existsSync(file));

/** Returns why namespaces and mounts cannot be created; undefined if they can. */
export function whyNoNamespaces(): string | undefined {
  if (process.platform !== 'linux') return 'this is no Linux';
  if (process.getuid?.() !== 0) return 'namespaces, mounts and virtual interfaces need root';
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin', '/sbin'];
  const missing = PROGRAMS.filter((name) => !folders.some((folder) => existsSync(path.join(folder, name))));
  return missing.length === 0 ? undefined : `${missing.join(', ')} not installed (Debian: iproute2, util-linux)`;
}

/** A small disk in memory. */
export interface SmallDisk {
  readonly folder: string;
  /** Leaves not a byte. */
  fill(): void;
  empty(): void;
}

/** Mounts a tmpfs. */
export async function mountDisk(folder: string, megabytes: number): Promise<SmallDisk> {
  await mkdir(folder);
  await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0711`, 'tmpfs', folder]);
  const filler = path.join(folder, 'filler');
  return {
    folder,
    fill() {
      const file = openSync(filler, 'a');
      for (const size of [64 * 1024, 4096, 512, 1]) writeUntilFull(file, Buffer.alloc(size, 'x'));
      closeSync(file);
    },
    empty() {
      rmSync(filler, { force: true });
    },
  };
}

function writeUntilFull(file: number, chunk: Buffer): void {
  try {
    while (writeSync(file, chunk) === chunk.length);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

/** The network between the nodes and the database: a namespace that a database server can be started in, and a pair of interfaces per node. */
export interface Network {
  /** The start of a command line that runs in the namespace. */
  readonly prefix: readonly string[];
  /** Returns the namespace's address for a node. */
  addressOf(node: number): string;
  /** Takes the interface of a node down, so that all its traffic is lost, or up again. */
  cut(node: number, isCut: boolean): Promise<void>;
  /** Drops what the namespace sends to a node, and nothing else. */
  silence(node: number, isSilent: boolean): Promise<void>;
  close(): Promise<void>;
}

export async function openNetwork(nodes: number): Promise<Network> {
  const holder = spawn('unshare', ['--net', 'sleep', 'infinity'], { stdio: 'ignore' });
  const ended = once(holder, 'exit');
  const namespaceOf = (pid: string): Promise<string> => readlink(`/proc/${pid}/ns/net`).catch(() => '');
  const outside = await namespaceOf('self');
  while (['', outside].includes(await namespaceOf(String(holder.pid)))) await new Promise(setImmediate);

  const namespace = `--net=/proc/${holder.pid}/ns/net`;
  const ip = (command: string) => run('ip', command.split(' '));
  const ipInside = async (command: string): Promise<void> => {
    await run('nsenter', [namespace, 'ip', ...command.split(' ')]);
  };
  await ipInside('link set lo up');
  for (let node = 0; node < nodes; node += 1) {
    await ip(`link add node${node} type veth peer name db${node}`);
    await ip(`link set db${node} netns ${holder.pid}`);
    await ip(`address add 10.99.${node}.1/30 dev node${node}`);
    await ip(`link set node${node} up`);
    await ipInside(`address add 10.99.${node}.2/30 dev db${node}`);
    await ipInside(`link set db${node} up`);
  }
  return {
    prefix: ['nsenter', namespace],
    addressOf: (node) => `10.99.${node}.2`,
    cut: (node, isCut) => ipInside(`link set db${node} ${isCut ? 'down' : 'up'}`),
    silence: (node, isSilent) => ipInside(`route ${isSilent ? 'add' : 'del'} blackhole 10.99.${node}.1/32`),
    async close() {
      holder.kill('SIGKILL');
      await ended;
    },
  };
}
