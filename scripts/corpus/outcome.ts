/** What became of one document of the corpus. */

import type { DocumentFacts } from './document.ts';
import type { OptionalBodies } from './optional-bodies.ts';

/** A document to generate, as the worker gets it. */
export interface Task {
  /** Folder that holds `specs/` and `generated/`. */
  readonly root: string;
  readonly service: string;
  /** Path of the document. */
  readonly file: string;
  /** The folder that its references may name files of. */
  readonly rootFolder?: string;
  /** Path of an overlay. */
  readonly overlay?: string;
}

export interface Outcome extends DocumentFacts {
  /** Operations under `paths`, counted in the document's own text; null where it does not parse or an overlay changes it. */
  readonly operations: number | null;
  readonly tools: number;
  /** How many operations have no tool, by reason. */
  readonly refused: Readonly<Record<string, number>>;
  /** Codes of the errors that connector.yaml was written for, as their `fix` says; sorted. */
  readonly decided: readonly string[];
  /** How many errors are left, by code. Then there are no tools. */
  readonly errors: Readonly<Record<string, number>>;
  readonly warnings: Readonly<Record<string, number>>;
  /** Input and output schemas, and how many of them the meta-schema of JSON Schema 2020-12 takes. */
  readonly schemas: { readonly found: number; readonly valid: number };
  readonly optionalBodies: OptionalBodies;
  /** The first errors, with their lines. */
  readonly messages: readonly string[];
  /** What is wrong with codegen: a crash, a tool that no client takes, an operation that is nowhere. */
  readonly defects: readonly string[];
  /** Bytes of the emitted files. */
  readonly bytes: number;
  /** Of the last run of codegen. */
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
    optionalBodies: { found: 0, kept: 0 },
    messages: [],
    defects: [defect],
    bytes: 0,
    seconds,
    megabytes: 0,
  };
}

/** How often each text occurs, sorted by text. */
export function countTexts(texts: readonly string[]): Record<string, number> {
  const groups = Map.groupBy(texts, (text) => text);
  return Object.fromEntries([...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([text, all]) => [text, all.length]));
}
