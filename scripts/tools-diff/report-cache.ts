/** Keeps what a comparison read and built, by digest, for the next comparison with the same code. */

import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { fingerprintGenerator } from '../../codegen/cache/fingerprint.ts';
import type { Cache } from '../../codegen/remember.ts';

/** Relative to the project's root. It is in `node_modules/`, so git ignores it and `npm ci` removes it. */
const FILE = 'node_modules/.cache/unified-tool-gateway/tools-diff';
const MAX_BYTES = 128 * 1024 * 1024;
const DIGEST_BYTES = 32;

type Values = ReadonlyMap<string, unknown>;

/** Values by digest. */
export type ReportCache = Cache<string, unknown>;

interface ReportCacheFile extends ReportCache {
  /** Digest of all keys that this run used, in their order. */
  digest(): string;
  /** Replaces the file with the values of this run; without a write, only the next run takes longer. */
  write(): void;
}

/** @param root the folder whose `node_modules/` has the file; without that folder nothing is kept. */
export function openReportCache(root: string): ReportCacheFile {
  const code = fingerprintGenerator(path.resolve(import.meta.dirname, '../../codegen'), ['scripts/tools-diff']);
  const isStored = code !== null && existsSync(path.join(root, 'node_modules'));
  const file = path.join(root, FILE);
  const storedValues = isStored ? read(file, code) : new Map<string, unknown>();
  const usedValues = new Map<string, unknown>();
  return {
    get(key) {
      const value = usedValues.get(key) ?? storedValues.get(key);
      if (value !== undefined) usedValues.set(key, value);
      return value;
    },
    set: (key, value) => usedValues.set(key, value),
    digest: () => hash('sha256', [...usedValues.keys()].join('\n')),
    write() {
      const isSame =
        usedValues.size === storedValues.size && [...usedValues.keys()].every((key) => storedValues.has(key));
      if (isStored && !isSame) write(file, code, usedValues);
    },
  };
}

/** Returns the stored values. They are empty if the file is missing, damaged, or was written by other code. */
function read(file: string, code: string): Values {
  try {
    const bytes = readFileSync(file);
    const body = bytes.subarray(DIGEST_BYTES);
    return sealOf(code, body).equals(bytes.subarray(0, DIGEST_BYTES)) ? (deserialize(body) as Values) : new Map();
  } catch {
    return new Map();
  }
}

function write(file: string, code: string, values: Values): void {
  const body = serialize(values);
  if (body.length > MAX_BYTES) return;
  const unfinished = `${file}.${process.pid}`;
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(unfinished, Buffer.concat([sealOf(code, body), body]));
    renameSync(unfinished, file);
  } catch {
    return;
  }
}

function sealOf(code: string, body: Buffer): Buffer {
  return hash('sha256', Buffer.concat([Buffer.from(code), body]), 'buffer');
}
