/** What the codegen command says to a developer. Text only: nothing here prints. */

import type { Diagnostic, Severity } from './diagnostics.ts';
import { escapeInvisible } from './emit/literal.ts';
import type { ServiceReport } from './generate.ts';
import { type Change, toUnifiedDiff } from './write.ts';

/** How many diagnostics of one code are printed without `--verbose`. */
const LIMIT: Readonly<Record<Severity, number>> = { error: 50, warning: 3, info: 0 };

/** Lines of one file's diff, and of all of them, that a check prints. */
const MAX_FILE_DIFF_LINES = 200;
const MAX_DIFF_LINES = 2000;

/**
 * `file:line severity code message`, then the way out. Of one code at most 50 errors, 3 warnings and no note are
 * printed, and the others are counted; `verbose` prints all.
 */
export function formatDiagnostics(diagnostics: readonly Diagnostic[], verbose: boolean): string {
  const shown = new Map<string, number>();
  const hidden = new Map<string, number>();
  const lines: string[] = [];
  for (const diagnostic of diagnostics) {
    const { code, severity } = diagnostic;
    const count = shown.get(code) ?? 0;
    if (verbose || count < LIMIT[severity]) {
      shown.set(code, count + 1);
      lines.push(...formatDiagnostic(diagnostic));
    } else {
      hidden.set(`${severity} ${code}`, (hidden.get(`${severity} ${code}`) ?? 0) + 1);
    }
  }
  for (const [kind, count] of hidden) lines.push(`${count} more: ${kind} (--verbose prints them)`);
  if (diagnostics.length > 0) lines.push(counts(diagnostics));
  return lines.map((line) => `${line}\n`).join('');
}

function formatDiagnostic({ file, line, severity, code, message, pointer, fix }: Diagnostic): string[] {
  const place = line === null ? file : `${file}:${line}`;
  const pointerLine = pointer === '' ? [] : [`  at ${escapeInvisible(pointer)}`];
  return [`${place} ${severity} ${code} ${escapeInvisible(message)}`, ...pointerLine, `  fix: ${escapeInvisible(fix)}`];
}

function counts(diagnostics: readonly Diagnostic[]): string {
  const count = (severity: Severity) => diagnostics.filter((one) => one.severity === severity).length;
  return [plural(count('error'), 'error'), plural(count('warning'), 'warning'), plural(count('info'), 'note')].join(
    ', ',
  );
}

/** One line a service, one for the whole run. */
export function formatSummary(
  services: readonly ServiceReport[],
  changes: readonly Change[],
  { verbose, milliseconds }: { readonly verbose: boolean; readonly milliseconds: number },
): string {
  const lines = services.flatMap((service) => [
    serviceLine(service, changes),
    ...(verbose ? [`  ${stageTimes(service)}`] : []),
  ]);
  const removed = changes.filter(({ after }) => after === null).length;
  const written = changes.length - removed;
  const end =
    changes.length === 0
      ? 'Nothing changed.'
      : `Wrote ${plural(written, 'file')}${removed > 0 ? `, removed ${plural(removed, 'file')}` : ''}.`;
  return [...lines, `${end} ${seconds(milliseconds)}`, ''].join('\n');
}

function serviceLine({ name, connector, milliseconds }: ServiceReport, changes: readonly Change[]): string {
  const notExposed = connector?.notExposed ?? [];
  const refused = notExposed.filter(({ by }) => by === 'codegen').length;
  const changed = changes.filter(({ path }) => path.startsWith(`generated/${name}/`)).length;
  const total = Object.values(milliseconds).reduce((sum, one) => sum + one, 0);
  const without = notExposed.length === 0 ? '' : `, ${notExposed.length} not exposed (${refused} refused by codegen)`;
  return `${name}: ${plural(connector?.tools.length ?? 0, 'tool')}${without}, ${plural(changed, 'file')} changed, ${seconds(total)}`;
}

function stageTimes({ milliseconds }: ServiceReport): string {
  return Object.entries(milliseconds)
    .map(([stage, time]) => `${stage} ${seconds(time)}`)
    .join(', ');
}

/** Unified diffs of what is not up to date, and the command that mends it. */
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

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
