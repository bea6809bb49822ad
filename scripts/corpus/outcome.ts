/** What became of one document of the corpus. */

/** A document to generate, as the worker gets it. */
export interface Task {
  /** Folder that holds `specs/` and `generated/`. */
  readonly root: string;
  readonly service: string;
  /** Path of the document. */
  readonly file: string;
}

export interface Outcome {
  /** Operations under `paths`, counted in the document's own text; null where it does not parse. */
  readonly operations: number | null;
  readonly tools: number;
  /** How many operations have no tool, by reason. */
  readonly refused: Readonly<Record<string, number>>;
  /** Codes of the errors that connector.yaml was written for, as their `fix` says; sorted. */
  readonly decided: readonly string[];
  /** How many errors are left, by code. Then there are no tools. */
  readonly errors: Readonly<Record<string, number>>;
  readonly warnings: Readonly<Record<string, number>>;
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
    operations: null,
    tools: 0,
    refused: {},
    decided: [],
    errors: {},
    warnings: {},
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
