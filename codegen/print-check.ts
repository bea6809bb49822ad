/** Text of `--check`: how `generated/` differs from the output of codegen. Nothing here prints. */

import { createTwoFilesPatch } from 'diff';
import { plural } from './print.ts';
import type { Change } from './write.ts';

/** Maximum lines that a check prints for the diff of one file, and of all files. */
const MAX_FILE_DIFF_LINES = 200;
const MAX_DIFF_LINES = 2000;

/** Milliseconds after which the comparison of a file stops. */
const DIFF_TIMEOUT_MS = 2000;

/** Unified diffs of the outdated files, and the command that fixes them. */
export function formatCheck(files: number, changes: readonly Change[]): string {
  if (changes.length === 0) return `generated/ is up to date (${plural(files, 'file')}).\n`;
  const lines: string[] = [];
  for (const change of changes) {
    if (lines.length >= MAX_DIFF_LINES) break;
    lines.push(...shorten(toUnifiedDiff(change).trimEnd().split('\n')));
  }
  const names = changes.map(({ path, before, after }) => `  ${verb(before, after)} ${path}`);
  return [
    ...lines,
    '',
    `generated/ is not up to date: ${plural(changes.length, 'file')}`,
    ...names,
    'Run `npm run codegen` and commit what it writes.',
    '',
  ].join('\n');
}

function shorten(lines: string[]): string[] {
  if (lines.length <= MAX_FILE_DIFF_LINES) return lines;
  return [...lines.slice(0, MAX_FILE_DIFF_LINES), `(${lines.length - MAX_FILE_DIFF_LINES} more lines)`];
}

function verb(before: string | null, after: string | null): string {
  if (before === null) return 'missing';
  return after === null ? 'orphan ' : 'changed';
}

/** A unified diff of one change, with the labels of `git diff`. */
export function toUnifiedDiff({ path: file, before, after }: Change): string {
  const from = before === null ? '/dev/null' : `a/${file}`;
  const to = after === null ? '/dev/null' : `b/${file}`;
  const patch = createTwoFilesPatch(from, to, before ?? '', after ?? '', undefined, undefined, {
    context: 3,
    timeout: DIFF_TIMEOUT_MS,
  });
  return patch?.replace(/^=+\n/, '') ?? `--- ${from}\n+++ ${to}\n(too different to compare line by line)\n`;
}
