/** What the last runs of codegen left: per service, what it was made from, and its outcome. */

import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Diagnostic } from '../diagnostics.ts';

/** One service, as it was generated without an error. */
export interface ServiceRun {
  /** Hash of everything that decided it. */
  readonly key: string;
  /** ISO date, where what was said depends on the day; else null. */
  readonly day: string | null;
  /** SHA-256 of each emitted file, by path relative to the project's root. */
  readonly files: Readonly<Record<string, string>>;
  readonly diagnostics: readonly Diagnostic[];
  readonly tools: number;
  /** Operations without a tool, and how many of them codegen refused. */
  readonly notExposed: number;
  readonly refused: number;
}

export interface LastRun {
  readonly services: Readonly<Record<string, ServiceRun>>;
  /** `generated/index.ts`. */
  readonly index: Pick<ServiceRun, 'key' | 'files'> | null;
}

const NO_RUN: LastRun = { services: {}, index: null };

/** Larger records are neither written nor read. */
const MAX_RECORD_BYTES = 32 * 1024 * 1024;

/** The record, relative to the project's root. It is in `node_modules/`, so git ignores it and `npm ci` removes it. */
export const RECORD_FILE = 'node_modules/.cache/unified-tool-gateway/codegen.json';

/** `NO_RUN` where there is no record, or one that is not, byte for byte, what `toRecordText` made. */
export function loadLastRun(root: string): LastRun {
  try {
    const file = path.join(root, RECORD_FILE);
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
 * Replaces the record. One that would be too large is not written. A folder where that cannot be done costs only time in
 * the next run, so no error is thrown; and no `node_modules/` is made for it.
 */
export function writeLastRun(root: string, run: LastRun): void {
  const target = path.join(root, RECORD_FILE);
  const unfinished = `${target}.${process.pid}`;
  const text = toRecordText(run);
  if (Buffer.byteLength(text) > MAX_RECORD_BYTES || !existsSync(path.join(root, 'node_modules'))) return;
  try {
    mkdirSync(path.dirname(target), { recursive: true });
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

/** The text of a record: a seal over the second line, which is the run as JSON. */
export function toRecordText(run: LastRun): string {
  const body = JSON.stringify(run);
  return `${sealOf(body)}\n${body}`;
}

/** The shape's version is part of the seal, so a record of another shape is not read. */
function sealOf(body: string): string {
  return hash('sha256', `codegen record 1\n${body}`);
}
