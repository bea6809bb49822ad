/** The result of one document of the corpus. */

import type { DocumentFacts } from './document.ts';

/** A document to generate, as sent to the worker. */
export interface Task {
  /** The folder that contains `specs/` and `generated/`. */
  readonly root: string;
  readonly service: string;
  /** Path of the document. */
  readonly file: string;
  /** The folder of files that its references may name. */
  readonly rootFolder?: string;
  /** Path of an overlay. */
  readonly overlay?: string;
}

export interface Outcome extends DocumentFacts {
  /**
   * Operations under `paths`, counted in the document's own text; null if it does not parse or an overlay changes it.
   */
  readonly operations: number | null;
  readonly tools: number;
  /** Number of operations without a tool, by reason. */
  readonly refused: Readonly<Record<string, number>>;
  /** Codes of the errors that connector.yaml solves as their `fix` says, sorted. */
  readonly decided: readonly string[];
  /** Number of remaining errors, by code. With any, there are no tools. */
  readonly errors: Readonly<Record<string, number>>;
  readonly warnings: Readonly<Record<string, number>>;
  /** Number of input and output schemas, and of those that are valid by the meta-schema of JSON Schema 2020-12. */
  readonly schemas: { readonly found: number; readonly valid: number };
  /** The first errors, with their lines. */
  readonly messages: readonly string[];
  /** Defects of codegen: a crash, a tool that no client accepts, an operation that was lost. */
  readonly defects: readonly string[];
  /** Bytes of the emitted files. */
  readonly bytes: number;
  /** Duration of the last run of codegen. */
  readonly seconds: number;
  /** Peak memory of the worker so far. */
  readonly megabytes: number;
}

/** The outcome of a document that codegen did not finish. */
export function failedOutcome(defect: string, seconds: number): Outcome {
  return {
    version: '',
    isValid: null,
    operations: null,
    tools: 0,
    refused: {},
    decided: [],
    errors: {},
    warnings: {},
    schemas: { found: 0, valid: 0 },
    messages: [],
    defects: [defect],
    bytes: 0,
    seconds,
    megabytes: 0,
  };
}

/** Number of occurrences of each text, sorted by text. */
export function countTexts(texts: readonly string[]): Record<string, number> {
  const groups = Map.groupBy(texts, (text) => text);
  return Object.fromEntries([...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([text, all]) => [text, all.length]));
}
