/** Checks which requirements of faults this machine meets. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Need } from './fault.ts';
import { findPostgres } from './stage/postgres.ts';

const FAKETIME = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib', '/usr/local/lib'].map(
  (folder) => `${folder}/faketime/libfaketime.so.1`,
);
const PROGRAMS = ['ip', 'unshare', 'nsenter', 'mount', 'umount', 'setpriv', 'readlink'];

/** Path of the library that shifts a process's clock; null: it is not installed. */
export function findFaketime(): string | null {
  return FAKETIME.find((file) => existsSync(file)) ?? null;
}

/** Null if namespaces and mounts can be created; otherwise why not. */
export function whyNoNamespaces(): string | null {
  if (process.platform !== 'linux') return 'this is no Linux';
  if (process.getuid?.() !== 0) return 'namespaces, mounts and virtual interfaces need root';
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin', '/sbin'];
  const missing = PROGRAMS.filter((name) => !folders.some((folder) => existsSync(path.join(folder, name))));
  return missing.length === 0 ? null : `${missing.join(', ')} not installed (Debian: iproute2, util-linux)`;
}

/** @param isolated whether this process has its own namespaces. @returns why a need cannot be met; null: it can. */
export async function findObstacles(isolated: boolean): Promise<Readonly<Record<Need, string | null>>> {
  return {
    postgres: (await findPostgres()) === null ? 'PostgreSQL is not installed (Debian: postgresql)' : null,
    namespaces: isolated ? null : (whyNoNamespaces() ?? 'namespaces could not be made'),
    faketime: findFaketime() === null ? 'libfaketime is not installed (Debian: libfaketime)' : null,
  };
}
