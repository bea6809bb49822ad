/** What every parser of one text answers: its value, or its faults, and where everything stands. */

import type { Position } from '../../diagnostics.ts';

/** A fault of the text itself. */
export interface SyntaxFault {
  readonly position: Position;
  readonly message: string;
}

export interface ParsedText {
  /** Undefined where there are faults. */
  readonly value: unknown;
  readonly faults: readonly SyntaxFault[];
  /** What was wrong in the text and is read as its author meant it. */
  readonly repairs: readonly SyntaxFault[];
  /** Where the deepest part of an RFC 6901 pointer stands that the text has; null for a text that does not parse. */
  locate(pointer: string): Position | null;
}
