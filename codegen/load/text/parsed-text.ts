/** What every parser of one text answers: its value, or its faults, and where everything stands. */

/** A fault of the text itself. `line` is one-based. */
export interface SyntaxFault {
  readonly line: number;
  readonly message: string;
}

export interface ParsedText {
  /** Undefined where there are faults. */
  readonly value: unknown;
  readonly faults: readonly SyntaxFault[];
  /** What was wrong in the text and is read as its author meant it. */
  readonly repairs: readonly SyntaxFault[];
  /** One-based line of the deepest part of an RFC 6901 pointer that the text has; null for a text that does not parse. */
  locate(pointer: string): number | null;
}
