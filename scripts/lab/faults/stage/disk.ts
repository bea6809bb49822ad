/** A small disk in memory that can be filled completely. */

import { execFile } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

export interface SmallDisk {
  readonly folder: string;
  fill(): void;
  empty(): void;
  close(): Promise<void>;
}

const run = promisify(execFile);
const PIECES = [64 * 1024, 4096, 512, 1];

/** Mounts a tmpfs. It always ends with the namespace of this process. */
export async function mountDisk(folder: string, megabytes: number): Promise<SmallDisk> {
  await mkdir(folder, { recursive: true });
  await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0711`, 'tmpfs', folder]);
  const filler = path.join(folder, 'filler');
  return {
    folder,
    fill() {
      const file = openSync(filler, 'a');
      for (const size of PIECES) writeUntilFull(file, Buffer.alloc(size, 'x'));
      closeSync(file);
    },
    empty() {
      rmSync(filler, { force: true });
    },
    async close() {
      await run('umount', ['--lazy', folder]);
    },
  };
}

function writeUntilFull(file: number, piece: Buffer): void {
  try {
    while (writeSync(file, piece) === piece.length);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
