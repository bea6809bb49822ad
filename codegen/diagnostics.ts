/** What codegen has to say to a developer: values with a stable code, a place and a way out. */

export type Severity = 'error' | 'warning' | 'info';

/** A problem without its place in the text: `generate` adds the line. */
export interface Problem {
  readonly code: DiagnosticCode;
  /** Path relative to the project's root, such as `specs/retrieval/openapi.yaml`. */
  readonly file: string;
  /** RFC 6901 pointer into `file`; empty for the whole file. */
  readonly pointer: string;
  /** What is wrong here, with names and values. */
  readonly message: string;
  /** Overrides the catalogue's general fix. */
  readonly fix?: string;
}

export interface Diagnostic extends Problem {
  readonly severity: Severity;
  /** One-based, or null where the text has no such place. */
  readonly line: number | null;
  readonly fix: string;
}

interface DiagnosticDoc {
  readonly severity: Severity;
  readonly title: string;
  readonly cause: string;
  readonly fix: string;
}

/** Every code with its documentation: a code without one does not compile. */
export const DIAGNOSTICS = {
  'descriptor-missing': {
    severity: 'error',
    title: 'A folder of specs/ has no descriptor',
    cause: 'None of openapi.yaml, openapi.yml or openapi.json is there.',
    fix: 'Add the descriptor, or remove the folder.',
  },
} as const satisfies Record<string, DiagnosticDoc>;

export type DiagnosticCode = keyof typeof DIAGNOSTICS;
