/** Codegen's diagnostics for developers: values with a stable code, a place and a fix. */

import { ERRORS } from './diagnostic-errors.ts';
import { NOTES, WARNINGS } from './diagnostic-warnings.ts';
import { byCodeUnit } from './json.ts';

export type Severity = 'error' | 'warning' | 'info';

/** A place in a text; both are one-based, and columns count UTF-16 code units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A problem without its place in the text: `toDiagnostic` adds it. */
export interface Problem {
  readonly code: DiagnosticCode;
  /** Path relative to the project's root, such as `specs/retrieval/openapi.yaml`. */
  readonly file: string;
  /** RFC 6901 pointer into `file`; empty for the whole file. */
  readonly pointer: string;
  /** Only if no pointer leads to the place, as in a text that does not parse. */
  readonly position?: Position;
  /** The problem, with names and values. */
  readonly message: string;
  /** Overrides the catalogue's general fix. */
  readonly fix?: string | undefined;
}

export interface Diagnostic extends Omit<Problem, 'position'> {
  readonly severity: Severity;
  /** Of the key or item in question, or of its nearest existing parent; null if no text contains the place. */
  readonly position: Position | null;
  readonly fix: string;
}

/** Finds a place in a file that was read. */
export type Locate = (file: string, pointer: string) => Position | null;

type DiagnosticDoc = Readonly<Record<'title' | 'cause' | 'fix', string>>;

export type DiagnosticCode = keyof typeof ERRORS | keyof typeof WARNINGS | keyof typeof NOTES;

/** Every code with its severity and documentation: a code without one does not compile. */
export const DIAGNOSTICS = Object.fromEntries([
  ...withSeverity('error', ERRORS),
  ...withSeverity('warning', WARNINGS),
  ...withSeverity('info', NOTES),
]) as Readonly<Record<DiagnosticCode, DiagnosticDoc & { readonly severity: Severity }>>;

function withSeverity(severity: Severity, docs: Readonly<Record<string, DiagnosticDoc>>) {
  return Object.entries(docs).map(([code, doc]) => [code, { severity, ...doc }] as const);
}

/** Adds the catalogue's entry for the code, and the position. */
export function toDiagnostic(problem: Problem, locate: Locate): Diagnostic {
  const { severity, fix } = DIAGNOSTICS[problem.code];
  const position = problem.position ?? locate(problem.file, problem.pointer);
  return { ...problem, severity, position, fix: problem.fix ?? fix };
}

/** `file:line:column`, which editors and terminals open; the file alone where there is no position. */
export function formatPlace({ file, position }: Pick<Diagnostic, 'file' | 'position'>): string {
  return position === null ? file : `${file}:${position.line}:${position.column}`;
}

/** By file, position, pointer, code and message. */
export function compareDiagnostics(a: Diagnostic, b: Diagnostic): number {
  return (
    byCodeUnit(a.file, b.file) ||
    (a.position?.line ?? 0) - (b.position?.line ?? 0) ||
    (a.position?.column ?? 0) - (b.position?.column ?? 0) ||
    byCodeUnit(a.pointer, b.pointer) ||
    byCodeUnit(a.code, b.code) ||
    byCodeUnit(a.message, b.message)
  );
}
