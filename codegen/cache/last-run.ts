/** The record of the last codegen runs: for each service, the hash of its input, and its outcome. */

import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Diagnostic } from '../diagnostics.ts';

/** Numbers of operations. */
export interface ServiceCounts {
  readonly tools: number;
  /** Without a tool, and how many of them codegen rejected. */
  readonly notExposed: number;
  readonly refused: number;
}

/** One service that was generated without an error. */
export interface ServiceRun extends ServiceCounts {
  /** Hash of everything that decided the output. */
  readonly key: string;
  /** ISO date if the diagnostics depend on the day; else null. */
  readonly day: string | null;
  /** SHA-256 of each emitted file, by path relative to the project's root. */
  readonly files: Readonly<Record<string, string>>;
  readonly diagnostics: readonly Diagnostic[];
}

export interface LastRun {
  readonly services: Readonly<Record<string, ServiceRun>>;
  /** `generated/index.ts`. */
  readonly index: Pick<ServiceRun, 'key' | 'files'> | null;
}

const NO_RUN: LastRun = { services: {}, index: null };

/** Larger records are neither written nor read. */
const MAX_RECORD_BYTES = 32 * 1024 * 1024;

const FOLDER = 'unified-tool-gateway';

/** In `node_modules/`, which git ignores and `npm ci` replaces; in a project without one, in `.cache/`. */
function recordFileOf(root: string): string {
  const caches = existsSync(path.join(root, 'node_modules')) ? 'node_modules/.cache' : '.cache';
  return path.join(root, caches, FOLDER, 'codegen.json');
}

/** `NO_RUN` if there is no record, or if it differs by a single byte from what `toRecordText` wrote. */
export function loadLastRun(root: string): LastRun {
  try {
    const file = recordFileOf(root);
    if (statSync(file).size > MAX_RECORD_BYTES) return NO_RUN;
    const text = readFileSync(file, 'utf8');
    const end = text.indexOf('\n');
    const body = text.slice(end + 1);
    return text.slice(0, end) === sealOf(body) ? (JSON.parse(body) as LastRun) : NO_RUN;
  } catch {
    return NO_RUN;
  }
}

/**
 * Replaces the record. A record that would be too large is not written. If the folder is not writable, only the next
 * run takes longer, so no error is thrown. The folder gets a `.gitignore`, because not every project ignores `.cache/`.
 */
export function writeLastRun(root: string, run: LastRun): void {
  const target = recordFileOf(root);
  const folder = path.dirname(target);
  const unfinished = `${target}.${process.pid}`;
  const text = toRecordText(run);
  if (Buffer.byteLength(text) > MAX_RECORD_BYTES) return;
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, '.gitignore'), '*\n');
    writeFileSync(unfinished, text);
    renameSync(unfinished, target);
  } catch {
    removeIfThere(unfinished);
  }
}

function removeIfThere(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    return;
  }
}

/** The text of a record: a hash, then the run as JSON on the second line, which the hash covers. */
export function toRecordText(run: LastRun): string {
  const body = JSON.stringify(run);
  return `${sealOf(body)}\n${body}`;
}

/** The hash includes the version of the format, so a record in another format is not read. */
function sealOf(body: string): string {
  return hash('sha256', `codegen record 1\n${body}`);
}
