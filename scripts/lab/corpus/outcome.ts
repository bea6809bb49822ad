/** The result of one document of the corpus. */

import type { AddedDocument } from './layout.ts';

/** A document to generate. */
export interface Task {
  /** The folder that contains `specs/` and `generated/`. */
  readonly root: string;
  readonly service: string;
  readonly document: AddedDocument;
}

export interface Outcome {
  /** Operations under `paths`, counted in the document's own text. Null if it does not parse or an overlay changes it. */
  readonly operations: number | null;
  readonly tools: number;
  /** Codes of the diagnostics that connector.yaml answers as their `fix` says, sorted. */
  readonly decided: readonly string[];
  /** The errors that remain: code, line and message. With any, there are no tools. */
  readonly errors: readonly string[];
  /** Defects of codegen: a crash, a tool that no client accepts, an operation that was lost. */
  readonly defects: readonly string[];
  /** True if files were written. */
  readonly isGenerated: boolean;
  /** Duration of the last run of codegen. */
  readonly seconds: number;
}

/** The outcome of a document that codegen did not finish. */
export const UNFINISHED: Outcome = {
  operations: null,
  tools: 0,
  decided: [],
  errors: [],
  defects: [],
  isGenerated: false,
  seconds: 0,
};
