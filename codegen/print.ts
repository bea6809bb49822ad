/** Text that the codegen command prints for a developer. Nothing here prints. */

import { escapeInvisible } from '../shared/invisible.ts';
import type { ServiceCounts } from './cache/last-run.ts';
import { type Diagnostic, formatPlace, type Severity } from './diagnostics.ts';
import type { Stage } from './generate.ts';
import type { Change } from './write.ts';

/** Largest number of diagnostics of one code that are printed without `--verbose`. */
const LIMIT: Readonly<Record<Severity, number>> = { error: 50, warning: 3, info: 0 };

/** Largest number of places of one message that are named without `--verbose`. */
const MAX_PLACES = 3;

/**
 * `file:line:column severity code message`, then the fix. A message that applies to several places is printed once,
 * with their number. For each code, at most 50 errors, 3 warnings and no notes are printed, and the others are counted;
 * `verbose` prints all, each with its place.
 */
export function formatDiagnostics(diagnostics: readonly Diagnostic[], verbose: boolean): string {
  const printedCounts = new Map<string, number>();
  const hiddenCounts = new Map<string, number>();
  const lines: string[] = [];
  const messageKey = ({ file, code, message, fix }: Diagnostic) => JSON.stringify([file, code, message, fix]);
  const groups = verbose
    ? diagnostics.map((diagnostic) => [diagnostic])
    : [...Map.groupBy(diagnostics, messageKey).values()];
  for (const group of groups) {
    const [first] = group;
    if (first === undefined) continue;
    const { code, severity } = first;
    const count = printedCounts.get(code) ?? 0;
    if (verbose || count < LIMIT[severity]) {
      printedCounts.set(code, count + 1);
      lines.push(...formatDiagnostic(first, group));
    } else {
      hiddenCounts.set(`${severity} ${code}`, (hiddenCounts.get(`${severity} ${code}`) ?? 0) + group.length);
    }
  }
  for (const [kind, count] of hiddenCounts) lines.push(`${count} more: ${kind} (--verbose prints them)`);
  if (diagnostics.length > 0) lines.push(counts(diagnostics));
  return lines.map((line) => `${line}\n`).join('');
}

function formatDiagnostic(
  { file, position, severity, code, message, fix }: Diagnostic,
  group: readonly Diagnostic[],
): string[] {
  const pointers = group.flatMap(({ pointer }) => (pointer === '' ? [] : [`  at ${escapeInvisible(pointer)}`]));
  const unlistedCount = group.length - MAX_PLACES;
  const locationLines =
    unlistedCount > 0
      ? [...pointers.slice(0, MAX_PLACES), `  and at ${plural(unlistedCount, 'other place')}`]
      : pointers;
  return [
    `${formatPlace({ file, position })} ${severity} ${code} ${escapeInvisible(message)}`,
    ...locationLines,
    `  fix: ${escapeInvisible(fix)}`,
  ];
}

function counts(diagnostics: readonly Diagnostic[]): string {
  const count = (severity: Severity) => diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
  return [plural(count('error'), 'error'), plural(count('warning'), 'warning'), plural(count('info'), 'note')].join(
    ', ',
  );
}

export interface ServiceSummary extends ServiceCounts {
  readonly name: string;
  /** By stage; null if nothing was generated because nothing had changed since the last run. */
  readonly milliseconds: Readonly<Record<Stage, number>> | null;
}

/** One line for each service, one for the whole run. */
export function formatSummary(
  services: readonly ServiceSummary[],
  changes: readonly Change[],
  { verbose, milliseconds }: { readonly verbose: boolean; readonly milliseconds: number },
): string {
  const lines = services.flatMap((service) => [
    serviceLine(service, changes),
    ...(verbose && service.milliseconds !== null ? [`  ${stageTimes(service.milliseconds)}`] : []),
  ]);
  const removedCount = changes.filter(({ after }) => after === null).length;
  const writtenCount = changes.length - removedCount;
  const end =
    changes.length === 0
      ? 'Nothing changed.'
      : `Wrote ${plural(writtenCount, 'file')}${removedCount > 0 ? `, removed ${plural(removedCount, 'file')}` : ''}.`;
  return [...lines, `${end} ${seconds(milliseconds)}`, ''].join('\n');
}

function serviceLine(service: ServiceSummary, changes: readonly Change[]): string {
  const { name, tools, notExposed, refused, milliseconds } = service;
  const changed = changes.filter(({ path }) => path.startsWith(`generated/${name}/`)).length;
  const exclusionNote =
    notExposed === 0 ? '' : `, ${notExposed} not exposed${refused === 0 ? '' : ` (${refused} refused by codegen)`}`;
  const outcome =
    milliseconds === null
      ? 'unchanged since the last run'
      : `${plural(changed, 'file')} changed, ${seconds(Object.values(milliseconds).reduce((sum, time) => sum + time, 0))}`;
  return `${name}: ${plural(tools, 'tool')}${exclusionNote}, ${outcome}`;
}

function stageTimes(milliseconds: Readonly<Record<Stage, number>>): string {
  return Object.entries(milliseconds)
    .map(([stage, time]) => `${stage} ${seconds(time)}`)
    .join(', ');
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

export function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
